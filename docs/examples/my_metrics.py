"""Metrics for the answers of a help desk."""

import re
from dataclasses import dataclass

import saiten
from saiten.metrics.base import perform_all
from saiten.protocols import Judge
from saiten.tasks.critique import CritiqueAspect

RULES = {
    "en": ("Is the answer polite?", "Does the answer avoid blaming the reader?"),
    "ja": ("回答は丁寧ですか。", "回答は読み手を責めずに述べていますか。"),
}


@dataclass(frozen=True)
class Politeness(saiten.BaseMetric):
    """The share of our rules that the answer keeps, as the judge sees it; with `strict`, 1 only if it keeps all."""

    title = "politeness"
    needs = ("question", "answer")
    tasks = (CritiqueAspect,)

    strict: bool = False

    async def score(self, sample: saiten.Sample, judge: Judge) -> saiten.Score:
        question, answer, rules = sample.question, sample.answer or "", RULES[sample.language]
        if not answer.strip():
            return saiten.Score.undefined("the answer is empty")
        asked = [CritiqueAspect(rule, question, answer, language=sample.language) for rule in rules]
        replies = await perform_all(judge, asked)
        broken = [reply.reason for reply in replies if not reply.verdict]
        kept = 1 - len(broken) / len(rules)
        return saiten.Score(float(not broken) if self.strict else kept, reason="; ".join(broken) or None)


@dataclass(frozen=True)
class Citations(saiten.BaseMetric):
    """The share of the citations, such as [2], that point to a context; needs no judge."""

    title = "citations"
    needs = ("answer", "contexts")

    async def score(self, sample: saiten.Sample, judge: Judge) -> saiten.Score:
        cited = [int(number) for number in re.findall(r"\[(\d+)\]", sample.answer or "")]
        if not cited:
            return saiten.Score.undefined("the answer cites nothing")
        there = [number for number in cited if 1 <= number <= len(sample.contexts or ())]
        return saiten.Score(len(there) / len(cited), details={"cited": cited})
