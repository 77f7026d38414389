"""Labels of the demo's answers, none of them human: known facts, simulated grades and preferences, a simulated judge.

The facts and the aspects' grades follow from the defects. The overall grade is computed from the aspects with known
weights plus noise, rounded to the scale like a person's, so that the correct result of learning is known.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any

from saiten.demo.samples import DemoSample
from saiten.metrics.rubrics import read_rubric
from saiten.records import Label
from saiten.trust.inputs.outputs import VERSUS
from saiten.trust.inputs.picks import ASPECT, GOOD

KNOWN = "known by construction"
"""The annotator's name in these labels."""
GRADERS = ("simulated grader 1", "simulated grader 2")
EXPERTS = ("simulated expert 1", "simulated expert 2")
TARGET = "acceptability"
WEIGHTS: Mapping[str, float] = MappingProxyType({"formality": 0.3, "factuality": 2.0, "amount_info": 0.7})
"""The cost of the worst grade of each aspect, which learning should recover."""
NOISE = 0.3
"""Standard deviation, in grades."""
JUDGE = "simulated judge"
"""The name of a judge that never was: its grades are the known ones with known mistakes."""

_BEST, _SPAN = 3, 3
_FACTUALITY: Mapping[str, int] = {
    "made_up_addition": 2,
    "swapped_number": 1,
    "wrong_number": 1,
    "contradicting": 0,
}
"""Defect → grade; the other defects contain nothing wrong."""
_AMOUNT: Mapping[str, int] = {
    "incomplete": -1,
    "refusing": -1,
    "off_topic": -1,
    "made_up_addition": 1,
    "copied_context": 1,
}
"""Defect → grade: too little, or too much."""
_CORRECTNESS: Mapping[str, int] = {
    "right": 5,
    "right_paraphrase": 5,
    "incomplete": 4,
    "made_up_addition": 3,
    "wrong_number": 2,
    "swapped_number": 2,
    "off_topic": 2,
    "copied_context": 2,
    "contradicting": 1,
    "refusing": 0,
}
"""Defect → grade of correctness by its rubric."""
_WORST, _RIGHT = 1, 5
_SLIPS = 0.2
"""Share of an expert's grades that are one too high or too low."""


def simulated_grades(
    samples: Iterable[DemoSample],
    seed: int = 0,
    *,
    graders: Sequence[str] = GRADERS,
    weights: Mapping[str, float] = WEIGHTS,
    slips: float = 0.0,
) -> Iterator[Label]:
    """Yield four aspects per answer and grader; deterministic for a seed.

    Args:
        samples: the answers.
        seed: seed of noise and slips.
        graders: the names of the simulated graders.
        weights: the cost of the worst grade of each aspect in the overall grade.
        slips: how often a grader gives the grade next to the known one.
    """
    draw = random.Random(seed)  # noqa: S311 - noise, no secret
    for one in samples:
        for grader in graders:
            grades = {aspect: _slipped(aspect, grade, slips, draw) for aspect, grade in _known_grades(one).items()}
            for aspect, grade in {**grades, TARGET: _whole(grades, weights, draw)}.items():
                yield Label(one.sample.id, float(grade), grader, aspect)


def simulated_preferences(samples: Iterable[DemoSample], grades: Iterable[Label], seed: int = 0) -> Iterator[Label]:
    """Yield how each grader orders the answers to a question, and whether the best is `good`; deterministic for a seed.

    The order is that of the grader's overall grades, with noise and ties. None is good if the best is not fully
    acceptable.
    """
    draw = random.Random(seed)  # noqa: S311 - noise, no secret
    question_of = {one.sample.id: one.sample.question for one in samples}
    said: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for label in grades:
        if label.aspect == TARGET:
            said[question_of[label.item], label.annotator][label.item] = label.value
    for (_, grader), graded in said.items():
        rank = {item: round(2 * (grade + draw.gauss(0, NOISE))) for item, grade in graded.items()}
        for first, second in combinations(graded, 2):
            value = (rank[second] > rank[first]) - (rank[second] < rank[first])
            yield Label(f"{first}{VERSUS}{second}", float(value), grader, ASPECT)
        best = [item for item in graded if rank[item] == max(rank.values())]
        good = max(graded[item] for item in best) == _BEST
        yield from (Label(item, float(good), grader, GOOD) for item in (best if good else graded))


