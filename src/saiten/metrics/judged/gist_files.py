"""Files for `gist`: units marked by people, and few-shot examples, checked by the same rules as a judge's replies.

[[examples]]
language = "en"
question = "By when do I have to hand in travel expenses?"
reference = "By the 10th of the following month. The form is new."
gist = ["By the 10th of the following month."]
supplement = ["The form is new."]
answer = "Before the month ends."            # from here on optional: the second step
missing_gist = [1]                           # numbers, counted from 1 within the list
missing_supplement = [1]
extra_gist = ["Before the month ends."]      # words of the answer
extra_supplement = []
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from saiten.data import BadRow
from saiten.data.hand_written import checked, read_file
from saiten.data.labels import deciding, read_labels
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.judged.gist_counts import CLASSES, layout_of_extra
from saiten.records import Label, Span
from saiten.tasks.gist_example import GistExample
from saiten.tasks.gist_units import read_positions
from saiten.text.partition import lay_out


def read_examples(file: Path) -> tuple[GistExample, ...]:
    """Read at least one example; a ConfigurationError names file and example, and what was expected."""
    content = read_file(file, "examples of gist")
    tables = content.get("examples")
    if set(content) != {"examples"} or not isinstance(tables, list) or not tables:
        found = ", ".join(content) or "nothing"
        raise ConfigurationError(f"{file}: expected nothing but tables [[examples]], at least one; found {found}")
    examples = []
    for number, table in enumerate(tables, 1):
        try:
            examples.append(_example(table))
        except ValueError as error:
            raise ConfigurationError(f"{file}: example {number}: {error}") from error
    return tuple(examples)


def _example(table: Any) -> GistExample:
    example = checked(GistExample, table)
    if not (example.question.strip() and example.reference.strip()):
        raise ValueError("question and reference must not be blank")
    later = [name for name in ("missing_gist", "missing_supplement", "extra_gist", "extra_supplement") if name in table]
    if example.answer is None and later:
        raise ValueError(f"{later[0]!r} is about an answer, but the example has none")
    _check(example)
    return example


def _check(example: GistExample) -> None:
    layouts = [lay_out(example.reference, {"gist": example.gist, "supplement": example.supplement}, whole=True)]
    if example.answer is not None:
        layouts.append(layout_of_extra(example.answer, example.extra_gist, example.extra_supplement))
    for layout in layouts:
        for fault in layout.faults:
            raise ValueError(fault)
        for one in chain(*layout.units.values()):
            if one.how == "fuzzy":
                raise ValueError(f"{one.text[:60]!r} is not in the text word for word; copy its words")
    _, faults = read_positions(example.missing_gist, example.gist, "gist unit")
    _, more = read_positions(example.missing_supplement, example.supplement, "supplement unit")
    for fault in (*faults, *more):
        raise ValueError(fault)


@dataclass(frozen=True, slots=True)
class MarkedUnits:
    """The units marked in one reference."""

    gist: tuple[Span, ...] = ()
    supplement: tuple[Span, ...] = ()


def read_units(file: Path, annotator: str = "") -> Mapping[str, MarkedUnits]:
    """Read units by sample id from a file of labels; raises ConfigurationError if it is unclear whose count."""
    try:
        rows = list(read_labels(file))
    except BadInput as error:
        raise ConfigurationError(str(error)) from error
    if bad := next((row for row in rows if isinstance(row, BadRow)), None):
        raise ConfigurationError(f"{bad.where}: {bad.reason}")
    try:
        return units_of((row for row in rows if isinstance(row, Label)), annotator)
    except ValueError as error:
        raise ConfigurationError(f"{file}: {error}") from error


def units_of(labels: Iterable[Label], annotator: str = "") -> Mapping[str, MarkedUnits]:
    """Return the annotator's units by sample id, or the adjudicated ones if there are any; several labels add up.

    Raises ValueError if no label marks units, or several people do and none was chosen.
    """
    marked = [label for label in labels if label.aspect in CLASSES and label.spans is not None]
    if not marked:
        raise ValueError("no label marks units: spans of the aspects `gist` and `supplement` were expected")
    people = sorted({label.annotator for label in marked if not label.adjudicated})
    if annotator and annotator not in people:
        raise ValueError(f"there are no units by {annotator!r}; there are some by {', '.join(people) or 'nobody'}")
    counted = [label for each in deciding(marked).values() for label in each]
    if annotator:
        counted = [label for label in counted if label.adjudicated or label.annotator == annotator]
    elif len(people := sorted({label.annotator for label in counted if not label.adjudicated})) > 1:
        raise ValueError(f"several people marked units: {', '.join(people)}; say whose count: annotator={people[0]}")
    spans: dict[str, dict[str, tuple[Span, ...]]] = {}
    for label in counted:
        of = spans.setdefault(label.item, {})
        of[label.aspect] = of.get(label.aspect, ()) + (label.spans or ())
    return {item: MarkedUnits(of.get("gist", ()), of.get("supplement", ())) for item, of in spans.items()}
