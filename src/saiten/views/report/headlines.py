"""The first lines of a report: which system is better, by how much, how sure, and how much of it was not measured.

Nothing is computed here: the lines repeat the summaries and tests of the later chapters.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from saiten.results.comparison import Comparison
from saiten.results.figure import Figure
from saiten.results.metric_comparison import MetricComparison
from saiten.results.verdict import Verdict, higher_is_better
from saiten.views.report.tally import Tally
from saiten.words import Message, joined

_LINES = 3
"""Maximum lines of a topic among others; the rest unfold."""
_LINES_ALONE = 8
"""Maximum lines of the only topic."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How much of one side has a value."""

    name: str
    """Empty for the only side."""
    of: int
    missing: Mapping[str, int]
    """Count per reason: a status, or `absent`."""

    @property
    def n(self) -> int:
        """Number with a value."""
        return self.of - sum(self.missing.values())


@dataclass(frozen=True, slots=True)
class Headline:
    """One line."""

    metric: str
    higher: bool | None
    verdict: Verdict | Literal["figure"]
    """`figure`: there is nothing to compare with."""
    said: Message | None
    """The verdict in words; None for a figure."""
    value: float | None
    """The difference of the sides, the one named first minus the other; or the mean. None without a verdict."""
    low: float | None
    high: float | None
    p: float | None
    sides: tuple[Measured, ...]
    figure: Figure | None = None
    """The mean with its interval, if nothing else shows them."""


@dataclass(frozen=True, slots=True)
class Topic:
    """The lines on one comparison, or on one run."""

    title: Message
    lines: tuple[Headline, ...]
    more: tuple[Headline, ...] = ()
    """Lines that unfold."""
    mixed: bool = False
    """Whether means over different systems are compared."""

    @property
    def compared(self) -> bool:
        """Whether the lines are about differences."""
        return any(line.verdict != "figure" for line in self.lines)

    @property
    def declined(self) -> bool:
        """Whether answers declined that a mean leaves out."""
        return any(side.missing.get("declined") for line in (*self.lines, *self.more) for side in line.sides)


@dataclass(frozen=True, slots=True)
class Paired:
    """The paired tests of a report."""

    runs: tuple[Comparison, ...] = ()
    """Runs compared with others, by the names of their tallies."""
    systems: Mapping[str, tuple[Comparison, ...]] = field(default_factory=dict)
    """By run: paired tests of its systems."""


def topics(tallies: Sequence[Tally], tests: Paired, pictured: Collection[str] = ()) -> list[Topic]:
    """Return runs compared with runs first, then the systems of each run, then runs with nothing to compare.

    `pictured`: runs whose means are in the picture below the lines, so that the lines do not draw them.
    """
    by_name = {one.name: one for one in tallies}
    told = {name for pair in tests.runs for name in (pair.first, pair.second)}
    found: list[Topic] = []
    for one in tallies:
        if pairs := [pair for pair in tests.runs if pair.first == one.name]:
            found.append(_of_runs([one, *(by_name[pair.second] for pair in pairs)], pairs))
        if systems_apart(one):
            found.append(_of_systems(one, tests.systems.get(one.name, ())))
        elif one.name not in told:
            found.append(_alone(one, drawn=one.name not in pictured))
    found = sorted((one for one in found if one.lines or one.more), key=lambda one: (one.mixed, not one.compared))
    most = _LINES_ALONE if len(found) == 1 else _LINES
    return [replace(one, lines=one.lines[:most], more=(*one.lines[most:], *one.more)) for one in found]


def systems_apart(one: Tally) -> list[str]:
    """Return the systems of a run that has several; empty if they are too many for its summary."""
    return list(dict.fromkeys(f.system for f in one.summary.figures if f.system is not None))


def _of_runs(runs: Sequence[Tally], pairs: Sequence[Comparison]) -> Topic:
    first = runs[0]
    figures = {one.name: [f for f in one.summary.figures if f.overall] for one in runs}
    names = Message("report", "runs_better", first=first.name)
    if len(runs) == 2:
        names = Message("report", "run_better", first=first.name, second=runs[1].name)
    mixed = len({frozenset(one.facts.systems) for one in runs}) > 1 and any(len(one.facts.systems) > 1 for one in runs)
    return _compared(names, first, pairs, figures, changes=True, mixed=mixed)


