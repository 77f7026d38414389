"""Comparison of two or more runs, or of the systems of one: is the difference real?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from saiten.choices import COVERAGE
from saiten.dialogue.reading import has_dialogues
from saiten.dialogue.scored import HIGHER_IS_BETTER
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.metrics.naming import is_human
from saiten.records import CHECKS
from saiten.results.rows import AsRows, Row, columns_of
from saiten.results.sides import Missing, PairedSide, Pairing, Side, apart, pair_keys, paired, pairing_of, side_of
from saiten.results.summary import place_of
from saiten.runs import RunReader
from saiten.stats.paired import PairedComparison, compare_paired, holm
from saiten.words import Message, joined

Verdict = Literal["better", "worse", "differs", "noise", "unmeasured"]
"""Verdict on the second side: `differs` if neither direction is better, `noise` if the difference may be chance,
`unmeasured` if too few samples have a value on both sides, since the unmeasured ones may be the hard ones."""
OUTSIDE_NOISE = frozenset[Verdict]({"better", "worse", "differs"})

_LIKELY = 0.05
_SLACK = 1e-9
_NAMED = 3
"""Maximum number of metrics named per difference."""


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric on both sides."""

    metric: str
    pairs: PairedComparison
    """Second minus first, on the samples measured on both sides."""
    p_value: float | None
    """P-value of `pairs`, corrected for all tests made together."""
    of: int
    """Number of samples that could have been measured on both sides."""
    either: int
    """Number of samples with a score on either side."""
    one_sided: int
    """Number of samples with a value on one side only."""
    missing: tuple[Counter[Missing], Counter[Missing]] = (Counter(), Counter())
    """Reasons for missing values on the first and the second side."""

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
        """Number of samples measured on both sides."""
        return self.pairs.n

    @property
    def verdict(self) -> Verdict:
        """Verdict on the second side."""
        return verdict(self.metric, self.difference, self.p_value, self.n, self.of)

    @property
    def remarks(self) -> Message:
        """Remarks on the interval, and the reason if there is no verdict."""
        return joined([self.pairs.note, *self._why_unmeasured()])

    def _why_unmeasured(self) -> Iterator[Message]:
        if self.verdict != "unmeasured":
            return
        yield Message("remark", "measured_on_both", n=self.n, of=self.of)
        for side, missing in zip(("first_lacks", "second_lacks"), self.missing, strict=True):
            often = sorted(missing.items(), key=lambda pair: (-pair[1], pair[0]))
            yield from (Message("remark", side, n=n, status=Message("status", why)) for why, n in often)


@dataclass(frozen=True, slots=True)
class Comparison(AsRows):
    """Two sides compared, metric by metric; the first is the baseline."""

    first: str
    second: str
    metrics: tuple[MetricComparison, ...]
    pairing: Pairing
    tests_of: Literal["metrics", "metrics_and_runs"] = "metrics"
    """The set of tests that the p-values are corrected over."""

    def of(self, metric: str) -> MetricComparison | None:
        """Return the comparison of this metric; None if either side lacks it."""
        return next((each for each in self.metrics if each.metric == metric), None)

    def rows(self) -> list[Row]:
        """Return one row per metric: `metric, difference, ci_low, ci_high, p_value, verdict, n, of, …`."""
        return [
            {
                **columns_of(each, "metric", "difference"),
                **columns_of(each.pairs, "low", "high"),
                **columns_of(each, "p_value", "verdict", "n", "of"),
                "higher": each.pairs.wins,
                "equal": each.pairs.ties,
                "lower": each.pairs.losses,
                "one_side_only": each.one_sided,
                "remarks": str(each.remarks),
            }
            for each in self.metrics
        ]

    @property
    def checks(self) -> list[str]:
        """Metrics that are only checks: their p-values are not corrected and do not count in corrections."""
        return [each.metric for each in self.metrics if each.metric in CHECKS]

    @property
    def remarks(self) -> list[Message]:
        """Remarks on how reliable the pairs are."""
        found = []
        by = self.pairing
        if by.mostly_alone:
            found.append(Message("difference", "mostly_alone", n=by.pairs, first=by.first, second=by.second))
        if by.how == "place":
            found.append(Message("difference", "by_place"))
        return found


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
    """Yield the metrics that both sides have, with uncorrected p; `all_asked`: both should have the same samples."""
    for metric in first.values:
        a, b = first.values[metric], second.values.get(metric, {})
        keys = sorted(a.keys() & b.keys())
        if not keys:
            continue
        pairs = compare_paired([a[key] for key in keys], [b[key] for key in keys], [question for question, _ in keys])
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
            (first.why_missing(metric, could), second.why_missing(metric, could)),
        )


def verdict(metric: str, difference: float | None, p: float | None, n: int, of: int) -> Verdict:
    """Return `better` or `worse`, `differs` if neither direction is better, or `noise`.

    If only `n` of `of` were measured on both sides and that is too few, return `unmeasured`.
    """
    return verdict_of(difference, p, n, of, higher=higher_is_better(metric))


def verdict_of(difference: float | None, p: float | None, n: int, of: int, *, higher: bool | None) -> Verdict:
    """Return the verdict; `higher`: whether higher is better, None if neither direction is."""
    if not enough(n, of):
        return "unmeasured"
    if difference is None or p is None or p >= _LIKELY:
        return "noise"
    if higher is None:
        return "differs"
    return "better" if (difference > 0) == higher else "worse"


def enough(n: int, of: int, coverage: float = COVERAGE) -> bool:
    """Return whether `n` of `of` reach the required share."""
    return n >= coverage * of - _SLACK


def higher_is_better(metric: str) -> bool | None:
    """Return the metric's direction; None if it has none or is unknown."""
    if is_human(metric):
        return True
    if metric in HIGHER_IS_BETTER:  # a dialogue score
        return HIGHER_IS_BETTER[metric]
    try:
        return make_metric(metric).higher_is_better
    except ConfigurationError:  # a user-defined metric
        return None


def what_differs(readers: Sequence[RunReader]) -> list[Message]:
    """Return how figures differ in more than the system: how they were made, how dialogues were conducted."""
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


def made_differently(readers: Sequence[RunReader]) -> list[Message]:
    """Return how the runs' figures were made differently: by another judge, prompt, tokenizer or version."""
    made = [reader.manifest for reader in readers]
    found: dict[str, list[str]] = {}
    for metric in dict.fromkeys(metric for each in made for metric in each.signatures):
        how = _differing([each.made_by(metric) for each in made if metric in each.signatures])
        if how:
            found.setdefault(how, []).append(metric)
    return [Message("difference", "made", metrics=_named(metrics), how=how) for how, metrics in found.items()]


def _differing(runs: Sequence[dict[str, str]]) -> str:
    """Return `judge a → b, saiten 0.1 → 0.2`, in the order of the signature."""
    keys = dict.fromkeys(key for parts in runs for key in parts)
    ways = {key: [parts.get(key, "none") for parts in runs] for key in keys}
    return ", ".join(f"{key} {' → '.join(values)}" for key, values in ways.items() if len(set(values)) > 1)


def _named(metrics: Sequence[str]) -> str | Message:
    named, more = ", ".join(metrics[:_NAMED]), len(metrics) - _NAMED
    return Message("difference", "metrics", named=named, n=more) if more > 0 else named
