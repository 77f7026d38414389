"""Answers with people's overall grade, and grades on aspects by people or a judge: the data for learning weights."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from saiten.errors import BadInput
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.records import Label, Scored

Grades = tuple[float, ...]
"""One answer's grades on one aspect: one per annotator, or one per vote."""

Settled = dict[str, dict[str, tuple[Label, ...]]]
"""By aspect, then by item."""

_EXAMPLES = 3
"""Maximum reasons in an error."""


@dataclass(frozen=True, slots=True)
class Rated:
    """Answers with all grades, sorted by id, so that the order of the rows does not matter."""

    target: str
    aspects: tuple[str, ...]
    items: tuple[str, ...]
    questions: tuple[str, ...]
    """Per item."""
    grades: tuple[tuple[Grades, ...], ...]
    """Per item and aspect."""
    targets: tuple[float, ...]
    """Per item: the mean over annotators."""
    left_out: Mapping[str, int]
    """The number of items left out, by reason."""
    source: str = "people"
    """The source of the aspect grades: `people` or `judge`."""


def rated_by_people(
    labels: Iterable[Label], questions: Mapping[str, str], *, target: str, aspects: Sequence[str] = ()
) -> Rated:
    """Return the answers whose target and aspects people graded; () means all aspects in the labels.

    A third decision (`adjudicated`) replaces the others.

    Raises:
        BadInput: there are no labels of the target or of an aspect, or no answer has all of them.
    """
    said = _said(labels)
    paired = {name for name, values in said.items() if values.keys() & said.get(target, {}).keys()}
    chosen = tuple(aspects) or tuple(sorted(paired - {target}))
    _check_there(said, (target, *chosen), "label", "there are labels")
    if not chosen:
        raise BadInput(f"there are labels of {target!r} only; the aspects that explain it need labels, too")
    return _joined(said[target], {name: said[name] for name in chosen}, questions, target, "people")


def rated_by_judge(
    labels: Iterable[Label],
    scored: Iterable[Scored],
    questions: Mapping[str, str],
    *,
    target: str,
    aspects: Sequence[str],
) -> Rated:
    """Return the answers whose target people graded, and whose aspects a judge graded as `aspects` in a run.

    Raises:
        BadInput: as in `rated_by_people`; or a run has an aspect with two rubrics.
    """
    said = _said(labels)
    _check_there(said, (target,), "label", "there are labels")
    found: dict[str, dict[str, Grades]] = {}
    metric_of: dict[str, str] = {}
    for one in scored:
        aspect = aspect_of_metric(one.metric)
        if aspect is None or one.score.value is None:
            continue
        if metric_of.setdefault(aspect, one.metric) != one.metric and (not aspects or aspect in aspects):
            raise BadInput(
                f"the run has {aspect!r} as {metric_of[aspect]} and as {one.metric}; score it with one rubric"
            )
        found.setdefault(aspect, {})[one.sample] = grades_of(one)
    chosen = tuple(aspects) or tuple(sorted(set(found) - {target}))
    _check_there(found, chosen, "score", "the run has scores")
    if not chosen:
        raise BadInput("the run has no scores of aspects; create them with `saiten score DATA -m aspects`")
    return _joined(said[target], {name: found[name] for name in chosen}, questions, target, "judge")


def grades_of(one: Scored) -> Grades:
    """Return the grade of each vote, if the details have them; else the value."""
    given = one.score.details.get("given")
    if isinstance(given, list) and given and all(type(each) in {int, float} for each in given):
        return tuple(map(float, given))
    return (float(one.score.value or 0.0),)


def _said(labels: Iterable[Label]) -> dict[str, dict[str, Grades]]:
    """Return the valid grades by aspect and item."""
    return {
        aspect: {item: tuple(label.value for label in found) for item, found in items.items()}
        for aspect, items in settled(labels).items()
    }


def _check_there(there: Mapping[str, object], wanted: Sequence[str], one: str, where: str) -> None:
    if missing := [name for name in wanted if name not in there]:
        have = ", ".join(map(repr, sorted(there))) or "nothing"
        raise BadInput(
            f"there is no {one} of {', '.join(map(repr, missing))}; {where} of {have}. Name the aspects that are meant "
            "with --aspect, and what they explain with --target"
        )


def _joined(
    targets: Mapping[str, Grades],
    aspects: Mapping[str, Mapping[str, Grades]],
    questions: Mapping[str, str],
    target: str,
    source: str,
) -> Rated:
    left_out: Counter[str] = Counter()
    kept = []
    for item in sorted(set(targets).union(*aspects.values())):
        lacking = [name for name, values in {target: targets, **aspects}.items() if item not in values]
        if lacking:
            left_out[f"no grade of {' and '.join(lacking)}"] += 1
        elif item not in questions:
            left_out["no sample of this id, so no question"] += 1
        else:
            kept.append(item)
    if not kept:
        why = "; ".join(f"{n}: {reason}" for reason, n in left_out.most_common(_EXAMPLES))
        raise BadInput(
            f"no answer has everything that is needed: {', '.join((target, *aspects))} and a question ({why})"
        )
    return Rated(
        target,
        tuple(aspects),
        tuple(kept),
        tuple(questions[item] for item in kept),
        tuple(tuple(values[item] for values in aspects.values()) for item in kept),
        tuple(fmean(targets[item]) for item in kept),
        dict(left_out),
        source,
    )


def settled(labels: Iterable[Label]) -> Settled:
    """Return the labels that count, by aspect and item, ascending; marked spans and categories are not grades.

    If any label of an answer is adjudicated, only the adjudicated ones count.
    """
    plain: dict[str, dict[str, list[Label]]] = {}
    decided: dict[str, dict[str, list[Label]]] = {}
    for label in labels:
        if label.spans is None and not label.category:
            kind = decided if label.adjudicated else plain
            kind.setdefault(label.aspect, {}).setdefault(label.item, []).append(label)
    for aspect, items in decided.items():
        plain.setdefault(aspect, {}).update(items)
    # sorted, so that the order of rows does not change the last bit of a mean
    return {
        aspect: {item: tuple(sorted(v, key=_order)) for item, v in items.items()} for aspect, items in plain.items()
    }


def _order(label: Label) -> tuple[float, str, str]:
    return label.value, label.annotator, label.reason
