"""`saiten tune`: fit a judge, or the weights of a score, to your own labels."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from saiten.cli.output import stderr, stdout
from saiten.cli.shared_options import LabelColumnOption, SampleColumnOption, read_columns
from saiten.cli.tune_judge import judge
from saiten.cli.tune_mate import mate
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Label

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def tune() -> None:
    """Fit a judge, or the weights of a score, to your own labels.

    Examples:
      saiten tune offline labels.csv --samples answers.jsonl
      saiten tune mate labels.csv --samples answers.jsonl
      saiten tune judge labels.csv --samples answers.jsonl --base MODEL -o judge
      saiten tune mate --help
    """


app.command()(mate)
app.command()(judge)


@app.command()
def offline(
    labels: Annotated[Path, typer.Argument(help="JSONL or CSV: item (the id of a sample), value, annotator, aspect.")],
    samples: Annotated[Path, typer.Option("--samples", "-s", help="The samples that the labels are about.")],
    aspect: Annotated[
        Literal["support", "correct", "grade"],
        typer.Option(help="support: do the contexts support the whole answer (0/1)? correct: 0/1. grade: 0 to 5."),
    ] = "support",
    label_aspect: Annotated[
        str | None, typer.Option(help="Which labels to take, where the file has several aspects: faithfulness.")
    ] = None,
    yes_from: Annotated[
        float | None, typer.Option(help="Labels of at least this are a yes, others a no; for grades as labels of 0/1.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The calibration.")] = Path("calibration.json"),
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
) -> None:
    """Calibrate the offline judge with 20 to 50 labels of your own.

    The order in which it ranks answers stays; what moves is the border between yes and no, or the line to the grade.
    The agreement before and after is measured on labels that the line was not fitted to.

    Examples:
      saiten tune offline labels.csv -s answers.jsonl --aspect support -o support.json
      saiten tune offline labels.csv -s answers.jsonl --label-aspect faithful --yes-from 3
      saiten score answers.jsonl -m faithfulness --calibration support.json
    """
    from saiten.cli.labels import read_said
    from saiten.cli.tune_samples import samples_of
    from saiten.tuning.offline import calibrate_offline

    notes = stderr()
    said = list(read_said(labels, read_columns(column or []), notes))
    found = list(samples_of(None, samples, sample_column or [], notes))
    usable = chosen(said, aspect, label_aspect, yes_from)
    calibration = asyncio.run(calibrate_offline(found, usable, aspect))
    try:
        calibration.save(out)
    except OSError as error:
        raise ConfigurationError(f"{out} cannot be written: {error.strerror}; name another file with --out") from error
    print_out = stdout().print
    print_out(f"{calibration.n} labelled samples; {calibration.measure} with people, on samples left out of the fit:")
    print_out(f"  before {calibration.before}", markup=False)
    print_out(f"  after  {calibration.after}", markup=False)
    if aspect != "grade":
        print_out(f"  the verdict is yes from p = {calibration.threshold:.2f} on (before: 0.50)")
    print_out(f"written to {out}; use it with --judge offline --calibration {out}", markup=False)


def chosen(labels: Sequence[Label], aspect: str, wanted: str | None, yes_from: float | None) -> list[Label]:
    """Return the chosen labels as labels of the judge's aspect; raise BadInput if there are none."""
    if wanted is not None:
        there = sorted({label.aspect for label in labels})
        labels = [replace(label, aspect=aspect) for label in labels if label.aspect == wanted]
        if not labels:
            raise BadInput(f"there are no labels of {wanted!r}; there are labels of {', '.join(there) or 'nothing'}")
    if yes_from is not None:
        labels = [replace(label, value=float(label.value >= yes_from)) for label in labels]
    return list(labels)
