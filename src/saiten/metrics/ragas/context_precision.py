"""Context precision: whether the useful contexts are ranked first.

1 if all useful contexts come first, 0 if none is useful or nothing was retrieved.
Source: RAGAS documentation, *context precision*: average precision over the ranking (not in the paper).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saiten.metrics.base import perform_all
from saiten.metrics.ragas.compat import NOTHING_RETRIEVED, RagasMetric
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.stats.yes_counts import count_probabilities
from saiten.tasks.contexts import ContextVerdict, JudgeContext


@dataclass(frozen=True)
class ContextPrecision(RagasMetric):
    """Σ_k precision@k · v_k / Σ_k v_k, where v_k is whether the k-th context is useful for the reference.

    Each context is judged by itself, though an LLM judge sees all of them in one call unless calls are separate. Of
    several references, the main one is used.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes them): one call judges all contexts; nothing is added to the
    denominator, whereas RAGAS adds 1e-10 and so never reaches 1; a blank reference or question is undefined at once;
    empty contexts are 0 without a call, whereas RAGAS raises.
    """

    title = "context_precision"
    needs = ("question", "contexts", "reference")
    tasks = (JudgeContext,)
    refused_by_ragas = ("question", "reference", "contexts")

    def describe(self) -> Mapping[str, str]:
        """Return that contexts are judged in separate calls, with `compat=ragas`."""
        return {**super().describe(), **({"calls": "separate"} if self.as_ragas else {})}

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := self.empty(sample, "question", "reference", "contexts"):
            return nothing
        if self.found_nothing(sample):
            return Score(0.0, reason=NOTHING_RETRIEVED, details={"verdicts": []})
        asked = sample.reference or "", self.as_ragas
        about: Any = {"language": sample.language, "conversation": sample.history}
        tasks = [JudgeContext(sample.question, context, *asked, **about) for context in sample.contexts or ()]
        verdicts = await perform_all(judge, tasks)
        useful = [verdict.useful for verdict in verdicts]
        known = any(verdict.p is not None for verdict in verdicts)
        epsilon = 1e-10 if self.as_ragas else 0.0
        ranks = ", ".join(str(k) for k, v in enumerate(useful, start=1) if v)
        return Score(
            average_precision(useful, epsilon=epsilon),
            reason=f"{sum(useful)} of {len(useful)} contexts are useful" + (f": rank {ranks}" if ranks else ""),
            details={
                "verdicts": [{"context": k, **v.model_dump(exclude_none=True)} for k, v in enumerate(verdicts, start=1)]
            },
            expected=expected_precision([_p(verdict) for verdict in verdicts], epsilon=epsilon) if known else None,
        )


def _p(verdict: ContextVerdict) -> float:
    return float(verdict.useful) if verdict.p is None else verdict.p


def average_precision(v: Sequence[bool], *, epsilon: float = 0.0) -> float:
    """Return Σ_k precision@k · v_k / (Σ_k v_k + epsilon), or 0 if none is useful. 0, 1, 1 gives 0.5833."""
    precisions = [sum(v[:k]) / k for k in range(1, len(v) + 1) if v[k - 1]]
    return sum(precisions) / (len(precisions) + epsilon) if precisions else 0.0


def expected_precision(p: Sequence[float], *, epsilon: float = 0.0) -> float:
    """Return the expectation of the average precision if the k-th context is useful with probability p_k.

    The verdicts count as independent: Σ_k p_k / k · E[(B + 1) / (B + 1 + A)], with B useful contexts before the k-th
    and A after it. Probabilities of 0 and 1 give the average precision itself.
    """
    expected = 0.0
    for k in range(1, len(p) + 1):
        before, after = count_probabilities(p[: k - 1]), count_probabilities(p[k:])
        expected += (p[k - 1] / k) * sum(
            pb * pa * (b + 1) / (b + 1 + a + epsilon) for b, pb in enumerate(before) for a, pa in enumerate(after)
        )
    return expected
