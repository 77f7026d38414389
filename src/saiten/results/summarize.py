"""Scores as a summary."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from saiten.records import FREE, Scored, Signature, Usage
from saiten.results.place import Place
from saiten.results.places import Places
from saiten.results.score_columns import ScoreColumns
from saiten.results.summary import Summary
from saiten.results.summary_figure import figure_of
from saiten.stats.paired import PairedComparison, compare_paired
from saiten.stats.reliability import reliability
from saiten.words import Message

_BROKEN_DOWN_AT_MOST = 100
"""Maximum number of systems or groups that are broken down."""


def summarize(
    scored: Iterable[Scored],
    places: Places | Mapping[str, Place],
    signatures: Mapping[str, Signature | str] | None = None,
    *,
    each: Literal["system", "group"] | None = None,
    bad_rows: int = 0,
    paid: Usage | None = None,
) -> Summary:
    """Summarize scores; earlier scores of the same sample and metric must already have been replaced by later ones.

    Args:
        scored: the scores, possibly as a stream; they are not kept, only about 40 bytes of each.
        places: by sample id.
        signatures: by metric, shown below the figures.
        each: break down by this even if there is only one name, or too many to read.
        bad_rows: number of unusable rows in the data.
        paid: the amount spent, if it was recorded call by call; by default the cost of the scores.
    """
    where = Places.of(places).where
    # The metrics in the requested order; their scores come in any order.
    rows = {metric: ScoreColumns(metric) for metric in signatures or {}}
    usage = Usage()
    for one in scored:
        columns = rows.get(one.metric)
        if columns is None:
            columns = rows[one.metric] = ScoreColumns(one.metric)
        columns.add(one, where(one.sample))
        if one.score.usage != FREE:
            usage += one.score.usage
    rows = {metric: of for metric, of in rows.items() if of.statuses}
    figures = [figure_of(of) for of in rows.values()]
    remarks = [Message("caption", "bad_rows", n=bad_rows)] if bad_rows else []
    for by in ("system", "group"):
        names = sorted({name for of in rows.values() for name in of.named(by)})
        if by == each:
            figures += [figure_of(of, **{by: name}) for name in names for of in rows.values()]
        elif len(names) > _BROKEN_DOWN_AT_MOST:
            remarks.append(Message("caption", f"many_{by}s", n=len(names), most=_BROKEN_DOWN_AT_MOST))
        elif len(names) > 1:  # a single name would only repeat the first rows
            figures += [figure_of(of, **{by: name}) for name in names for of in rows.values()]
    agreement = {metric: reliability(of.votes) for metric, of in rows.items() if of.votes}
    usage = usage if paid is None else replace(paid, reused=usage.reused)
    return Summary(tuple(figures), usage, dict(signatures or {}), agreement, _evidence_shift(rows), tuple(remarks))


def _evidence_shift(rows: Mapping[str, ScoreColumns]) -> PairedComparison | None:
    """Return E3 minus E2 (spec: the judge that sees what question and reference retrieve is stricter)."""
    graded: dict[str, dict[str, tuple[int, float]]] = {}
    for of in rows.values():
        for mode, grades in of.graded.items():
            graded.setdefault(mode, {}).update(grades)
    if not {"answer", "reference"} <= set(graded):
        return None
    both = sorted(set(graded["answer"]) & set(graded["reference"]))
    questions = [graded["answer"][sample][0] for sample in both]
    first, second = ([graded[mode][sample][1] for sample in both] for mode in ("answer", "reference"))
    return compare_paired(first, second, questions)
