"""Metrics that rank answers better than the offline judge's verdicts, as far as measured on public data.

`benchmarks/offline_judge.py` prints the figures; docs/offline-judge.md has them with n and intervals.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from saiten.records import Language
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Alternative:
    """A metric to use instead of, or next to, one of the offline judge."""

    metric: str
    instead: str
    language: Language | None = None
    """The language it was measured in; None if it holds for both, because both metrics share one judgment."""
    on: str = ""
    """The kind of data, unless it holds for all that was measured."""

    def __str__(self) -> str:
        return str(self.shown())

    def shown(self) -> Message:
        """Return it in words: `context_overlap (than faithfulness, en)`."""
        of = ", ".join(filter(None, (self.metric, self.language, self.on)))
        return Message("screen", "instead", instead=self.instead, of=of)


ALTERNATIVES = (
    Alternative("faithfulness", "context_overlap", "en"),
    Alternative("faithfulness", "faithfulness[worst]", "ja"),
    Alternative("accuracy", "correctness"),
    Alternative("answer_correctness", "token_f1", "en"),
    Alternative("correctness", "rouge_l", "en", "summaries"),
)


def better_metrics(metrics: Collection[str], languages: Collection[Language]) -> Sequence[Alternative]:
    """Return the alternatives to these metrics in these languages that are not among them."""
    return [
        each
        for each in ALTERNATIVES
        if each.metric in metrics
        and each.instead not in metrics
        and (each.language is None or each.language in languages)
    ]
