"""The generator without a model: it writes nothing itself, it picks sentences that share the question's words.

Good for trying things out and for tests, with no key and no network. It understands nothing: docs/chains.md says how
little better it is than the first sentences of what was retrieved.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from saiten.protocols import Completion
from saiten.rag.coverage import pool_of
from saiten.rag.steps import AggregateAnswers, AnswerFromDocuments, RefineAnswer, Step, WriteQuery
from saiten.rag.unknown import I_DO_NOT_KNOW
from saiten.records import Language, Turn
from saiten.text.refusals import is_refusal
from saiten.text.words import in_order, normalise

_TOPIC_WORDS = 6
"""Words of earlier questions that a search query takes in at most."""
_TURNS = 10
"""Earlier questions that are looked at, the latest ones."""
_OF_A_QUESTION = 1_000
"""Characters of each."""
_BETWEEN = {"en": " ", "ja": ""}


@dataclass(frozen=True, slots=True)
class ExtractiveGenerator:
    """Answers with sentences of the documents, the same to the last character each time; costs nothing."""

    sentences: int = 3
    """At most so many from documents or candidates; `refine` adds at most one for each further document."""
    least: float = 0.1
    """The share of the question's weight that some sentence must hold, or add, for an answer to be given."""

    @property
    def name(self) -> str:
        return "extractive"

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
                raise TypeError(f"the extractive generator knows no step {type(step).__name__}")
        return Completion(text, finish_reason="stop")

    async def close(self) -> None:
        """Nothing to let go of."""

    def _pick(self, question: str, texts: Sequence[str], language: Language) -> str:
        """The sentences that hold most of the question, they and the texts they stand in, in their own order."""
        pool = pool_of(question, texts, language)
        shares = pool.shares()
        if max(shares, default=0.0) < self.least:
            return I_DO_NOT_KNOW[language]
        worth = [own + whole for own, whole in zip(shares, pool.shares_of_texts(), strict=True)]
        best = sorted(range(len(worth)), key=lambda at: (-worth[at], at))[: self.sentences]
        return _BETWEEN[language].join(pool.sentences[at] for at in sorted(best))

    def _add(self, question: str, candidate: str, document: str, language: Language) -> str:
        """The candidate, and the sentence of the document that holds most of what the candidate does not."""
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
    """The question, and words of earlier questions that it does not have, the latest question's first."""
    known = set(in_order(normalise(question).lower()))
    asked = [turn.question[:_OF_A_QUESTION] for turn in reversed(history[-_TURNS:])]
    earlier = [word for each in asked for word in in_order(normalise(each).lower())]
    topics = [word for word in dict.fromkeys(earlier) if word not in known]
    return " ".join([question, *topics[:_TOPIC_WORDS]])
