"""Context recall: the share of the reference's statements that can be attributed to the contexts.

1 if the contexts hold everything that the reference says, 0 if nothing or if nothing was retrieved; undefined for a
reference without statements.
Source: RAGAS documentation, *context recall* (it is not in the paper).
"""

from dataclasses import dataclass

from saiten.metrics.ragas.compat import NOTHING_RETRIEVED, RagasMetric
from saiten.metrics.ragas.verdicts import share_score
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.statements import SplitStatements, VerifyStatements


@dataclass(frozen=True)
class ContextRecall(RagasMetric):
    """|attributed statements of the reference| / |statements of the reference|; of several references, the main one.

    Where we differ from RAGAS 0.4.3 (`compat=ragas` undoes all but the first):

    - Two steps, splitting and verifying, where RAGAS does both in one call: the statements of the reference are
      shared with answer correctness.
    - Each statement needs exactly one verdict; RAGAS divides by the verdicts that came.
    - A statement of nothing but white space is not counted.
    - A reference of nothing but white space is undefined at once, and a question is not insisted on.
    - Empty contexts are 0: nothing was retrieved, and left out of the mean that would flatter the system. RAGAS raises.
    - A reference without statements is undefined with a reason; RAGAS gives NaN.
    """

    title = "context_recall"
    needs = ("contexts", "reference")  # a question helps the judge, but is not required
    tasks = (SplitStatements, VerifyStatements)
    refused_by_ragas = ("question", "reference", "contexts")

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """The share of attributed statements."""
        if nothing := self.empty(sample, "reference", "contexts"):
            return nothing
        split = SplitStatements(sample.question, sample.reference or "", language=sample.language)
        statements = self.kept((await judge.perform(split)).statements)
        if not statements:
            return Score.undefined("the reference makes no statement")
        if self.found_nothing(sample):
            return Score(0.0, reason=NOTHING_RETRIEVED, details={"statements": list(statements)})
        verify = VerifyStatements(statements, sample.contexts or (), partial=self.as_ragas, language=sample.language)
        verdicts = (await judge.perform(verify)).verdicts
        return share_score(
            statements,
            verdicts,
            yes="statements of the reference are in the contexts",
            no="not in them",
            statements=list(statements),
        )
