"""The summary of a run as tables: the figures, the grades, the reliability of votes, how the figures were made."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from saiten.records import Usage
from saiten.results.figure import Figure, unmeasured
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.summary import Summary
from saiten.stats.estimate import Estimate
from saiten.stats.reliability import Reliability
from saiten.views.reasons import composed_reason
from saiten.views.table import Interval, MetricName, Name, PValue, Table, Unbroken
from saiten.views.tables.interval_columns import Cells, IntervalColumns, interval_text
from saiten.words import Message, joined

Conclusion = Literal["e3_stricter", "e3_lenient", "e3_noise"]

_LIKELY = 0.05
_REASONS_SHOWN = 3
"""Maximum reasons per metric."""
_LONGEST_REASON = 200
"""Maximum characters of a reason."""

_COLUMNS = ("metric", "mean", "ci_low", "ci_high", "n", "of", "questions", "remarks")
_MEANS = (Interval("mean", "ci_low", "ci_high"),)


def summary_tables(summary: Summary) -> list[Table]:
    """Return all tables of a summary except empty ones."""
    overall = tuple(_row(figure) for figure in summary.figures if figure.overall)
    said = (ONLY_WORDS,) if only_words(summary.signatures.values()) else ()
    caption = (*said, Message("caption", "scores"), *summary.remarks)
    tables = [Table(Message("title", "scores"), _COLUMNS, overall, caption, _MEANS)]
    for by in ("system", "group"):
        figures = [figure for figure in summary.figures if getattr(figure, by) is not None]
        rows = tuple((Name(getattr(f, by)), *_row(f)) for f in figures)
        tables.append(Table(Message("title", f"by_{by}"), (by, *_COLUMNS), rows, intervals=_MEANS))
    tables += [corpus_table([("", summary)]), _missing(summary), _grades(summary), _evidence(summary), _votes(summary)]
    tables.append(signatures_table(map(str, summary.signatures.values())))
    return [table for table in tables if table.rows]


def means_by(summary: Summary, by: Literal["system", "group"]) -> Table:
    """Return the means with their intervals as text, one row per system or group: for people, at a glance."""
    found: dict[str, dict[str, Figure]] = {}
    for figure in summary.figures:
        if (name := getattr(figure, by)) is not None:
            found.setdefault(str(name), {})[figure.metric] = figure
    metrics = tuple(dict.fromkeys(metric for of in found.values() for metric in of))
    rows = tuple(
        (Name(name), *(_mean_text(of.get(metric)) for metric in metrics), joined(map(_left_out, of.values())))
        for name, of in found.items()
    )
    # The dialogue table "Means by group" is different.
    title, columns = Message("title", f"means_by_{by}"), (by, *map(MetricName, metrics), "remarks")
    return Table(title, columns, rows, (Message("caption", "means_by"),), key=f"by_{by}")


def _mean_text(figure: Figure | None) -> Unbroken | None:
    if figure is None or figure.mean is None:
        return None
    interval = "" if figure.low is None else f" {interval_text(figure.low, figure.high)}"
    return Unbroken(f"{figure.mean:.3f}{interval}")


def _left_out(figure: Figure) -> Message | None:
    """Return which scores of a metric have no value; None if all have one."""
    reasons = unmeasured(figure.metric, figure.coverage)
    return Message("remark", "of_figure", figure=figure.metric, remark=reasons) if reasons else None


def glance_tables(summary: Summary) -> list[Table]:
    """Return the tables of `summary_tables` for the terminal, with the breakdowns as one row per system or group."""
    breakdowns: dict[str, Literal["system", "group"]] = {"by_system": "system", "by_group": "group"}
    return [
        means_by(summary, breakdowns[table.key]) if table.key in breakdowns else table
        for table in summary_tables(summary)
    ]


def _row(figure: Figure) -> Cells:
    counts = (figure.n, figure.total, figure.questions)
    remarks = joined([unmeasured(figure.metric, figure.coverage), figure.note])
    return (figure.metric, figure.mean, figure.low, figure.high, *counts, remarks)


def corpus_table(summaries: Sequence[tuple[str, Summary]]) -> Table:
    """Return BLEU of whole data sets next to the mean over their answers; each summary with its name."""
    several = len(summaries) > 1
    found = [
        (name, figure, figure.corpus)
        for name, summary in summaries
        for figure in summary.figures
        if figure.corpus is not None
    ]
    rows = tuple(_corpus_row(name, figure, corpus, several=several) for name, figure, corpus in found)
    signatures = dict.fromkeys(figure.corpus_signature for _, figure, _ in found)
    captions = (Message("caption", "corpus"), *(Message("caption", "sacrebleu", signature=each) for each in signatures))
    return Table(
        Message("title", "corpus_bleu"),
        ("metric", "data", "corpus_bleu", "ci_low", "ci_high", "mean_of_answers", "n", "remarks"),
        rows,
        captions if rows else (),
        (Interval("corpus_bleu", "ci_low", "ci_high"),),
    )


def _corpus_row(name: str, figure: Figure, corpus: Estimate, *, several: bool) -> Cells:
    of = figure.system or figure.group
    data = Name(f"{name} · {of}" if several and of else name if several else of or "") or Message("cell", "all")
    cells = IntervalColumns(numbers=True).cells(corpus)
    return (figure.metric, data, *cells, figure.mean, corpus.n, corpus.note or "")


def corpus_side_by_side(summaries: Sequence[tuple[str, Summary]]) -> Table:
    """Return BLEU of several data sets, each as a whole."""
    whole = [
        (name, replace(one, figures=tuple(each for each in one.figures if each.overall))) for name, one in summaries
    ]
    table = corpus_table(whole)
    return replace(table, caption=(Message("caption", "own_answers"), *table.caption))


def _grades(summary: Summary) -> Table:
    rows: list[Cells] = []
    for figure in summary.figures:
        if figure.overall and len(figure.distribution) > 1:
            declined = figure.coverage.get("declined", 0)
            counts = ({0.0: declined} if declined else {}) | dict(figure.distribution)
            text = " · ".join(f"{value:g}: {n}" for value, n in counts.items())
            rows.append((figure.metric, text, round(declined / figure.total, 3) if figure.total else None))
    return Table(Message("title", "grades_given"), ("metric", "grades", "share_declined"), tuple(rows))


def _missing(summary: Summary) -> Table:
    rows: list[Cells] = []
    for figure in summary.figures:
        if figure.overall:
            most = list(figure.missing.items())[:_REASONS_SHOWN]
            rows += [
                (
                    figure.metric,
                    Message("status", status),
                    times,
                    composed_reason(figure.metric, status, _short(reason)) or Message("cell", "no_reason"),
                )
                for (status, reason), times in most
            ]
            rest = sum(figure.missing.values()) - sum(times for _, times in most)
            if rest:
                rows.append((figure.metric, "", rest, Message("cell", "other_reasons")))
    return Table(Message("title", "missing"), ("metric", "status", "times", "reason"), tuple(rows))


def _short(reason: str) -> str:
    first = " ".join(reason.split())
    return first if len(first) <= _LONGEST_REASON else f"{first[:_LONGEST_REASON]} …"


def _evidence(summary: Summary) -> Table:
    shift = summary.evidence
    rows: tuple[Cells, ...] = ()
    captions: tuple[Message, ...] = ()
    if shift is not None:
        rows = ((shift.difference, shift.low, shift.high, PValue.of(shift.p_value), shift.n, shift.note or ""),)
        captions = (Message("caption", evidence_shift(shift.difference, shift.p_value)),)
    return Table(
        Message("title", "evidence_shift"),
        ("shift", "ci_low", "ci_high", "p_value", "n", "remarks"),
        rows,
        captions,
        (Interval("shift", "ci_low", "ci_high"),),
    )


def evidence_shift(difference: float | None, p: float | None) -> Conclusion:
    """Return the conclusion about E3 from the shift of the mean from E2 to E3."""
    if difference is None or p is None or p >= _LIKELY:
        return "e3_noise"
    return "e3_stricter" if difference < 0 else "e3_lenient"


def _votes(summary: Summary) -> Table:
    rows: list[Cells] = []
    for metric, found in summary.reliability.items():
        votes = int(found.votes) if found.votes and found.votes.is_integer() else found.votes
        rows.append((metric, votes, *reliability_cells(found)))
    columns = ("metric", "votes", "n", "pairwise_agreement", "icc", "icc_of_mean", "mean_sd", "items_changed", "note")
    return Table(Message("title", "votes"), columns, tuple(rows))


def reliability_cells(found: Reliability) -> Cells:
    """Return the figures of repeated votes, from the number of items to the reason for missing ones."""
    figures = (found.agreement, found.icc, found.icc_average, found.spread, found.changed)
    return (found.items, *figures, found.reason)


def signatures_table(signatures: Iterable[str]) -> Table:
    """Return the signatures of all figures; a page has them in its footer."""
    rows = tuple((signature,) for signature in signatures)
    return Table(Message("title", "signatures"), ("signature",), rows)


def usage_text(usage: Usage, currency: str = "USD") -> Message:
    """Return one sentence about the cost; an unknown price is called unknown."""
    reused = Message("spent", "reused", n=usage.reused) if usage.reused else None
    if usage.calls == 0:
        return joined([Message("spent", "nothing"), reused], "listed")
    tokens = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}
    if usage.cached_tokens:
        counted = Message("spent", "tokens_cached", **tokens, cached=usage.cached_tokens)
    else:
        counted = Message("spent", "tokens", **tokens)
    return joined([Message("spent", "calls", n=usage.calls), counted, _cost_text(usage, currency), reused], "listed")


def _cost_text(usage: Usage, currency: str) -> Message:
    unknown, unanswered = usage.unpriced - usage.unanswered, usage.unanswered
    if usage.known_cost is None:  # refused calls are known to cost nothing, which does not apply to the others
        if not unknown:
            return Message("spent", "unknown_because", why=Message("spent", "interrupted", n=unanswered))
        reported = usage.prompt_tokens or usage.completion_tokens
        return Message("spent", "unknown_because", why=Message("spent", "set_prices" if reported else "no_tokens"))
    if not usage.unpriced:
        return Message("spent", "cost", cost=usage.cost, currency=currency)
    likely = usage.cost / max(usage.calls - usage.unpriced, 1) * unanswered
    open_ones = [Message("spent", "unpriced", n=unknown)] if unknown else []
    open_ones += [Message("spent", "average", n=unanswered, cost=likely)] if unanswered else []
    return Message("spent", "bounded", cost=usage.cost, currency=currency, why=joined(open_ones))


def spent_text(usage: Usage, currency: str = "USD") -> Message | None:
    """Return the cost in a few words, for the progress line: `128 calls, 0.42 USD`."""
    if not usage.calls:
        return None
    if usage.known_cost is None:
        cost = Message("spent", "unknown")
    else:
        key = "bounded_short" if usage.unpriced and usage.cost else "cost_short"
        cost = Message("spent", key, cost=usage.cost, currency=currency)
    return joined([Message("spent", "calls", n=usage.calls), cost], "listed")
