"""The summary of a run: per metric the mean with its interval, how many samples it covers, per group and system.

Only scores with the status `ok` enter a mean; each other status is counted beside it. Intervals come from a bootstrap
that resamples questions, since answers to one question are not independent of each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from saiten.data.frames import rows_to_pandas
from saiten.records import STATUSES, Sample, Scored, Signature, Status, Usage
from saiten.stats.bootstrap import bootstrap_mean
from saiten.stats.corpus_bleu import COUNTS, CorpusBleu, corpus_bleu, corpus_signature
from saiten.stats.paired import PairedComparison, compare_paired
from saiten.stats.reliability import Reliability, reliability
from saiten.words import Message, joined

_COUNTED = frozenset({"matched", "runs", "answer_size", "reference_size"})
"""Details of `bleu4`."""
_GRADES_AT_MOST = 11
_BROKEN_DOWN_AT_MOST = 100
"""With more systems or groups than this, nobody reads the breakdown."""
_HIGHEST_GRADE = 10
"""A metric with more distinct values, or higher ones (a length), is not shown as a distribution of grades."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a summary needs to know about a sample."""

    question: str
    """Samples of one question are resampled together."""
    group: str | None
    system: str | None


def place_of(sample: Sample) -> Place:
    """The sample's place; a sample without a question is a cluster of its own."""
    return Place(sample.question or f"\0{sample.id}", sample.group, sample.system)


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of a summary."""

    metric: str
    group: str | None
    """None: over all groups."""
    system: str | None
    """None: over all systems."""
    mean: float | None
    """Over the scores with status `ok`; None where there is none."""
    low: float | None
    """Lower end of the 95 % interval; None where too few questions allow none."""
    high: float | None
    n: int
    """Scores with status `ok`."""
    questions: int
    """Distinct questions among them: what the interval resamples."""
    coverage: Mapping[Status, int]
    """How many scores have each status."""
    distribution: Mapping[float, int] = field(default_factory=dict)
    """How often each grade was given, for metrics that give grades; else empty."""
    note: Message | None = None
    """Why there is no mean or no interval."""
    missing: Mapping[tuple[Status, str], int] = field(default_factory=dict)
    """Status and reason of the scores that are not measured, refusals to answer apart: how often, the most frequent
    first."""
    corpus: CorpusBleu | None = None
    """Of `bleu4` also the BLEU of the data set, whose counts are added up before they are divided."""
    corpus_signature: str = ""
    """How it was made, as sacrebleu says it."""

    @property
    def total(self) -> int:
        """All scores, whatever their status."""
        return sum(self.coverage.values())

    @property
    def overall(self) -> bool:
        """Whether it is over everything, not of one system or group."""
        return self.system is None and self.group is None


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that is shown of a run at a glance."""

    figures: tuple[Figure, ...]
    """Over everything first, then per system, then per group, metrics in the order of the run."""
    usage: Usage
    """What the run cost: also first small calls, and scores that were not finished or were asked for again."""
    signatures: Mapping[str, Signature | str] = field(default_factory=dict)
    """By metric: how the figure was made."""
    reliability: Mapping[str, Reliability] = field(default_factory=dict)
    """By metric: how far the votes of a panel agree with each other; empty without votes."""
    evidence: PairedComparison | None = None
    """Where correctness was graded with the evidence of the answer (E2) and of the reference (E3): how the grade shifts
    from the first to the second, on the answers that both graded."""
    remarks: tuple[Message, ...] = ()
    """What was left out of the figures."""

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict per figure: `metric, system, group, mean, ci_low, ci_high, n, of, questions, …`."""
        return [
            {
                "metric": figure.metric,
                "system": figure.system,
                "group": figure.group,
                "mean": figure.mean,
                "ci_low": figure.low,
                "ci_high": figure.high,
                "n": figure.n,
                "of": figure.total,
                "questions": figure.questions,
                **{status: figure.coverage.get(status, 0) for status in STATUSES if status != "ok"},
                "note": str(figure.note or ""),
            }
            for figure in self.figures
        ]

    def to_pandas(self) -> Any:
        """Return `rows` as a pandas DataFrame.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        return rows_to_pandas(self.rows())

    @property
    def measured(self) -> bool:
        """Whether anything has a value, answers that decline included: their grade is 0."""
        return any(figure.n or figure.coverage.get("declined") for figure in self.figures)

    def overall(self, metric: str) -> Figure:
        """The figure of one metric over everything; raises KeyError."""
        for figure in self.figures:
            if figure.metric == metric and figure.overall:
                return figure
        raise KeyError(metric)


