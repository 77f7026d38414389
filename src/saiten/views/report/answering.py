"""The opening sentences of a report: which system is better, and how reliable is that?

Nothing is computed here: the sentences repeat the summaries and tests of the later chapters.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from saiten.results.comparison import Comparison
from saiten.results.figure import Figure
from saiten.results.metric_comparison import MetricComparison
from saiten.results.ranking import RankedMetric, Ranking
from saiten.results.verdict import OUTSIDE_NOISE, higher_is_better
from saiten.views.page.chapters import Chapter
from saiten.views.report.tally import Tally
from saiten.views.table import PValue, show_cell
from saiten.views.tables.meta_cells import measure_name
from saiten.words import Message, joined

MOST_SYSTEMS = 6
"""Maximum systems or runs that are named one by one."""
_METRICS = 3
_ASPECTS = 2


@dataclass(frozen=True, slots=True)
class Tests:
    """The chapter with the paired tests, and the tests themselves."""

    chapter: Chapter
    runs: tuple[Comparison, ...] = ()
    """Runs compared with others, by the names of their tallies."""
    systems: Mapping[str, tuple[Comparison, ...]] = field(default_factory=dict)
    """By run: paired tests of its systems."""


@dataclass(frozen=True, slots=True)
class AgainstPeople:
    """The chapter that compares the metrics with people, and the rankings themselves."""

    chapter: Chapter
    rankings: tuple[tuple[str | Message, Ranking], ...]
    """By the name of the aspect, prefixed with the run's if there are several."""


def answered(tallies: Sequence[Tally], tests: Tests, people: AgainstPeople | None) -> tuple[Message, ...]:
    """Return two to six sentences.

    Args:
        tallies: One per run.
        tests: Paired tests of runs and of systems.
        people: Metrics compared with labels; None without labels.
    """
    metrics, better = _better(tallies, tests)
    believed = [] if people is None else list(_believed(people, metrics))
    if not believed:
        believed = [Message("report", "no_labels" if people is None else "no_ranking")]
    measured, expected, lost = (sum(getattr(one, name) for one in tallies) for name in ("measured", "expected", "lost"))
    return (*better, *believed, Message("report", "coverage", n=measured, of=expected + lost))


def systems_apart(one: Tally) -> bool:
    """Return whether a run has several systems, which are then listed one by one, and few enough for that."""
    return 1 < len(one.facts.systems) <= MOST_SYSTEMS


def _better(tallies: Sequence[Tally], tests: Tests) -> tuple[list[str], list[Message]]:
    """Return the metrics discussed, and one sentence each: on the runs compared with the first, or on systems."""
    first = tallies[0]
    pairs = [each for each in tests.runs if each.first == first.name][: MOST_SYSTEMS - 1]
    if pairs:
        named = [one for one in tallies if one is first or any(each.second == one.name for each in pairs)]
        metrics = _discussed(first, pairs)
        return metrics, [
            _sentence(
                metric,
                [(one.name, f) for one in named if (f := _figure(one, metric, None))],
                pairs,
                higher=_higher(first, metric),
            )
            for metric in metrics
        ]
    for one in tallies:
        all_of_it = tests.systems.get(one.name, ())
        pairs = [each for each in all_of_it if each.first == all_of_it[0].first][: MOST_SYSTEMS - 1]
        if metrics := _discussed(one, pairs):
            systems = [pairs[0].first, *(each.second for each in pairs)]
            found = []
            for metric in metrics:
                figures = [(system, f) for system in systems if (f := _figure(one, metric, system))]
                subject = Message("report", "in_run", run=one.name, metric=metric) if len(tallies) > 1 else metric
                found.append(_sentence(metric, figures, pairs, subject, higher=_higher(one, metric)))
            return metrics, found
    return [], []


def _discussed(one: Tally, pairs: Sequence[Comparison]) -> list[str]:
    """Return the run's first metrics that were compared and have a known direction."""
    compared = [metric for metric in one.metrics if any(pair.of(metric) for pair in pairs)]
    return [metric for metric in compared if _higher(one, metric) is not None][:_METRICS]


def _higher(one: Tally, metric: str) -> bool | None:
    return higher_is_better(metric, one.reader.manifest.signatures)


def _figure(one: Tally, metric: str, system: str | None) -> Figure | None:
    return next((f for f in one.summary.figures if f.metric == metric and f.system == system and f.group is None), None)


def _sentence(
    metric: str,
    figures: Sequence[tuple[str, Figure]],
    pairs: Sequence[Comparison],
    subject: str | Message = "",
    *,
    higher: bool | None,
) -> Message:
    """Return `accuracy: careful 0.652 [0.583, 0.721] (n 50), hasty 0.549 [0.475, 0.623] (n 50): hasty is worse (…)`."""
    sign = 1 if higher is False else -1
    known = sorted(figures, key=lambda each: (each[1].mean is None, sign * (each[1].mean or 0.0)))
    means = [
        Message("report", "mean_of", name=name, value=_value(f.mean, f.low, f.high), n=_measured(f))
        for name, f in known
    ]
    tested = [(each, found) for each in pairs if (found := each.of(metric)) is not None]
    clear = [_verdict(each, found) for each, found in tested if found.verdict in OUTSIDE_NOISE]
    unmeasured = [_verdict(each, found) for each, found in tested if found.verdict == "unmeasured"]
    if not clear and len(unmeasured) < len(tested):
        clear = [Message("report", "no_difference", first=pairs[0].first)]
    verdicts = joined([*clear, *unmeasured], "clauses")
    return Message("report", "answer_said", subject=subject or metric, means=joined(means, "listed"), verdicts=verdicts)


def _measured(figure: Figure) -> Message:
    """Return `n 50`, or `n 17 of 50, declined 33`."""
    if figure.n == figure.total:
        return Message("report", "n", n=figure.n)
    why = (
        Message("report", "counted", status=Message("status", status), n=n)
        for status, n in figure.coverage.items()
        if status != "ok"
    )
    return joined([Message("report", "n_of", n=figure.n, of=figure.total), *why], "listed")


def _verdict(sides: Comparison, found: MetricComparison) -> Message:
    difference, p = found.pairs.difference, show_cell(PValue.of(found.p_value))
    return Message(
        "report",
        f"is_{found.verdict}",
        first=sides.first,
        second=sides.second,
        difference="–" if difference is None else f"{difference:+.3f}",
        p=p if p.startswith("<") else f"= {p}",
        n=found.pairs.n,
        of=found.of,
    )


def _believed(people: AgainstPeople, metrics: Sequence[str]) -> Iterator[Message]:
    """Yield a sentence per ranking: on the metrics discussed above that are in it, otherwise on its first one."""
    for aspect, ranking in people.rankings[:_ASPECTS]:
        ranked = [place for place in ranking.places if not place.people]
        spoken_of = [place for place in ranked if place.metric in metrics] or ranked[:1]
        if not spoken_of:
            continue
        figures = [
            Message("report", "worth", measure=measure_name(ranking.by), metric=place.metric, value=_worth(place))
            for place in spoken_of[:_METRICS]
        ]
        figures += [Message("report", "ceiling", value=_worth(place)) for place in ranking.places if place.people]
        yield Message("report", "believed", aspect=aspect, figures=joined(figures, "listed"))


def _worth(place: RankedMetric) -> str:
    return _value(place.figure.value, place.figure.low, place.figure.high)


def _value(value: float | None, low: float | None, high: float | None) -> str:
    interval = f" [{show_cell(low)}, {show_cell(high)}]" if low is not None and high is not None else ""
    return show_cell(value) + interval
