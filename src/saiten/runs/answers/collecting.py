"""Collecting answers: questions × one system → answers; a question that fails does not stop the others."""

from collections.abc import Callable
from dataclasses import dataclass

from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent, ConfigurationError, JudgeError, SystemFailed
from saiten.protocols import System
from saiten.records import Answer, Inquiry, Sample
from saiten.runs.answers.answers_file import AnswersFile, Outcome
from saiten.runs.engine import Stop


@dataclass(frozen=True, slots=True)
class Collecting:
    """A run of answers: one per question."""

    system: System
    journal: AnswersFile

    def usable(self, sample: Sample, number: int) -> Sample | BadRow:
        return sample if sample.question.strip() else BadRow(sample.id, "there is no question in it")

    def is_done(self, sample: Sample) -> bool:
        return self.journal.is_done(sample)

    def judge_for(self, sample: Sample) -> None:
        """Return None: no judge is involved."""

    async def make(self, sample: Sample, keep: Callable[[Outcome], None], stop: Stop) -> None:
        keep(await answer_once(sample, self.system))

    def write(self, sample: Sample, result: Outcome) -> Outcome:
        return self.journal.answered(sample, result)

    def finish(self) -> None:
        """Do nothing: a file of answers may always get more questions."""


async def answer_once(sample: Sample, system: System) -> Outcome:
    """Return the system's answer or failure: an error of one question is an outcome, not an exception.

    Raises:
        BudgetSpent, ConfigurationError, BadInput: The error concerns the whole run.
    """
    try:
        answer: object = await system.answer(Inquiry(sample.question, sample.id, language=sample.language))
    except SystemFailed as error:
        return error
    except (BudgetSpent, ConfigurationError, BadInput):
        raise
    except JudgeError as error:  # from a model or a retriever inside a custom system
        return SystemFailed(str(error), usage=error.usage)
    except Exception as error:  # noqa: BLE001 - one broken question must not take the others' paid answers with it
        return SystemFailed(f"{type(error).__name__}: {error}")
    if isinstance(answer, Answer) and isinstance(answer.text, str):
        return answer
    return SystemFailed(f"an Answer with a text was expected, the system gave {answer!r:.100}", "unreadable")
