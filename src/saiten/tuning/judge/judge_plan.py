"""The plan of a judge to make, and the examples split by it, for training and held out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from saiten.choices import HeadName
from saiten.errors import ConfigurationError
from saiten.judges.learned import TunedQuestion, answer_digest
from saiten.metrics.rubrics import Rubric
from saiten.metrics.rubrics.weights import Weights
from saiten.prompts import BUILT_IN, Prompts
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.head import Head, Learning, TrainingWatch
from saiten.tuning.judge.lora import ChatHead
from saiten.tuning.judge.overall import mate_weights
from saiten.tuning.judge.regression import RegressionHead
from saiten.tuning.splitting import held_out_questions


def make_head(name: HeadName, prompts: Prompts = BUILT_IN) -> Head:
    """Return the network to train; raises ConfigurationError if prompts were replaced and it reads none."""
    if name == "chat":
        return ChatHead(prompts)
    if prompts.replaced:
        raise ConfigurationError(f"--head {name} trains an encoder, which reads no prompts; leave out --prompts")
    return RegressionHead()


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """The judge to make; another plan makes another judge."""

    name: HeadName
    head: Head
    learning: Learning
    share: float
    """Share of questions to hold out."""
    rubric: Rubric
    prompts: Prompts = BUILT_IN
    """The prompts that the judge learns to answer."""


class MakingWatch(TrainingWatch, Protocol):
    """Receives progress."""

    def loading(self, what: str) -> None:
        """Report that a network is being loaded, which takes seconds to minutes; the next report ends this."""

    def graded(self, judge: str, done: int, total: int) -> None:
        """Report a graded held-out answer: the judge, and its progress."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The examples in two parts, with no question in both."""

    inside: Sequence[GradedExample]
    """For training."""
    outside: Sequence[GradedExample]
    """Held out."""
    weights: Mapping[str, Weights]
    """The weights of aspects in an overall grade."""


def split(examples: Sequence[GradedExample], plan: JudgePlan) -> Parts:
    """Split the examples by question."""
    apart = held_out_questions({one.question for one in examples}, plan.learning.seed, plan.share)
    inside = [one for one in examples if one.question not in apart]
    outside = [one for one in examples if one.question in apart]
    return Parts(inside, outside, mate_weights(inside, plan.rubric))


def questions_of(parts: Parts) -> Iterator[TunedQuestion]:
    """Yield every question with its answers, sorted."""
    for apart, examples in ((False, parts.inside), (True, parts.outside)):
        by_question = sorted(examples, key=lambda one: (one.question, one.item))
        for question, found in groupby(by_question, key=lambda one: one.question):
            answers = {one.item: answer_digest(one.task) for one in found}
            yield TunedQuestion(question, apart, tuple(answers), tuple(answers.values()))
