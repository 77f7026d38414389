"""Answers with people's overall grade, and grades on aspects by people or a judge: the data for learning weights."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from saiten.choices import ScoreBy
from saiten.errors import BadInput
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.records import Label, Scored
from saiten.trust.inputs.score_figure import ScoreFigure
from saiten.tuning.grades import Grades, Rated, joined, settled


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
    return joined(said[target], {name: said[name] for name in chosen}, questions, target, "people")


def rated_by_judge(
    labels: Iterable[Label],
    scored: Iterable[Scored],
    questions: Mapping[str, str],
    *,
    target: str,
    aspects: Sequence[str],
    by: ScoreBy = "value",
    notify: Callable[[str], None] = lambda _: None,
) -> Rated:
    """Return the answers whose target people graded, and whose aspects a judge graded as `aspects` in a run.

    By `expected`, an aspect's grade is its expected value; `notify` says where the value had to be used.

    Raises:
        BadInput: as in `rated_by_people`; or a run has an aspect with two rubrics, or no expected values.
    """
    figure = ScoreFigure(by)
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
        expected = figure.of(one)
        found.setdefault(aspect, {})[one.sample] = grades_of(one) if by == "value" or expected is None else (expected,)
    if found:
        figure.check("the run", notify)
    chosen = tuple(aspects) or tuple(sorted(set(found) - {target}))
    _check_there(found, chosen, "score", "the run has scores")
    if not chosen:
        raise BadInput("the run has no scores of aspects; create them with `saiten score DATA -m aspects`")
    return joined(said[target], {name: found[name] for name in chosen}, questions, target, "judge")


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
