"""Whether the base still answers the questions of a test set, and still does not answer the unanswerable ones.

Only what changed is asked about: if a passage is gone, whether what the base finds now supports the reference; for an
unanswerable question, whether new text answers it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from saiten.errors import CannotJudge, JudgeError
from saiten.metrics.judged.with_evidence import evidence_query
from saiten.protocols import Judge, Retriever
from saiten.records import FREE, Passage, Usage
from saiten.tasks.questions import AnswerFromPassages
from saiten.tasks.statements import VerifyStatements
from saiten.tasks.verdicts import Verdict
from saiten.testsets.items import SetItem
from saiten.testsets.upkeep.documents import BaseNow, bare
from saiten.testsets.upkeep.findings import ItemFinding, Looked, listed, quoted, unchecked
from saiten.testsets.upkeep.rewritten import rewritten
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_sentences
from saiten.text.words import content_units

_SHORT = 4
"""Content units of a sentence from which it is a statement without its question: not *In 1998.*"""
_NEAR = 0.6
"""Share of the question's words in one new sentence from which people should look whether it answers."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """Looks whether items are up to date."""

    base: BaseNow
    retriever: Retriever
    """Finds passages in the base."""
    judge: Judge
    known: Mapping[str, str]
    """Document → digest when the items were made; documents with another digest, or none here, are new."""
    k: int = 5
    reads: bool = True
    """Whether the judge understands what it reads; if not, new text near an unanswerable question is left to people."""

    def concerned(self, item: SetItem) -> bool:
        """Return whether a change concerns the item, so that it must be looked at."""
        if is_unanswerable(item):
            return not self.base.tried(item) and any(
                self.base.is_new(source, self.known) for source in self.base.digests
            )
        standings = [self.base.standing(passage) for passage in item.passages]
        return not standings or not {"lost", "removed"}.isdisjoint(standings)

    async def look(self, item: SetItem) -> Looked:
        """Return what is to be said of an item that a change concerns.

        Raises:
            BudgetSpent: the budget does not allow the call.
            ConfigurationError: the base or the judge cannot be used.
        """
        try:
            return await (self._unanswered(item) if is_unanswerable(item) else self._answered(item))
        except JudgeError as error:
            return unchecked(item, error)

    async def _answered(self, item: SetItem) -> Looked:
        gone = [(passage, self.base.standing(passage)) for passage in item.passages]
        kept = [passage.text for passage, standing in gone if standing in {"unchanged", "kept"}]
        gone = [(passage, standing) for passage, standing in gone if standing in {"lost", "removed"}]
        sentences = [each.text for each in split_sentences(item.reference, item.language) if each.text.strip()]
        if not sentences:
            return Looked((ItemFinding(item.id, "unchecked", "the item has no reference to look for in the base"),))
        found = await self.retriever.retrieve(evidence_query(item.sample), self.k)
        texts = tuple(dict.fromkeys([*kept, *(passage.text for passage in found.passages)]))
        lacking, usage = await self._lacking(item, sentences, texts)
        usage += found.usage
        sources = tuple(dict.fromkeys(passage.source for passage, _ in gone if passage.source))
        removed = all(standing == "removed" for _, standing in gone)
        if lacking:
            reason = _lost(gone=bool(gone), removed=removed, sources=sources, sentences=[text for text, _ in lacking])
            details = {"lost": [{"sentence": text, "judge": why} for text, why in lacking]}
            return Looked((ItemFinding(item.id, "lost", reason, sources, details),), usage)
        if not gone:
            return Looked(usage=usage)
        if not self.reads and (changed := rewritten((passage for passage, _ in gone), texts, item.language)):
            excerpt = quoted(changed[1])
            reason = f"a sentence of its passage reads otherwise now: {excerpt}"
            versions = {"before": changed[0], "now": changed[1]}
            return Looked((ItemFinding(item.id, "lost", reason, sources, versions),), usage)
        now = tuple(dict.fromkeys(passage.source for passage in found.passages))
        reason = _elsewhere(removed=removed, sources=sources)
        return Looked((ItemFinding(item.id, "elsewhere", reason, sources, {"found_in": list(now)}),), usage)

    async def _lacking(
        self, item: SetItem, sentences: Sequence[str], texts: tuple[str, ...]
    ) -> tuple[list[tuple[str, str]], Usage]:
        """Return the sentences that the texts do not support, each with the judge's reason."""
        if not texts:
            return [(sentence, "the base has no passage for it") for sentence in sentences], Usage()
        statements = tuple(_statement(sentence, item.question) for sentence in sentences)
        # A judge that compares words must find all of a sentence in one passage: the 8 of another price is no support.
        each_alone = [texts] if self.reads else [(text,) for text in texts]
        replies = [
            await self.judge.perform(
                VerifyStatements(
                    statements, some, question=item.question, language=item.language, conversation=item.history
                )
            )
            for some in each_alone
        ]
        usage = sum((reply.usage for reply in replies), FREE)
        by_certainty = sorted((verdict for reply in replies for verdict in reply.verdicts), key=_certainty)
        best = {verdict.number: verdict for verdict in by_certainty}
        found = [(sentence, best[number]) for number, sentence in enumerate(sentences, 1)]
        return [(sentence, verdict.reason) for sentence, verdict in found if not verdict.verdict], usage

    async def _unanswered(self, item: SetItem) -> Looked:
        found = await self.retriever.retrieve(item.question, self.k)
        new = [passage for passage in found.passages if self._is_new(passage, item)]
        if not new:
            return Looked(usage=found.usage)
        sources = tuple(dict.fromkeys(passage.source for passage in new))
        if not self.reads:
            return Looked(tuple(_near(item, new, sources)), found.usage)
        try:
            reply = await self.judge.perform(
                AnswerFromPassages(
                    item.question,
                    tuple(dict.fromkeys(passage.text for passage in found.passages)),
                    language=item.language,
                    conversation=item.history,
                )
            )
        except CannotJudge as error:
            return Looked(tuple(_near(item, new, sources)), found.usage + error.usage)
        usage = found.usage + reply.usage
        if not reply.answered:
            return Looked(usage=usage)
        answer = " ".join(reply.answer.split())
        excerpt = quoted(answer)
        reason = f"the documents now answer it: {excerpt}"
        return Looked((ItemFinding(item.id, "answerable", reason, sources, {"answer": answer}),), usage)

    def _is_new(self, passage: Passage, item: SetItem) -> bool:
        """Return whether a passage is from a document that is new, and says more than the item's own passages."""
        text = bare(passage.text)
        return self.base.is_new(passage.source, self.known) and not any(text in bare(own.text) for own in item.passages)


