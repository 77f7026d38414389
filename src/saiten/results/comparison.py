"""Two runs or more, or the systems of one, compared: is the difference real?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from saiten.choices import COVERAGE
from saiten.data.frames import rows_to_pandas
from saiten.dialogue.reading import has_dialogues
from saiten.dialogue.running import HIGHER_IS_BETTER
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.metrics.naming import is_human
from saiten.records import CHECKS
from saiten.results.made_differently import made_differently
from saiten.results.sides import Missing, PairedSide, Pairing, Side, apart, pair_keys, paired, pairing_of, side_of
from saiten.results.summary import place_of, remark_on
from saiten.runs import RunReader
from saiten.stats.paired import PairedComparison, compare_paired, holm
from saiten.words import Message, joined

Verdict = Literal["better", "worse", "differs", "noise", "unmeasured"]
"""Of the second side: `differs` where neither direction is better, `noise` where the difference may be chance,
`unmeasured` where too few have a value on both sides, since what was not measured may have been the hard part."""
OUTSIDE_NOISE = frozenset[Verdict]({"better", "worse", "differs"})

_LIKELY = 0.05
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric on both sides."""

    metric: str
    pairs: PairedComparison
    """Second minus first, on what both measured."""
    p_value: float | None
    """Of `pairs`, corrected for all tests that were made together."""
    of: int
    """How many could have been measured on both sides."""
    either: int
    """How many have a score on either side."""
    one_sided: int
    """How many have a value on one side only."""
    missing: tuple[Counter[Missing], Counter[Missing]] = (Counter(), Counter())
    """Why the first and the second side lack values."""

    @property
    def difference(self) -> float | None:
        """Second minus first."""
        return self.pairs.difference

    @property
    def ci_low(self) -> float | None:
        """Lower end of the 95 % interval of the difference."""
        return self.pairs.low

    @property
    def ci_high(self) -> float | None:
        """Upper end of the 95 % interval of the difference."""
        return self.pairs.high

    @property
    def n(self) -> int:
        """How many were measured on both sides."""
        return self.pairs.n

    @property
    def verdict(self) -> Verdict:
        """What can be said of the second side."""
        return verdict(self.metric, self.difference, self.p_value, self.n, self.of)

    @property
    def remarks(self) -> Message:
        """What is wrong with the interval, and why there is no verdict."""
        return joined([remark_on(self.pairs.note), *self._why_unmeasured()])

    def _why_unmeasured(self) -> Iterator[Message]:
        if self.verdict != "unmeasured":
            return
        yield Message("remark", "measured_on_both", n=self.n, of=self.of)
        for side, missing in zip(("first_lacks", "second_lacks"), self.missing, strict=True):
            often = sorted(missing.items(), key=lambda pair: (-pair[1], pair[0]))
            yield from (Message("remark", side, n=n, status=Message("status", why)) for why, n in often)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides compared, metric by metric; the first is the baseline."""

    first: str
    second: str
    metrics: tuple[MetricComparison, ...]
    pairing: Pairing
    tests_of: Literal["metrics", "metrics_and_runs"] = "metrics"
    """What the p-values are corrected for the number of."""

    def of(self, metric: str) -> MetricComparison | None:
        """Return the metric on both sides; None if either lacks it."""
        return next((each for each in self.metrics if each.metric == metric), None)

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict per metric: `metric, difference, ci_low, ci_high, p_value, verdict, n, of, …`."""
        return [
            {
                "metric": each.metric,
                "difference": each.difference,
                "ci_low": each.ci_low,
                "ci_high": each.ci_high,
                "p_value": each.p_value,
                "verdict": each.verdict,
                "n": each.n,
                "of": each.of,
                "higher": each.pairs.wins,
                "equal": each.pairs.ties,
                "lower": each.pairs.losses,
                "one_side_only": each.one_sided,
                "remarks": str(each.remarks),
            }
            for each in self.metrics
        ]

    def to_pandas(self) -> Any:
        """Return `rows` as a pandas DataFrame.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        return rows_to_pandas(self.rows())

    @property
    def checks(self) -> list[str]:
        """The metrics that are checks and no competitors: their p is not corrected, and corrects no other."""
        return [each.metric for each in self.metrics if each.metric in CHECKS]

    @property
    def remarks(self) -> list[Message]:
        """What a reader should know before believing the pairs."""
        found = []
        by = self.pairing
        if by.mostly_alone:
            found.append(Message("difference", "mostly_alone", n=by.pairs, first=by.first, second=by.second))
        if by.how == "place":
            found.append(Message("difference", "by_place"))
        return found


def sides_of(readers: Sequence[RunReader], systems: Sequence[str | None] = (), names: Sequence[str] = ()) -> list[Side]:
    """The runs, or of each the system that is named; raises BadInput for a system that is not there."""
    named = [*systems, *([None] * (len(readers) - len(systems)))]
    return [
        side_of(reader, system or name, system)
        for reader, system, name in zip(readers, named, names or [str(one.folder) for one in readers], strict=True)
    ]


def compare_sides(sides: Sequence[Side]) -> list[Comparison]:
    """Each side after the first, compared with the first; p-values are corrected over all of them.

    Raises:
        BadInput: two of them share no sample or no metric; the text says which there are.
    """
    for side in sides[1:]:
        if apart(sides[0], side) is not None:
            which = f"{sides[0].title} and {side.title}: " if len(sides) > 2 else ""
            raise BadInput(which + _why_apart(sides[0], side))
    how, (first, *others) = paired(sides)
    all_asked = any(side.by_question for side in sides)
    found = [list(_metrics(first, other, all_asked=all_asked)) for other in others]
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


def _metrics(first: PairedSide, second: PairedSide, *, all_asked: bool) -> Iterator[MetricComparison]:
    """The metrics that both have, p not corrected yet; `all_asked`: whether each should have what the other has."""
    for metric in first.values:
        a, b = first.values[metric], second.values.get(metric, {})
        keys = sorted(a.keys() & b.keys())
        if not keys:
            continue
        pairs = compare_paired([a[key] for key in keys], [b[key] for key in keys], [question for question, _ in keys])
        one, other = first.asked(metric), second.asked(metric)
        # All systems are asked the same questions, and one without an answer is left out of the run; another run may be
        # of other samples.
        could = one | other if all_asked else one & other
        yield MetricComparison(
            metric,
            pairs,
            pairs.p_value,
            len(could),
            len(one | other),
            len(a.keys() ^ b.keys()),
            (first.why_missing(metric, could), second.why_missing(metric, could)),
        )


def verdict(metric: str, difference: float | None, p: float | None, n: int, of: int) -> Verdict:
    """`better` or `worse`, `differs` where neither direction is better, or that the difference may be noise.

    None of these where only `n` of `of` were measured on both sides, and that is too few.
    """
    return verdict_of(difference, p, n, of, higher=higher_is_better(metric))


def verdict_of(difference: float | None, p: float | None, n: int, of: int, *, higher: bool | None) -> Verdict:
    """The same where it is known whether higher is better."""
    if not enough(n, of):
        return "unmeasured"
    if difference is None or p is None or p >= _LIKELY:
        return "noise"
    if higher is None:
        return "differs"
    return "better" if (difference > 0) == higher else "worse"


def enough(n: int, of: int, coverage: float = COVERAGE) -> bool:
    """Whether `n` of `of` are the share that is asked for."""
    return n >= coverage * of - _SLACK


def higher_is_better(metric: str) -> bool | None:
    """The metric's direction; None where there is none, or none is known."""
    if is_human(metric):
        return True
    if metric in HIGHER_IS_BETTER:  # a score of dialogues
        return HIGHER_IS_BETTER[metric]
    try:
        return make_metric(metric).higher_is_better
    except ConfigurationError:  # a metric of one's own
        return None


def what_differs(readers: Sequence[RunReader]) -> list[Message]:
    """What makes figures hard to compare, the system apart: how they were made; of dialogues, how they were held."""
    if not all(map(has_dialogues, readers)):
        return made_differently(readers)
    found = []
    for name in ("max_turns", "judge", "votes", "evidence_from"):
        values = [reader.manifest.settings.get(name) for reader in readers]
        if any(value != values[0] for value in values):
            found.append(Message("difference", "setting", setting=name, values=", ".join(map(str, values))))
    pairs = [{pair.id: pair for pair in reader.samples()} for reader in readers]
    keys = pair_keys([{identity: place_of(pair) for identity, pair in of.items()} for of in pairs]).of
    first = {keys[0][identity]: pair for identity, pair in pairs[0].items()}
    shared = [
        (first[by[identity]], pair)
        for of, by in zip(pairs[1:], keys[1:], strict=True)
        for identity, pair in of.items()
        if by[identity] in first
    ]
    if changed := len({one.id for one, other in shared if one.references != other.references}):
        found.append(Message("difference", "references", n=changed))
    if changed := len({one.id for one, other in shared if one.group != other.group}):
        found.append(Message("difference", "groups", n=changed))
    return found
