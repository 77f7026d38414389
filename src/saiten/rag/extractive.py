"""The generator without a model: it selects sentences that share the question's words.

Good for experiments and tests, without key or network. It understands nothing: docs/chains.md says how little better it
is than the first retrieved sentences.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saiten.protocols import Completion
from saiten.rag.steps import I_DO_NOT_KNOW, AggregateAnswers, AnswerFromDocuments, RefineAnswer, Step, WriteQuery
from saiten.records import Language, Turn
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_sentences
from saiten.text.words import content_units, in_order, normalize, words_of

_TOPIC_WORDS = 6  # maximum number of words that a search query takes from earlier questions
_TURNS = 10  # maximum number of earlier questions considered, the latest ones
_OF_A_QUESTION = 1_000  # characters considered per question
_BETWEEN = {"en": " ", "ja": ""}
_NAME = re.compile(r"extractive(?::([1-9][0-9]{0,2}))?")


SENTENCES = 3
"""Sentences by default."""


def extractive(name: str) -> "ExtractiveGenerator | None":
    """Return the generator called `extractive`, or `extractive:N` with N sentences; None for any other name."""
    found = _NAME.fullmatch(name.strip())
    return None if found is None else ExtractiveGenerator(int(found[1] or SENTENCES))


@dataclass(frozen=True, slots=True)
class ExtractiveGenerator:
    """Answers with sentences of the documents, deterministically; costs nothing."""

    sentences: int = SENTENCES
    """Maximum number from documents or candidates; `refine` adds at most one per further document."""
    least: float = 0.1
    """The share of the question's weight that a sentence must cover, or add, for an answer to be given."""

    @property
    def name(self) -> str:
        return "extractive" if self.sentences == SENTENCES else f"extractive:{self.sentences}"

    def describe(self, steps: Iterable[type[Step]]) -> Mapping[str, str]:
        return {"generator": self.name, "sentences": str(self.sentences), "least": str(self.least)}

    async def write(self, step: Step) -> Completion:
        match step:
            case AnswerFromDocuments():
                text = self._pick(step.question, step.documents, step.language)
            case RefineAnswer():
                text = self._add(step.question, step.candidate, step.document, step.language)
            case AggregateAnswers():
                knowing = [each for each in step.candidates if not is_refusal(each, step.language)]
                text = self._pick(step.question, knowing, step.language)
            case WriteQuery():
                text = _with_topics(step.question, step.history)
            case _:
                raise TypeError(f"the extractive generator has no step {type(step).__name__}")
        return Completion(text, finish_reason="stop")

    async def close(self) -> None:
        """Do nothing; there is nothing to release."""

    def _pick(self, question: str, texts: Sequence[str], language: Language) -> str:
        """Return the sentences that, together with their texts, cover most of the question, in original order."""
        pool = pool_of(question, texts, language)
        shares = [pool.share(units) for units in pool.units]
        if max(shares, default=0.0) < self.least:
            return I_DO_NOT_KNOW[language]
        worth = [own + whole for own, whole in zip(shares, pool.shares_of_texts(), strict=True)]
        best = sorted(range(len(worth)), key=lambda at: (-worth[at], at))[: self.sentences]
        return _BETWEEN[language].join(pool.sentences[at] for at in sorted(best))

    def _add(self, question: str, candidate: str, document: str, language: Language) -> str:
        """Return the candidate, with the document's sentence that adds the most coverage."""
        if is_refusal(candidate, language):
            return self._pick(question, (document,), language)
        pool = pool_of(question, (candidate, document), language)
        read = list(zip(pool.sentences, pool.units, strict=True))
        known = {unit for sentence, units in read if sentence in candidate for unit in units}
        gains = [pool.share(units - known) for _, units in read]
        best = max(range(len(gains)), key=lambda at: (gains[at], -at), default=None)
        if best is None or gains[best] < self.least:
            return candidate
        return _BETWEEN[language].join([candidate, pool.sentences[best]])


def _with_topics(question: str, history: tuple[Turn, ...]) -> str:
    """Return the question with words from earlier questions that it lacks, the latest question's first."""
    known = set(in_order(normalize(question).lower()))
    latest = [turn.question[:_OF_A_QUESTION] for turn in reversed(history[-_TURNS:])]
    earlier = [word for each in latest for word in in_order(normalize(each).lower())]
    topics = [word for word in dict.fromkeys(earlier) if word not in known]
    return " ".join([question, *topics[:_TOPIC_WORDS]])


_READ = 200_000  # maximum characters read, over all texts; passages have a few hundred each
_HEADING = re.compile(r"\s*#{1,6}\s")
_LONGEST = 1_000  # maximum characters per sentence, since a table or a line of data may have no end


@dataclass(frozen=True, slots=True)
class Pool:
    """Distinct sentences in order, with their coverage: the IDF-weighted share of a question's units in each."""

    sentences: Sequence[str]
    units: Sequence[AbstractSet[str]]
    texts: Sequence[int]
    """The index of the text that first contains each sentence."""
    weights: dict[str, float]
    """The question's units with their inverse document frequencies among sentences, scaled to sum to 1."""

    def share(self, units: Collection[str]) -> float:
        """Return the share of the question's weight covered by these units."""
        return math.fsum(weight for unit, weight in self.weights.items() if unit in units)

    def shares_of_texts(self) -> list[float]:
        """Return, for each sentence, the share covered by its whole text."""
        held: dict[int, set[str]] = {}
        for text, units in zip(self.texts, self.units, strict=True):
            held.setdefault(text, set()).update(units & self.weights.keys())
        share = {text: self.share(units) for text, units in held.items()}
        return [share[text] for text in self.texts]


def pool_of(question: str, texts: Sequence[str], language: Language) -> Pool:
    """Split the texts into sentences and weight the question's units."""
    # *What is it?* has no content words
    read = content_units if content_units(question) else lambda text: words_of(normalize(text).lower())
    found = _sentences(texts, language)
    units = [read(sentence) for sentence in found]
    frequency = Counter(unit for each in units for unit in each)
    raw = {unit: math.log((len(found) + 1) / (frequency[unit] or 1)) for unit in sorted(read(question))}
    whole = math.fsum(raw.values()) or 1.0
    return Pool(list(found), units, list(found.values()), {unit: weight / whole for unit, weight in raw.items()})


def _sentences(texts: Sequence[str], language: Language) -> dict[str, int]:
    """Return the distinct sentences, without Markdown headings, each with the index of the first text that has it."""
    found: dict[str, int] = {}
    left = _READ
    for number, text in enumerate(texts):
        for sentence in split_sentences(text[:left], language):
            if not _HEADING.match(sentence.text):
                found.setdefault(sentence.text[:_LONGEST], number)
        left -= min(left, len(text))
    return found
