"""`saiten meta-evaluate`: how far can the metrics be trusted?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import TIE_MARGIN, GradeZero, SplitBy, SystemsOver, Unmeasured
from saiten.cli.shared_options import FormatOption, LabelColumnOption, SampleColumnOption
from saiten.cli.subject import GRADE_ZERO, JudgeFiles
from saiten.cli.unfold import unfold
from saiten.options import option

app = typer.Typer(add_completion=False)


@dataclass(frozen=True, slots=True)
class MetaOptions:
    """The settings for comparing labels and scores."""

    by: str | None = option(
        None,
        "Rank by pearson, spearman, kendall, auroc, kappa, agreement, f1, macro_f1, balanced_accuracy, "
        "(grades) linear_kappa, quadratic_kappa or (preferences) accuracy, macro_f1. Default: auroc for yes/no, "
        "else pearson.",
        "--by",
        "--rank-by",
    )
    yes_from: float | None = option(None, "Grades become decisions: this and above is a yes.")
    unmeasured: Unmeasured = option(
        "left-out", "In decisions, an item that a metric has no value for is left out, wrong, the worst, a tie."
    )
    systems_over: SystemsOver = option(
        "common", "A system's mean by people: over the items that the metric measured (common), or all they rated."
    )
    system_pairs: Path | None = option(
        None, "A file of pairs of systems (columns first, second): only their order counts, not all pairs'."
    )
    split_by: SplitBy | None = option(
        None, "Every figure also for each group of samples (--sample-column group=COLUMN), or each system."
    )
    grade_zero: GradeZero = option("auto", GRADE_ZERO)
    tie_margin: float = option(TIE_MARGIN, "Preferences: a score difference up to this is a tie.", min=0.0)
    resamples: int = option(1_000, "Bootstrap rounds.", min=100)
    seed: int = option(0, "Of bootstrap and permutations.", min=0)


@app.command(name="meta-evaluate", no_args_is_help=True)
@unfold
def command(
    run: Annotated[Path, typer.Argument(help="The folder of a run; or a file of samples, to grade --judges alone.")],
    labels: Annotated[Path, typer.Argument(help="JSONL, CSV, …: item, value, annotator, aspect, adjudicated.")],
    *,
    aspect: Annotated[list[str] | None, typer.Option("--aspect", "-a", help="Only this aspect. Repeatable.")] = None,
    options: MetaOptions,
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
    others: JudgeFiles,
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
    from saiten.cli.meta_evaluating import Compared, show_metrics, show_spans

    compared = Compared(run, labels, others, tuple(aspect or ()), tuple(column or ()), tuple(sample_column or ()))
    (show_spans if spans else show_metrics)(compared, options, form)
