"""The examples in two parts, for training and held out, with no question in both."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from saiten.judges.learned import TunedQuestion, answer_digest
from saiten.metrics.rubrics.weights import Weights
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.judge_plan import JudgePlan
from saiten.tuning.judge.overall import mate_weights
from saiten.tuning.splitting import held_out_questions


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
