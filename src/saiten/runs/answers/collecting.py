"""Asking one system many questions: many at a time, none lost, and one that fails does not stop the rest."""

from collections.abc import Iterable, Iterator
from contextlib import aclosing
from typing import Protocol

from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent, ConfigurationError, JudgeError, SystemFailed
from saiten.protocols import Executor, System
from saiten.records import Answer, Inquiry, Sample

Outcome = Answer | SystemFailed
"""What came of one question."""


class Ledger(Protocol):
    """Where answers are written: an `AnswersFile`, or a list in memory."""

    def is_done(self, sample: Sample) -> bool:
        """Whether the question need not be asked; raises BadInput if another one stands there under its id."""
        ...

    def answered(self, sample: Sample, outcome: Outcome) -> Outcome:
        """Keep what came, and tell what was kept."""
        ...

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a row that cannot be used."""


class Watch(Protocol):
    """Is told what happens, for example to show progress."""

    def done_before(self, sample: Sample) -> None:
        """The question had been answered in an earlier run."""

    def answered(self, sample: Sample, outcome: Outcome) -> None:
        """An answer or a failure is there, and written down."""

    def bad_row(self, row: BadRow) -> None:
        """A row could not be used and was kept apart."""


async def answer_into(
    ledger: Ledger,
    rows: Iterable[Sample | BadRow],
    system: System,
    executor: Executor,
    watch: Watch,
    *,
    strict: bool = False,
) -> None:
    """Ask every question that is not in the ledger yet; hold no more of them than the executor works on.

    Raises:
        BadInput: a question differs from the one that the ledger has under its id; with `strict`, any bad row.
        BudgetSpent: after what was under way has ended and was written.
        ConfigurationError: at once.
    """
    spent: list[BudgetSpent] = []

    def until_spent() -> Iterator[Sample]:
        for sample in _pending(ledger, rows, watch, strict=strict):
            if spent:
                return
            yield sample

    async def work(sample: Sample) -> None:
        try:
            outcome = await answer_once(sample, system)
        except BudgetSpent as error:
            spent.append(error)
            return
        watch.answered(sample, ledger.answered(sample, outcome))

    async with aclosing(executor.run(work, until_spent())) as results:
        async for _ in results:
            pass
    if spent:
        raise spent[0]


async def answer_once(sample: Sample, system: System) -> Outcome:
    """What the system answers, whatever happens: an error of one question is an outcome, not an exception.

    Raises:
        BudgetSpent, ConfigurationError, BadInput: they concern the whole run.
    """
    try:
        answer: object = await system.answer(Inquiry(sample.question, sample.id, language=sample.language))
    except SystemFailed as error:
        return error
    except (BudgetSpent, ConfigurationError, BadInput):
        raise
    except JudgeError as error:  # of a model or a retriever inside a system of one's own
        return SystemFailed(str(error), usage=error.usage)
    except Exception as error:  # noqa: BLE001 - one broken question must not take the others' paid answers with it
        return SystemFailed(f"{type(error).__name__}: {error}")
    if isinstance(answer, Answer) and isinstance(answer.text, str):
        return answer
    return SystemFailed(f"an Answer with a text was expected, the system gave {answer!r:.100}", "unreadable")


def _pending(ledger: Ledger, rows: Iterable[Sample | BadRow], watch: Watch, *, strict: bool) -> Iterator[Sample]:
    """The questions that are to be asked; what cannot be used is kept apart."""
    for row in rows:
        if isinstance(row, Sample) and row.question.strip():
            if ledger.is_done(row):
                watch.done_before(row)
            else:
                yield row
            continue
        bad = row if isinstance(row, BadRow) else BadRow(row.id, "there is no question in it")
        if strict:
            raise BadInput(f"{bad.where}: {bad.reason} (--strict stops at the first bad row)")
        ledger.bad_row(bad.where, bad.reason, bad.raw)
        watch.bad_row(bad)
