"""Simulated (not human) grades of the demo's answers on the aspects of long answers, to learn weights from.

The aspects' grades follow from the defects. The overall grade is computed from them with known weights plus noise,
rounded to the scale like a person's, so that the correct result of learning is known.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from saiten.demo.samples import DemoSample
from saiten.records import Label

GRADERS = ("simulated grader 1", "simulated grader 2")
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
