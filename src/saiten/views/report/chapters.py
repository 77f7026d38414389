"""The chapters of a report, which depend on the contents of the runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from saiten.choices import ScoreBy
from saiten.dialogue.outcomes import outcomes_of
from saiten.dialogue.reading import read_dialogues
from saiten.errors import BadInput
from saiten.records import Label, Usage
from saiten.results.comparable import apart, comparable
from saiten.results.compare import compare_sides
from saiten.results.comparison import Comparison
from saiten.results.figure import Figure
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.place import Place, labeled_place_of
from saiten.results.ranking import Ranking
from saiten.results.sides import Side, side_of, systems_of
from saiten.runs import RunReader
from saiten.trust.agreement import agreement_report
from saiten.trust.inputs.outputs import outputs_of_run
from saiten.trust.inputs.pairing import halves, pair
from saiten.trust.inputs.scales import declared_bounds
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate
from saiten.views.charts.costs import CostRow, costs
from saiten.views.charts.differences import differences
from saiten.views.charts.distributions import distributions
from saiten.views.charts.means import bounds_of, means_charts
from saiten.views.charts.ranking import ranking
from saiten.views.page.chapters import Chapter
from saiten.views.report.answering import AgainstPeople, Tests, answered, systems_apart
from saiten.views.report.tally import Tally, Values
from saiten.views.table import Cell, Interval, Name, Table
from saiten.views.tables.agreement import agreement_glance
from saiten.views.tables.aspect import aspect_bias_tables
from saiten.views.tables.comparison import comparison_table, comparison_tables
from saiten.views.tables.judge import judge_tables
from saiten.views.tables.meta_cells import aspect_name
from saiten.views.tables.meta_evaluation import meta_tables
from saiten.views.tables.run import currency_of, run_tables
from saiten.words import Message, joined

_COMPARED_AT_MOST = 12
"""Maximum systems of a run that are compared with its first one."""
_DRAWN_AT_MOST = 3
"""Maximum charts of means in the overview, as many as are open above a folded table."""
_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def overview(tallies: Sequence[Tally], tests: Tests, people: AgainstPeople | None = None) -> Chapter:
    """Return the report's answers, the means of several runs side by side, and one row per run."""
    unfinished = [
        Message("report", "unfinished", run=one.name, scores=one.scores, expected=one.expected)
        for one in tallies
        if one.unfinished
    ]
    tables = [*([_side_by_side(tallies)] if len(tallies) > 1 else []), _runs(tallies), _begun(tallies)]
    offline = any(only_words(one.summary.signatures.values()) for one in tallies)
    lead = joined([*unfinished, ONLY_WORDS if offline else None], "sentences")
    return Chapter(Message("report", "overview"), tables, lead, answered(tallies, tests, people))


def _runs(tallies: Sequence[Tally]) -> Table:
    columns = ("run", "judge", "samples", "systems", "languages", "scores", "measured", "of")
    rows: list[tuple[Cell, ...]] = [
        (
            one.name,
            str(one.reader.manifest.settings.get("judge") or ""),
            len(one.facts.places),
            len(one.facts.systems) or None,
            ", ".join(f"{name}: {n}" for name, n in one.facts.languages.items()),
            one.scores,
            one.measured,
            one.expected,
        )
        for one in tallies
    ]
    return Table(Message("title", "runs"), columns, tuple(rows), (Message("caption", "runs"),))


def _begun(tallies: Sequence[Tally]) -> Table:
    """Return the table of start times, shown in the page's footer like all tables with this one column."""
    manifests = [(one.name, one.reader.manifest) for one in tallies]
    rows = tuple(
        (Message("report", "begun", run=name, time=made.created, version=made.versions.get("saiten", "–")),)
        for name, made in manifests
    )
    return Table(Message("title", "begun"), ("signature",), rows)


