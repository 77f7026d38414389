"""The summary of a run: the mean per metric with its interval and coverage, also by group and system.

Only scores with the status `ok` enter a mean; the other statuses are counted separately. Intervals come from a
bootstrap that resamples questions, since answers to one question are not independent of each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from saiten.records import STATUSES, Sample, Scored, Signature, Status, Usage
from saiten.results.rows import AsRows, Row, columns_of
from saiten.stats.corpus_bleu import COUNTS, corpus_bleu, corpus_signature
from saiten.stats.estimate import Estimate, bootstrap_mean
from saiten.stats.paired import PairedComparison, compare_paired
from saiten.stats.reliability import Reliability, reliability
from saiten.words import Message, joined

_COUNTED = frozenset({"matched", "runs", "answer_size", "reference_size"})
"""Details of `bleu4`."""
_GRADES_AT_MOST = 11
_BROKEN_DOWN_AT_MOST = 100
"""Maximum number of systems or groups that are broken down."""
_HIGHEST_GRADE = 10
"""A metric with more distinct values or higher ones (a length) is not shown as a distribution of grades."""


@dataclass(frozen=True, slots=True)
class Place:
    """The question, system and group of a sample."""

    question: str
    """Samples of one question are resampled together."""
    system: str | None = None
    group: str | None = None


def place_of(sample: Sample) -> Place:
    """Return the sample's place; a sample without a question is a cluster of its own."""
    return Place(sample.question or f"\0{sample.id}", sample.system, sample.group)


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of a summary."""

    metric: str
    group: str | None
    """None for all groups."""
    system: str | None
    """None for all systems."""
    mean: float | None
    """Mean over the scores with status `ok`; None without any."""
    low: float | None
    """Lower end of the 95 % interval; None for too few questions."""
    high: float | None
    n: int
    """Number of scores with status `ok`."""
    questions: int
    """Number of distinct questions among them, which the interval resamples."""
    coverage: Mapping[Status, int]
    """Number of scores per status."""
    distribution: Mapping[float, int] = field(default_factory=dict)
    """Count per grade, for metrics that give grades; otherwise empty."""
    note: Message | None = None
    """Reason for a missing mean or interval."""
    missing: Mapping[tuple[Status, str], int] = field(default_factory=dict)
    """Count per status and reason of unmeasured scores, except refusals to answer; most frequent first."""
    corpus: Estimate | None = None
    """For `bleu4` also corpus BLEU, whose counts are summed before division."""
    corpus_signature: str = ""
    """Signature of corpus BLEU in sacrebleu's form."""

    @property
    def total(self) -> int:
        """Number of all scores, whatever their status."""
        return sum(self.coverage.values())

    @property
    def overall(self) -> bool:
        """Whether it covers everything, not one system or group."""
        return self.system is None and self.group is None


@dataclass(frozen=True, slots=True)
class Summary(AsRows):
    """Everything shown of a run at a glance."""

    figures: tuple[Figure, ...]
    """Over everything first, then per system, then per group; metrics in the order of the run."""
    usage: Usage
    """Cost of the run, including initial test calls and scores that were unfinished or repeated."""
    signatures: Mapping[str, Signature | str] = field(default_factory=dict)
    """How each figure was made, by metric."""
    reliability: Mapping[str, Reliability] = field(default_factory=dict)
    """Agreement among the votes of a panel, by metric; empty without votes."""
    evidence: PairedComparison | None = None
    """If correctness was graded with the evidence of the answer (E2) and of the reference (E3): the shift of the grade
    from E2 to E3, on the answers graded with both."""
    remarks: tuple[Message, ...] = ()
    """Remarks on what the figures exclude."""

    def rows(self) -> list[Row]:
        """Return one row per figure: `metric, system, group, mean, ci_low, ci_high, n, of, questions, …`."""
        return [
            {
                **columns_of(figure, "metric", "system", "group", "mean", "low", "high", "n"),
                "of": figure.total,
                "questions": figure.questions,
                **{status: figure.coverage.get(status, 0) for status in STATUSES if status != "ok"},
                "note": str(figure.note or ""),
            }
            for figure in self.figures
        ]

    @property
    def measured(self) -> bool:
        """Whether there is any value, including answers that decline: their grade is 0."""
        return any(figure.n or figure.coverage.get("declined") for figure in self.figures)

    def overall(self, metric: str) -> Figure:
        """Return the figure of one metric over everything; raise KeyError if there is none."""
        for figure in self.figures:
            if figure.metric == metric and figure.overall:
                return figure
        raise KeyError(metric)


