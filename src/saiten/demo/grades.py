"""Labels of the demo's answers, none of them human: known facts, and simulated grades to learn weights from.

The facts and the aspects' grades follow from the defects. The overall grade is computed from the aspects with known
weights plus noise, rounded to the scale like a person's, so that the correct result of learning is known.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from saiten.demo.samples import DemoSample
from saiten.records import Label

KNOWN = "known by construction"
"""The annotator's name in these labels."""
GRADERS = ("simulated grader 1", "simulated grader 2")
EXPERTS = ("simulated expert 1", "simulated expert 2")
TARGET = "acceptability"
WEIGHTS: Mapping[str, float] = MappingProxyType({"formality": 0.3, "factuality": 2.0, "amount_info": 0.7})
"""The cost of the worst grade of each aspect, which learning should recover."""
NOISE = 0.3
"""Standard deviation, in grades."""

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


def simulated_grades(samples: Iterable[DemoSample], seed: int = 0) -> Iterator[Label]:
    """Yield four aspects per answer and grader; deterministic for a seed."""
    draw = random.Random(seed)  # noqa: S311 - noise, no secret
    for one in samples:
        grades = {
            "formality": _formality(one),
            "factuality": _FACTUALITY.get(one.defect, _BEST),
            "amount_info": _AMOUNT.get(one.defect, 0),
        }
        for grader in GRADERS:
            whole = round(min(max(_overall(grades) + draw.gauss(0, NOISE), 0), _BEST))
            for aspect, grade in {**grades, TARGET: whole}.items():
                yield Label(one.sample.id, float(grade), grader, aspect)


def _formality(one: DemoSample) -> int:
    """The chatty system is too casual, and a copied paragraph too stiff."""
    return 1 if one.defect == "copied_context" else -1 if one.sample.system == "chatty" else 0


def _overall(grades: Mapping[str, int]) -> float:
    costs = {
        "formality": abs(grades["formality"]),
        "factuality": (_BEST - grades["factuality"]) / _SPAN,
        "amount_info": abs(grades["amount_info"]),
    }
    return _BEST - sum(WEIGHTS[name] * cost for name, cost in costs.items())


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
