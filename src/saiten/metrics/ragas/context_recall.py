"""Context recall: the share of the reference's statements that can be attributed to the contexts.

1 if the contexts contain everything the reference says, 0 if nothing or if nothing was retrieved; undefined for a
reference without statements.
Source: RAGAS documentation, *context recall* (not in the paper).
"""

from dataclasses import dataclass

from saiten.metrics.ragas.compat import RagasMetric
from saiten.metrics.ragas.faithfulness import verify
from saiten.metrics.ragas.supported import share_supported
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.statements import SplitStatements, VerifyStatements


@dataclass(frozen=True)
class ContextRecall(RagasMetric):
    """|attributed statements of the reference| / |statements of the reference|; of several references, the main one.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes all but the first):

    - Splitting and verifying are separate steps, whereas RAGAS does both in one call: the reference's statements are
      shared with answer correctness.
    - Each statement needs exactly one verdict; RAGAS divides by the number of verdicts it got.
    - Blank statements are not counted.
    - A blank reference is undefined at once, and no question is required.
    - Empty contexts are 0, since excluding them from the mean would flatter the system. RAGAS raises.
    - A reference without statements is undefined with a reason; RAGAS gives NaN.
    """

    title = "context_recall"
    needs = ("contexts", "reference")  # a question helps the judge, but is not required
    tasks = (SplitStatements, VerifyStatements)
    refused_by_ragas = ("question", "reference", "contexts")

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := self.empty(sample, "reference", "contexts"):
            return nothing
        found = await verify(self, sample, judge, "reference")
        if isinstance(found, Score):
            return found
        return share_supported(found, yes="statements of the reference are in the contexts", no="not in them")