@dataclass(frozen=True, slots=True)
class _Row:
    """What a summary needs of a score: its details may be a thousand times as large."""

    sample: str
    place: Place
    status: Status
    value: float | None
    reason: str | None
    """Kept only where nothing was measured."""
    votes: tuple[float | None, ...]
    grade: float | None
    """As it was given, where the value is finer (a mean of votes, or the offline judge's figure); None: split votes."""
    mode: str | None
    """Which evidence was asked for, and how many pieces of it there were."""
    pieces: int
    counts: tuple[tuple[float, ...], int] | None
    """Of sentence BLEU what corpus BLEU is made of, and the number of references."""


def _row(one: Scored, place: Place) -> _Row:
    score = one.score
    grade = score.details.get("grade")
    seen = score.details.get("evidence")
    evidence = seen if isinstance(seen, Mapping) else {}
    return _Row(
        one.sample,
        place,
        score.status,
        score.value,
        None if score.status in {"ok", "declined"} else score.reason,
        score.votes,
        grade if isinstance(grade, int) or (grade is None and "given" in score.details) else score.value,
        evidence.get("mode"),
        evidence.get("pieces") or 0,
        _counts(one) if score.status == "ok" else None,
    )


def remark_on(note: str | Message | None) -> str | Message:
    """Return a remark of the statistics in a reader's words: the answers to one question are resampled together."""
    return note if isinstance(note, Message) else (note or "").replace("cluster", "question")


def unmeasured(coverage: Mapping[Status, int]) -> Message:
    """Return how many scores have no value, by status; empty if every score has one."""
    return joined(
        [
            Message("remark", "counted", n=n, status=Message("status", "declined_grade" if of == "declined" else of))
            for of, n in coverage.items()
            if of != "ok"
        ],
        "listed",
    )


def summarise(
    scored: Iterable[Scored],
    places: Mapping[str, Place],
    signatures: Mapping[str, Signature | str] | None = None,
    *,
    each: Literal["system", "group"] | None = None,
    bad_rows: int = 0,
    paid: Usage | None = None,
) -> Summary:
    """The summary of scores; a later score of the same sample and metric must already have replaced an earlier one.

    Args:
        scored: the scores; they are not kept, so a stream of them does.
        places: by sample id.
        signatures: by metric, to be shown under the figures.
        each: break down by this even where there is only one name, or more than anybody would read.
        bad_rows: how many rows of the data could not be used.
        paid: what was spent, where that was written down call by call; the cost of the scores else.
    """
    # The metrics in the order in which they were asked for; their scores come in any order.
    rows: dict[str, list[_Row]] = {metric: [] for metric in signatures or {}}
    usage = Usage()
    for one in scored:
        rows.setdefault(one.metric, []).append(_row(one, places.get(one.sample) or Place(one.sample, None, None)))
        usage += one.score.usage
    rows = {metric: of for metric, of in rows.items() if of}
    figures = [_figure(metric, of) for metric, of in rows.items()]
    remarks = [Message("caption", "bad_rows", n=bad_rows)] if bad_rows else []
    for by in ("system", "group"):
        names = sorted({name for of in rows.values() for row in of if (name := getattr(row.place, by)) is not None})
        if by == each:
            figures += _by(by, names, rows)
        elif len(names) > _BROKEN_DOWN_AT_MOST:
            remarks.append(Message("caption", f"many_{by}s", n=len(names), most=_BROKEN_DOWN_AT_MOST))
        elif len(names) > 1:  # one alone would only repeat the first rows
            figures += _by(by, names, rows)
    agreement = {
        metric: reliability([row.votes for row in of if row.votes])
        for metric, of in rows.items()
        if any(row.votes for row in of)
    }
    evidence = _evidence_shift(rows)
    usage = usage if paid is None else replace(paid, reused=usage.reused)
    return Summary(tuple(figures), usage, dict(signatures or {}), agreement, evidence, tuple(remarks))


