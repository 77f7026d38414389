"""Units of references marked by people, from a file of labels: they replace the judge's first step."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from saiten.data import BadRow
from saiten.data.labels import read_labels
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Label, Span

Class = Literal["gist", "supplement"]
CLASSES: tuple[Class, ...] = get_args(Class)


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
    settled = {label.item for label in marked if label.adjudicated}
    counted = [label for label in marked if label.adjudicated or label.item not in settled]
    if annotator:
        counted = [label for label in counted if label.adjudicated or label.annotator == annotator]
    elif len(people := sorted({label.annotator for label in counted if not label.adjudicated})) > 1:
        raise ValueError(f"several people marked units: {', '.join(people)}; say whose count: annotator={people[0]}")
    spans: dict[str, dict[str, tuple[Span, ...]]] = {}
    for label in counted:
        of = spans.setdefault(label.item, {})
        of[label.aspect] = of.get(label.aspect, ()) + (label.spans or ())
    return {item: MarkedUnits(of.get("gist", ()), of.get("supplement", ())) for item, of in spans.items()}
