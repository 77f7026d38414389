"""Parts shared by the tables of a meta-evaluation: an aspect's name, remarks, and the table itself."""

from collections.abc import Iterable

from saiten.results.aspect_result import AspectResult
from saiten.results.metric_result import MetricResult
from saiten.results.origin import Unpaired
from saiten.stats.estimate import Estimate
from saiten.views.table import Heading, Table
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.words import Message, joined

CORRELATIONS = ("pearson", "spearman", "kendall_tau_b")
"""Their columns."""


def aspect_table(
    aspect: AspectResult,
    title: str,
    rows: Iterable[Cells],
    figures: tuple[Heading, ...] = (),
    form: IntervalColumns | None = None,
    *,
    before: tuple[Heading, ...] = ("metric", "n"),
    after: tuple[Heading, ...] = ("remarks",),
    captions: Iterable[str | Message] = (),
) -> Table:
    """Return a table of an aspect: the columns before the figures, the figures with intervals, the columns after.

    `captions`: keys of captions, or messages with values.
    """
    form = form or IntervalColumns(numbers=True)
    return Table(
        Message("title", title, aspect=aspect_name(aspect)),
        (*before, *form.columns(*figures), *after),
        tuple(rows),
        tuple(Message("caption", each) if isinstance(each, str) else each for each in captions),
        form.intervals(*figures),
    )


def left_out_table(whose: str, sides: Iterable[tuple[str | Message, str, Unpaired]]) -> Table:
    """Return one row per side that leaves items out: whose it is (the first column), the key of what, and examples."""
    rows = tuple(
        (name, Message("cell", what), side.n, ", ".join(side.examples) + (" …" if side.n > len(side.examples) else ""))
        for name, what, side in sides
        if side.n
    )
    return Table(Message("title", "left_out"), (whose, "what", "n", "for_example"), rows)


def aspect_name(aspect: AspectResult) -> str | Message:
    """Return the name that titles begin with."""
    name = aspect.aspect or Message("cell", "labels")
    return Message("cell", "preferences_of", aspect=name) if aspect.pairs else name


def why_not(estimate: Estimate) -> Message:
    """Return why there is no figure, or no interval; empty if both exist."""
    return joined([estimate.reason or estimate.note])


def reworded(found: Estimate) -> Message | None:
    """Return the remark on two columns, the first a judge's and the second people's, in words that say so."""
    remark = found.reason or found.note
    if remark is not None and remark.key in {"first_constant", "second_constant"}:
        who = "judge" if remark.key == "first_constant" else "people"
        return Message("remark", f"{who}_constant", **dict(remark.values))
    return remark


def distinct(*remarks: Message | None) -> Message:
    """Return distinct remarks as one cell."""
    return joined(dict.fromkeys(remarks))


def counted_if(key: str, n: int) -> Message | None:
    """Return the remark with this number, unless it is 0."""
    return Message("remark", key, n=n) if n else None


def easier(one: MetricResult) -> Message | None:
    """Return a remark if the metric excludes declined answers, with whether that makes its set easier or harder."""
    left = one.easier
    if left is None or left.others is None:
        return None
    kind = "equally_easy" if left.mean == left.others else "easier" if left.mean < left.others else "harder"
    of = "mean" if left.right is None else "right"
    return Message("remark", f"{kind}_set_{of}", n=left.n, right=left.right, mean=left.mean, others=left.others)


def measure_name(by: str) -> Message:
    """Return the ranking figure's name in words."""
    return Message("column", "kendall_tau_b" if by == "kendall" else by)
