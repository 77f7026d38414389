"""Pairing of outputs with labels by item; items without a counterpart are counted on both sides, never lost."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from saiten.choices import GradeZero
from saiten.errors import BadInput
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.records import Label
from saiten.results.labeled_answers import of_these_answers
from saiten.results.metric_figures import Scale
from saiten.results.origin import Origin, Unpaired
from saiten.results.place import Place, digests_of
from saiten.stats.clusters import Floats, Ints
from saiten.trust.inputs.declining import graded, zero_as_declined
from saiten.trust.inputs.outputs import VERSUS, Output, Said, both_orders, combined, in_both_orders, splits
from saiten.trust.inputs.scales import scale_of
from saiten.words import Message


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumn:
    """One metric's values on the items of an aspect."""

    metric: str
    values: Floats
    """One per item; NaN where the metric has no value."""
    missing: Mapping[str, int]
    """Reason → count of missing values; a status, or `no output`."""
    made: Origin
    """How its values were made; `made.metric` is the metric's own name."""
    beside_declined: Mapping[str, int] = field(default_factory=dict)
    """Its outputs on answers that people call declined: `graded`, a status, or `no output` → count."""
    orders: Floats | None = None
    """For preferences: its verdicts in either order of the two answers (2 x items); None if no pair has both."""
    declining: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    """Items whose answers it calls declined, which are therefore in none of its figures."""

    @property
    def rows(self) -> Ints:
        """Return the rows where it has a value."""
        return np.flatnonzero(~np.isnan(self.values))


@dataclass(frozen=True, slots=True, eq=False)
class LabeledAspect:
    """Human labels of one aspect, with every metric's values on the same items."""

    name: str
    items: tuple[str, ...]
    """Labeled items that some metric could have been compared with, sorted."""
    people: Floats
    """Each item's adjudicated value if there is one, otherwise the mean over its annotators."""
    questions: tuple[str, ...]
    """By item: the unit of resampling."""
    systems: tuple[str | None, ...]
    groups: tuple[str | None, ...]
    columns: tuple[MetricColumn, ...]
    annotators: tuple[str, ...]
    given: tuple[Ints, Ints, Floats]
    """Every raw label: item, annotator, value."""
    verdicts: bool
    """Whether every label is 0 or 1."""
    settled: npt.NDArray[np.bool_]
    """By item: whether its value is adjudicated."""
    unlabeled: Unpaired = field(default_factory=lambda: Unpaired(0))
    """Items with outputs but without a label."""
    unmatched: Unpaired = field(default_factory=lambda: Unpaired(0))
    """Labeled items about which nothing else is known."""
    pairs: bool = False
    """Whether the items are pairs of answers and the values preferences: above 0 if the second is better."""
    marked: bool = False
    """Whether labels are marks, so that the values are numbers of spans."""
    declined: tuple[str, ...] = ()
    """Answers that people call declined (grade 0 of graded correctness); not among the items."""
    notes: tuple[Message, ...] = ()
    """Notes for the reader: labels of other answers, the meaning of 0."""

    @property
    def scale(self) -> Scale:
        """The scale of labels and means; for preferences, of the labels if there are raw ones."""
        labels = self.given[2]
        return scale_of(labels if self.pairs and len(labels) else np.concatenate([self.people, labels]))


