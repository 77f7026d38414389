"""Export of annotations as the rows of a label file: one row per label, with decisions as further rows.

`agreement`, `meta-evaluate`, `tune` and the gist metric read these rows. In addition to a label's fields, a row has
`unclear` (the annotator flagged the item), `seconds` and `saved_at` of the latest revision, and, if the item has a
pre-label, `prelabel` (`shown` or `hidden`) and `prelabelled_by`. The `reason` of a decision defaults to its note.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from saiten.annotation.forms import Form
from saiten.annotation.records import AnnotatedItem, Json
from saiten.records import Label
from saiten.trust.inputs.picks import ASPECT as PREFERENCE

Row = dict[str, Any]


def export_rows(form: Form, items: Iterable[AnnotatedItem]) -> Iterator[Row]:
    """Yield the rows item by item: each annotator's labels, then the decision's."""
    for each in items:
        prelabel = _prelabel(each)
        for person, annotation in each.annotations:
            extra = {
                "unclear": annotation.unclear,
                "seconds": annotation.seconds,
                "saved_at": annotation.saved_at.isoformat(),
                **prelabel,
            }
            yield from _rows(form, each, annotation.payload, person.name, extra)
        if each.decision is not None:
            decision = each.decision
            extra = {"note": decision.note, "saved_at": decision.decided_at.isoformat(), **prelabel}
            yield from _rows(form, each, decision.payload, decision.by, extra, note=decision.note)


def export_lines(form: Form, items: Iterable[AnnotatedItem]) -> Iterator[bytes]:
    """Yield the rows as JSON lines."""
    for row in export_rows(form, items):
        yield orjson.dumps(row) + b"\n"


def _rows(
    form: Form, annotated: AnnotatedItem, payload: Json, name: str, extra: Json, *, note: str | None = None
) -> Iterator[Row]:
    reason = payload.get("reason") or note or ""
    for label in form.labels(annotated.item.key, annotated.item.content, payload):
        yield {
            "item": label.item,
            "aspect": label.aspect,
            **_value(label),
            "annotator": name,
            "adjudicated": note is not None,
            "reason": reason,
            **extra,
        }


def _value(label: Label) -> Row:
    """Name the value as readers of labels expect it."""
    if label.spans is not None:
        return {"spans": [{"text": span.text, "start": span.start, "end": span.end} for span in label.spans]}
    whole = int(label.value) if label.value.is_integer() else label.value
    return {"preference" if label.aspect == PREFERENCE else "value": whole}


def _prelabel(annotated: AnnotatedItem) -> Row:
    if annotated.prelabel is None:
        return {}
    by, _, shown = annotated.prelabel
    return {"prelabel": "shown" if shown else "hidden", "prelabelled_by": by}
