"""Summarization score: whether a summary answers the questions its sources answer, and is short.

1 is everything said in no space, 0 nothing said at full length; undefined if no question could be written.
Source: RAGAS documentation, *summarization score* (not in the paper).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from saiten.errors import ConfigurationError
from saiten.metrics.ragas.compat import RagasMetric, first_blank
from saiten.metrics.ragas.verdicts import expected_share, sentence, share_of_yes, verdict_details
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.same_question import bare_question
from saiten.tasks.summaries import MOST_KEYPHRASES, AnswerFromSummary, ExtractKeyphrases, WriteClosedQuestions


@dataclass(frozen=True)
class SummarizationScore(RagasMetric):
    """(1 - w) · questions answered / questions + w · conciseness; the answer is the summary of the contexts.

    The questions are closed ones, written from key phrases of the contexts, whose answer is always yes. Conciseness is
    max(0, 1 - length of the summary / length of the contexts), in characters, with the contexts joined by newlines.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes them):

    - No key phrases or no questions: undefined. RAGAS continues without key phrases, and raises without questions.
    - At most 12 key phrases count, and at most one question per key phrase, each once; the others are in
      `details["left_out"]`. RAGAS limits neither.
    - Each question needs exactly one verdict; RAGAS divides by the number of answers it got.
    - Nothing is added to the length of the contexts; RAGAS adds 1e-10.
    """

    title = "summarization_score"
    needs = ("answer", "contexts")
    tasks = (ExtractKeyphrases, WriteClosedQuestions, AnswerFromSummary)

    conciseness_weight: float = 0.5
    """w, the weight of conciseness; RAGAS calls it coeff."""

    def __post_init__(self) -> None:
        """Refuse a weight outside [0, 1]."""
        super().__post_init__()
        if not 0 <= self.conciseness_weight <= 1:
            raise ConfigurationError(
                f"summarization_score needs a conciseness_weight from 0 to 1, not {self.conciseness_weight}"
            )

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := first_blank(sample, ("answer", "contexts")):
            return nothing
        summary, contexts, language = sample.answer or "", sample.contexts or (), sample.language
        extracted = (await judge.perform(ExtractKeyphrases(contexts, language=language))).keyphrases
        keyphrases = self._first(extracted, MOST_KEYPHRASES)
        if not keyphrases and not self.as_ragas:
            return Score.undefined("the contexts have no key phrase")
        asked = (await judge.perform(WriteClosedQuestions(contexts, keyphrases, language=language))).questions
        questions = self._first(asked, len(keyphrases))
        written: dict[str, Any] = {"keyphrases": list(keyphrases), "questions": list(questions)}
        left_out = {"keyphrases": _others(extracted, keyphrases), "questions": _others(asked, questions)}
        if any(left_out.values()):
            written["left_out"] = left_out
        if not questions:
            return Score.undefined("no question could be written from the contexts", **written)
        answering = AnswerFromSummary(summary, questions, partial=self.as_ragas, language=language)
        verdicts = (await judge.perform(answering)).verdicts
        if not verdicts:
            return Score.undefined("the judge gave no verdict", **written)
        qa, expected = share_of_yes([verdict.verdict for verdict in verdicts]), expected_share(verdicts)
        short = conciseness(len(summary), len("\n".join(contexts)), epsilon=1e-10 if self.as_ragas else 0.0)
        answered = sentence(questions, verdicts, yes="questions are answered", no="not answered")
        w = self.conciseness_weight
        return Score(
            (1 - w) * qa + w * short,
            reason=f"conciseness {short:.3f}; {answered}",
            details={**written, **verdict_details(verdicts), "answered": qa, "conciseness": short},
            expected=None if expected is None else (1 - w) * expected + w * short,
        )

    def _first(self, texts: Sequence[str], most: int) -> tuple[str, ...]:
        """Return the first texts, each once, without blank ones; all of them with `compat=ragas`."""
        if self.as_ragas:
            return tuple(texts)
        return distinct(text for text in texts if text.strip())[:most]


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts in order, each once; width, case, punctuation and white space do not make a difference."""
    kept: dict[str, str] = {}
    for text in texts:
        kept.setdefault(bare_question(text), text)
    return tuple(kept.values())


def _others(texts: Sequence[str], kept: Sequence[str]) -> list[str]:
    """Return what was left out, without blank texts, in order."""
    rest = Counter(kept)
    rest.subtract(texts)
    return [text for text, times in rest.items() for _ in range(-times) if text.strip()]


def conciseness(summary: int, text: int, *, epsilon: float = 0.0) -> float:
    """Return max(0, 1 - summary / text) for lengths in characters; the text has at least one."""
    return 1 - min(summary, text) / (text + epsilon)
