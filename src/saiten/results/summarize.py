"""Scores as a summary."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from saiten.records import Scored, Signature, Usage
from saiten.results.figure import Figure, is_correctness
from saiten.results.place import Place
from saiten.results.score_row import ScoreRow, score_row
from saiten.results.summary import Summary
from saiten.results.summary_figure import figure_of
from saiten.stats.paired import PairedComparison, compare_paired
from saiten.stats.reliability import reliability
from saiten.words import Message

_BROKEN_DOWN_AT_MOST = 100
"""Maximum number of systems or groups that are broken down."""


def summarize(
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
    rows: dict[str, list[ScoreRow]] = {metric: [] for metric in signatures or {}}
    usage = Usage()
    for one in scored:
        rows.setdefault(one.metric, []).append(score_row(one, places.get(one.sample) or Place(one.sample)))
        usage += one.score.usage
    rows = {metric: of for metric, of in rows.items() if of}
    figures = [figure_of(metric, of) for metric, of in rows.items()]
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
    usage = usage if paid is None else replace(paid, reused=usage.reused)
    return Summary(tuple(figures), usage, dict(signatures or {}), agreement, _evidence_shift(rows), tuple(remarks))


def _by(by: str, names: list[str], rows: Mapping[str, list[ScoreRow]]) -> list[Figure]:
    """Return the figures per system or per group, grouped by name."""
    parts: dict[tuple[str, str], list[ScoreRow]] = {(name, metric): [] for name in names for metric in rows}
    for metric, of in rows.items():
        for row in of:
            if (name := getattr(row.place, by)) is not None:
                parts[name, metric].append(row)
    return [figure_of(metric, part, **{by: name}) for (name, metric), part in parts.items()]


def _evidence_shift(rows: Mapping[str, list[ScoreRow]]) -> PairedComparison | None:
    """Return E3 minus E2 (spec: the judge that sees what question and reference retrieve is stricter)."""
    graded: dict[str, dict[str, tuple[str, float]]] = {}
    for metric, of in rows.items():
        for row in of if is_correctness(metric) else ():
            # Without evidence it counts as neither mode.
            if row.value is not None and row.mode is not None and row.pieces:
                graded.setdefault(row.mode, {})[row.sample] = (row.place.question, row.value)
    if not {"answer", "reference"} <= set(graded):
        return None
    both = sorted(set(graded["answer"]) & set(graded["reference"]))
    questions = [graded["answer"][sample][0] for sample in both]
    first, second = ([graded[mode][sample][1] for sample in both] for mode in ("answer", "reference"))
    return compare_paired(first, second, questions)