def simulated_judge(
    samples: Iterable[DemoSample], seed: int = 0, *, weights: Mapping[str, float] = WEIGHTS
) -> Iterator[Mapping[str, Any]]:
    """Yield a judge's grades as rows of item, judge, aspect, value; deterministic for a seed.

    It overlooks every third mistake of fact by one grade, and slips elsewhere in one of ten grades.
    """
    draw = random.Random(seed)  # noqa: S311 - noise, no secret
    for one in samples:
        grades = {aspect: _slipped(aspect, grade, 0.1, draw) for aspect, grade in _known_grades(one).items()}
        grades["factuality"] = min(grades["factuality"] + (draw.random() < 1 / 3), _BEST)
        for aspect, grade in {**grades, TARGET: _whole(grades, weights, draw)}.items():
            yield {"item": one.sample.id, "judge": JUDGE, "aspect": aspect, "value": grade}


def _known_grades(one: DemoSample) -> dict[str, int]:
    return {
        "formality": _formality(one),
        "factuality": _FACTUALITY.get(one.defect, _BEST),
        "amount_info": _AMOUNT.get(one.defect, 0),
    }


def _slipped(aspect: str, grade: int, slips: float, draw: random.Random) -> int:
    """Return the grade, or one next to it on the aspect's scale."""
    if not slips or draw.random() >= slips:
        return grade
    return draw.choice([value for value in read_rubric().aspect(aspect).values if abs(value - grade) == 1])


def _whole(grades: Mapping[str, int], weights: Mapping[str, float], draw: random.Random) -> int:
    return round(min(max(_overall(grades, weights) + draw.gauss(0, NOISE), 0), _BEST))


def _formality(one: DemoSample) -> int:
    """The chatty system is too casual, and a copied paragraph too stiff."""
    return 1 if one.defect == "copied_context" else -1 if one.sample.system == "chatty" else 0


def _overall(grades: Mapping[str, int], weights: Mapping[str, float]) -> float:
    costs = {
        "formality": abs(grades["formality"]),
        "factuality": (_BEST - grades["factuality"]) / _SPAN,
        "amount_info": abs(grades["amount_info"]),
    }
    return _BEST - sum(weights[name] * cost for name, cost in costs.items())


def expert_grades(samples: Iterable[DemoSample], seed: int = 0) -> Iterator[Label]:
    """Yield a grade of `correctness`, 0 to 5, per answer and expert; 0 for refusals; deterministic for a seed."""
    draw = random.Random(seed)  # noqa: S311 - noise, no secret
    for one in samples:
        known = _CORRECTNESS[one.defect]
        for expert in EXPERTS:
            slip = draw.choice((-1, 1)) if draw.random() < _SLIPS else 0
            grade = min(max(known + slip, _WORST), _RIGHT) if known else 0
            yield Label(one.sample.id, float(grade), expert, "correctness")


def known_labels(samples: Iterable[DemoSample]) -> Iterator[Label]:
    """Yield two labels per answer: whether it is `correct`, and whether it is `faithful`."""
    for one in samples:
        yield Label(one.sample.id, float(one.correct), KNOWN, "correct")
        yield Label(one.sample.id, float(one.faithful), KNOWN, "faithful")


def few_labels(samples: Sequence[DemoSample], n: int, seed: int = 0) -> list[Label]:
    """Label whether each of `n` random answers is `correct`, as if people had graded only these."""
    drawn = random.Random(seed).sample(samples, n)  # noqa: S311 - a sample, no secret
    return [Label(one.sample.id, float(one.correct), KNOWN, "correct") for one in drawn]
