"""How well people agree: the records."""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.choices import Level
from saiten.results.rows import AsRows, Row, figure_row
from saiten.stats.estimate import Estimate
from saiten.stats.interrater.agreement import AgreementAmong


@dataclass(frozen=True, slots=True)
class Unanimity:
    """The questions in which so many annotators picked an answer."""

    annotators: int
    agreed: Mapping[int, int]
    """The largest number of annotators with the same pick → questions; from all of them down to 1: no two agree."""


@dataclass(frozen=True, slots=True)
class AspectAgreement:
    """How far people agree on one aspect."""

    aspect: str
    """What was asked; may be empty."""
    levels: tuple[Level, ...]
    """How the values are read: nominal for two values or words, ordinal and interval for grades, unless told."""
    items: int
    """Items with labels of annotators."""
    labels: int
    """Labels of annotators."""
    adjudicated: int
    """Items with a third decision."""
    rates: Mapping[str, Mapping[str, int]]
    """Annotator → value → how often; values ascending. One annotator "" where nobody is named."""
    figures: AgreementAmong
    """The figures, with their intervals."""
    of_numbers: str | None = None
    """A remark on each figure where the labels are marks: the values are numbers of spans."""
    questions: int | None = None
    """Questions of the items, where they are known or the items are pairs of answers; they are what intervals draw."""
    unanimity: tuple[Unanimity, ...] = ()
    """Of preferences: how many annotators pick the same answer, by question."""
    notes: tuple[str, ...] = ()
    """What was left out, and what to mind when reading."""

    def named_figures(self) -> dict[str, Estimate]:
        """Return the figures that these levels allow, by key."""
        figures = self.figures
        found = {"percent": figures.percent, "percent_by_chance": figures.by_chance, "kappa": figures.kappa}
        if self.levels != ("nominal",):
            found |= {"kappa_linear": figures.kappa_linear, "kappa_quadratic": figures.kappa_quadratic}
        found["fleiss_kappa"] = figures.fleiss
        return found | {f"alpha_{level}": getattr(figures, level) for level in self.levels}


@dataclass(frozen=True, slots=True)
class AgreementReport(AsRows):
    """How far people agree, on each aspect."""

    aspects: tuple[AspectAgreement, ...]
    """In the order in which they were first seen, or asked for."""
    by_question: bool
    """Whether the intervals draw questions instead of items."""

    def rows(self) -> list[Row]:
        """Return one row per aspect and figure."""
        return [
            {"aspect": one.aspect, "figure": name, **figure_row(figure), "n": figure.n}
            for one in self.aspects
            for name, figure in one.named_figures().items()
        ]