def _of_systems(one: Tally, tests: Sequence[Comparison]) -> Topic:
    figures = {name: [f for f in one.summary.figures if f.system == name] for name in systems_apart(one)}
    return _compared(Message("report", "system_better", run=one.name), one, tests, figures, changes=False)


def _compared(
    title: Message,
    one: Tally,
    pairs: Sequence[Comparison],
    figures: Mapping[str, Sequence[Figure]],
    *,
    changes: bool,
    mixed: bool = False,
) -> Topic:
    """Return the lines of a baseline with its pairs; `changes`: the baseline is what was there before."""
    lines: list[Headline] = []
    more: list[Headline] = []
    undirected: list[Headline] = []
    for metric in one.metrics:
        higher = higher_is_better(metric, one.reader.manifest.signatures)
        tested = _leading([(pair, found) for pair in pairs if (found := pair.of(metric))], higher=higher)
        made = [_line(pair, found, changes=changes) for pair, found in tested] or _untested(
            metric, figures, higher=higher
        )
        if higher is None:
            undirected += made
        else:
            lines += made[:1]
            more += made[1:]
    return Topic(title, tuple(lines), (*more, *undirected), mixed)


def _leading(
    tested: Sequence[tuple[Comparison, MetricComparison]], *, higher: bool | None
) -> list[tuple[Comparison, MetricComparison]]:
    """Return the first baseline's pairs before others, and of these the one with the best side first.

    That is the best against the baseline, or the baseline against the runner-up; pairs without a verdict are last.
    """
    sign = -1 if higher is False else 1

    def place(each: tuple[Comparison, MetricComparison]) -> tuple[bool, bool, float]:
        pair, found = each
        apart = pair.first != tested[0][0].first
        return apart, found.verdict == "unmeasured", -sign * (found.difference or 0.0)

    return sorted(tested, key=place)


def _line(sides: Comparison, found: MetricComparison, *, changes: bool) -> Headline:
    """Return the line of a pair, in which the better system is named first, or the later run."""
    turned = found.verdict == "worse" and not changes
    one, other = (sides.first, sides.second) if turned else (sides.second, sides.first)
    verdict: Verdict = "better" if turned else found.verdict
    said = Message("report", f"is_{verdict}", one=one, other=other, n=found.n, of=found.of)
    coverage = tuple(
        Measured(name, found.of, {str(why): n for why, n in missing.items()})
        for name, missing in zip((sides.first, sides.second), found.missing, strict=True)
    )
    figures = (found.difference, found.ci_low, found.ci_high)
    if verdict == "unmeasured":
        figures = (None, None, None)
    elif turned:
        figures = (_minus(found.difference), _minus(found.ci_high), _minus(found.ci_low))
    p = None if verdict == "unmeasured" else found.p_value
    return Headline(found.metric, found.higher, verdict, said, *figures, p, coverage)


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _untested(metric: str, figures: Mapping[str, Sequence[Figure]], *, higher: bool | None) -> list[Headline]:
    """Return a line that there is no verdict since no question was measured on two sides; none for a single side."""
    of = {name: figure for name, each in figures.items() for figure in each if figure.metric == metric}
    if len(of) < 2:
        return []
    sides = tuple(_measured(name, figure) for name, figure in of.items())
    said = Message("report", "is_untested", names=joined(list(of), "listed"))
    return [Headline(metric, higher, "unmeasured", said, None, None, None, None, sides)]


def _alone(one: Tally, *, drawn: bool) -> Topic:
    """Return the means of a run that is compared with none; `drawn`: with their pictures."""
    lines = [_figure(f, one, drawn=drawn) for f in one.summary.figures if f.overall]
    return Topic(Message("report", "figures_of", run=one.name), tuple(lines))


def _figure(figure: Figure, one: Tally, *, drawn: bool) -> Headline:
    return Headline(
        figure.metric,
        higher_is_better(figure.metric, one.reader.manifest.signatures),
        "figure",
        None,
        figure.mean,
        figure.low,
        figure.high,
        None,
        (_measured("", figure),),
        figure if drawn else None,
    )


def _measured(name: str, figure: Figure) -> Measured:
    missing = {str(status): n for status, n in figure.coverage.items() if status != "ok" and n}
    return Measured(name, figure.total, missing)
