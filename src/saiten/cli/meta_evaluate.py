"""`saiten meta-evaluate`: how far can the metrics be trusted?"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.choices import TIE_MARGIN, GradeZero, SplitBy, SystemsOver, Unmeasured
from saiten.cli.data_options import SAMPLE_COLUMN, SampleColumnOption, read_columns
from saiten.cli.left_out import usable
from saiten.cli.meta_spans import span_report
from saiten.cli.output import FormatOption, stderr, stdout, told
from saiten.cli.subject import JudgeColumnOption, JudgesOption, Subject, VerdictPatternOption
from saiten.data import read_labels
from saiten.errors import ConfigurationError
from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.runs import read_run
from saiten.trust.inputs.judge_files import read_system_pairs
from saiten.trust.inputs.pairing import pair
from saiten.trust.inputs.scales import declared_bounds
from saiten.trust.inputs.sources import run_folder
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate
from saiten.views.table import render
from saiten.views.tables.aspect import aspect_bias_tables, preference_tables
from saiten.views.tables.judge import judge_tables
from saiten.views.tables.meta_evaluation import meta_tables
from saiten.views.tables.span import span_tables

app = typer.Typer(add_completion=False)

GradeZeroOption = Annotated[
    GradeZero,
    typer.Option(
        help="A label of 0: the answer declines (says that it does not know) and is left out, or is the lowest grade. "
        "auto: declined for graded correctness (0 to 5), else the lowest."
    ),
]


@app.command(name="meta-evaluate", no_args_is_help=True)
def command(
    run: Annotated[Path, typer.Argument(help="The folder of a run; or a file of samples, to grade --judges alone.")],
    labels: Annotated[Path, typer.Argument(help="JSONL, CSV, …: item, value, annotator, aspect, adjudicated.")],
    judges: JudgesOption = None,
    aspect: Annotated[list[str] | None, typer.Option("--aspect", "-a", help="Only this aspect. Repeatable.")] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            "--rank-by",
            help="Rank by pearson, spearman, kendall, auroc, kappa, agreement, f1, macro_f1, balanced_accuracy, "
            "(grades) linear_kappa, quadratic_kappa or (preferences) accuracy, macro_f1. Default: auroc for yes/no, "
            "else pearson.",
        ),
    ] = None,
    yes_from: Annotated[float | None, typer.Option(help="Grades become decisions: this and above is a yes.")] = None,
    unmeasured: Annotated[
        Unmeasured,
        typer.Option(help="In decisions, an item that a metric has no value for is left out, wrong, the worst, a tie."),
    ] = "left-out",
    systems_over: Annotated[
        SystemsOver,
        typer.Option(
            help="A system's mean by people: over the items that the metric measured (common), or all they rated."
        ),
    ] = "common",
    system_pairs: Annotated[
        Path | None,
        typer.Option(
            help="A file of pairs of systems (columns first, second): only their order counts, not all pairs'."
        ),
    ] = None,
    split_by: Annotated[
        SplitBy | None,
        typer.Option(
            help="Every figure also for each group of samples (--sample-column group=COLUMN), or each system."
        ),
    ] = None,
    grade_zero: GradeZeroOption = "auto",
    tie_margin: Annotated[
        float, typer.Option(min=0.0, help="Preferences: a score difference up to this is a tie.")
    ] = TIE_MARGIN,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap rounds.")] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Of bootstrap and permutations.")] = 0,
    column: Annotated[list[str] | None, typer.Option(help="FIELD=COLUMN of the labels. Repeatable.")] = None,
    sample_column: SampleColumnOption = None,
    judge_column: JudgeColumnOption = None,
    verdict_pattern: VerdictPatternOption = None,
    spans: Annotated[
        bool,
        typer.Option("--spans", help="Hold the units that the gist metric found against spans that people marked."),
    ] = False,
    form: FormatOption = "table",
) -> None:
    r"""Hold every metric of a run, and other judges' outputs, against what people said.

    Correlations over items and systems, decisions, bias, the human ceiling, and a ranking in which metrics that are not
    significantly apart share a letter. Labels of pairs of answers (item `ID vs ID`, -2 … 2) are compared as
    preferences. Items on one side only are counted and shown. Runs and files that have the same metric are compared
    side by side, each named after its judge and evidence: correctness · openai:m · reference.

    With --spans: precision, recall and F of marked units, by characters, and how far people agree on them. RUN is a run
    with gist scores, or a file of a judge's spans in the form of labels; further ones by --judges.

    Examples:
      saiten meta-evaluate runs/first labels.jsonl
      saiten meta-evaluate runs/first labels.csv --aspect faithful --judges gpt4.jsonl
      saiten meta-evaluate runs/first labels.csv --yes-from 4 --by kappa --unmeasured wrong
      saiten meta-evaluate samples.jsonl labels.jsonl --judges judges.csv --format latex
      saiten meta-evaluate runs/first labels.csv --split-by group --system-pairs pairs.csv
      saiten meta-evaluate runs/small labels.jsonl --judges runs/medium --judges runs/large
      saiten meta-evaluate samples.jsonl labels.jsonl --judges replies.jsonl --verdict-pattern 'Final score: (\[0-5])'
      saiten meta-evaluate runs/gist spans.jsonl --spans --judges runs/gist-by-people
    """
    notes = stderr()
    if spans:
        given = (by, yes_from, verdict_pattern, system_pairs, split_by)
        if any(each is not None for each in given):
            raise ConfigurationError(
                "--by, --yes-from, --verdict-pattern, --system-pairs and --split-by are about values, not about spans; "
                "leave them out"
            )
        marked = read_said(labels, read_columns(column or []), notes)
        report = span_report(
            run,
            labels,
            list(marked),
            judges or (),
            aspects=aspect or (),
            resamples=resamples,
            seed=seed,
            sample_columns=read_columns(sample_column or [], SAMPLE_COLUMN),
            tell=told(notes),
        )
        render(span_tables(report, glance=form == "table"), form, stdout(), f"Marked spans: {run.name}")
        return
    subject = Subject(run, judges or (), sample_column or (), judge_column or (), verdict_pattern)
    items, outputs = subject.read(notes)
    said = list(read_said(labels, read_columns(column or []), notes))
    aspects = pair(items, outputs, said, aspects=aspect or (), grade_zero=grade_zero)
    settings = Settings(
        by=by,
        yes_from=yes_from,
        unmeasured=unmeasured,
        systems_over=systems_over,
        system_pairs=None if system_pairs is None else read_system_pairs(system_pairs, tell=told(notes)),
        split_by=split_by,
        tie_margin=tie_margin,
        resamples=resamples,
        seed=seed,
    )
    found = meta_evaluate(
        aspects, settings, bounds=declared_bounds(column.made.metric for aspect in aspects for column in aspect.columns)
    )
    folder = run_folder(run)
    scored = read_run(folder, tell=lambda _: None).scores() if folder else ()  # what is damaged was told before
    tables = [*meta_tables(found, glance=form == "table"), *judge_tables(found, glance=form == "table")]
    tables += [*aspect_bias_tables(found), *preference_tables(said, items, scored)]
    render(tables, form, stdout(), f"Metrics against people: {run.name}")


def read_said(path: Path, columns: Mapping[str, str], notes: Console) -> Iterator[Label]:
    """The labels of a file; rows that are none are told and left out."""
    yield from usable(read_labels(path, columns=columns, tell=told(notes)), notes)