def pair(
    items: Mapping[str, Place],
    outputs: Iterable[Output],
    labels: Iterable[Label],
    *,
    aspects: Sequence[str] = (),
    grade_zero: GradeZero = "auto",
) -> tuple[LabeledAspect, ...]:
    """Return one `LabeledAspect` per labeled aspect.

    An aspect holds preferences if an item is a pair of answers (`A vs B`) or a value is below 0, unless the metric
    `aspects` rated single answers on it (too casual is -1).

    Args:
        items: the known samples, by id.
        outputs: from metrics and judges; a later one for the same item, metric and aspect replaces an earlier one.
        labels: human labels; those given to another text under the same id are left out and counted in `notes`.
        aspects: the aspects to include; () for all.
        grade_zero: what a label of 0 means; see `declining.zero_declines`.

    Raises:
        BadInput: there are no labels, none of the requested aspects, or nothing that both sides share; with examples.
    """
    labels, others = of_these_answers(labels, digests_of(items))
    said: dict[tuple[str, str], dict[str, Said]] = {}
    made: dict[str, Origin] = {}
    for output in outputs:
        said.setdefault((output.metric, output.aspect), {})[output.item] = output.said
        made[output.metric] = output.made
    by_aspect: dict[str, list[Label]] = {}
    for label in labels:
        by_aspect.setdefault(label.aspect, []).append(label)
    if not by_aspect:
        raise BadInput("there are no labels")
    if not said:
        raise BadInput("there are no outputs to compare with the labels: a run with scores, or judges' outputs")
    unknown = [aspect for aspect in aspects if aspect not in by_aspect]
    if unknown:
        there = ", ".join(repr(aspect) for aspect in by_aspect)
        raise BadInput(f"there are no labels of the aspect {unknown[0]!r}; the labels have {there}")
    known = set(items).union(*said.values())
    # The scale of an aspect of single answers may begin below 0.
    rated = {aspect_of_metric(origin.metric) for origin in made.values()}
    chosen = {aspect: of for aspect, of in by_aspect.items() if not aspects or aspect in aspects}
    elsewhere = Counter(label.aspect for label in others)
    found = []
    for aspect, of in chosen.items():
        pairs = aspect not in rated and _are_preferences(of, known)
        zero = "lowest" if pairs or aspect in rated else grade_zero
        some = _aspect(aspect, of, items, (said, made), pairs=pairs, grade_zero=zero)
        if left := elsewhere[aspect]:
            note = Message("note", "other_answers", n=left, of=left + len(of))
            some = [replace(each, notes=(note, *each.notes)) for each in some]
        found += some
    if not found:
        theirs = Unpaired.of({label.item for of in chosen.values() for label in of}).examples
        ours = Unpaired.of(known).examples
        raise BadInput(
            f"no label belongs to an item that was scored; they are matched by id. Labels are of "
            f"{', '.join(map(repr, theirs))} …; scores are of {', '.join(map(repr, ours))} …"
        )
    return tuple(found)


def halves(item: str, known: Mapping[str, object] | set[str]) -> tuple[str, str] | None:
    """Return the two answers of `A vs B` if both are known; an id may contain ` vs `."""
    return next(((first, second) for first, second in splits(item) if first in known and second in known), None)


def _turned(item: str, known: set[str]) -> str | None:
    """Return the same two answers in the other order, if known."""
    return next((other for a, b in splits(item) if (other := f"{b}{VERSUS}{a}") in known), None)


def _are_preferences(labels: Sequence[Label], known: set[str]) -> bool:
    return any(label.value < 0 for label in labels) or any(
        halves(item, known) for item in {label.item for label in labels} if VERSUS in item
    )


def _aspect(
    name: str,
    labels: Sequence[Label],
    items: Mapping[str, Place],
    outputs: tuple[Mapping[tuple[str, str], Mapping[str, Said]], Mapping[str, Origin]],
    *,
    pairs: bool,
    grade_zero: GradeZero,
) -> list[LabeledAspect]:
    """Return the aspect in a list; an empty list if no item of the labels is known."""
    said, made = outputs
    sources = {metric: said[metric, of] for metric, of in said if of == name or (not of and (metric, name) not in said)}
    if not name:  # labels without an aspect are compared with all outputs
        sources |= {metric: values for (metric, _), values in said.items() if metric not in sources}
    known = set(items).union(*sources.values()) if sources else set(items)
    labeled = sorted({label.item for label in labels})
    kept = [item for item in labeled if item in known or (pairs and (halves(item, known) or _turned(item, known)))]
    if not kept or not sources:
        return []
    measured = set().union(*sources.values())
    compared = set(kept)
    if pairs:
        compared = {each for item in kept for each in (*(halves(item, known) or ()), _turned(item, known) or item)}
    there = set(kept)
    people = graded(
        name, [label for label in labels if label.item in there], [made[name].metric for name in sources], grade_zero
    )
    if people.zero_declines:
        sources = {metric: zero_as_declined(made[metric].metric, values) for metric, values in sources.items()}
    rows = [item for item in kept if item not in people.declined]
    row_of = {item: row for row, item in enumerate(rows)}
    places = [_place(item, items, known, pairs=pairs) for item in rows]
    found = LabeledAspect(
        name=name,
        items=tuple(rows),
        **_values(people.labels, row_of),
        questions=tuple(place.question for place in places),
        systems=tuple(place.system for place in places),
        groups=tuple(place.group for place in places),
        columns=tuple(
            _column(metric, made[metric], of, rows, people.declined, pairs=pairs) for metric, of in sources.items()
        ),
        verdicts=not pairs and all(label.value in (0, 1) for label in people.labels),
        unlabeled=Unpaired.of(measured - compared - there),
        unmatched=Unpaired.of(set(labeled) - there),
        pairs=pairs,
        marked=any(label.spans is not None for label in people.labels),
        declined=tuple(sorted(people.declined)),
        notes=people.notes,
    )
    return [found]


