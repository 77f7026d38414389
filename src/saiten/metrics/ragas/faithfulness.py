"""Faithfulness: whether the contexts support what the answer states.

1 is fully supported, 0 not at all or if nothing was retrieved; declined for an answer without statements.
Source: Es et al. 2024, *RAGAS: Automated Evaluation of Retrieval Augmented Generation*, section 3, for the share.
"""

from dataclasses import dataclass
from typing import Any, Literal

from saiten.errors import ConfigurationError
from saiten.metrics.ragas.compat import NOTHING_CLAIMED, NOTHING_RETRIEVED, RagasMetric
from saiten.metrics.ragas.supported import FIGURES, Verified
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.statements import SplitStatements, VerifyStatements
from saiten.text.placement import place_statements
from saiten.text.refusals import is_refusal, only_declines


@dataclass(frozen=True)
class Faithfulness(RagasMetric):
    """|V| / |S|, where S are the statements of the answer and V those that the contexts support.

    Two other figures come from the same two calls: `faithfulness[sentences]`, the share of the answer's sentences with
    statements of which all are supported, and `faithfulness[worst]`, the support of the worst statement.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes them):

    - Each statement needs exactly one verdict; an incomplete reply is repaired once and then unreadable. RAGAS divides
      by the number of verdicts it got. (More verdicts than statements are refused with `compat=ragas`, too.)
    - Blank statements are not counted; a blank answer is undefined at once; no question is required.
    - Empty contexts support nothing: 0, or declined if the answer says that it does not know. RAGAS raises.
    - An answer without statements is declined; RAGAS gives NaN. So is, without asking, one that only declines (*I don't
      know*, *The document does not mention it*): a judge that splits it into remarks about the document would support
      them all.
    """

    title = "faithfulness"
    main = "figure"
    unnamed = "share"
    needs = ("answer", "contexts")  # a question helps the judge, but is not required
    tasks = (SplitStatements, VerifyStatements)
    refused_by_ragas = ("question", "answer", "contexts")

    figure: Literal["share", "sentences", "worst"] = "share"
    """`share`: of the statements · `sentences`: the share of the sentences · `worst`: the worst statement."""

    def __post_init__(self) -> None:
        """Refuse a figure that RAGAS does not have."""
        super().__post_init__()
        if self.as_ragas and self.figure != "share":
            raise ConfigurationError(f"RAGAS has only the share; write faithfulness[{self.figure},compat=ours]")

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := self.empty(sample, "answer", "contexts"):
            return nothing
        answer, language = sample.answer or "", sample.language
        if self.found_nothing(sample) and is_refusal(answer, language):
            return Score.declined(f"{NOTHING_RETRIEVED}, and the answer says that it does not know")
        if not self.as_ragas and only_declines(answer, language):
            return Score.declined("the answer only says that it does not know, or that the documents do not say")
        found = await verify(self, sample, judge, "answer")
        return found if isinstance(found, Score) else FIGURES[self.figure](found)


async def verify(
    metric: RagasMetric, sample: Sample, judge: Judge, text: Literal["answer", "reference"]
) -> Verified | Score:
    """Split the text, and verify its statements against the contexts.

    Returns a score if there is nothing to count: 0 if nothing was retrieved, undefined for a text without statements
    (declined, if it is the answer) and for a reply without verdicts, which only `compat=ragas` accepts.
    """
    whole = getattr(sample, text) or ""
    about: Any = {"language": sample.language, "conversation": sample.history}
    split = SplitStatements(sample.question, whole, **about)
    statements = metric.kept((await judge.perform(split)).statements)
    if not statements:
        declined = text == "answer" and not metric.as_ragas
        return Score.declined(NOTHING_CLAIMED) if declined else Score.undefined(f"the {text} makes no statement")
    if metric.found_nothing(sample):
        return Score(0.0, reason=NOTHING_RETRIEVED, details={"statements": list(statements)})
    question = "" if metric.as_ragas else sample.question  # RAGAS shows the contexts and the statements alone
    task = VerifyStatements(statements, sample.contexts or (), metric.as_ragas, question, **about)
    verdicts = sorted((await judge.perform(task)).verdicts, key=lambda verdict: verdict.number)
    if not verdicts:
        return Score.undefined("the judge gave no verdict", statements=list(statements))
    return Verified(whole, statements, verdicts, place_statements(whole, statements, sample.language))
