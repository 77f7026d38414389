"""The checks that take a model: is the question clear, is it not general knowledge, do its passages answer it?"""

from dataclasses import dataclass
from typing import Any

from saiten.protocols import Judge, Retriever, Task
from saiten.records import FREE, Usage
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.questions import AnswerFromPassages, TryClosedBook
from saiten.tasks.statements import VerifyStatements
from saiten.testsets.items import Checked, SetItem, SetPassage
from saiten.text.sentences import split_sentences

PASSED = 4
"""The grade from which an answer counts as right: `largely right, but incomplete` (spec 01)."""

NEAR = 8
"""Passages that are searched for an answer to an unanswerable question."""

TRYING: tuple[type[Task[Any]], ...] = (TryClosedBook, VerifyStatements, AnswerFromPassages, GradeAnswer)
"""The tasks of the checks."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The results of a check that a model made, with their cost."""

    checks: tuple[Checked, ...]
    usage: Usage = FREE


async def without_documents(item: SetItem, judge: Judge) -> Tried:
    """Check that the question is clear by itself, and that a model cannot answer it without the documents.

    An answer from memory is graded against the reference; a question that it answers measures the model, not the
    retrieval. An unanswerable question fails with any answer: general knowledge must not answer it either.
    """
    tried = await judge.perform(TryClosedBook(item.question, language=item.language, conversation=item.history))
    wording = Checked("wording", tried.clear, "" if tried.clear else tried.reason)
    answer = tried.answer.strip()
    if not tried.clear or not answer:
        return Tried((wording, Checked("closed_book", passed=True)) if tried.clear else (wording,), tried.usage)
    details = {"answer": answer}
    if item.kind == "unanswerable":
        reason = f"general knowledge answers it: {answer}"
        known = Checked("closed_book", passed=False, reason=reason, details=details)
        return Tried((wording, known), tried.usage)
    graded = await _graded(item, answer, judge)
    known = Checked(
        "closed_book",
        graded.value < PASSED,
        "" if graded.value < PASSED else f"a model answers it without the documents: {answer}",
        {**details, "grade": graded.value},
    )
    return Tried((wording, known), tried.usage + graded.usage)


async def supported(item: SetItem, judge: Judge) -> Tried:
    """Check that the passages support each sentence of the reference, by the task of `faithfulness`.

    A reference that says what documents do not say is left to `answered`, since no passage can support that.
    """
    if item.kind == "unanswerable":
        reason = "an unanswerable question has no support; the base is searched for it"
        return Tried((Checked("support", None, reason),))
    sentences = tuple(sentence.text for sentence in split_sentences(item.reference, item.language))
    passages = tuple(passage.shown for passage in item.passages)
    reply = await judge.perform(
        VerifyStatements(sentences, passages, question=item.question, language=item.language, conversation=item.history)
    )
    lacking = [
        (sentences[verdict.number - 1], verdict.reason)
        for verdict in reply.verdicts
        if not verdict.verdict and 1 <= verdict.number <= len(sentences)
    ]
    reason = "; ".join(f"not supported: {sentence} ({why})" for sentence, why in lacking)
    return Tried((Checked("support", not lacking, reason),), reply.usage)


async def answered(item: SetItem, judge: Judge, retriever: Retriever | None) -> Tried:
    """Check that a second call, which sees the passages but not the reference, answers the question rightly.

    An unanswerable question must not be answered, neither by its passages nor by what the knowledge base finds for it.
    """
    texts = [passage.shown for passage in item.passages]
    found, base = FREE, {}
    if item.kind == "unanswerable" and retriever is not None:
        base = {"base": retriever.name}  # with the digest of its contents: `testset check` sees whether they changed
        retrieved = await retriever.retrieve(item.question, NEAR)
        known = {passage.text for passage in item.passages}
        texts += [SetPassage(each.text, each.source).shown for each in retrieved.passages if each.text not in known]
        found = retrieved.usage
    reply = await judge.perform(
        AnswerFromPassages(
            item.question, tuple(dict.fromkeys(texts)), language=item.language, conversation=item.history
        )
    )
    usage = found + reply.usage
    details = {"answer": reply.answer.strip(), **base}
    if item.kind == "unanswerable":
        reason = f"the documents answer it: {reply.answer.strip()}" if reply.answered else ""
        return Tried((Checked("round_trip", not reply.answered, reason, details),), usage)
    if not reply.answered:
        return Tried((Checked("round_trip", passed=False, reason="its passages do not answer it"),), usage)
    graded = await _graded(item, reply.answer.strip(), judge)
    passed = graded.value >= PASSED
    reason = "" if passed else f"its passages give another answer: {reply.answer.strip()} ({graded.feedback})"
    return Tried((Checked("round_trip", passed, reason, {**details, "grade": graded.value}),), usage + graded.usage)


async def _graded(item: SetItem, answer: str, judge: Judge) -> Grade:
    return await judge.perform(
        GradeAnswer(item.question, answer, (item.reference,), language=item.language, conversation=item.history)
    )