def is_unanswerable(item: SetItem) -> bool:
    """Return whether the documents should not answer the question."""
    return item.kind == "unanswerable" or (not item.kind and is_refusal(item.reference, item.language))


def _certainty(verdict: Verdict) -> tuple[bool, float]:
    """Return what verdicts on one statement by several passages are ordered by."""
    return verdict.verdict, verdict.p or 0.0


def _statement(sentence: str, question: str) -> str:
    """Return a sentence of a reference as a statement; a mere value is put behind the question."""
    return sentence if len(content_units(sentence)) >= _SHORT else f"{question} {sentence}"


def _lost(*, gone: bool, removed: bool, sources: Sequence[str], sentences: Sequence[str]) -> str:
    excerpt, source = quoted(*sentences), listed(sources)
    if not gone:
        return f"the base does not support {excerpt}"
    if not sources:
        return f"the passage is no longer in the base, and nothing else in it supports {excerpt}"
    if removed:
        return f"{source} is no longer in the base, and nothing else in it supports {excerpt}"
    return f"the passage is no longer in {source}, and nothing else in the base supports {excerpt}"


def _elsewhere(*, removed: bool, sources: Sequence[str]) -> str:
    source = listed(sources)
    if not sources:
        return "the passage is no longer in the base, but other passages support the reference"
    if removed:
        return f"{source} is no longer in the base, but other passages support the reference"
    return f"the passage is no longer in {source}, but other passages support the reference"


def _near(item: SetItem, new: Sequence[Passage], sources: tuple[str, ...]) -> Iterable[ItemFinding]:
    """Yield a finding if a new sentence has most of the question's words."""
    asked = content_units(item.question)
    old = {bare(sentence.text) for own in item.passages for sentence in split_sentences(own.text, item.language)}
    best, share = "", 0.0
    for passage in new:
        for sentence in split_sentences(passage.text, item.language):
            shared = len(asked & content_units(sentence.text)) / (len(asked) or 1)
            if bare(sentence.text) not in old and shared > share:
                best, share = sentence.text, shared
    if share >= _NEAR:
        excerpt = quoted(best)
        reason = f"new text is near the question; whether it answers it takes a model or a person: {excerpt}"
        yield ItemFinding(item.id, "answerable", reason, sources, {"sentence": best, "share": round(share, 3)})