def _by(by: str, names: list[str], rows: Mapping[str, list[_Row]]) -> list[Figure]:
    """The figures per system or per group, those of one name together."""
    parts: dict[tuple[str, str], list[_Row]] = {(name, metric): [] for name in names for metric in rows}
    for metric, of in rows.items():
        for row in of:
            name = getattr(row.place, by)
            if name is not None:
                parts[name, metric].append(row)
    return [
        _figure(metric, part, group=name) if by == "group" else _figure(metric, part, system=name)
        for (name, metric), part in parts.items()
    ]


def _evidence_shift(rows: Mapping[str, list[_Row]]) -> PairedComparison | None:
    """E3 minus E2 (spec: the judge that sees what question and reference retrieve is the stricter one)."""
    graded: dict[str, dict[str, tuple[str, float]]] = {}
    for metric, of in rows.items():
        for row in of if _is_correctness(metric) else ():
            # Without a piece of evidence it is neither of the two, whatever was asked for.
            if row.value is not None and row.mode is not None and row.pieces:
                graded.setdefault(row.mode, {})[row.sample] = (row.place.question, row.value)
    if not {"answer", "reference"} <= set(graded):
        return None
    both = sorted(set(graded["answer"]) & set(graded["reference"]))
    questions = [graded["answer"][sample][0] for sample in both]
    first, second = ([graded[mode][sample][1] for sample in both] for mode in ("answer", "reference"))
    return compare_paired(first, second, questions)


def _figure(metric: str, rows: list[_Row], group: str | None = None, system: str | None = None) -> Figure:
    counts = Counter(row.status for row in rows)
    coverage: dict[Status, int] = {status: counts[status] for status in STATUSES if counts[status]}
    measured = [(row, row.value) for row in rows if row.status == "ok" and row.value is not None]
    if not measured:
        none = Message("remark", "nothing_measured")
        return Figure(metric, group, system, None, None, None, 0, 0, coverage, note=none, missing=_missing(rows))
    interval = bootstrap_mean([value for _, value in measured], [row.place.question for row, _ in measured])
    return Figure(
        metric,
        group,
        system,
        interval.mean,
        interval.low,
        interval.high,
        interval.n,
        interval.clusters,
        coverage,
        _distribution([float(row.grade) for row, _ in measured if row.grade is not None]),
        joined([remark_on(interval.note), _without_evidence(metric, rows)]) or None,
        _missing(rows),
        *_corpus(rows),
    )


def _counts(one: Scored) -> tuple[tuple[float, ...], int] | None:
    """What corpus BLEU needs of a score's details, and how many references there were; None of another metric."""
    details = one.score.details
    if one.metric.partition("[")[0] != "bleu4" or not details.keys() >= _COUNTED:
        return None
    counts = (*details["matched"], *details["runs"], details["answer_size"], details["reference_size"])
    return (counts, int(details.get("references", 0))) if len(counts) == COUNTS else None


def _corpus(rows: list[_Row]) -> tuple[CorpusBleu | None, str]:
    """BLEU over all of the answers, and its signature."""
    counted = [(row.place.question, *row.counts) for row in rows if row.counts is not None]
    if not counted:
        return None, ""
    questions, counts, references = zip(*counted, strict=True)
    return corpus_bleu(counts, questions), corpus_signature(references)


def _is_correctness(metric: str) -> bool:
    return metric.partition("[")[0] == "correctness"


def _without_evidence(metric: str, rows: list[_Row]) -> Message | None:
    """How many grades were given without the evidence that the mode asks for, since the samples brought none."""
    if not _is_correctness(metric):
        return None
    without = sum(row.mode in {"answer", "reference"} and not row.pieces for row in rows)
    return Message("remark", "without_evidence", n=without) if without else None


def _missing(rows: list[_Row]) -> dict[tuple[Status, str], int]:
    missing = [row for row in rows if row.status not in {"ok", "declined"}]
    return dict(Counter((row.status, row.reason or "") for row in missing).most_common())


def _distribution(values: list[float]) -> dict[float, int]:
    counts = Counter(values)
    if len(counts) > _GRADES_AT_MOST or any(value != int(value) or value > _HIGHEST_GRADE for value in counts):
        return {}
    return dict(sorted(counts.items()))
