"""Comparison of runs or systems, each with the first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from saiten.errors import BadInput
from saiten.records import CHECKS
from saiten.results.comparable import apart
from saiten.results.comparison import Comparison
from saiten.results.metric_comparison import MetricComparison
from saiten.results.paired_sides import PairedSide, paired, pairing_of
from saiten.results.sides import Side, side_of
from saiten.results.verdict import higher_is_better
from saiten.runs import RunReader
from saiten.stats.paired import compare_paired, holm


def sides_of(readers: Sequence[RunReader], systems: Sequence[str | None] = (), names: Sequence[str] = ()) -> list[Side]:
    """Return the runs, or the named system of each; raise BadInput for an unknown system."""
    named = [*systems, *([None] * (len(readers) - len(systems)))]
    return [
        side_of(reader, system or name, system)
        for reader, system, name in zip(readers, named, names or [str(one.folder) for one in readers], strict=True)
    ]


def compare_sides(sides: Sequence[Side]) -> list[Comparison]:
    """Compare each later side with the first; p-values are corrected over all of them.

    Raises:
        BadInput: two of them share no sample or no metric; the text lists the available ones.
    """
    for side in sides[1:]:
        if apart(sides[0], side) is not None:
            which = f"{sides[0].title} and {side.title}: " if len(sides) > 2 else ""
            raise BadInput(which + _why_apart(sides[0], side))
    how, (first, *others) = paired(sides)
    all_asked = any(side.by_question for side in sides)
    signatures = sides[0].signatures
    found = [list(_metrics(first, other, signatures, all_asked=all_asked)) for other in others]
    tests = [each for metrics in found for each in metrics]
    corrected = iter(
        holm([each.pairs.p_value for each in tests], competing=[each.metric not in CHECKS for each in tests])
    )
    return [
        Comparison(
            sides[0].title,
            side.title,
            tuple(replace(each, p_value=next(corrected)) for each in metrics),
            pairing_of(how, first, other),
            "metrics" if len(found) == 1 else "metrics_and_runs",
        )
        for side, other, metrics in zip(sides[1:], others, found, strict=True)
    ]


def _why_apart(first: Side, second: Side) -> str:
    why = apart(first, second)
    if why == "sample":
        return "no sample was measured on both sides; samples are matched by id or question, with --systems by question"
    if why == "question":
        return "no question was measured on both sides; systems are matched by the questions' text"
    if why == "metric":
        had = " and ".join(", ".join(side.measured) for side in (first, second))
        return f"there is no metric that both measured: there are {had}"
    nothing = " and ".join(dict.fromkeys(side.title for side in (first, second) if not side.measured))
    return f"there is no metric that both measured: nothing was measured of {nothing}"


def _metrics(
    first: PairedSide, second: PairedSide, signatures: Mapping[str, str], *, all_asked: bool
) -> Iterator[MetricComparison]:
    """Yield the metrics that both sides have, with uncorrected p; `all_asked`: both should have the same samples."""
    for metric in first.values:
        a, b = first.values[metric], second.values.get(metric, {})
        keys = sorted(a.keys() & b.keys())
        if not keys:
            continue
        clusters = [first.clusters[key] for key in keys]
        pairs = compare_paired([a[key] for key in keys], [b[key] for key in keys], clusters)
        one, other = first.asked(metric), second.asked(metric)
        # All systems are asked the same questions, and unanswered ones are missing from the run;
        # another run may have other samples.
        could = one | other if all_asked else one & other
        yield MetricComparison(
            metric,
            pairs,
            pairs.p_value,
            len(could),
            len(one | other),
            len(a.keys() ^ b.keys()),
            higher_is_better(metric, signatures),
            (first.why_missing(metric, could), second.why_missing(metric, could)),
        )
