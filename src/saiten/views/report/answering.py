"""The opening sentences of a report: which system is better, and how reliable is that?

Nothing is computed here: the sentences repeat the summaries and tests of the later chapters.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from saiten.records import Language
from saiten.results.comparison import OUTSIDE_NOISE, Comparison, MetricComparison, higher_is_better
from saiten.results.ranking import Ranking
from saiten.results.summary import Figure
from saiten.views.page.page import Chapter
from saiten.views.report.tally import Tally
from saiten.views.report.words import WORDS
from saiten.views.table import PValue, show_cell
from saiten.views.tables.meta_cells import measure_name
from saiten.words import in_language

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
    rankings: tuple[tuple[str, Ranking], ...]
    """By the name of the aspect, prefixed with the run's if there are several."""


def answered(
    tallies: Sequence[Tally], tests: Tests, people: AgainstPeople | None, language: Language
) -> tuple[str, ...]:
    """Return two to six sentences.

    Args:
        tallies: of all runs.
        tests: of runs and of systems.
        people: metrics compared with labels; None without labels.
        language: of the sentences.
    """
    words = WORDS[language]
    metrics, better = _better(tallies, tests, words)
    believed = list(_believed(people, metrics, words, language)) if people is not None else []
    if not believed:
        believed = [words["no_labels" if people is None else "no_ranking"]]
    measured, expected, lost = (sum(getattr(one, name) for one in tallies) for name in ("measured", "expected", "lost"))
    return (*better, *believed, words["coverage"].format(f"{measured:,}", f"{expected + lost:,}"))


def systems_apart(one: Tally) -> bool:
    """Return whether a run has several systems, so that its mean is nobody's, and few enough to list one by one."""
    return 1 < len(one.told.systems) <= MOST_SYSTEMS


def _better(tallies: Sequence[Tally], tests: Tests, words: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the metrics discussed, and one sentence each: on the runs compared with the first, or on systems."""
    first = tallies[0]
    beside = [each for each in tests.runs if each.first == first.name][: MOST_SYSTEMS - 1]
    if beside:
        named = [one for one in tallies if one is first or any(each.second == one.name for each in beside)]
        metrics = _first([metric for metric in first.metrics if any(each.of(metric) for each in beside)])
        return metrics, [
            _sentence(metric, [(one.name, f) for one in named if (f := _figure(one, metric, None))], beside, words)
            for metric in metrics
        ]
    for one in tallies:
        all_of_it = tests.systems.get(one.name, ())
        beside = [each for each in all_of_it if each.first == all_of_it[0].first][: MOST_SYSTEMS - 1]
        metrics = _first([metric for metric in one.metrics if any(each.of(metric) for each in beside)])
        if metrics:
            systems = [beside[0].first, *(each.second for each in beside)]
            found = []
            for metric in metrics:
                figures = [(system, f) for system in systems if (f := _figure(one, metric, system))]
                said = words["in_run"].format(one.name, metric) if len(tallies) > 1 else metric
                found.append(_sentence(metric, figures, beside, words, said))
            return metrics, found
    return [], []


def _first(metrics: Sequence[str]) -> list[str]:
    """Return the first metrics with a known direction."""
    return [metric for metric in metrics if higher_is_better(metric) is not None][:_METRICS]


def _figure(one: Tally, metric: str, system: str | None) -> Figure | None:
    return next((f for f in one.summary.figures if f.metric == metric and f.system == system and f.group is None), None)


def _sentence(
    metric: str,
    figures: Sequence[tuple[str, Figure]],
    beside: Sequence[Comparison],
    words: Mapping[str, str],
    said: str = "",
) -> str:
    """Return `accuracy: careful 0.652 [0.583, 0.721] (n 50), hasty 0.549 [0.475, 0.623] (n 50): hasty is worse (…)`."""
    sign = 1 if higher_is_better(metric) is False else -1
    known = sorted(figures, key=lambda each: (each[1].mean is None, sign * (each[1].mean or 0.0)))
    means = words["listed"].join(
        words["mean_of"].format(name, _value(f.mean, f.low, f.high), _measured(f, words)) for name, f in known
    )
    tested = [(each, found) for each in beside if (found := each.of(metric)) is not None]
    clear = [_verdict(each, found, words) for each, found in tested if found.verdict in OUTSIDE_NOISE]
    untold = [_verdict(each, found, words) for each, found in tested if found.verdict == "unmeasured"]
    if not clear and len(untold) < len(tested):
        clear = [words["no_difference"].format(beside[0].first)]
    return words["answer_said"].format(said or metric, means, words["and"].join([*clear, *untold]))


def _measured(figure: Figure, words: Mapping[str, str]) -> str:
    """Return `n 50`, or `n 17 of 50, declined 33`."""
    if figure.n == figure.total:
        return words["n"].format(figure.n)
    why = (words["counted"].format(words[status], n) for status, n in figure.coverage.items() if status != "ok")
    return words["listed"].join([words["n_of"].format(figure.n, figure.total), *why])


def _verdict(sides: Comparison, found: MetricComparison, words: Mapping[str, str]) -> str:
    said = words["is_untold" if found.verdict == "unmeasured" else f"is_{found.verdict}"]
    difference, p, n = found.pairs.difference, show_cell(PValue.of(found.p_value)), found.pairs.n
    return said.format(
        first=sides.first,
        second=sides.second,
        difference="–" if difference is None else f"{difference:+.3f}",
        p=p if p.startswith("<") else f"= {p}",
        n=n,
        of=found.of,
    )


def _believed(
    people: AgainstPeople, metrics: Sequence[str], words: Mapping[str, str], language: Language
) -> Iterator[str]:
    """Yield a sentence per ranking: on the metrics discussed above that are in it, otherwise on its first one."""
    for name, ranking in people.rankings[:_ASPECTS]:
        measure = in_language(measure_name(ranking.by), language)
        ranked = [place for place in ranking.places if not place.people]
        spoken_of = [place for place in ranked if place.metric in metrics] or ranked[:1]
        if not spoken_of:
            continue
        said = [
            words["worth"].format(
                measure, place.metric, _value(place.figure.value, place.figure.low, place.figure.high)
            )
            for place in spoken_of[:_METRICS]
        ]
        said += [
            words["ceiling"].format(_value(place.figure.value, place.figure.low, place.figure.high))
            for place in ranking.places
            if place.people
        ]
        yield words["believed"].format(name, words["listed"].join(said))


def _value(value: float | None, low: float | None, high: float | None) -> str:
    interval = f" [{show_cell(low)}, {show_cell(high)}]" if low is not None and high is not None else ""
    return show_cell(value) + interval
