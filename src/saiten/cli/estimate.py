"""`saiten estimate`: estimate the human mean of the whole set from few labels."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import GradeZero
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.shared_options import GRADE_ZERO, FormatOption, LabelColumnOption, SampleColumnOption
from saiten.cli.subject import JudgeFiles
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError
from saiten.options import option

app = typer.Typer(add_completion=False)


@dataclass(frozen=True, slots=True)
class EstimateOptions:
    """What is estimated."""

    metric: tuple[str, ...] = option((), "Use only this metric. Repeatable.", "--metric", "-m")
    aspect: tuple[str, ...] = option((), "Use only this aspect. Repeatable.", "--aspect", "-a")
    yes_from: float | None = option(None, "Count labels of at least this value as yes, and estimate the share.")
    systems: str | None = option(None, "FIRST,SECOND: estimate their difference as well, first minus second.")
    stratified: bool = option(False, "The labels were drawn within each system, at different rates.", "--stratified")
    width: float | None = option(None, "Print how many labels give an interval with this half-width.", min=1e-9)
    grade_zero: GradeZero = option("auto", GRADE_ZERO)


@app.command(name="estimate", no_args_is_help=True)
@unfold
def command(
    run: Annotated[Path, typer.Argument(help="Run folder, or a file of samples with --judges.")],
    labels: Annotated[
        Path, typer.Argument(help="Labels of randomly drawn items, with item, value, annotator, aspect.")
    ],
    *,
    typed: EstimateOptions,
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
    others: JudgeFiles,
    form: FormatOption = "table",
) -> None:
    """Estimate the mean that people would give to all items, from a few labels and the judge's scores of all items.

    The labels correct the judge's bias; the judge only narrows the interval. The labeled items must be a random sample
    of all items; a test warns if they do not look like one.

    Examples:
      saiten estimate runs/first labels.jsonl
      saiten estimate runs/first labels.csv -m accuracy --width 0.03
      saiten estimate runs/first labels.csv -m faithfulness --yes-from 3 --systems careful,hasty
    """
    from saiten.cli.reading import read_said
    from saiten.results.labeled_answers import noting_others
    from saiten.results.place import digests_of
    from saiten.trust.estimate import estimate
    from saiten.views.render import render
    from saiten.views.tables.estimate import estimate_tables

    items, outputs = others.read(run, sample_column)
    found = estimate(
        items,
        outputs,
        noting_others(read_said(labels, column), digests_of(items), notifier(stderr())),
        metrics=typed.metric,
        aspects=typed.aspect,
        yes_from=typed.yes_from,
        systems=_two(typed.systems),
        stratified=typed.stratified,
        width=typed.width,
        grade_zero=typed.grade_zero,
    )
    render(estimate_tables(found, glance=form == "table"), form, stdout(), f"What people would say: {run.name}")


def _two(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    first, _, second = (part.strip() for part in text.partition(","))
    if not first or not second or "," in second:
        raise ConfigurationError(f"--systems expects FIRST,SECOND, not {text!r}")
    return first, second
