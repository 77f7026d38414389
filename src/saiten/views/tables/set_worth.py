"""What a test set is worth, as tables: its questions, what they cover, how difficult they are, and what they show."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from saiten.results.set_difficulty import ItemFigures, SetDifficulty
from saiten.results.set_pairs import MOST_SYSTEMS
from saiten.results.set_scores import SetScores
from saiten.results.set_worth import MeasuredSet, SetWorth
from saiten.stats.estimate import bootstrap_mean
from saiten.testsets.asked_about import AskedBase
from saiten.testsets.items import SetItem
from saiten.views.charts.asked_documents import asked_documents_charts
from saiten.views.charts.set_items import difficulty_charts, kind_word
from saiten.views.table import Cell, Heading, Interval, Table, Unbroken
from saiten.views.tables.interval_columns import Cells, IntervalColumns
from saiten.views.tables.worth_findings import worth_findings
from saiten.words import Message, joined

GLANCED = 10
"""Rows of long tables in the terminal; other forms have all."""

_UNKNOWN = Message("cell", "unknown")


def worth_tables(worth: SetWorth, *, glance: bool = False) -> list[Table]:
    """Return all tables of a test set's worth, what follows from them first.

    `glance`: for the terminal, with intervals as text and long tables cut.
    """
    tables = [_questions(worth.items)]
    if worth.base is not None:
        tables += _coverage(worth.base, glance=glance)
    if worth.measured is not None:
        tables += _MeasuredTables(worth.measured, glance).tables()
    findings = tuple((each,) for each in worth_findings(worth))
    return [*([Table(Message("title", "worth"), ("note",), findings)] if findings else ()), *tables]


def _questions(items: Sequence[SetItem]) -> Table:
    """Return the number of questions by kind, language, difficulty and decision."""
    counts: Mapping[str, Counter[Cell]] = {
        "kind": Counter(kind_word(item.kind) for item in items),
        "language": Counter(Message("language", item.language) for item in items),
        "difficulty": Counter(_difficulty(item) for item in items),
        "decision": Counter(_decision(item) for item in items),
    }
    rows = [
        (Message("column", by), value, n, n / len(items))
        for by, of in counts.items()
        if by in {"kind", "language"} or of.keys() - {_UNKNOWN, Message("decision", "undecided")}
        for value, n in of.most_common()
    ]
    return Table(Message("title", "set_questions"), ("by", "value", "questions", "share"), tuple(rows))


def _difficulty(item: SetItem) -> Cell:
    said = item.made.get("difficulty", "")
    return Message("difficulty", said) if said in {"easy", "medium", "hard"} else said or _UNKNOWN


def _decision(item: SetItem) -> Message:
    """Return what people decided: the adjudicated verdict, or the one that all share."""
    settling = [each for each in item.decisions if each.adjudicated][-1:] or item.decisions
    verdicts = {each.verdict for each in settling}
    return Message("decision", "undecided" if not verdicts else "differ" if len(verdicts) > 1 else verdicts.pop())


def _coverage(base: AskedBase, *, glance: bool) -> list[Table]:
    """Return the counts over the base, and its documents, the one with the most chunks without a question first."""
    counts = {
        "documents_in_base": len(base.documents),
        "documents_asked": base.asked_documents,
        "chunks_in_base": base.chunks,
        "chunks_asked": base.asked_chunks,
        "questions_placed": base.questions,
        **{f"unplaced_{why}": n for why, n in base.unplaced.items()},
    }
    numbers = tuple((Message("cell", key), n) for key, n in counts.items())
    ordered = sorted(base.documents, key=lambda each: (each.asked - len(each.chunks), each.source))
    rows = tuple(
        (
            each.source,
            each.length,
            len(each.chunks),
            each.asked,
            each.asked / len(each.chunks) if each.chunks else None,
            each.questions,
        )
        for each in ordered
    )
    columns = ("document", "characters", "chunks", "chunks_asked", "share", "questions")
    return [
        Table(
            Message("title", "set_coverage"),
            ("what", "number"),
            numbers,
            (Message("caption", "set_coverage"),),
            charts=asked_documents_charts(base),
        ),
        _glanced(Table(Message("title", "asked_documents"), columns, rows, folded=True), glance=glance),
    ]


@dataclass(frozen=True, slots=True)
class _MeasuredTables:
    """The tables of scores; `glance`: for the terminal, with intervals as text and long tables cut."""

    measured: MeasuredSet
    glance: bool

    @property
    def scores(self) -> SetScores:
        return self.measured.scores

    @property
    def difficulty(self) -> SetDifficulty:
        return self.measured.difficulty

    def tables(self) -> list[Table]:
        tables = [
            self.systems(),
            self.difficulties(),
            *(self.comparisons() if self.measured.pairs else ()),
            *self.looked_at(),
        ]
        return [_glanced(table, glance=self.glance) for table in tables]

    def systems(self) -> Table:
        """Return the mean of each system on the set, and why values are missing."""
        rows: list[Cells] = []
        for system in self.scores.systems:
            items = list(system.values)
            mean = bootstrap_mean(list(system.values.values()), [self.scores.clusters[item] for item in items])
            missing = joined(
                [
                    Message("remark", "with_status", n=n, status=Message("status", why))
                    for why, n in system.missing.items()
                ]
            )
            of = len(self.scores.items)
            rows.append((system.name, mean.value, *self._ends(mean.low, mean.high), mean.n, of, missing))
        columns = ("system", "mean", *self._interval, "n", "of", "remarks")
        title = Message("title", "set_systems", metric=self.scores.metric)
        return Table(title, columns, tuple(rows), self.scores.remarks, self._merged("mean"))

    def difficulties(self) -> Table:
        """Return the difficulty of all questions, and of each kind."""
        ends = self.scores.best is not None
        alike = len(self.scores.systems) > 1
        rows: list[Cells] = []
        for row in self.difficulty.rows:
            kind = Message("cell", "all") if row.kind is None else kind_word(row.kind)
            mean = (row.mean.value, *self._ends(row.mean.low, row.mean.high))
            counts = (*((row.easy, row.hard) if ends else ()), *((row.alike,) if alike else ()))
            rows.append((kind, row.n, row.of, *mean, *(row.quartiles or (None, None, None)), *counts))
        quartiles = ("lower_quarter", "median", "upper_quarter")
        counted = (*(("all_best", "all_worst") if ends else ()), *(("separate_none",) if alike else ()))
        return Table(
            Message("title", "set_difficulty"),
            ("kind", "n", "of", "mean", *self._interval, *quartiles, *counted),
            tuple(rows),
            (Message("caption", "set_difficulty", margin=self.difficulty.margin),),
            self._merged("mean"),
            difficulty_charts(self.scores, self.difficulty),
        )

    def comparisons(self) -> tuple[Table, Table]:
        """Return each pair of systems, and the number of questions that each of the differences takes."""
        columns: tuple[Heading, ...] = (
            "first",
            "second",
            "difference",
            *self._interval,
            "sd",
            "questions",
            "differing",
        )
        rows, needed = list[Cells](), list[Cells]()
        for each in self.measured.pairs:
            names = (each.first, each.second)
            difference = (each.pairs.difference, *self._ends(each.pairs.low, each.pairs.high))
            rows.append(
                (
                    *names,
                    *difference,
                    each.spread.sd,
                    each.spread.n,
                    each.spread.differing,
                    each.visible,
                    each.pairs.note,
                )
            )
            for one in each.needed:
                needed.append((*names, one.difference, one.n, *self._whole_ends(one.low, one.high)))
        captions = [Message("caption", "visible", percent=100 * self.measured.power)]
        if len(self.scores.systems) > MOST_SYSTEMS:
            captions.append(Message("caption", "first_systems", n=len(self.scores.systems), most=MOST_SYSTEMS))
        return (
            Table(
                Message("title", "set_pairs"),
                (*columns, "visible", "remarks"),
                tuple(rows),
                tuple(captions),
                self._merged("difference"),
            ),
            Table(
                Message("title", "questions_needed"),
                ("first", "second", "to_see", "questions_needed", *self._interval),
                tuple(needed),
                (Message("caption", "questions_needed", percent=100 * self.measured.power),),
                self._merged("questions_needed"),
            ),
        )

    def looked_at(self) -> Iterator[Table]:
        """Yield the questions that separate no two systems, those on which better systems score lower, and all.

        The terminal has only the first two.
        """
        ordered = sorted(self.difficulty.items, key=lambda each: (each.mean, each.item.id))
        alike = [*filter(self.difficulty.alike, ordered)]
        if alike:
            yield self._items("alike_items", alike)
        if self.difficulty.reversed:
            yield self._items(
                "reversed_items", sorted(self.difficulty.reversed, key=lambda each: each.discrimination or 0)
            )
        if ordered and not self.glance:
            yield self._items("all_items", ordered)

    def _items(self, key: str, items: Sequence[ItemFigures]) -> Table:
        ranked = self.difficulty.ranked and key != "alike_items"
        rows = tuple(
            (
                each.item.id,
                kind_word(each.item.kind),
                each.item.question,
                each.mean,
                min(each.values),
                max(each.values),
                *((each.discrimination,) if ranked else ()),
            )
            for each in items
        )
        columns = ("sample", "kind", "question", "mean", "lowest", "highest", *(("discrimination",) if ranked else ()))
        return Table(Message("title", key), columns, rows, (Message("caption", key),), folded=True)

    @property
    def _interval(self) -> tuple[str, ...]:
        return ("interval",) if self.glance else ("ci_low", "ci_high")

    def _ends(self, low: float | None, high: float | None) -> Cells:
        return IntervalColumns(numbers=not self.glance).ends(low, high)

    def _whole_ends(self, low: int | None, high: int | None) -> Cells:
        return (Unbroken("–" if low is None else f"[{low}, {high or '…'}]"),) if self.glance else (low, high)

    def _merged(self, figure: str) -> tuple[Interval, ...]:
        return () if self.glance else (Interval(figure, "ci_low", "ci_high"),)


def _glanced(table: Table, *, glance: bool) -> Table:
    """Cut a folded table for the terminal, and say so."""
    more = len(table.rows) - GLANCED
    if not glance or not table.folded or more <= 0:
        return table
    caption = (*table.caption, Message("caption", "more_rows", n=more))
    return Table(table.title, table.columns, table.rows[:GLANCED], caption, table.intervals, table.charts, table.folded)
