"""The dry run of a test set: calls and tokens of the slots, with stand-ins for the replies."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from saiten.choices import CheckName, QuestionKind
from saiten.errors import SaitenError
from saiten.judges.rehearsal import Rehearsal
from saiten.judges.scripted import ScriptedJudge
from saiten.protocols import Judge
from saiten.records import Language, Usage
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.questions import (
    AnswerFromPassages,
    AnyDraft,
    ClosedBookTry,
    Draft,
    DraftFalsePremise,
    DraftFollowUp,
    DraftUnanswerable,
    FalsePremiseDraft,
    FollowUpDraft,
    PassagesAnswer,
    TryClosedBook,
    UnanswerableDraft,
)
from saiten.tasks.statements import StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict
from saiten.testsets.drafting import DRAFTING, drafting_task, item_of_draft
from saiten.testsets.plan.slots import Slot
from saiten.testsets.trying import answered, supported, without_documents

_SENTENCES = {
    "en": "Employees hand in the form within five working days, at the latest by the end of the month.",
    "ja": "申請書は、5営業日以内に、遅くとも月末までに提出します。",
}
"""A reference, a quote or an answer has about this length."""
_QUOTED = 80
"""Characters of a quote."""


async def rehearse(
    slots: Iterable[Slot],
    skipped: frozenset[CheckName] = frozenset(),
    counting: Callable[[Judge], Judge] = Rehearsal,
) -> Usage:
    """Count calls, tokens and cost if the question of every slot passes all checks.

    `counting` makes a judge that counts out of the stand-in for the models.
    """
    judge = counting(_stand_in())
    whole = Usage()
    for slot in slots:
        draft = await judge.perform(drafting_task(slot))
        whole += draft.usage
        try:
            item = item_of_draft(slot, draft, "")
        except SaitenError:  # the stand-in quotes what it finds; a model may do better
            continue
        for check, trial in (("closed_book", without_documents), ("support", supported)):
            if check not in skipped:
                whole += (await trial(item, judge)).usage
        if "round_trip" not in skipped:
            whole += (await answered(item, judge, None)).usage
    return whole


def divided(
    slots: Mapping[QuestionKind, Sequence[Slot]], wanted: Mapping[QuestionKind, int], *, shared: bool
) -> tuple[list[Slot], list[Slot]]:
    """Return the slots of the first tries, as many as are wanted if there are enough, and those of further tries.

    `shared`: other kinds take the share of one that has too few, as in a run.
    """
    first = [slot for kind, n in wanted.items() for slot in slots[kind][:n]]
    more = [slot for kind, n in wanted.items() for slot in slots[kind][n:]]
    lacking = sum(wanted.values()) - len(first) if shared else 0
    return first + more[:lacking], more[lacking:]


def _stand_in() -> ScriptedJudge:
    def draft(kind: type[AnyDraft], more: Sequence[str] = ()) -> Callable[[Any], AnyDraft]:
        def reply(task: Any) -> AnyDraft:
            sentence = _SENTENCES[_language(task)]
            quotes = [passage[-_QUOTED:] for passage in task.passages[:2]]
            return kind(quotes=quotes, **dict.fromkeys(("situation", "question", "reference", *more), sentence))

        return reply

    def verified(task: VerifyStatements) -> StatementVerdicts:
        numbers = range(1, len(task.statements) + 1)
        reason = _SENTENCES[task.language]
        return StatementVerdicts(verdicts=[Verdict(number=each, reason=reason, verdict=True) for each in numbers])

    return ScriptedJudge(
        {
            **dict.fromkeys(DRAFTING, draft(Draft)),
            DraftUnanswerable: draft(UnanswerableDraft, ["missing"]),
            DraftFalsePremise: draft(FalsePremiseDraft, ["premise"]),
            DraftFollowUp: draft(FollowUpDraft, ["first_question", "first_answer"]),
            TryClosedBook: ClosedBookTry(reason=_SENTENCES["en"], clear=True, answer=""),
            VerifyStatements: verified,
            AnswerFromPassages: lambda task: PassagesAnswer(answered=True, answer=_SENTENCES[task.language]),
            GradeAnswer: Grade(feedback=_SENTENCES["en"] * 2, grade=5),
        }
    )


def _language(task: Any) -> Language:
    language: Language = task.language
    return language
