"""The checks that take a model, and their order."""

import asyncio
from dataclasses import replace

import pytest

from saiten.choices import QUESTION_CHECKS
from saiten.errors import CallFailed
from saiten.judges.scripted import ScriptedJudge
from saiten.records import Passage, Retrieved, Turn
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.questions import AnswerFromPassages, ClosedBookTry, PassagesAnswer, TryClosedBook
from saiten.tasks.statements import StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict
from saiten.testsets.checking import TAKES_A_MODEL, Checks
from saiten.testsets.items import SetItem, SetPassage
from saiten.testsets.rules.duplicates import KnownQuestions
from saiten.testsets.trying import answered, supported, without_documents

ITEM = SetItem(
    "single-1",
    "How long may visitors stay in the parking area?",
    "They may stay for two hours. After that, a permit is needed.",
    "single",
    "en",
    (SetPassage("Visitors park for up to two hours. After that they need a permit.", "parking.md"),),
)
OPEN = replace(ITEM, kind="unanswerable", reference="The documents do not say who checks the permits.")


def judge(*, clear=True, known="", answer="For two hours, then with a permit.", grade=5, lacking=(), grades=None):
    """A judge with these replies; `grades` by answer, else `grade`."""

    def verified(task):
        numbers = range(1, len(task.statements) + 1)
        verdicts = [Verdict(number=n, reason="it is not there", verdict=n not in lacking) for n in numbers]
        return StatementVerdicts(verdicts=verdicts)

    return ScriptedJudge(
        {
            TryClosedBook: ClosedBookTry(reason="what is “it”?", clear=clear, answer=known),
            VerifyStatements: verified,
            AnswerFromPassages: PassagesAnswer(answered=bool(answer), answer=answer),
            GradeAnswer: lambda task: Grade(feedback="see above", grade=(grades or {}).get(task.answer, grade)),
        }
    )


CLOSED_BOOK = [
    (ITEM, judge(), {"wording": True, "closed_book": True}, 1),
    (ITEM, judge(clear=False), {"wording": False}, 1),
    (ITEM, judge(known="Two hours, then a permit.", grade=5), {"wording": True, "closed_book": False}, 2),
    (ITEM, judge(known="Two hours.", grade=4), {"wording": True, "closed_book": False}, 2),
    (ITEM, judge(known="All day.", grade=3), {"wording": True, "closed_book": True}, 2),
    (ITEM, judge(known="I do not know.", grade=0), {"wording": True, "closed_book": True}, 2),
    (OPEN, judge(known="The guard, everywhere."), {"wording": True, "closed_book": False}, 1),
    (OPEN, judge(), {"wording": True, "closed_book": True}, 1),
]


@pytest.mark.parametrize(("item", "judging", "expected", "calls"), CLOSED_BOOK)
async def test_what_a_model_knows_without_documents(item, judging, expected, calls):
    """A question must be clear, and its answer must not be general knowledge; a wrong guess is none."""
    tried = await without_documents(item, judging)
    assert {check.check: check.passed for check in tried.checks} == expected
    assert len(judging.asked) == calls
    assert all(check.reason for check in tried.checks if check.passed is False)


async def test_the_passages_are_not_shown_without_documents():
    """The first task of the check has nothing but the question and what was said before."""
    judging, turn = judge(), Turn("Where?", "On the north side.")
    await without_documents(replace(ITEM, history=(turn,)), judging)
    assert judging.asked[0] == TryClosedBook(ITEM.question, language="en", conversation=(turn,))


async def test_every_sentence_of_the_reference_needs_support():
    """The reason names the sentence that the passages lack; an unanswerable question has no support to check."""
    assert (await supported(ITEM, judge())).checks[0].passed
    lacking = (await supported(ITEM, judge(lacking=(2,)))).checks[0]
    assert lacking.passed is False
    assert "After that, a permit is needed." in lacking.reason
    assert "two hours." not in lacking.reason
    assert (await supported(OPEN, judge())).checks[0].passed is None