def _side_by_side(tallies: Sequence[Tally]) -> Table:
    """Return every metric of every run, including those without values; metrics that runs share are grouped."""
    metrics = dict.fromkeys(metric for one in tallies for metric in (*one.summary.signatures, *one.metrics))
    found: list[tuple[str, Figure]] = []
    rows: list[tuple[Cell, ...]] = []
    for metric in metrics:
        for one in tallies:
            if metric in one.metrics:
                whole = one.summary.overall(metric)
                # A mean over several systems describes none of them, so theirs are drawn.
                parts = [f for f in one.summary.figures if f.metric == metric and f.system is not None]
                parts = parts if systems_apart(one) else []
                found += [(f"{one.name} · {f.system}", f) for f in parts] or [(one.name, whole)]
                for f in (*parts, whole):
                    system = Name(f.system) if f.system else Message("cell", "all")
                    rows.append((metric, one.name, system, f.mean, f.low, f.high, f.n, f.total))
            elif metric in one.summary.signatures:
                rows.append((metric, one.name, Message("cell", "all"), None, None, None, 0, len(one.facts.places)))
    columns: tuple[str, ...] = ("metric", "run", "system", "mean", "ci_low", "ci_high", "n", "of")
    if not any(map(systems_apart, tallies)):
        columns, rows = (*columns[:2], *columns[3:]), [(*row[:2], *row[3:]) for row in rows]
    charts = means_charts(found)
    captions = [Message("caption", "means_of_runs")]
    if len(charts) > _DRAWN_AT_MOST:
        captions.append(Message("caption", "first_drawn"))
    interval = Interval("mean", "ci_low", "ci_high")
    drawn = tuple(charts[:_DRAWN_AT_MOST])
    return Table(Message("title", "means_of_runs"), columns, tuple(rows), tuple(captions), (interval,), drawn)


def run_chapter(one: Tally) -> Chapter:
    """Return everything that `saiten show` shows of a run, with charts of its means and distributions."""
    tables = run_tables(one.reader, one.summary)
    of_systems = [(str(f.system), f) for f in one.summary.figures if f.system is not None]
    overall = [("", f) for f in one.summary.figures if f.overall]
    drawn = "by_system" if of_systems else "scores"
    tables = [
        replace(table, charts=tuple(means_charts(of_systems or overall))) if table.key == drawn else table
        for table in tables
    ]
    at = next((at for at, table in enumerate(tables) if table.key not in {"scores", "by_system", "by_group"}), 0)
    tables.insert(at, _distributions(one.values))
    # Signatures of several runs are together in the page's footer.
    title = Message("title", "signatures_of", run=one.name)
    tables = [replace(table, title=title) if table.key == "signatures" else table for table in tables]
    return Chapter(Message("report", "run", run=one.name), [table for table in tables if table.rows])


def _distributions(values: Values) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for metric, of in values.items():
        for system, numbers in sorted(of.items()):  # the order of the tables by system
            quarters = np.quantile(np.frombuffer(numbers), _QUARTERS).tolist()
            without = Message("cell", "all") if len(of) == 1 else "–"
            rows.append((metric, Name(system) or without, len(numbers), *quarters))
    columns = ("metric", "system", "n", "lowest", "lower_quarter", "median", "upper_quarter", "highest")
    charts = tuple(distributions(metric, dict(sorted(of.items())), bounds_of(metric)) for metric, of in values.items())
    return Table(Message("title", "distributions"), columns, tuple(rows), charts=charts)


