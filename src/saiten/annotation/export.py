"""What was said, as rows of a label file: one a label, third decisions beside the annotators' own.

`agreement`, `meta-evaluate`, `tune` and the gist metric read them as they are. Beside what labels have, a row says
`unclear` (the annotator flagged the item), `seconds` and `saved_at` of the latest revision, and, where a judge spoke
beforehand, `prelabel` (`shown` or `hidden`) and `prelabelled_by`. A decision's `reason` is its note, where it has none.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from saiten.annotation.forms import Form
from saiten.annotation.records import Json, Settled
from saiten.records import Label
from saiten.trust.meta_evaluation.picks import ASPECT as PREFERENCE

Row = dict[str, Any]


def export_rows(form: Form, settled: Iterable[Settled]) -> Iterator[Row]:
    """The rows, item by item: each annotator's labels, then the decision's."""
    for each in settled:
        beforehand = _beforehand(each)
        for person, answered in each.said:
            more = {
                "unclear": answered.unclear,
                "seconds": answered.seconds,
                "saved_at": answered.saved_at.isoformat(),
                **beforehand,
            }
            yield from _rows(form, each, answered.payload, person.name, more)
        if each.decision is not None:
            decision = each.decision
            more = {"note": decision.note, "saved_at": decision.decided_at.isoformat(), **beforehand}
            yield from _rows(form, each, decision.payload, decision.by, more, note=decision.note)


def export_lines(form: Form, settled: Iterable[Settled]) -> Iterator[bytes]:
    """The same as JSON lines."""
    for row in export_rows(form, settled):
        yield orjson.dumps(row) + b"\n"


def _rows(
    form: Form, settled: Settled, payload: Json, name: str, more: Json, *, note: str | None = None
) -> Iterator[Row]:
    reason = payload.get("reason") or note or ""
    for label in form.labels(settled.item.key, settled.item.content, payload):
        yield {
            "item": label.item,
            "aspect": label.aspect,
            **_said(label),
            "annotator": name,
            "adjudicated": note is not None,
            "reason": reason,
            **more,
        }


def _said(label: Label) -> Row:
    """Under the name by which readers of labels know what it is."""
    if label.spans is not None:
        return {"spans": [{"text": span.text, "start": span.start, "end": span.end} for span in label.spans]}
    whole = int(label.value) if label.value.is_integer() else label.value
    return {"preference" if label.aspect == PREFERENCE else "value": whole}


def _beforehand(settled: Settled) -> Row:
    if settled.prelabel is None:
        return {}
    by, _, shown = settled.prelabel
    return {"prelabel": "shown" if shown else "hidden", "prelabelled_by": by}