@dataclass(frozen=True, slots=True)
class _Row:
    """The parts of a score that a summary needs: its details may be a thousand times as large."""

    sample: str
    place: Place
    status: Status
    value: float | None
    reason: str | None
    """Kept only for unmeasured scores."""
    votes: tuple[float | None, ...]
    grade: float | None
    """The grade as given, if the value is finer (a mean of votes, the offline judge's figure); None: split votes."""
    mode: str | None
    """The requested evidence mode, and the number of evidence passages."""
    pieces: int
    counts: tuple[tuple[float, ...], int] | None
    """For sentence BLEU: the counts that corpus BLEU needs, and the number of references."""


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


def unmeasured(coverage: Mapping[Status, int]) -> Message:
    """Return the number of scores without a value, by status; empty if every score has one."""
    return counted({"declined grade" if of == "declined" else of: n for of, n in coverage.items() if of != "ok"})


def counted(statuses: Mapping[str, int]) -> Message:
    """Return how often each status or other reason for a missing value occurs."""
    each = {Message("status", status.replace(" ", "_")): n for status, n in statuses.items()}
    return joined([Message("remark", "counted", n=n, status=status) for status, n in each.items()], "listed")


def summarise(
    scored: Iterable[Scored],
    places: Mapping[str, Place],
    signatures: Mapping[str, Signature | str] | None = None,
    *,
    each: Literal["system", "group"] | None = None,
    bad_rows: int = 0,
    paid: Usage | None = None,
) -> Summary:
    """Summarize scores; earlier scores of the same sample and metric must already have been replaced by later ones.

    Args:
        scored: the scores, possibly as a stream; they are not kept.
        places: by sample id.
        signatures: by metric, shown below the figures.
        each: break down by this even if there is only one name, or too many to read.
        bad_rows: number of unusable rows in the data.
        paid: the amount spent, if it was recorded call by call; by default the cost of the scores.
    """
    # The metrics in the requested order; their scores come in any order.
    rows: dict[str, list[_Row]] = {metric: [] for metric in signatures or {}}
    usage = Usage()
    for one in scored:
        rows.setdefault(one.metric, []).append(_row(one, places.get(one.sample) or Place(one.sample)))
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
        elif len(names) > 1:  # a single name would only repeat the first rows
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
    """Return the figures per system or per group, grouped by name."""
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
    """Return E3 minus E2 (spec: the judge that sees what question and reference retrieve is stricter)."""
    graded: dict[str, dict[str, tuple[str, float]]] = {}
    for metric, of in rows.items():
        for row in of if _is_correctness(metric) else ():
            # Without evidence it counts as neither mode.
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
        interval.value,
        interval.low,
        interval.high,
        interval.n,
        interval.clusters or 0,
        coverage,
        _distribution([float(row.grade) for row, _ in measured if row.grade is not None]),
        joined([interval.note, _without_evidence(metric, rows)]) or None,
        _missing(rows),
        *_corpus(rows),
    )


def _counts(one: Scored) -> tuple[tuple[float, ...], int] | None:
    """Return the counts for corpus BLEU and the number of references; None for another metric."""
    details = one.score.details
    if one.metric.partition("[")[0] != "bleu4" or not details.keys() >= _COUNTED:
        return None
    counts = (*details["matched"], *details["runs"], details["answer_size"], details["reference_size"])
    return (counts, int(details.get("references", 0))) if len(counts) == COUNTS else None


def _corpus(rows: list[_Row]) -> tuple[Estimate | None, str]:
    """Return BLEU over all answers, and its signature."""
    counted = [(row.place.question, *row.counts) for row in rows if row.counts is not None]
    if not counted:
        return None, ""
    questions, counts, references = zip(*counted, strict=True)
    return corpus_bleu(counts, questions), corpus_signature(references)


def _is_correctness(metric: str) -> bool:
    return metric.partition("[")[0] == "correctness"


def _without_evidence(metric: str, rows: list[_Row]) -> Message | None:
    """Return how many grades lack the evidence that the mode requests, because the samples have none."""
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
