"""Export of annotations as the rows of a label file: one row per label, with decisions as further rows.

`agreement`, `meta-evaluate`, `tune` and the gist metric read these rows. In addition to a label's fields, a row has
`unclear` (the annotator flagged the item), `seconds` and `saved_at` of the latest revision, and, if the item has a
pre-label, `prelabel` (`shown` or `hidden`) and `prelabelled_by`. The `reason` of a decision defaults to its note. A
form may add fields of its own (`Form.exported`).
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
        prelabel = {}
        if each.prelabel is not None:
            judge, _, shown = each.prelabel
            prelabel = {"prelabel": "shown" if shown else "hidden", "prelabelled_by": judge}
        for person, annotation in each.annotations:
            extra = {
                "annotator": person.name,
                "adjudicated": False,
                "reason": annotation.payload.get("reason") or "",
                "unclear": annotation.unclear,
                "seconds": annotation.seconds,
                "saved_at": annotation.saved_at.isoformat(),
            }
            yield from _rows(form, each, annotation.payload, extra | prelabel)
        if (decision := each.decision) is not None:
            extra = {
                "annotator": decision.by,
                "adjudicated": True,
                "reason": decision.payload.get("reason") or decision.note,
                "note": decision.note,
                "saved_at": decision.decided_at.isoformat(),
            }
            yield from _rows(form, each, decision.payload, extra | prelabel)


def export_lines(form: Form, items: Iterable[AnnotatedItem]) -> Iterator[bytes]:
    """Yield the rows as JSON lines."""
    for row in export_rows(form, items):
        yield orjson.dumps(row) + b"\n"


def _rows(form: Form, annotated: AnnotatedItem, payload: Json, extra: Row) -> Iterator[Row]:
    key, content = annotated.item.key, annotated.item.content
    more = form.exported(key, content, payload)
    for label in form.labels(key, content, payload):
        yield {"item": label.item, "aspect": label.aspect, **_value(label), **more, **extra}


def _value(label: Label) -> Row:
    """Name the value as readers of labels expect it."""
    if label.spans is not None:
        return {"spans": [{"text": span.text, "start": span.start, "end": span.end} for span in label.spans]}
    whole = int(label.value) if label.value.is_integer() else label.value
    return {"preference" if label.aspect == PREFERENCE else "value": whole}
