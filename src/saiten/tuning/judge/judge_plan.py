"""The plan of a judge to make, and the kinds of networks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from saiten.choices import HeadName
from saiten.metrics.rubrics import Rubric
from saiten.tuning.judge.head import Head, Learning, TrainingWatch
from saiten.tuning.judge.lora import ChatHead
from saiten.tuning.judge.regression import RegressionHead

HEADS: Mapping[HeadName, Callable[[], Head]] = {"chat": ChatHead, "regression": RegressionHead}
"""The kinds of networks, by name."""


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """The judge to make; another plan makes another judge."""

    name: HeadName
    head: Head
    learning: Learning
    share: float
    """Share of questions to hold out."""
    rubric: Rubric


class MakingWatch(TrainingWatch, Protocol):
    """Receives progress."""

    def loading(self, what: str) -> None:
        """Report that a network is being loaded, which takes seconds to minutes; the next report ends this."""

    def graded(self, judge: str, done: int, total: int) -> None:
        """Report a graded held-out answer: the judge, and its progress."""
