"""Calibrating the offline judge with a user's own labels: 20 to 50 of them correct most of its threshold's drift."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from saiten.errors import BadInput, CannotJudge
from saiten.judges.offline import Aspect, Calibration, OfflineJudge
from saiten.records import Label, Sample
from saiten.tasks.correctness import DecideCorrect
from saiten.tasks.statements import SplitStatements, VerifyStatements
from saiten.text.refusals import is_refusal
from saiten.trust.inputs.declining import graded
from saiten.tuning.calibrating import calibrate
from saiten.tuning.fitted_line import LabeledPoint


async def calibrate_offline(
    samples: Iterable[Sample], labels: Sequence[Label], aspect: Aspect, judge: OfflineJudge | None = None
) -> Calibration:
    """Calibrate one aspect with labeled samples.

    - `support` (labels 0 or 1: do the contexts support the whole answer?): the weakest statement's probability.
    - `correct` (labels 0 or 1): the probability that the answer is correct given its references.
    - `grade` (labels 0 to 5; 0, and answers that decline, are left out): the same probability, fitted to the grade.

    Several labels of a sample are averaged (a tie of verdicts is a no). Labels of other aspects are ignored, unless all
    labels have the same aspect: then that one is used.

    Raises:
        BadInput: labels of unknown samples or out of range, a sample that lacks what the aspect needs, too few labels
            or labels of one kind only.
    """
    values = _values(labels, aspect)
    found = {sample.id: sample for sample in samples if sample.id in values}
    unknown = [item for item in values if item not in found]
    if unknown:
        raise BadInput(
            f"{len(unknown)} of {len(values)} labels belong to no sample, for example {unknown[0]!r}; "
            "the labels' item must be the id of a sample"
        )
    plain = OfflineJudge(constants=(judge or OfflineJudge()).constants)
    points = []
    for item, value in values.items():
        p = await _probability(found[item], aspect, plain)
        if p is not None and not (aspect == "grade" and value == 0):
            points.append(LabeledPoint(item, p, value, found[item].question or item))
    return calibrate(points, aspect, plain.constants.digest)


def _values(labels: Sequence[Label], aspect: Aspect) -> Mapping[str, float]:
    """Return each item's label, averaged over annotators."""
    aspects = sorted({label.aspect for label in labels})
    chosen = [label for label in labels if label.aspect == aspect] or (list(labels) if len(aspects) == 1 else [])
    if not chosen:
        there = f"there are labels of {', '.join(map(repr, aspects))}" if aspects else "there are none at all"
        raise BadInput(f"expected labels of {aspect!r}, but {there}; choose some with --label-aspect")
    grades = aspect == "grade"
    for label in chosen:
        if not (0 <= label.value <= 5 if grades else label.value in {0, 1}):
            expected = "a grade from 0 to 5" if grades else "0 (no) or 1 (yes)"
            raise BadInput(f"the label of {label.item!r} is {label.value}, but {aspect!r} expects {expected}")
    if grades and any(label.value for label in chosen):
        chosen = list(graded(aspect, chosen, (), "declined").labels)
    said: dict[str, list[float]] = {}
    for label in chosen:
        said.setdefault(label.item, []).append(label.value)
    return {item: fmean(each) if grades else float(fmean(each) > 0.5) for item, each in said.items()}


async def _probability(sample: Sample, aspect: Aspect, judge: OfflineJudge) -> float | None:
    """Return the judge's probability for the sample; None if it gives none."""
    lacking = "an answer" if sample.answer is None else ""
    if aspect == "support" and sample.contexts is None:
        lacking = "contexts"
    if aspect != "support" and not sample.references:
        lacking = "a reference"
    if sample.answer is None or lacking:
        raise BadInput(f"sample {sample.id!r} has a label of {aspect!r}, but lacks {lacking}")
    if aspect == "support":
        split = await judge.perform(
            SplitStatements(sample.question, sample.answer, language=sample.language, conversation=sample.history)
        )
        task = VerifyStatements(
            tuple(split.statements),
            sample.contexts or (),
            question=sample.question,
            language=sample.language,
            conversation=sample.history,
        )
        found = [verdict.p for verdict in (await judge.perform(task)).verdicts if verdict.p is not None]
        return min(found, default=None)
    if aspect == "grade" and is_refusal(sample.answer, sample.language):
        return None
    try:
        decide = DecideCorrect(
            sample.question, sample.answer, sample.references, language=sample.language, conversation=sample.history
        )
        return (await judge.perform(decide)).p
    except CannotJudge:
        return None