def compared(tallies: Sequence[Tally]) -> Tests:
    """Run paired tests: of runs that share samples, the first being the baseline, and of systems within runs."""
    tables, notes = list[Table](), list[Message]()
    runs: list[Comparison] = []
    systems: dict[str, tuple[Comparison, ...]] = {}
    if len(tallies) > 1:
        readers = {one.name: one.reader for one in tallies}
        groups = list(comparable([side_of(one.reader, one.name) for one in tallies]))
        for group in groups:
            names = [side.title for side in group]
            if len(group) > 1:
                found = compare_sides(group)
                runs += found
                made = comparison_tables([readers[name] for name in names], names=names, found=found)
                tables += [*_drawn(found, made), *made[len(found) :]]
        if alone := _alone(groups):
            notes.append(Message("report", "alone", sides=alone))
    for one in tallies:
        sides = systems_of(one.reader)
        if len(sides) > _COMPARED_AT_MOST:
            notes.append(Message("report", "more_systems", n=len(sides), most=_COMPARED_AT_MOST))
        groups = list(comparable(sides[:_COMPARED_AT_MOST]))
        found = [each for group in groups for each in compare_sides(group)]
        systems[one.name] = tuple(found)
        if alone := _alone(groups):
            notes.append(Message("report", "systems_apart", run=one.name, sides=alone))
        drawn = _drawn(found, [comparison_table(each) for each in found])
        tables += _prefixed(one, drawn) if len(tallies) > 1 else drawn
    return Tests(Chapter(Message("report", "compared"), tables, joined(notes, "sentences")), tuple(runs), systems)


def _prefixed(one: Tally, tables: Sequence[Table]) -> list[Table]:
    return [replace(table, title=_of_run(one, table.title)) for table in tables]


def _of_run(one: Tally, title: str | Message) -> Message:
    return Message("title", "of_run", run=one.name, title=title)


def _alone(groups: Sequence[Sequence[Side]]) -> Message:
    """Explain for each side compared with nothing why it is not compared with the first measured one."""
    sides = [side for group in groups for side in group]
    alone = [group[0] for group in groups if len(group) == 1 and len(sides) > 1]
    by_reason: dict[Message, list[str]] = {}
    for side in alone:
        other = next((one for one in sides if one.measured and one is not side), None)
        why = "unmeasured" if not side.measured else "others" if other is None else apart(other, side)
        named = Message("report", "each_other") if len(sides) == 2 else other.title if other else ""
        by_reason.setdefault(Message("report", f"apart_{why}", side=named), []).append(side.title)
    parts = [
        Message("report", "because", names=joined(names, "listed"), reason=reason)
        for reason, names in by_reason.items()
    ]
    return joined(parts, "clauses")


def _drawn(found: Sequence[Comparison], tables: Sequence[Table]) -> list[Table]:
    """Add charts to the first tables."""
    return [
        replace(table, charts=(*table.charts, differences(each))) for each, table in zip(found, tables, strict=False)
    ]


def against_people(tallies: Sequence[Tally], labels: Sequence[Label], by: ScoreBy = "value") -> AgainstPeople:
    """Compare the metrics of each run that has labeled samples with people, and people with each other.

    If runs have different answers under one id, its labels belong to the first run's, unless they have the digest of an
    answer. `by`: see `outputs_of_run`.

    Raises:
        BadInput: The labels belong to none of the runs, or a run has no expected value.
    """
    tables, errors = list[Table](), list[BadInput]()
    rankings: list[tuple[str | Message, Ranking]] = []
    questions: dict[str, str] = {}
    answers: dict[str, int] = {}
    elsewhere: list[Message] = []
    of_none = {label.answer_digest for label in labels if label.answer_digest}
    for one in tallies:
        items, others = _items(one.reader, answers)
        theirs, revised = _of_this_run(labels, items, others)
        if revised:
            elsewhere.append(Message("report", "another_text", run=one.name, n=len(revised)))
        of_none -= {label.answer_digest for label in theirs}
        outputs = list(outputs_of_run(one.reader, by))
        try:
            aspects = pair(items, outputs, theirs or [label for label in labels if label.answer_digest])
        except BadInput as error:
            errors.append(error)
            continue
        questions |= {identity: item.question for identity, item in items.items()}
        ranked = meta_evaluate(
            aspects, bounds=declared_bounds(column.made.metric for aspect in aspects for column in aspect.columns)
        )
        named = [(aspect_name(each), each.ranking) for each in ranked.aspects if each.ranking and each.ranking.places]
        rankings += [(_of_run(one, name) if len(tallies) > 1 else name, found) for name, found in named]
        charts = iter([ranking(found) for _, found in named])  # in the order of their tables
        made = [
            replace(table, charts=(next(charts),)) if table.key == "ranking" else table
            for table in [*meta_tables(ranked), *judge_tables(ranked), *aspect_bias_tables(ranked)]
        ]
        tables += _prefixed(one, made) if len(tallies) > 1 else made
    if len(errors) == len(tallies):
        raise errors[0]
    if lost := sum(label.answer_digest in of_none for label in labels):
        elsewhere.append(Message("note", "other_answers", n=lost, of=len(labels)))
    tables += [
        replace(table, caption=(*table.caption, Message("caption", "agreement_of_report")))
        if table.key == "agreement"
        else table
        for table in agreement_glance(agreement_report(labels, questions=questions))
    ]
    without = [one.name for one in tallies if questions.keys().isdisjoint(one.facts.places)]
    unpaired = Message("report", "not_paired", runs=", ".join(without)) if without else None
    lead = joined([unpaired, *elsewhere], "sentences")
    return AgainstPeople(Chapter(Message("report", "people"), tables, lead), tuple(rankings))


