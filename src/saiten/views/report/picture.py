"""The picture of a report: systems × metrics, each mean a dot on its metric's scale, with its interval.

Nothing is drawn here: the parts are rows of figures with a scale per column, for the template of the page. Each mean of
the report is in it once; runs without a common metric are parts of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from saiten.results.comparison import Comparison
from saiten.results.figure import Figure
from saiten.results.verdict import enough, higher_is_better
from saiten.views.charts.axes import bounded_axis
from saiten.views.charts.means import bounds_of
from saiten.views.charts.systems_by_metrics import ScaledMetric
from saiten.views.charts.texts import finite_ones
from saiten.views.report.headlines import systems_apart
from saiten.views.report.tally import Tally

MOST_ROWS, MOST_METRICS = 12, 8
"""Rows and columns of a part, which fit on a screen."""


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A system of a run, or a run."""

    run: str
    system: str
    """Empty for the run as a whole."""
    among: str
    """Rows with the same name here were asked the same questions, so that one of them can be the best."""
    figures: Mapping[str, Figure]
    """By metric."""


@dataclass(frozen=True, slots=True)
class PicturePart:
    """Rows that have metrics in common."""

    columns: tuple[ScaledMetric, ...]
    rows: tuple[PictureRow, ...]

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs of the rows."""
        return tuple(dict.fromkeys(row.run for row in self.rows))

    @property
    def named(self) -> Iterator[tuple[str, Figure]]:
        """Yield the figures of each metric with the names of their rows; the only row is not named."""
        several = len(self.runs) > 1
        for column in self.columns:
            for row in self.rows:
                if column.metric in row.figures:
                    parts = [row.run if several else "", row.system]
                    yield " · ".join(part for part in parts if part), row.figures[column.metric]

    @property
    def pieces(self) -> Iterator["PicturePart"]:
        """Yield pieces that fit on a screen, with the same scales."""
        for row in range(0, len(self.rows), MOST_ROWS):
            for column in range(0, len(self.columns), MOST_METRICS):
                yield PicturePart(self.columns[column : column + MOST_METRICS], self.rows[row : row + MOST_ROWS])


def picture(tallies: Sequence[Tally], compared: Sequence[Comparison] = ()) -> list[PicturePart]:
    """Return one part per set of runs that have metrics in common. `compared`: runs compared with others."""
    baseline = {pair.second: pair.first for pair in compared}
    return [_part(group, baseline) for group in _sharing(tallies)]


def _sharing(tallies: Sequence[Tally]) -> list[list[Tally]]:
    """Group runs that have a metric in common, directly or through a third."""
    groups: list[list[Tally]] = []
    for one in tallies:
        near = [of for of in groups if any({*one.metrics} & {*other.metrics} for other in of)]
        joined = [other for of in near for other in of]
        groups = [of for of in groups if of not in near]
        groups.append([*joined, one])
    order = {one.name: at for at, one in enumerate(tallies)}
    return sorted(groups, key=lambda of: order[of[0].name])


def _part(tallies: Sequence[Tally], baseline: Mapping[str, str]) -> PicturePart:
    rows = tuple(row for one in tallies for row in _rows(one, baseline.get(one.name, one.name)))
    signatures = {name: text for one in tallies for name, text in one.reader.manifest.signatures.items()}
    columns = []
    for metric in dict.fromkeys(metric for one in tallies for metric in one.metrics):
        figures = [row.figures[metric] for row in rows if metric in row.figures]
        ends = finite_ones(number for f in figures for number in (f.mean, f.low, f.high))
        columns.append(
            ScaledMetric(metric, higher_is_better(metric, signatures), bounded_axis(ends, bounds_of(metric)))
        )
    return PicturePart(tuple(columns), rows)


def _rows(one: Tally, baseline: str) -> Iterator[PictureRow]:
    """Yield the systems of a run if there are several: a mean over all of them describes none."""
    systems = systems_apart(one)
    for system in systems or [""]:
        figures = {f.metric: f for f in one.summary.figures if (f.system == system if system else f.overall)}
        yield PictureRow(one.name, system, f"{one.name}\0" if systems else baseline, figures)


def best(part: PicturePart, column: ScaledMetric) -> set[tuple[str, str]]:
    """Return run and system of the best mean among rows that were asked the same, if they differ at all.

    A row of which too little was measured is not among them: the rest may be the hard questions.
    """
    if column.higher is None:
        return set()
    among: dict[str, list[tuple[float, tuple[str, str]]]] = {}
    for row in part.rows:
        figure = row.figures.get(column.metric)
        if figure is not None and figure.mean is not None and enough(figure.n, figure.total):
            among.setdefault(row.among, []).append((figure.mean, (row.run, row.system)))
    found: set[tuple[str, str]] = set()
    for of in among.values():
        means = [mean for mean, _ in of]
        top = max(means) if column.higher else min(means)
        if min(means) < max(means):
            found |= {name for mean, name in of if mean == top}
    return found
