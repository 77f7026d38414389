"""The chapters of a report: what stands in it follows from what the runs hold."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from saiten.dialogue.outcomes import outcomes_of
from saiten.dialogue.reading import read_dialogues
from saiten.errors import BadInput
from saiten.journal import RunReader
from saiten.meta_evaluation.agreement import agreement_report
from saiten.meta_evaluation.outputs import item_of, outputs_of
from saiten.meta_evaluation.pairing import pair
from saiten.meta_evaluation.report import meta_evaluate
from saiten.meta_evaluation.scales import declared_bounds
from saiten.records import Label, Language, Usage
from saiten.reports.agreement_tables import agreement_glance
from saiten.reports.comparison import compare_runs, side_tables, systems_of
from saiten.reports.languages import in_japanese
from saiten.reports.meta_tables import meta_tables, ranking_title
from saiten.reports.page import Chapter
from saiten.reports.report.charted import (
    costs_chart,
    differences_chart,
    distribution_charts,
    means_chart,
    ranking_chart,
)
from saiten.reports.report.tally import Tally, Values
from saiten.reports.report.words import WORDS
from saiten.reports.run_tables import currency_of, run_tables
from saiten.reports.tables import Cell, Name, Table

_COMPARED_AT_MOST = 12
"""Systems of a run that are compared with its first one."""
_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def overview(tallies: Sequence[Tally], language: Language) -> Chapter:
    """Each run in a row; of several runs their means side by side."""
    words = WORDS[language]
    lead = " ".join(words["unfinished"].format(one.name, one.scores, one.expected) for one in tallies if one.unfinished)
    tables = [_runs(tallies)]
    shared = _shared(tallies)
    if shared:
        tables.append(_side_by_side(tallies, shared, language))
    return Chapter(words["overview"], tables, lead)


def _runs(tallies: Sequence[Tally]) -> Table:
    columns = ("run", "judge", "samples", "systems", "groups", "languages", "scores", "of", "begun", "saiten")
    rows: list[tuple[Cell, ...]] = [
        (
            one.name,
            _judge(one.reader),
            len(one.told.places),
            len(one.told.systems) or None,
            one.told.groups or None,
            ", ".join(f"{name}: {n}" for name, n in one.told.languages.items()),
            one.scores,
            one.expected,
            one.reader.manifest.created,
            one.reader.manifest.versions.get("saiten", ""),
        )
        for one in tallies
    ]
    caption = "Of: samples that were read times metrics. How the figures were made stands at the page's foot."
    return Table("Runs", columns, tuple(rows), caption)


def _judge(reader: RunReader) -> str:
    judge = reader.manifest.settings.get("judge")
    name = judge.get("name", judge) if isinstance(judge, dict) else judge
    return "" if name is None else str(name)


def _shared(tallies: Sequence[Tally]) -> list[str]:
    """Metrics that two runs have."""
    return [
        metric
        for metric in dict.fromkeys(metric for one in tallies for metric in one.values)
        if sum(metric in one.values for one in tallies) > 1
    ]


def _side_by_side(tallies: Sequence[Tally], shared: Sequence[str], language: Language) -> Table:
    figures = [(one.name, one.summary.overall(metric)) for metric in shared for one in tallies if metric in one.values]
    columns = ("metric", "run", "mean", "95 % from", "to", "n", "of")
    rows = tuple((f.metric, name, f.mean, f.low, f.high, f.n, f.total) for name, f in figures)
    return Table(
        "Means of the runs",
        columns,
        rows,
        "Each over its own samples; whether a difference is real is told further below.",
        charts=(means_chart(figures, language),),
    )


def run_chapter(one: Tally, language: Language) -> Chapter:
    """Everything that `saiten show` shows of a run, with its means and distributions drawn."""
    tables = run_tables(one.reader, one.summary)
    of_systems = [(str(f.system), f) for f in one.summary.figures if f.system is not None]
    overall = [("", f) for f in one.summary.figures if f.system is None and f.group is None]
    drawn = "By system" if of_systems else "Scores"
    tables = [
        replace(table, charts=(means_chart(of_systems or overall, language),)) if table.title == drawn else table
        for table in tables
    ]
    at = next((at for at, table in enumerate(tables) if table.title not in {"Scores", "By system", "By group"}), 0)
    tables.insert(at, _distributions(one.values, language))
    # Signatures of several runs stand together at the foot of the page.
    tables = [replace(t, title=f"{t.title}: {one.name}") if t.columns == ("signature",) else t for t in tables]
    return Chapter(WORDS[language]["run"].format(one.name), [table for table in tables if table.rows])


def _distributions(values: Values, language: Language) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for metric, of in values.items():
        for system, numbers in of.items():
            quarters = np.quantile(np.frombuffer(numbers), _QUARTERS)
            rows.append((metric, Name(system) or "all", len(numbers), *(float(each) for each in quarters)))
    columns = ("metric", "system", "n", "lowest", "lower quarter", "median", "upper quarter", "highest")
    return Table("Distributions", columns, tuple(rows), charts=tuple(distribution_charts(values, language)))


def compared(tallies: Sequence[Tally], language: Language) -> Chapter:
    """Paired tests: runs that share samples, the first of them as the yardstick; systems within each run."""
    words, tables, notes, alone = WORDS[language], list[Table](), list[str](), list[str]()
    for group in _comparable(tallies):
        if len(group) > 1:
            tables += _drawn(compare_runs([one.reader for one in group], names=[one.name for one in group]), language)
        else:
            alone.append(group[0].name)
    if len(tallies) > 1 and alone:
        notes.append(words["alone"].format(", ".join(alone)))
    for one in tallies:
        sides = systems_of(one.reader)
        if len(sides) > _COMPARED_AT_MOST:
            notes.append(words["more_systems"].format(len(sides), _COMPARED_AT_MOST))
        try:
            found = side_tables(sides[:_COMPARED_AT_MOST]) if sides else []
        except BadInput as error:
            why = in_japanese("error", str(error)) if language == "ja" else None
            notes.append(words["systems_apart"].format(one.name, why or error))
            continue
        found = _drawn(found, language)
        tables += [replace(table, title=f"{one.name}: {table.title}") for table in found] if len(tallies) > 1 else found
    return Chapter(words["compared"], tables, " ".join(notes))


def _comparable(tallies: Sequence[Tally]) -> Iterator[list[Tally]]:
    """The runs in groups: each has a metric and a sample in common with the first of its group."""
    left = list(tallies)
    while left:
        first, *others = left
        group = [first, *(one for one in others if _share(first, one))]
        left = [one for one in others if one not in group]
        yield group


def _share(one: Tally, other: Tally) -> bool:
    return (
        one.dialogues == other.dialogues
        and any(metric in other.values for metric in one.values)
        and any(sample in other.told.places for sample in one.told.places)
    )


def _drawn(tables: Iterable[Table], language: Language) -> list[Table]:
    return [
        replace(table, charts=(*table.charts, differences_chart(table, language)))
        if table.columns[:2] == ("metric", "difference")
        else table
        for table in tables
    ]


def against_people(tallies: Sequence[Tally], labels: Sequence[Label], language: Language) -> Chapter:
    """The metrics of each run that has labelled samples beside people, and people beside each other.

    Raises:
        BadInput: the labels belong to none of the runs.
    """
    words, tables, notes = WORDS[language], list[Table](), list[BadInput]()
    questions: dict[str, str] = {}
    for one in tallies:
        items = {sample.id: item_of(sample) for sample in one.reader.samples()}
        try:
            aspects = pair(items, outputs_of(one.reader.scores()), labels)
        except BadInput as error:
            notes.append(error)
            continue
        questions |= {identity: item.question for identity, item in items.items()}
        ranked = meta_evaluate(
            aspects, bounds=declared_bounds(column.metric for aspect in aspects for column in aspect.columns)
        )
        charts = {ranking_title(aspect): ranking_chart(aspect, language) for aspect in ranked.aspects}
        found = [
            replace(table, charts=(chart,)) if (chart := charts.get(table.title)) is not None else table
            for table in meta_tables(ranked)
        ]
        tables += [replace(t, title=f"{one.name}: {t.title}") for t in found] if len(tallies) > 1 else found
    if len(notes) == len(tallies):
        raise notes[0]
    tables += agreement_glance(agreement_report(labels, questions=questions))
    without = [one.name for one in tallies if not any(identity in questions for identity in one.told.places)]
    lead = words["not_paired"].format(", ".join(without)) if without else ""
    return Chapter(words["people"], tables, lead)


def spent(tallies: Sequence[Tally], language: Language) -> Chapter:
    """Calls, tokens, cost and what was reused, by run and metric; seconds where something was measured."""
    rows: list[tuple[Cell, ...]] = []
    drawn: list[tuple[str, Usage, float | None, int]] = []
    currency = currency_of(tallies[0].reader)
    for one in tallies:
        total = sum(one.spent.values(), Usage())
        seconds = None
        if one.dialogues:
            outcomes = outcomes_of(read_dialogues(one.reader))
            latency = outcomes.latency
            seconds = latency.mean if latency is not None else None
        drawn.append((one.name, total, seconds, len(one.told.places)))
        rows.append((one.name, "all", *_cells(total), seconds))
        rows += [(one.name, metric, *_cells(one.spent[metric]), None) for metric in one.metrics]
    columns = (
        "run",
        "metric",
        "calls",
        "prompt tokens",
        "completion tokens",
        f"cost ({currency})",
        "calls without a known price",
        "reused",
        "mean s",
    )
    caption = (
        "A step that several metrics share is paid by the one that asked first. Reused: answers that cost nothing. "
        "Seconds: of a system's answers, where they were measured."
    )
    charts = (costs_chart(drawn, currency, language),) if any(usage.calls for _, usage, _, _ in drawn) else ()
    return Chapter(WORDS[language]["spent"], [Table("What it took", columns, tuple(rows), caption, charts=charts)])


def _cells(usage: Usage) -> tuple[Cell, ...]:
    cost = None if usage.unpriced and not usage.cost else usage.cost
    return (usage.calls, usage.prompt_tokens, usage.completion_tokens, cost, usage.unpriced, usage.reused)
