"""Hostile input: the work is counted in function calls, so that no clock decides."""

import asyncio
import sys
from contextlib import suppress

import pytest

from saiten.errors import CannotJudge
from saiten.judges.offline import OfflineJudge
from saiten.tasks.contexts import SelectRelevantSentences
from saiten.tasks.correctness import DecideCorrect, GradeAnswer
from saiten.tasks.statements import ListEntities, SplitStatements, VerifyStatements
from saiten.tasks.summaries import ExtractKeyphrases
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_sentences

SIGNS = [
    "「",
    "」",
    "「」",
    "「。",
    "。",
    ". ",
    ".)",
    ".[1]",
    "a.b.",
    "A. ",
    "\n",
    "\r\n",
    " ",
    ".\n",
    "(1)\n",
    "1.",
    "!?",
    "\ud800",
    "(",
    "Mr. ",
]
TEXTS = ["a ", "word. ", "1,", "1 ", "一", "十万", "カ", "漢字かな。", "[1]", "[", "](", "A ", "Ab Cd ", "i don't have ", "情報が", "> - ", "* ", "'", "9" * 50 + " ", "§", "**", "January 1, "]  # fmt: skip


def calls(work):
    """The number of Python and C functions called during the work."""
    counted = 0

    def count(_frame, event, _argument):
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


def grows_in_step(work, piece, size):
    """Ten times the text takes at most 13 times the calls; a quadratic scan would need a hundred times as many."""
    once, tenfold = (calls(lambda n=n: work((piece * n)[:n])) for n in (size, 10 * size))
    return tenfold <= 13 * once + 200


@pytest.mark.parametrize("piece", SIGNS + TEXTS)
def test_splitting(piece):
    """Splitting sentences and detecting a refusal are linear in the length of the text, whatever it contains."""
    for language in ("ja", "en"):
        assert grows_in_step(lambda text, language=language: split_sentences(text, language), piece, 600), language
        assert grows_in_step(lambda text, language=language: is_refusal(text, language), piece, 600), language


TASKS = {
    "split": lambda text: SplitStatements("", text, language="en"),
    "verify a long statement": lambda text: VerifyStatements((text,), ("One context.", "Another."), language="en"),
    "verify in a long context": lambda text: VerifyStatements(("One statement of 5 words.",), (text,), language="ja"),
    "decide a long answer": lambda text: DecideCorrect("Who?", text, ("Marie Curie in 1903",), language="en"),
    "decide with a long reference": lambda text: DecideCorrect("Who?", "Marie Curie in 1903", (text,), language="en"),
    "grade": lambda text: GradeAnswer("誰？", text, ("キュリー夫人",), language="ja"),
    "entities": lambda text: ListEntities(text, language="en"),
    "select": lambda text: SelectRelevantSentences("A word of 1?", (text, text), language="en"),
    "keyphrases": lambda text: ExtractKeyphrases((text,), language="ja"),
}


def perform(task):
    """Let the offline judge perform it; returns its reply, or the reason why there is none."""

    async def once():
        with suppress(CannotJudge):
            await OfflineJudge().perform(task)

    with pytest.raises(StopIteration):
        once().send(None)


@pytest.mark.parametrize("piece", TEXTS)
def test_tasks(piece):
    """The time of a task is proportional to the length of its text; it ends with a reply or a reason for none."""
    for name, task in TASKS.items():
        assert grows_in_step(lambda text, task=task: perform(task(text)), piece, 200), name


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["ab. ", "漢字。", "1,", "「。", "[("])
def test_a_megabyte(piece):
    """A megabyte of statement with a megabyte of context is judged; the suite's time limit is the bound."""
    text = piece * (1_000_000 // len(piece))
    reply = asyncio.run(OfflineJudge().perform(VerifyStatements((text,), (text,), language="ja")))
    assert [verdict.number for verdict in reply.verdicts] == [1]
