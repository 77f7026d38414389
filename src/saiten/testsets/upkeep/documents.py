"""The documents of a knowledge base as they are now, compared with those that the items of a test set are from.

An unchanged document has the digest that the passage names, and needs no further look. Of a changed one, the chunks
are read: a passage whose text, or whose quotes, are still there word for word is as good as before.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from saiten.rag.knowledge.base import KnowledgeBase, document_digests
from saiten.testsets.items import SetItem, SetPassage
from saiten.testsets.upkeep.findings import DocumentCount

Standing = Literal["unchanged", "kept", "lost", "removed"]
"""What became of a passage: its document is as it was · the document changed, the words are still there · they are not
· the document is no longer in the base."""

BASE = "base"
"""In the details of the check `round_trip`, the name of the base that an unanswerable question was tried in, which
contains the digest of the base's contents."""


@dataclass(frozen=True, slots=True)
class BaseNow:
    """What the base contains now, as far as the items need it."""

    digests: Mapping[str, str]
    """Document → digest of its complete version."""
    texts: Mapping[str, str]
    """Document → its text without white space, for those that must be read."""
    digest: str = ""
    """Hash of all contents, as `Contents` has it."""

    def standing(self, passage: SetPassage) -> Standing:
        """Return what became of a passage; one without a document is looked for in all of them."""
        if not passage.source:
            return "kept" if any(_holds(text, passage) for text in self.texts.values()) else "lost"
        digest = self.digests.get(passage.source)
        if digest is None:
            return "removed"
        if digest == passage.document:
            return "unchanged"
        return "kept" if _holds(self.texts.get(passage.source, ""), passage) else "lost"

    def is_new(self, source: str, known: Mapping[str, str]) -> bool:
        """Return whether a document was added or changed since its digest was `known`, or is not known at all."""
        return source not in self.digests or self.digests[source] != known.get(source)

    def tried(self, item: SetItem) -> bool:
        """Return whether the item was tried in a base with exactly these contents."""
        names = [str(check.details.get(BASE, "")) for check in item.checks if check.check == "round_trip"]
        return bool(self.digest) and any(self.digest in name for name in names)

    def count(self, known: Mapping[str, str]) -> DocumentCount:
        """Compare the base with the documents that the items are from, by digest; "" if it is unknown."""
        there = [source for source in known if source in self.digests]
        changed = sum(self.digests[source] != known[source] for source in there)
        return DocumentCount(
            len(known), len(there) - changed, changed, len(known) - len(there), len(self.digests.keys() - known.keys())
        )


def known_documents(items: Iterable[SetItem]) -> dict[str, str]:
    """Return the documents that the items are from, with their digests then; "" for one that has several or none."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for passage in item.passages:
            if passage.source:
                found[passage.source].add(passage.document)
    return {source: digests.pop() if len(digests) == 1 else "" for source, digests in found.items()}


async def read_base(base: KnowledgeBase, items: Sequence[SetItem]) -> BaseNow:
    """Return what the base contains; only the texts of documents that changed since the items were made are read.

    Raises:
        ConfigurationError: the base cannot be read.
        CallFailed: its server failed.
    """
    digests = await document_digests(base.engine)
    passages = [passage for item in items for passage in item.passages]
    wanted = {each.source for each in passages if digests.get(each.source, each.document) != each.document}
    if any(not passage.source for passage in passages):
        wanted = set(digests)
    return BaseNow(digests, await _texts(base, wanted) if wanted else {}, base.contents.digest)


async def _texts(base: KnowledgeBase, wanted: set[str]) -> dict[str, str]:
    chunks: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    async for point in base.engine.chunks(base.contents.hidden):
        payload = point.payload
        if payload["source"] in wanted:
            chunks[payload["source"]].append((payload["start"], payload["end"], payload["text"]))
    return {source: _joined(sorted(pieces)) for source, pieces in chunks.items()}


def _joined(chunks: Sequence[tuple[int, int, str]]) -> str:
    """Return the text of chunks without white space; what a chunk repeats of the one before counts once."""
    parts, done = [], 0
    for start, end, text in chunks:
        parts.append(text[max(done - start, 0) :])
        done = max(done, end)
    return bare("".join(parts))


def _holds(text: str, passage: SetPassage) -> bool:
    """Return whether a text without white space has the passage, or else all its quotes, word for word."""
    whole = bare(passage.text)
    if whole and whole in text:
        return True
    quotes = [bare(passage.text[start:end]) for start, end in passage.quotes]
    return any(quotes) and all(quote in text for quote in quotes)


def bare(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())