def _of_this_run(
    labels: Sequence[Label], items: Mapping[str, Place], others: Collection[str]
) -> tuple[list[Label], set[str]]:
    """Return the labels that may be of the run's answers, and the labeled items of which an earlier run has another.

    `others`: all such items. A label with a digest is of the answer that has it, in whatever run.
    """
    theirs, revised = list[Label](), set[str]()
    for label in labels:
        if label.answer_digest:
            other = items[label.item].answer_digest != label.answer_digest if label.item in items else False
        else:
            another = {label.item, *(halves(label.item, items) or ())}.intersection(others)
            revised |= another
            other = bool(another)
        if not other:
            theirs.append(label)
    return theirs, revised


def _items(reader: RunReader, answers: dict[str, int]) -> tuple[dict[str, Place], set[str]]:
    """Return a run's samples, and the ids under which an earlier run has another answer: a label is of one text.

    `answers` maps each id to a digest of its first answer over all runs, and is extended.
    """
    items, others = dict[str, Place](), set[str]()
    for sample in reader.samples():
        items[sample.id] = labeled_place_of(sample)
        if answers.setdefault(sample.id, digest := hash(sample.answer)) != digest:
            others.add(sample.id)
    return items, others


def spent(tallies: Sequence[Tally]) -> Chapter:
    """Return calls, tokens, cost and reuse by run and metric; seconds if any were measured."""
    rows: list[tuple[Cell, ...]] = []
    drawn: list[CostRow] = []
    currency = currency_of(tallies[0].reader)
    for one in tallies:
        total = sum(one.spent.values(), Usage())
        latency = outcomes_of(read_dialogues(one.reader)).latency if one.dialogues else None
        seconds = latency.mean if latency is not None else None
        tokens = total.prompt_tokens + total.completion_tokens
        drawn.append(CostRow(one.name, total.known_cost, seconds, tokens, total.calls, len(one.facts.places)))
        rows.append((one.name, Message("cell", "all"), *_cells(total), seconds))
        rows += [(one.name, metric, *_cells(one.spent[metric]), None) for metric in one.metrics]
    cost = Message("column", "cost", currency=currency)
    used = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", cost, "unpriced", "reused")
    prices = dict.fromkeys(quote.sentence() for one in tallies for quote in one.reader.prices())
    caption = (Message("caption", "spent_by_metric"), *prices)
    charts = (costs(drawn, currency=currency),) if any(row.calls for row in drawn) else ()
    table = Table(
        Message("title", "spent"), ("run", "metric", *used, "mean_seconds"), tuple(rows), caption, charts=charts
    )
    return Chapter(Message("report", "spent"), [table])


def _cells(usage: Usage) -> tuple[Cell, ...]:
    return (usage.calls, *usage.tokens, usage.known_cost, usage.unpriced, usage.reused)