ROUND_TRIP = [
    (ITEM, judge(grade=5), True),
    (ITEM, judge(grade=4), True),
    (ITEM, judge(grade=3), False),
    (ITEM, judge(answer=""), False),
    (OPEN, judge(answer=""), True),
    (OPEN, judge(answer="The guard."), False),
]


@pytest.mark.parametrize(("item", "judging", "passed"), ROUND_TRIP)
async def test_another_reader_must_arrive_at_the_reference(item, judging, passed):
    """The second call does not see the reference; what it finds is graded against it."""
    (check,) = (await answered(item, judging, None)).checks
    assert check.passed is passed
    assert bool(check.reason) is not passed
    assert judging.asked[0].passages == (f"# parking.md\n{ITEM.passages[0].text}",)


class Shelf:
    """A retriever with one passage."""

    name = "shelf"
    asked: tuple = ()

    async def retrieve(self, query, k=None):
        self.asked = (query, k)
        return Retrieved((Passage("The guard checks permits.", "guard.md"), Passage(ITEM.passages[0].text)))


async def test_an_unanswerable_question_is_looked_for_in_the_whole_base():
    """What retrieval finds for it must not answer it either; no passage is shown twice."""
    judging, shelf = judge(answer=""), Shelf()
    await answered(OPEN, judging, shelf)
    assert shelf.asked == (OPEN.question, 8)
    assert judging.asked[0].passages == (ITEM.passages[0].shown, "# guard.md\nThe guard checks permits.")
    await answered(ITEM, judging, unused := Shelf())
    assert unused.asked == ()


async def test_checks_are_made_in_order_and_the_first_failure_ends_them():
    """Rules come first, so nothing is paid for a question that they drop."""
    judging = judge()
    item, _ = await Checks(KnownQuestions(), judging).check(ITEM)
    assert [check.check for check in item.checks if check.check != "wording"] == [
        c for c in QUESTION_CHECKS if c != "wording"
    ]
    assert item.dropped is None
    item, _ = await Checks(KnownQuestions(), unpaid := judge()).check(replace(ITEM, question="What does the text say?"))
    assert item.dropped is not None
    assert item.dropped.check == "wording"
    assert unpaid.asked == []
    item, _ = await Checks(KnownQuestions(), judging := judge(lacking=(1,))).check(ITEM)
    assert item.dropped.check == "support"
    assert AnswerFromPassages not in map(type, judging.asked)


async def test_two_equal_questions_in_the_making_are_noticed():
    """Whichever is checked first is kept, also while both are being checked."""
    checks = Checks(KnownQuestions(), judge())
    made = await asyncio.gather(*(checks.check(replace(ITEM, id=f"single-{n}")) for n in range(3)))
    assert [item.dropped.check if item.dropped else None for item, _ in made] == [None, "duplicate", "duplicate"]


async def test_without_a_model_its_checks_are_recorded_as_not_made():
    """They are neither passed nor failed."""
    item, usage = await Checks(KnownQuestions()).check(ITEM)
    not_made = {check.check: check.reason for check in item.checks if check.passed is None}
    assert not_made == dict.fromkeys(("closed_book", "support", "round_trip"), TAKES_A_MODEL)
    assert item.dropped is None
    assert usage.calls == 0


@pytest.mark.parametrize("name", QUESTION_CHECKS)
async def test_each_check_can_be_left_out(name):
    """A skipped check leaves no trace."""
    item, _ = await Checks(KnownQuestions(), judge(), skipped=frozenset({name})).check(ITEM)
    made = [check.check for check in item.checks]
    assert name not in made or name == "wording"  # the try without documents judges the wording, too


async def test_a_failed_call_is_no_verdict():
    """It is raised, so that the slot is tried again and the question not dropped."""
    broken = ScriptedJudge({TryClosedBook: CallFailed("the server is gone")})
    with pytest.raises(CallFailed, match="gone"):
        await Checks(KnownQuestions(), broken).check(ITEM)
