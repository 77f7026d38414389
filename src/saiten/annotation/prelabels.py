"""Pre-labels: a judge's labels from a file, or its scores from a run, as payloads of a form."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path

from saiten.annotation.forms import Form
from saiten.annotation.records import Json, NewItem
from saiten.data import BadRow, read_labels
from saiten.errors import BadInput
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.metrics.naming import settings_of
from saiten.records import Label
from saiten.runs import RunReader, read_run
from saiten.trust.inputs.outputs import VERSUS
from saiten.trust.spans.marks import judges_of

_ASPECTS = {"correctness": "correctness", "accuracy": "correct"}
"""Metric → aspect of the form that asks people the same question."""


@dataclass(frozen=True)
class Prelabels:
    """The labels of one judge, by item."""

    source: str
    """The judge's name."""
    labels: Mapping[str, Sequence[Label]]

    def payload(self, form: Form, item: NewItem) -> Json | None:
        """Return the judge's payload for an item; None if its labels are incomplete."""
        found = [label for key in _keys(item) for label in self.labels.get(key, ())]
        return form.payload_of(item.content, found) if found else None


def read_prelabels(source: Path, *, notify: Callable[[str], None]) -> Prelabels:
    """Read a judge's labels from a file (JSONL, CSV, …), or its scores from the folder of a run.

    Raises:
        BadInput: it is missing or has no labels, has labels of several judges, or scores an aspect in several ways.
        ConfigurationError: the run cannot be read.
    """
    if not source.exists():
        raise BadInput(f"--prelabels {source} does not exist; expected a file of labels or the folder of a run")
    labels = list(_of_run(read_run(source, notify=notify), source) if source.is_dir() else _of_file(source, notify))
    if not labels:
        raise BadInput(f"--prelabels {source} has no labels")
    judges = sorted({label.annotator for label in labels})
    if len(judges) > 1:
        raise BadInput(f"--prelabels {source} has labels of {', '.join(map(repr, judges))}; keep those of one judge")
    by_item: dict[str, list[Label]] = {}
    for label in labels:
        by_item.setdefault(label.item, []).append(label)
    return Prelabels(judges[0] or source.stem, by_item)


def _keys(item: NewItem) -> Iterator[str]:
    """Yield the item ids its labels may have: its key; for compared answers each id, and each pair in either order."""
    ids = item.content.get("ids")
    if not isinstance(ids, Mapping):
        yield item.key
        return
    yield from ids.values()
    for first, second in permutations(ids.values(), 2):
        yield f"{first}{VERSUS}{second}"


def _of_file(source: Path, notify: Callable[[str], None]) -> Iterator[Label]:
    for row in read_labels(source, notify=notify):
        if isinstance(row, BadRow):
            notify(f"{row.where} is skipped: {row.reason}")
        else:
            yield row


def _of_run(run: RunReader, folder: Path) -> Iterator[Label]:
    judge = str(run.manifest.settings.get("judge") or folder.resolve().name)
    metrics: dict[str, str] = {}
    gist = False
    for scored in run.scores():
        gist |= settings_of(scored.metric, "gist") is not None
        if (aspect := _aspect_of(scored.metric)) is None:
            continue
        if metrics.setdefault(aspect, scored.metric) != scored.metric:
            raise BadInput(
                f"the run {folder} has {aspect!r} as {metrics[aspect]} and as {scored.metric}; "
                "give a run that scores it in one way"
            )
        value = scored.score.value
        if value is None and scored.score.status == "declined" and aspect == "correctness":
            value = 0.0  # the same as the grade 0 of people: the answer says that it does not know
        if value is not None:
            yield Label(scored.sample, value, judge, aspect, reason=scored.score.reason or "")
    if gist:
        marks = judges_of(run.scores(), judge)
        if len(marks) > 1:
            raise BadInput(
                f"the run {folder} has gist scores of several kinds: {'; '.join(marks)}; give a run with one"
            )
        for (item, aspect), spans in next(iter(marks.values())).items():
            yield Label(item, float(len(spans)), judge, aspect, spans=spans)


@cache
def _aspect_of(metric: str) -> str | None:
    """Return the aspect that a form asks people about instead; None for another metric."""
    own = (aspect for title, aspect in _ASPECTS.items() if settings_of(metric, title) is not None)
    return next(own, None) or aspect_of_metric(metric)
