"""The summary of a run as tables: the figures, the grades, the reliability of votes, what it cost, how it was made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from saiten.records import Status, Usage
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.summary import Figure, Summary
from saiten.views.table import Cell, Interval, Name, PValue, Table

_CAPTION = (
    "95 % interval: bootstrap over questions (below 30 questions it holds nearer 90 % than 95 %). n: scores that enter "
    "the mean; the statuses beside it are counted, never averaged."
)
_CORPUS = (
    "The counts of all answers are added up before they are divided, as papers do; the mean of answers is smoothed "
    "sentence BLEU. 0 to 1, over saiten's own tokens. 95 % interval: bootstrap over questions."
)
_STATUS_WORDS: dict[Status, str] = {
    "declined": "declined (grade 0)",
    "undefined": "undefined",
    "unreadable": "unreadable",
    "failed": "failed",
}


STRICTER, MORE_LENIENT, NOT_APART = "E3 is stricter", "E3 is more lenient", "within the noise"
_SHIFTS = {
    STRICTER: "E3 grades lower: the contexts of an answer make some look right that the evidence of the reference "
    "does not bear out.",
    MORE_LENIENT: "E3 grades higher: the evidence of the reference bears out answers that their own contexts do not.",
    NOT_APART: "The shift is within the noise: nothing shows that the judge grades differently with E3.",
}
_LIKELY = 0.05

_REASONS_SHOWN = 3
"""Of each metric."""
_LONGEST_REASON = 200
"""Characters."""

_COLUMNS = ("metric", "mean", "95 % from", "to", "n", "of", "questions", "remarks")
_MEANS = (Interval("mean", "95 % from", "to"),)


def summary_tables(summary: Summary) -> list[Table]:
    """All tables of a summary; those with nothing in them are left out."""
    overall = tuple(_row(figure) for figure in summary.figures if figure.group is None and figure.system is None)
    said = (ONLY_WORDS,) if only_words(summary.signatures.values()) else ()
    tables = [Table("Scores", _COLUMNS, overall, " ".join((*said, _CAPTION, *summary.remarks)), _MEANS)]
    for by in ("system", "group"):
        figures = [figure for figure in summary.figures if getattr(figure, by) is not None]
        rows = tuple((Name(getattr(f, by)), *_row(f)) for f in figures)
        tables.append(Table(f"By {by}", (by, *_COLUMNS), rows, intervals=_MEANS))
    tables += [
        corpus_table([("all", summary)]),
        _missing(summary),
        _grades(summary),
        _evidence(summary),
        _votes(summary),
    ]
    tables.append(signatures_table(map(str, summary.signatures.values())))
    return [table for table in tables if table.rows]


def means_by(summary: Summary, by: Literal["system", "group"]) -> Table:
    """The means alone, a row a metric and a column a system or group: for people, at a glance."""
    figures = [figure for figure in summary.figures if getattr(figure, by) is not None]
    columns = tuple(dict.fromkeys(str(getattr(figure, by)) for figure in figures))
    means = {(figure.metric, str(getattr(figure, by))): figure.mean for figure in figures}
    metrics = dict.fromkeys(figure.metric for figure in figures)
    rows = tuple((metric, *(means.get((metric, column)) for column in columns)) for metric in metrics)
    return Table(f"Means by {by}", ("metric", *map(Name, columns)), rows, "With intervals: --format md, csv or json.")


def glance_tables(summary: Summary) -> list[Table]:
    """The tables for the terminal: as `summary_tables`, with the breakdowns as means side by side."""
    tables = {table.title: table for table in summary_tables(summary)}
    for by in ("system", "group"):
        if f"By {by}" in tables:
            tables[f"By {by}"] = means_by(summary, by)
    return list(tables.values())


def _row(figure: Figure) -> tuple[Cell, ...]:
    remarks = [text for text in (not_measured(figure.coverage), asked(figure.note)) if text]
    return (
        figure.metric,
        figure.mean,
        figure.low,
        figure.high,
        figure.n,
        figure.total,
        figure.questions,
        "; ".join(remarks),
    )


def interval_text(low: float | None, high: float | None) -> str:
    """`[0.712, 0.843]`, or a dash where there is none."""
    if low is None or high is None:
        return "–"
    return f"[{low:.3f}, {high:.3f}]"


def asked(note: str | None) -> str:
    """A remark of the statistics, for people: what is resampled together are the answers to one question."""
    return (note or "").replace("cluster", "question")


def not_measured(coverage: Mapping[Status, int]) -> str:
    """`2 undefined, 1 failed`; empty if every score is ok."""
    return ", ".join(f"{n} {_STATUS_WORDS[status]}" for status, n in coverage.items() if status in _STATUS_WORDS)


def corpus_table(summaries: Sequence[tuple[str, Summary]]) -> Table:
    """BLEU of whole data sets, beside the mean over their answers; each summary with what it is of."""
    rows: list[tuple[Cell, ...]] = []
    signatures: dict[str, None] = {}
    for name, summary in summaries:
        for figure in summary.figures:
            if figure.corpus is not None:
                found, of = figure.corpus, figure.system or figure.group
                named = Name(of) if len(summaries) == 1 else Name(f"{name} · {of}" if of else name)
                rows.append(
                    (
                        figure.metric,
                        named if of or len(summaries) > 1 else name,
                        found.value,
                        found.low,
                        found.high,
                        figure.mean,
                        found.n,
                        asked(found.note),
                    )
                )
                signatures.setdefault(figure.corpus_signature)
    return Table(
        "BLEU of the whole data set",
        ("metric", "data", "corpus BLEU", "95 % from", "to", "mean of answers", "n", "remarks"),
        tuple(rows),
        " ".join((_CORPUS, *(f"sacrebleu: {signature}." for signature in signatures))) if rows else "",
        (Interval("corpus BLEU", "95 % from", "to"),),
    )


def corpus_beside(summaries: Sequence[tuple[str, Summary]]) -> Table:
    """The same of several, each as a whole."""
    whole = [
        (name, replace(one, figures=tuple(each for each in one.figures if each.system is None and each.group is None)))
        for name, one in summaries
    ]
    table = corpus_table(whole)
    return replace(table, caption=f"Each over its own answers. {table.caption}")


def _grades(summary: Summary) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for figure in summary.figures:
        if figure.group is None and figure.system is None and len(figure.distribution) > 1:
            declined = figure.coverage.get("declined", 0)
            counts = ({0.0: declined} if declined else {}) | dict(figure.distribution)
            text = " · ".join(f"{value:g}: {n}" for value, n in counts.items())
            rows.append((figure.metric, text, round(declined / figure.total, 3) if figure.total else None))
    return Table("How often each value was given", ("metric", "value: times", "share declined"), tuple(rows))


def _missing(summary: Summary) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for figure in summary.figures:
        if figure.group is None and figure.system is None:
            most = list(figure.missing.items())[:_REASONS_SHOWN]
            rows += [(figure.metric, status, times, _short(reason)) for (status, reason), times in most]
            rest = sum(figure.missing.values()) - sum(times for _, times in most)
            if rest:
                rows.append((figure.metric, "", rest, "other reasons; each score has its own in scores.jsonl"))
    return Table("Why scores are missing", ("metric", "status", "times", "reason"), tuple(rows))


def _short(reason: str) -> str:
    first = " ".join(reason.split())
    return first if len(first) <= _LONGEST_REASON else f"{first[:_LONGEST_REASON]} …"


def _evidence(summary: Summary) -> Table:
    shift = summary.evidence
    rows: tuple[tuple[Cell, ...], ...] = ()
    if shift is not None:
        rows = ((shift.difference, shift.low, shift.high, PValue.of(shift.p_value), shift.n, shift.note or ""),)
    return Table(
        "Correctness: from the evidence of the answer (E2) to that of the reference (E3)",
        ("shift of the mean", "95 % from", "to", "p", "n", "remarks"),
        rows,
        "" if shift is None else _SHIFTS[evidence_shift(shift.difference, shift.p_value)],
        (Interval("shift of the mean", "95 % from", "to"),),
    )


def evidence_shift(difference: float | None, p: float | None) -> str:
    """What the shift of the mean from E2 to E3 says of E3."""
    if difference is None or p is None or p >= _LIKELY:
        return NOT_APART
    return STRICTER if difference < 0 else MORE_LENIENT


def _votes(summary: Summary) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            metric,
            int(found.votes) if found.votes and found.votes.is_integer() else found.votes,
            found.items,
            found.agreement,
            found.icc,
            found.icc_average,
            found.spread,
            found.changed,
            found.reason,
        )
        for metric, found in summary.reliability.items()
    ]
    columns = (
        "metric",
        "votes",
        "n",
        "pairwise agreement",
        "ICC(1)",
        "ICC of the mean",
        "mean SD",
        "items that changed",
        "note",
    )
    return Table("Test–retest reliability of the votes", columns, tuple(rows))


def signatures_table(signatures: Iterable[str]) -> Table:
    """What every figure depends on; a page has it in its foot."""
    return Table("How the figures were made", ("signature",), tuple((signature,) for signature in signatures))


def usage_text(usage: Usage, currency: str = "USD") -> str:
    """One sentence about what was spent; a price that is not known is said to be unknown."""
    if usage.calls == 0 and usage.reused == 0:
        return "no calls, no cost"
    tokens = f"{usage.calls} calls, {usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
    reused = f", {usage.reused} answers reused" if usage.reused else ""
    if usage.calls == 0:
        return f"no calls, no cost{reused}"
    if usage.unpriced and not usage.cost:  # refused calls are known to cost nothing; that says nothing of the others
        cost = "cost unknown (set [prices] in saiten.toml)"
    elif usage.unpriced:
        cost = f"at least {usage.cost:.4f} {currency} ({usage.unpriced} calls without a known price)"
    else:
        cost = f"{usage.cost:.4f} {currency}"
    return f"{tokens}, {cost}{reused}"


def spent_text(usage: Usage, currency: str = "USD") -> str:
    """The same in a few words, for the line of progress: `128 calls, 0.42 USD`."""
    if not usage.calls:
        return ""
    cost = "cost unknown" if usage.unpriced and not usage.cost else f"{usage.cost:.2f} {currency}"
    return f"{usage.calls} calls, {'at least ' if usage.unpriced and usage.cost else ''}{cost}"
