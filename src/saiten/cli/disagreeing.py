"""The work of `saiten disagreements`: scores or marks compared with labels, and the items that differ most."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from rich.text import Text

from saiten.choices import Format
from saiten.cli.disagreements import DisagreementOptions
from saiten.cli.meta_spans import read_marks
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.reading import read_said, sample_rows
from saiten.cli.subject import JudgeFiles
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.judged.gist_counts import WHICH
from saiten.options import read_columns
from saiten.records import Sample, Score
from saiten.results.disagreements import DisagreementReport
from saiten.results.labeled_answers import of_these_answers
from saiten.results.origin import Origin
from saiten.results.place import digests_of
from saiten.runs import RunReader, read_run
from saiten.trust.disagreements import DisagreementSettings, disagreements
from saiten.trust.inputs.judge_files import read_reasons
from saiten.trust.inputs.outputs import BETWEEN, origin_in
from saiten.trust.inputs.pairing import halves, pair
from saiten.trust.inputs.scales import declared_bounds
from saiten.trust.inputs.sources import run_folder
from saiten.trust.spans.differing import differing_marks
from saiten.views.disagreements.cards import AnswerTexts, CardList, Texts, cards_of, cards_of_marks
from saiten.views.disagreements.screen import print_cards
from saiten.views.gist.screen import legend_of, pen_for, print_lines
from saiten.views.render import render
from saiten.views.strip_controls import clean
from saiten.views.table import Table
from saiten.views.tables.disagreements import (
    count_table,
    disagreement_tables,
    list_captions,
    list_title,
    mark_count_table,
    mark_list_captions,
    mark_list_title,
    mark_tables,
    note_tables,
)
from saiten.views.terminal import print_tables
from saiten.words import Message, in_language, joined
from saiten.words.terminal import terminal_language


def list_values(run: Path, labels: Path, others: JudgeFiles, options: DisagreementOptions, form: Format) -> None:
    """Print the items in which values and labels differ most."""
    items, outputs = others.read(run, options.sample_column)
    said = list(read_said(labels, options.column))
    aspects = pair(items, outputs, said, aspects=options.aspect, grade_zero=options.grade_zero)
    here, _ = of_these_answers(said, digests_of(items))
    settings = DisagreementSettings(
        metrics=options.metrics,
        most=options.most,
        only=options.only,
        system=options.system,
        group=options.group,
        yes_from=options.yes_from,
        tie_margin=options.tie_margin,
    )
    bounds = declared_bounds(column.made.metric for aspect in aspects for column in aspect.columns)
    report = disagreements(aspects, here, settings, bounds=bounds)
    texts = _texts_of(report, items, run, others, options.sample_column)
    _note_lacking([each.item for one in report.lists for each in one.listed or ()], texts, run)
    if form not in {"table", "html"}:
        render(disagreement_tables(report, texts), form, stdout(), _title(run))
        return
    lists = [CardList(list_title(one), list_captions(one, report), list(cards_of(one, texts))) for one in report.lists]
    tables = [count_table(report, glance=form == "table"), *note_tables(report.notes)]
    _show(tables, lists, form, _title(run))


def list_marks(run: Path, labels: Path, others: JudgeFiles, options: DisagreementOptions, form: Format) -> None:
    """Print the answers in which a judge and people marked different units.

    Raises:
        BadInput: there are no judge's marks, or none on the labeled items.
    """
    values = (options.metrics, options.only, options.yes_from, others.verdict_pattern)
    if any(values):
        raise ConfigurationError(
            "--metric, --only, --yes-from and --verdict-pattern apply to values, not to spans; remove them"
        )
    read = read_marks(run, labels, others, options.aspect, options.column, options.sample_column)

    def wanted(item: str) -> bool:
        sample = read.samples.get(item)
        own = (None, None) if sample is None else (sample.system, sample.group)
        return options.system in (None, own[0]) and options.group in (None, own[1])

    found = differing_marks(read.people, read.judges, most=options.most, wanted=wanted)
    if not any(one.counts for one in found):
        raise BadInput(
            f"{run} and {labels} have no item and aspect in common that both a judge and people marked; `saiten "
            "meta-evaluate --spans` shows what either side has"
        )
    shown = {each.item for one in found for each in one.listed}
    texts = {item: AnswerTexts(read.samples[item], {}) for item in shown if item in read.samples}
    _note_lacking(shown, texts, run)
    if form not in {"table", "html"}:
        render(mark_tables(found, texts), form, stdout(), _title(run))
        return
    lists = [CardList(mark_list_title(one), mark_list_captions(one), list(cards_of_marks(one, texts))) for one in found]
    _show([mark_count_table(found, glance=form == "table")], lists, form, _title(run), legend=True)


def _note_lacking(listed: Collection[str], texts: Texts, run: Path) -> None:
    """Report how many of the listed items have no texts."""
    lacking = [item for item in listed if item not in texts and halves(item, texts) is None]
    if lacking:
        notifier(stderr())(
            f"{run} has no sample of {len(lacking)} of {len(listed)} listed items, for example {lacking[0]!r}: they "
            "are listed without texts"
        )


def _title(run: Path) -> str:
    return in_language(Message("title", "disagreements_in", run=run.name), terminal_language())


def _show(
    tables: Sequence[Table], lists: Sequence[CardList], form: Format, title: str, *, legend: bool = False
) -> None:
    """Show the tables, then the cards, on the terminal or as a page. `legend`: explain the signs of gist."""
    out, language = stdout(), terminal_language()
    if form == "html":
        from saiten.views.disagreements.page import write_card_page

        write_card_page(tables, lists, out.file, title=title, language=language, gist=legend)
        return
    print_tables(tables, out)
    if legend:
        print_lines([legend_of(pen_for(out), WHICH)], out)
        out.print()
    for each in lists:
        out.print(Text(clean(in_language(each.title, language)), "bold"))
        print_lines([Text(in_language(joined(each.captions, "sentences"), language), "dim")], out, indent=0)
        out.print()
        print_cards(each.cards, out)


def _texts_of(
    report: DisagreementReport, items: Mapping[str, object], run: Path, others: JudgeFiles, columns: Sequence[str]
) -> Texts:
    """Read the listed answers and their scores; of the others, nothing is kept."""
    wanted: set[str] = set()
    for each in (each for one in report.lists for each in one.listed or ()):
        wanted |= {each.item} if each.item in items else {*(halves(each.item, items) or ())}
    runs = [read_run(folder, notify=lambda _: None) for path in (run, *others.judges) if (folder := run_folder(path))]
    samples: dict[str, Sample] = {}
    for sample in (each for reader in runs for each in reader.samples()):
        if sample.id in wanted:
            samples.setdefault(sample.id, sample)
    if run_folder(run) is None:
        rows = sample_rows(run, columns)
        samples |= {row.id: row for row in rows if isinstance(row, Sample) and row.id in wanted}
    scores: dict[str, dict[str, Score]] = {}
    for reader in runs:
        for item, metric, score in _named_scores(reader, report, wanted):
            scores.setdefault(item, {}).setdefault(metric, score)
    for item, metric, score in _reasons_in_files(report, others, wanted):
        scores.setdefault(item, {}).setdefault(metric, score)
    return {item: AnswerTexts(sample, scores.get(item, {})) for item, sample in samples.items()}


def _named_scores(
    reader: RunReader, report: DisagreementReport, wanted: Collection[str]
) -> Iterator[tuple[str, str, Score]]:
    """Yield the scores of the items by the metric's names in the report, else by its own."""
    values = {(each.item, one.metric): each.judge for one in report.lists for each in one.listed or ()}
    columns: dict[Origin, str] = {one.made: one.metric for one in report.lists}
    for one in reader.scores():
        if one.sample not in wanted:
            continue
        judge = origin_in(reader, one.metric).judge
        names = [
            name
            for made, name in columns.items()
            # Equal names and judges are those of several runs: the value says whose the score is.
            if (made.metric, made.judge) == (one.metric, judge)
            and values.get((one.sample, name)) in (one.score.value, one.score.expected)
        ]
        for name in names or [one.metric]:
            yield one.sample, name, one.score


def _reasons_in_files(
    report: DisagreementReport, others: JudgeFiles, wanted: Collection[str]
) -> Iterator[tuple[str, str, Score]]:
    """Yield item, name in the report and reason, as a score, of the judges in files."""
    columns = read_columns(others.judge_column, "--judge-column")
    for path in others.judges:
        if run_folder(path) is not None:
            continue
        for item, name, why in read_reasons(path, wanted, columns=columns, pattern=others.verdict_pattern):
            for one in report.lists:
                if name in (one.metric, one.made.metric, f"{one.made.metric}{BETWEEN}{one.made.judge}"):
                    yield item, one.metric, Score(None, "undefined", why)
