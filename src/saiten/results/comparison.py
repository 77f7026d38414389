"""Two runs or more, or the systems of one, compared: is the difference real?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, zip_longest

from saiten.choices import COVERAGE
from saiten.dialogue.reading import has_dialogues
from saiten.dialogue.running import HIGHER_IS_BETTER
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.metrics.naming import is_human
from saiten.records import CHECKS
from saiten.results.dialogue_comparison import Run, by_group
from saiten.results.made_differently import made_differently
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.sides import Missing, PairedSide, Pairing, Side, apart, pair_keys, paired, pairing_of, side_of
from saiten.results.summary import place_of, summarise
from saiten.runs import RunReader
from saiten.stats.paired import PairedComparison, compare_paired, holm
from saiten.views.table import Cell, Interval, PValue, Table
from saiten.views.tables.summary import asked, corpus_beside, interval_text

BETTER, WORSE, DIFFERS = OUTSIDE_NOISE = "better", "worse", "differs"
NOISE = "within the noise"
TOO_LITTLE = "too little measured"
"""The verdict where too few have a value on both sides: what was not measured may have been the hard part."""

_CAPTION = (
    "Difference: second minus first, on the samples that both measured (n). Of: samples that both have, of systems the "
    "questions that either was asked; no verdict where n is below 90 % of them. 95 % interval: bootstrap over "
    "questions. p: sign-flip test over questions, corrected for the number of metrics (Holm), which the intervals are "
    "not."
)
_LIKELY = 0.05
_SLACK = 1e-9
_ENDS = ("95 % from", "to")
_WHY_MISSING = {"absent": "without an answer"}


@dataclass(frozen=True, slots=True)
class MetricCompared:
    """One metric on both sides."""

    metric: str
    pairs: PairedComparison
    """Second minus first, on what both measured."""
    p: float | None
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
    def verdict(self) -> str:
        """See `verdict`."""
        return verdict(self.metric, self.pairs.difference, self.p, self.pairs.n, self.of)

    @property
    def remarks(self) -> str:
        """What is wrong with the interval, and why there is no verdict."""
        return "; ".join(part for part in (asked(self.pairs.note), *self._why_too_little()) if part)

    def _why_too_little(self) -> Iterator[str]:
        if self.verdict != TOO_LITTLE:
            return
        yield f"only {self.pairs.n} of {self.of} measured on both sides"
        for side, missing in zip(("first", "second"), self.missing, strict=True):
            yield from (f"{side}: {n} {_WHY_MISSING.get(why, why)}" for why, n in missing.most_common())


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sides compared, metric by metric; the first is the yardstick."""

    first: str
    second: str
    metrics: tuple[MetricCompared, ...]
    pairing: Pairing
    tests_of: str = "metrics"
    """What the p-values are corrected for the number of."""

    def of(self, metric: str) -> MetricCompared | None:
        """The metric on both sides; None if either lacks it."""
        return next((each for each in self.metrics if each.metric == metric), None)

    def table(self, *, glance: bool = False) -> Table:
        """A row per metric; `glance`: for the terminal, with intervals as text."""
        columns = (
            "metric",
            "difference",
            *(("95 % interval",) if glance else _ENDS),
            "p",
            "verdict",
            "n",
            "of",
            "higher",
            "equal",
            "lower",
            "one side only",
            "remarks",
        )
        drawn = () if glance else (Interval("difference", *_ENDS),)
        rows = tuple(_row(each, glance=glance) for each in self.metrics)
        caption = " ".join([_CAPTION.replace("number of metrics", f"number of {self.tests_of}"), *self._paired()])
        return Table(f"{self.first} → {self.second}", columns, rows, caption, drawn)

    @property
    def remarks(self) -> list[str]:
        """What a reader should know before believing the pairs."""
        found = []
        by = self.pairing
        if by.mostly_alone:
            found.append(
                f"most answers of one side have no counterpart: {by.pairs} pairs, of {by.first} in the first and "
                f"{by.second} in the second"
            )
        if by.how.startswith("place in the file"):
            found.append(
                "answers were paired by their place in the file; in another order they are not of one question"
            )
        return found

    def _paired(self) -> Iterator[str]:
        by = self.pairing
        yield f"Paired by {by.how}: {by.pairs}."
        if any(by.alone):
            yield f"Without a counterpart: {by.alone[0]} in the first, {by.alone[1]} in the second."
        if by.several:
            yield f"Several answers of a side in one pair count with their mean: {by.several}."
        if checks := [each.metric for each in self.metrics if each.metric in CHECKS]:
            yield f"{', '.join(checks)} is a check and no competitor: its p is not corrected, and corrects no other."
        yield from (f"But {remark}." for remark in self.remarks)


def compare_runs(
    readers: Sequence[RunReader],
    systems: Sequence[str | None] = (),
    *,
    names: Sequence[str] = (),
    found: Sequence[Compared] = (),
    remarks: Sequence[str] | None = None,
    glance: bool = False,
) -> list[Table]:
    """`comparison_tables`; for runs of dialogues also the means and differences by group.

    `found`: how the runs compare, where it is known; `remarks`: what `what_differs` says of them, where it was asked
    before.
    """
    names = names or [str(reader.folder) for reader in readers]
    tables = [each.table(glance=glance) for each in found or compare_sides(sides_of(readers, systems, names))]
    if not any(systems) and all(map(has_dialogues, readers)):
        tables += _dialogues_by_group(readers, names, glance=glance)
    corpus = _corpus(readers, systems, names)
    if corpus.rows:
        tables.append(corpus)
    # In each form: a page, or a file that the terminal's output went to, is read without what was said beside it.
    said = "".join(f" But {remark}." for remark in (what_differs(readers) if remarks is None else remarks))
    if any(only_words(reader.manifest.signatures.values()) for reader in readers):
        said += f" {ONLY_WORDS}"
    return [replace(table, caption=f"{table.caption}{said}") for table in tables]


