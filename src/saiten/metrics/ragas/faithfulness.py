"""Faithfulness: the share of the answer's statements that the contexts support.

1 is fully supported, 0 not at all or if nothing was retrieved; undefined for an answer without statements.
Source: Es et al. 2024, *RAGAS: Automated Evaluation of Retrieval Augmented Generation*, section 3.
"""

from dataclasses import dataclass

from saiten.metrics.ragas.compat import NOTHING_RETRIEVED, RagasMetric
from saiten.metrics.ragas.verdicts import share_score
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.statements import SplitStatements, VerifyStatements
from saiten.text.refusals import is_refusal


@dataclass(frozen=True)
class Faithfulness(RagasMetric):
    """|V| / |S|, where S are the statements of the answer and V those that the contexts support.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes them):

    - Each statement needs exactly one verdict; an incomplete reply is repaired once and then unreadable. RAGAS divides
      by the number of verdicts it got. (More verdicts than statements are refused with `compat=ragas`, too.)
    - Blank statements are not counted.
    - A blank answer is undefined at once, and no question is required.
    - Empty contexts support nothing: 0, or declined if the answer says that it does not know. RAGAS raises.
    - An answer without statements is undefined with a reason; RAGAS gives NaN.
    """

    title = "faithfulness"
    needs = ("answer", "contexts")  # a question helps the judge, but is not required
    tasks = (SplitStatements, VerifyStatements)
    refused_by_ragas = ("question", "answer", "contexts")

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Return the share of supported statements."""
        if nothing := self.empty(sample, "answer", "contexts"):
            return nothing
        found_nothing = self.found_nothing(sample)
        if found_nothing and is_refusal(sample.answer or "", sample.language):
            return Score.declined(f"{NOTHING_RETRIEVED}, and the answer says that it does not know")
        split = SplitStatements(sample.question, sample.answer or "", language=sample.language)
        statements = self.kept((await judge.perform(split)).statements)
        if not statements:
            return Score.undefined("the answer makes no statement")
        if found_nothing:
            return Score(0.0, reason=NOTHING_RETRIEVED, details={"statements": list(statements)})
        verify = VerifyStatements(statements, sample.contexts or (), partial=self.as_ragas, language=sample.language)
        verdicts = (await judge.perform(verify)).verdicts
        return share_score(
            statements, verdicts, yes="statements are supported", no="not supported", statements=list(statements)
        )
