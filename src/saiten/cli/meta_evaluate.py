"""`saiten meta-evaluate`: compare metrics with human labels."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import TIE_MARGIN, GradeZero, SplitBy, SystemsOver, Unmeasured
from saiten.cli.shared_options import GRADE_ZERO, LABEL_COLUMN_HELP, SAMPLE_COLUMN_HELP, FormatOption, LabelsArgument
from saiten.cli.subject import JudgeFiles
from saiten.cli.unfold import unfold
from saiten.options import option

app = typer.Typer(add_completion=False)


@dataclass(frozen=True, slots=True)
class MetaOptions:
    """The settings for comparing labels and scores."""

    aspect: tuple[str, ...] = option((), "Use only this aspect. Repeatable.", "--aspect", "-a")
    rank_by: str | None = option(
        None,
        "Rank metrics by pearson, spearman, kendall, auroc, kappa, agreement, f1, macro_f1, balanced_accuracy, for "
        "grades also linear_kappa or quadratic_kappa, for preferences accuracy or macro_f1. Default: auroc for yes/no, "
        "else pearson.",
    )
    yes_from: float | None = option(None, "Turn grades into decisions: at least this value is a yes.")
    unmeasured: Unmeasured = option(
        "left-out", "In decisions, how to count an item without a value: left out, wrong, as the worst value, as a tie."
    )
    systems_over: SystemsOver = option(
        "common", "Items in a system's mean by people: those that the metric measured (common), or all."
    )
    system_pairs: Path | None = option(
        None, "File of system pairs (columns first, second): compare only their order, not that of all pairs."
    )
    split_by: SplitBy | None = option(
        None, "Also compute every figure per group of samples (--sample-column group=COLUMN) or per system."
    )
    grade_zero: GradeZero = option("auto", GRADE_ZERO)
    tie_margin: float = option(TIE_MARGIN, "For preferences, the largest score difference that is a tie.", min=0.0)
    resamples: int = option(1_000, "Number of bootstrap resamples.", min=100, max=100_000)
    seed: int = option(0, "Seed of bootstrap and permutations.", min=0)
    column: tuple[str, ...] = option((), LABEL_COLUMN_HELP)
    sample_column: tuple[str, ...] = option((), SAMPLE_COLUMN_HELP)


@app.command(name="meta-evaluate", no_args_is_help=True)
@unfold
def command(
    run: Annotated[Path, typer.Argument(help="Run folder, or a file of samples to evaluate only --judges.")],
    labels: LabelsArgument,
    *,
    options: MetaOptions,
    others: JudgeFiles,
    spans: Annotated[
        bool,
        typer.Option("--spans", help="Compare the units that the gist metric found with spans that people marked."),
    ] = False,
    form: FormatOption = "table",
) -> None:
    r"""Compare the metrics of a run, and outputs of other judges, with human labels.

    Prints correlations over items and systems, decisions, bias, the human ceiling, and a ranking in which metrics that
    do not differ significantly share a letter. Labels of pairs of answers (item `ID vs ID`, -2 to 2) are compared as
    preferences. Items with only a label or only a score are counted. If runs or files have the same metric, its columns
    are named after judge and evidence: correctness · openai:m · reference.

    With --spans: precision, recall and F of marked units, by characters, and the agreement of people on them. RUN is a
    run with gist scores, or a file of a judge's spans in the format of labels; --judges adds more of them.

    Examples:
      saiten meta-evaluate runs/first labels.jsonl
      saiten meta-evaluate runs/first labels.csv --aspect faithful --judges gpt4.jsonl
      saiten meta-evaluate runs/first labels.csv --yes-from 4 --rank-by kappa --unmeasured wrong
      saiten meta-evaluate runs/first labels.csv --by expected
      saiten meta-evaluate samples.jsonl labels.jsonl --judges judges.csv --format latex
      saiten meta-evaluate runs/first labels.csv --split-by group --system-pairs pairs.csv
      saiten meta-evaluate runs/small labels.jsonl --judges runs/medium --judges runs/large
      saiten meta-evaluate samples.jsonl labels.jsonl --judges replies.jsonl --verdict-pattern 'Final score: (\[0-5])'
      saiten meta-evaluate runs/gist spans.jsonl --spans --judges runs/gist-by-people
    """
    from saiten.cli.meta_evaluating import show_metrics
    from saiten.cli.meta_spans import show_spans

    (show_spans if spans else show_metrics)(run, labels, others, options, form)
