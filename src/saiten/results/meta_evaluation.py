"""Comparison of metrics with people: settings, and the record of each metric, subset and aspect."""

from dataclasses import dataclass

from saiten.choices import TIE_MARGIN, SplitBy, SystemsOver, Unmeasured
from saiten.results.aspect_result import AspectResult
from saiten.results.metric_result import MetricResult
from saiten.results.rows import AsRows, Row, figure_row
from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the figures."""

    rank_by: str | None = None
    """The figure that metrics are ranked by, one of `ranking.NAMES`; None: AUROC for verdicts, else Pearson."""
    yes_from: float | None = None
    """Lowest value that counts as yes; None keeps grades."""
    unmeasured: Unmeasured = "left-out"
    systems_over: SystemsOver = "common"
    system_pairs: tuple[tuple[str, str], ...] | None = None
    """Pairs of systems whose order counts; None for all."""
    split_by: SplitBy | None = None
    """Repeat all figures for each group or system; None for no breakdown."""
    tie_margin: float = TIE_MARGIN
    """Score differences up to this are ties."""
    resamples: int = 1_000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class MetaEvaluation(AsRows):
    """A complete meta-evaluation."""

    aspects: tuple[AspectResult, ...]
    settings: Settings
    notes: tuple[Message, ...] = ()
    """General notes, for example that the baselines are missing."""

    def rows(self) -> list[Row]:
        """Return one row per aspect and metric, with every figure that the labels allow."""
        return [
            {
                "aspect": aspect.aspect,
                "metric": each.metric,
                "n": each.n,
                **_figures(each),
                **_ranked(aspect, each.metric),
            }
            for aspect in self.aspects
            for each in aspect.metrics
        ]


FIGURES = {
    "items": ("pearson", "spearman", "kendall"),
    "decisions": ("agreement", "kappa", "f1", "macro_f1", "balanced_accuracy", "auroc"),
    "grades": ("agreement", "linear_kappa", "quadratic_kappa", "macro_f1"),
    "preferences": ("accuracy", "kappa", "macro_f1"),
}
"""The figures of each part of a `MetricResult`."""


def _figures(one: MetricResult) -> Row:
    found: Row = {}
    for part, names in FIGURES.items():
        record = getattr(one, part)
        if record is not None:
            prefix = "grades_" if part == "grades" and one.decisions is not None else ""
            for name in names:
                own = prefix + name if name in ("agreement", "macro_f1") else name
                found |= figure_row(getattr(record, name), own)
    return found | (figure_row(one.bias.overall, "bias") if one.bias is not None else {})


def _ranked(aspect: AspectResult, metric: str) -> Row:
    places = aspect.ranking.places if aspect.ranking is not None else ()
    place = next((each for each in places if each.metric == metric and not each.people), None)
    return {"rank": None, "letters": ""} if place is None else {"rank": place.rank, "letters": place.letters}