def part_of(aspect: LabeledAspect, rows: Ints) -> LabeledAspect:
    """Return the aspect restricted to some items; reasons for missing values are known only for the whole."""
    if len(rows) == len(aspect.items):
        return aspect
    of, who, values = aspect.given
    kept = np.isin(of, rows)
    row_of = np.full(len(aspect.items), -1)
    row_of[rows] = np.arange(len(rows))

    def some(each: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(each[row] for row in rows)

    columns = []
    for column in aspect.columns:
        without = int(np.isnan(column.values[rows]).sum())
        orders = None if column.orders is None else column.orders[:, rows]
        missing = {"without a value": without} if without else {}
        declining = row_of[column.declining[np.isin(column.declining, rows)]]
        own = replace(column, values=column.values[rows], missing=missing, beside_declined={})
        columns.append(replace(own, orders=orders, declining=declining))
    return replace(
        aspect,
        items=some(aspect.items),
        people=aspect.people[rows],
        questions=some(aspect.questions),
        systems=some(aspect.systems),
        groups=some(aspect.groups),
        columns=tuple(columns),
        given=(row_of[of[kept]], who[kept], values[kept]),
        settled=aspect.settled[rows],
    )


def _place(item: str, items: Mapping[str, Place], known: set[str], *, pairs: bool) -> Place:
    place = items.get(item)
    if place is None and pairs:
        two = halves(item, known)
        first = items.get(two[0]) if two else None
        place = Place(first.question, None, first.group) if first else None
    return place or Place(f"\0{item}")


def _values(labels: Sequence[Label], row_of: Mapping[str, int]) -> dict[str, Any]:
    """Return each row's value and whether it is adjudicated, the annotators, and every raw label."""
    rows = np.array([row_of[label.item] for label in labels], dtype=np.int64)
    values = np.array([label.value for label in labels], dtype=np.float64)
    settled = np.array([label.adjudicated for label in labels])
    has_settled = np.zeros(len(row_of), dtype=bool)
    has_settled[rows[settled]] = True
    counts = settled | ~has_settled[rows]
    sums = np.bincount(rows[counts], weights=values[counts], minlength=len(row_of))
    annotators = sorted({label.annotator for label in labels if not label.adjudicated})
    raw = [at for at, label in enumerate(labels) if not label.adjudicated]
    number = {annotator: i for i, annotator in enumerate(annotators)}
    who = np.array([number[labels[at].annotator] for at in raw], dtype=np.int64)
    return {
        "people": sums / np.bincount(rows[counts], minlength=len(row_of)),
        "settled": has_settled,
        "annotators": tuple(annotators),
        "given": (rows[raw], who, values[raw]),
    }


def _column(
    metric: str,
    made: Origin,
    values: Mapping[str, Said],
    items: Sequence[str],
    declined: Collection[str],
    *,
    pairs: bool,
) -> MetricColumn:
    found = [_preference(item, values) if pairs else values.get(item, "no output") for item in items]
    missing = Counter(said for said in found if isinstance(said, str))
    numbers = np.array([np.nan if isinstance(said, str) else said for said in found], dtype=np.float64)
    given = (values.get(item, "no output") for item in declined)
    said = Counter(one if isinstance(one, str) else "graded" for one in given)
    declining = np.array([row for row, one in enumerate(found) if one == "declined"], dtype=np.int64)
    orders = both_orders(items, values) if pairs else None
    return MetricColumn(metric, numbers, dict(missing), made, dict(said), orders, declining)


def _preference(item: str, values: Mapping[str, Said]) -> float | str:
    """Return the metric's own verdict on the pair, from both orders; otherwise the second score minus the first."""
    said = combined(*in_both_orders(item, values))
    if said is not None:
        return said
    two = halves(item, values)
    if two is None:
        return "no output"
    first, second = (values[half] for half in two)
    if isinstance(first, str):
        return first
    return second if isinstance(second, str) else second - first
