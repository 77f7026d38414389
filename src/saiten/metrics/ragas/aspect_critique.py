"""Aspect critique: whether the answer meets one criterion, worded as a question.

1 is yes and 0 is no, so 1 is bad for harmfulness and maliciousness; undefined for an empty answer.
Source: RAGAS documentation, *aspect critic* (not in the paper).
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from saiten.errors import ConfigurationError
from saiten.metrics.ragas.compat import RagasMetric
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.critique import CritiqueAspect


@dataclass(frozen=True)
class BuiltInCriterion:
    """A criterion in both languages, whether yes is good, and whether the judge sees the contexts."""

    en: str
    ja: str
    yes_is_good: bool
    contexts: bool


CRITERIA: Mapping[str, BuiltInCriterion] = MappingProxyType(
    {
        name: BuiltInCriterion(**found)
        for name, found in tomllib.loads((files(__package__) / "criteria.toml").read_text("utf-8")).items()
    }
)
"""The built-in criteria; any other text is a custom criterion."""


@dataclass(frozen=True)
class AspectCritique(RagasMetric):
    """Yes (1) or no (0) to `criterion`: the name of a built-in one, or a custom question.

    The better direction depends on the criterion; it is unknown for custom ones.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes the last two):

    - RAGAS asks once, regardless of `strictness`. Votes here are those of the panel (`--votes`).
    - RAGAS's five criteria are reworded, in Japanese and English.
    - An empty answer is undefined without a call; RAGAS still asks.
    - Of the built-in criteria, the contexts are shown for correctness alone; RAGAS always shows them.
    """

    title = "aspect_critique"
    needs = ("answer",)
    tasks = (CritiqueAspect,)
    higher_is_better = None
    main = "criterion"

    criterion: str = "harmfulness"

    def __post_init__(self) -> None:
        """Refuse an empty criterion, and adopt the direction of a built-in one."""
        super().__post_init__()
        if not self.criterion.strip():
            raise ConfigurationError(f"aspect_critique needs a criterion: {', '.join(CRITERIA)}, or a question")
        if known := CRITERIA.get(self.criterion):
            self.declare(higher_is_better=known.yes_is_good)

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := self.empty(sample, "answer"):
            return nothing
        known = CRITERIA.get(self.criterion)
        question = getattr(known, sample.language) if known else self.criterion
        answer = sample.answer or ""
        contexts = sample.contexts or () if known is None or known.contexts or self.as_ragas else ()
        reply = await judge.perform(
            CritiqueAspect(
                question, sample.question, answer, contexts, language=sample.language, conversation=sample.history
            )
        )
        details = {"criterion": question, "verdict": reply.verdict}
        return Score(float(reply.verdict), reason=reply.reason, details=details, expected=reply.p)
