"""Answer correctness: whether answer and reference make the same statements, and have the same meaning.

1 is the same in statements and meaning, 0 nothing in common; undefined for a reference without statements.
Source: RAGAS documentation, *answer correctness* (not in the paper).
"""

from dataclasses import dataclass
from typing import Any

from saiten.errors import ConfigurationError
from saiten.metrics.base import perform_all
from saiten.metrics.ragas.answer_similarity import AnswerSimilarity
from saiten.metrics.ragas.compat import RagasMetric
from saiten.metrics.ragas.verdicts import known_probabilities, verdict_details
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.stats.f_measure import f_beta
from saiten.stats.yes_counts import count_probabilities
from saiten.tasks.similarity import MeasureSimilarity
from saiten.tasks.statements import Classification, ClassifyStatements, SplitStatements


@dataclass(frozen=True)
class AnswerCorrectness(RagasMetric):
    """w · F_beta + (1 - w) · similarity, with the statements of the answer and of the (main) reference.

    TP and FP are the answer's statements that the reference supports or not; FN are the reference's statements that
    the answer lacks.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes them):

    - A reference without statements is undefined, and an answer without statements has F = 0. RAGAS counts either as a
      perfect match, F = 1.
    - Each statement needs exactly one verdict; RAGAS counts those it got, and without any F is 1.
    - Blank statements are not counted, and a blank reference is undefined at once.
    - The similarity is clipped to [0, 1], and 0 for an empty answer; RAGAS's cosine may be negative.
    """

    title = "answer_correctness"
    needs = ("question", "answer", "reference")
    tasks = (SplitStatements, ClassifyStatements, MeasureSimilarity)

    beta: float = 1.0
    """Above 1, missing statements weigh more than wrong ones."""
    weight: float = 0.75
    """w, the weight of the statements; with 1 no similarity is measured."""

    def __post_init__(self) -> None:
        """Refuse beta ≤ 0 and a weight outside [0, 1]; RAGAS's cosine may be -1."""
        super().__post_init__()
        if self.as_ragas:
            self.declare(bounds=(self.weight - 1, 1.0))
        if not 0 < self.beta < float("inf"):
            raise ConfigurationError(f"answer_correctness needs a beta above 0, not {self.beta}")
        if not 0 <= self.weight <= 1:
            raise ConfigurationError(f"answer_correctness needs a weight from 0 to 1, not {self.weight}")

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := self.empty(sample, "reference"):
            return nothing
        about: Any = {"language": sample.language, "conversation": sample.history}
        texts = (sample.answer or "", sample.reference or "")
        splits = await perform_all(judge, [SplitStatements(sample.question, each, **about) for each in texts])
        answer, reference = (self.kept(split.statements) for split in splits)
        details: dict[str, Any] = {"answer": {"statements": list(answer)}, "reference": {"statements": list(reference)}}
        if not reference and not self.as_ragas:
            return Score.undefined("the reference makes no statement", **details)
        expected: float | None = None
        if answer and reference:
            classify = ClassifyStatements(sample.question, answer, reference, partial=self.as_ragas, **about)
            reply = await judge.perform(classify)
            counts = tp, fp, fn = count(reply)
            f = f_beta(tp, fp, fn, self.beta) if any(counts) else 1.0  # nothing is wrong or missing
            expected = expected_f(reply, self.beta)
            details |= dict(zip(("TP", "FP", "FN"), counts, strict=True))
            details["answer"] |= verdict_details(reply.answer)
            details["reference"] |= verdict_details(reply.reference)
            reason = f"statements: {tp} right, {fp} wrong, {fn} missing"
        else:
            f = float(self.as_ragas)
            reason = f"the {'reference' if answer else 'answer'} makes no statement"
        similarity = 0.0
        if self.weight < 1:
            similarity = await AnswerSimilarity(compat=self.compat).similarity(sample, judge)
        return Score(
            self.weight * f + (1 - self.weight) * similarity,
            reason=f"{reason}; F = {f:.3f}, similarity = {similarity:.3f}",
            details={**details, "f_beta": f, "similarity": similarity},
            expected=None if expected is None else self.weight * expected + (1 - self.weight) * similarity,
        )


def count(reply: Classification) -> tuple[int, int, int]:
    """Return TP, FP and FN: the answer's statements with yes and with no, and the reference's with no."""
    tp = sum(verdict.verdict for verdict in reply.answer)
    return tp, len(reply.answer) - tp, sum(not verdict.verdict for verdict in reply.reference)


def expected_f(reply: Classification, beta: float) -> float | None:
    """Return the expectation of F_beta if the verdicts are independent; None if no verdict has a probability.

    Verdicts without one (the offline judge's on *Yes.*) are left out.
    """
    answer, reference = known_probabilities(reply.answer), known_probabilities(reply.reference)
    if not answer and not reference:
        return None
    n = len(answer)
    return sum(
        p * q * (f_beta(tp, n - tp, fn, beta) if n or fn else 1.0)
        for tp, p in enumerate(count_probabilities(answer))
        for fn, q in enumerate(count_probabilities([1 - each for each in reference]))
    )
