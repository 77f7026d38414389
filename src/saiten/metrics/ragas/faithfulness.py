"""Faithfulness: the share of the answer's statements that the contexts support.

1 is fully supported, 0 not at all or if nothing was retrieved; undefined for an answer without statements.
Source: Es et al. 2024, *RAGAS: Automated Evaluation of Retrieval Augmented Generation*, section 3.
"""

from dataclasses import dataclass
from typing import Any, Literal

from saiten.metrics.ragas.compat import NOTHING_RETRIEVED, RagasMetric
from saiten.metrics.ragas.verdicts import expected_share, sentence, share_of_yes, verdict_details
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
        if nothing := self.empty(sample, "answer", "contexts"):
            return nothing
        if self.found_nothing(sample) and is_refusal(sample.answer or "", sample.language):
            return Score.declined(f"{NOTHING_RETRIEVED}, and the answer says that it does not know")
        return await share_supported(self, sample, judge, "answer", yes="statements are supported", no="not supported")


async def share_supported(
    metric: RagasMetric, sample: Sample, judge: Judge, text: Literal["answer", "reference"], *, yes: str, no: str
) -> Score:
    """Return the share of the text's statements that the contexts support, with the sentence `3 of 4 {yes}; {no}: …`.

    Undefined for a text without statements, and without verdicts; 0 if nothing was retrieved.
    """
    split = SplitStatements(sample.question, getattr(sample, text) or "", language=sample.language)
    statements = metric.kept((await judge.perform(split)).statements)
    details: dict[str, Any] = {"statements": list(statements)}
    if not statements:
        return Score.undefined(f"the {text} makes no statement")
    if metric.found_nothing(sample):
        return Score(0.0, reason=NOTHING_RETRIEVED, details=details)
    verify = VerifyStatements(statements, sample.contexts or (), partial=metric.as_ragas, language=sample.language)
    verdicts = (await judge.perform(verify)).verdicts
    if not verdicts:
        return Score.undefined("the judge gave no verdict", **details)
    each = [verdict.verdict for verdict in verdicts]
    details |= {"yes": sum(each), "judged": len(each), **verdict_details(verdicts)}
    reason = sentence(statements, verdicts, yes=yes, no=no)
    return Score(share_of_yes(each), reason=reason, details=details, expected=expected_share(verdicts))
