"""Metrics and judges for the tests of scoring."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from saiten.judges.scripted import ScriptedJudge
from saiten.records import Sample, Score, Usage
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.statements import SplitStatements, Statements, StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict

CALL = Usage(calls=1, prompt_tokens=10, completion_tokens=2, cost=0.5)

SAMPLE = Sample("s", "Where?", "In Nagoya.", ("Nagoya is where.",), "In Nagoya.")


@dataclass(frozen=True)
class Own:
    """A custom metric whose behavior is a function of the sample and the judge."""

    what: Callable[..., Any]
    called: str = "own"
    needs: ClassVar[tuple[str, ...]] = ("answer",)
    tasks: ClassVar[tuple[Any, ...]] = (SplitStatements,)
    bounds = (0.0, 1.0)
    higher_is_better = True

    @property
    def name(self) -> str:
        return self.called

    def describe(self) -> Mapping[str, str]:
        return {}

    async def score(self, sample: Sample, judge: Any) -> Score:
        return await self.what(sample, judge)


def split_of(sample: Sample) -> SplitStatements:
    """The task that several metrics share."""
    return SplitStatements(sample.question, sample.answer or "", language=sample.language)


def paid(reply: Any) -> Any:
    """The reply, as if it had cost one call."""
    return reply.with_usage(CALL)


def speaking(**verdicts: bool) -> ScriptedJudge:
    """A judge that answers the tasks of faithfulness, correctness and context relevance, each with one call."""
    yes = verdicts.get("yes", True)
    return ScriptedJudge(
        {
            SplitStatements: lambda task: paid(Statements(statements=[task.text, "Second."])),
            VerifyStatements: lambda task: paid(
                StatementVerdicts(
                    verdicts=[
                        Verdict(number=n, reason="", verdict=yes or n == 1) for n, _ in enumerate(task.statements, 1)
                    ]
                )
            ),
            GradeAnswer: lambda _: paid(Grade(feedback="good", grade=4)),
            JudgeContext: lambda _: paid(ContextVerdict(reason="", useful=yes)),
        }
    )