def _corpus(readers: Sequence[RunReader], systems: Sequence[str | None], names: Sequence[str]) -> Table:
    """BLEU of each side's whole data set, where sentence BLEU was measured."""
    found = []
    readers = readers if any("bleu4" in reader.manifest.signatures for reader in readers) else ()
    for reader, name, system in zip_longest(readers, names[: len(readers)], systems[: len(readers)]):
        places = {sample.id: place_of(sample) for sample in reader.samples() if system in {None, sample.system}}
        scored = (one for one in reader.scores() if one.metric.startswith("bleu4") and one.sample in places)
        found.append((system or name, summarise(scored, places)))
    return corpus_beside(found)


def comparison_tables(
    readers: Sequence[RunReader],
    systems: Sequence[str | None] = (),
    *,
    names: Sequence[str] = (),
    glance: bool = False,
) -> list[Table]:
    """A table for each run after the first, with a row per metric that both have.

    Args:
        readers: of the runs; the first is the yardstick.
        systems: by run, which of its systems counts; None or left out: all, by sample.
        names: of the runs; their folders by default.
        glance: for the terminal, with intervals as text.

    Raises:
        BadInput: two of them share no sample or no metric; the text says which there are.
    """
    return side_tables(sides_of(readers, systems, names), glance=glance)


def side_tables(sides: Sequence[Side], *, glance: bool = False) -> list[Table]:
    """The tables of sides whose values are known."""
    return [each.table(glance=glance) for each in compare_sides(sides)]


def sides_of(readers: Sequence[RunReader], systems: Sequence[str | None] = (), names: Sequence[str] = ()) -> list[Side]:
    """The runs, or of each the system that is named; raises BadInput for a system that is not there."""
    named = [*systems, *([None] * (len(readers) - len(systems)))]
    return [
        side_of(reader, system or name, system)
        for reader, system, name in zip(readers, named, names or [str(one.folder) for one in readers], strict=True)
    ]


def compare_sides(sides: Sequence[Side]) -> list[Compared]:
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
        Compared(
            sides[0].title,
            side.title,
            tuple(replace(each, p=next(corrected)) for each in metrics),
            pairing_of(how, first, other),
            "metrics" if len(found) == 1 else "metrics and runs",
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


def _metrics(first: PairedSide, second: PairedSide, *, all_asked: bool) -> Iterator[MetricCompared]:
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
        yield MetricCompared(
            metric,
            pairs,
            pairs.p_value,
            len(could),
            len(one | other),
            len(a.keys() ^ b.keys()),
            (first.why_missing(metric, could), second.why_missing(metric, could)),
        )


def _row(each: MetricCompared, *, glance: bool) -> tuple[Cell, ...]:
    pairs = each.pairs
    return (
        each.metric,
        pairs.difference,
        *((interval_text(pairs.low, pairs.high),) if glance else (pairs.low, pairs.high)),
        PValue.of(each.p),
        each.verdict,
        pairs.n,
        each.of,
        pairs.wins,
        pairs.ties,
        pairs.losses,
        each.one_sided,
        each.remarks,
    )


def verdict(metric: str, difference: float | None, p: float | None, n: int, of: int) -> str:
    """`better` or `worse`, `differs` where neither direction is better, or that the difference may be noise.

    None of these where only `n` of `of` were measured on both sides, and that is too few.
    """
    return verdict_of(difference, p, n, of, higher=higher_is_better(metric))


def verdict_of(difference: float | None, p: float | None, n: int, of: int, *, higher: bool | None) -> str:
    """The same where it is known whether higher is better."""
    if not enough(n, of):
        return TOO_LITTLE
    if difference is None or p is None or p >= _LIKELY:
        return NOISE
    if higher is None:
        return DIFFERS
    return BETTER if (difference > 0) == higher else WORSE


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


def _dialogues_by_group(readers: Sequence[RunReader], names: Sequence[str], *, glance: bool) -> list[Table]:
    sides = sides_of(readers, (), names)
    keys = pair_keys([side.places for side in sides])
    groups = {
        of[identity]: place.group
        for side, of in reversed(list(zip(sides, keys.of, strict=True)))  # the first counts
        for identity, place in side.places.items()
    }
    runs = [
        Run(name, str((reader.manifest.settings.get("system") or {}).get("name", "")), side)
        for name, reader, side in zip(_told_apart(names), readers, paired(sides)[1], strict=True)
    ]
    return by_group(runs, groups, verdict, glance=glance)


def what_differs(readers: Sequence[RunReader]) -> list[str]:
    """What makes figures hard to compare, the system apart: how they were made; of dialogues, how they were held."""
    if not all(map(has_dialogues, readers)):
        return made_differently(readers)
    found = []
    for name in ("max_turns", "judge", "votes", "evidence_from"):
        values = [reader.manifest.settings.get(name) for reader in readers]
        if any(value != values[0] for value in values):
            found.append(f"the runs differ in {name}: {', '.join(map(str, values))}; the difference may come from that")
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
        found.append(f"{changed} pairs have another reference than in the first run; the difference may come from that")
    if changed := len({one.id for one, other in shared if one.group != other.group}):
        found.append(f"{changed} pairs are of another group than in the first run, whose groups count")
    return found


def _told_apart(names: Sequence[str]) -> list[str]:
    """The same folder named twice has two names, and none is called as another column is."""
    taken = {"score", "group", "n"}
    apart = []
    for name in names:
        numbered = (f"{name} ({at})" for at in count(2))
        free = next(each for each in chain([name], numbered) if each not in taken)
        taken.add(free)
        apart.append(free)
    return apart
