"""`saiten tune`: fit a judge, or the weights of a score, to human labels."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from saiten.cli.output import stdout
from saiten.cli.shared_options import LabelColumnOption, SampleColumnOption
from saiten.cli.tune_judge import judge
from saiten.cli.tune_mate import mate
from saiten.errors import BadInput
from saiten.records import Label

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def tune() -> None:
    """Fit a judge, or the weights of a score, to human labels.

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
    labels: Annotated[
        Path, typer.Argument(help="File of labels with item (the id of a sample), value, annotator, aspect.")
    ],
    samples: Annotated[Path, typer.Option("--samples", "-s", help="File of the labeled samples.")],
    aspect: Annotated[
        Literal["support", "correct", "grade"],
        typer.Option(help="support: whether the contexts support the whole answer (0/1). correct: 0/1. grade: 0 to 5."),
    ] = "support",
    label_aspect: Annotated[
        str | None, typer.Option(help="Aspect of the labels to use, if the file has several, such as faithfulness.")
    ] = None,
    yes_from: Annotated[float | None, typer.Option(help="Turn grades into 0/1: at least this value is a yes.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Calibration file to write.")] = Path("calibration.json"),
    column: LabelColumnOption = None,
    sample_column: SampleColumnOption = None,
) -> None:
    """Calibrate the offline judge with 20 to 50 labels.

    Calibration keeps the order in which the judge ranks answers; it moves the border between yes and no, or the line
    from score to grade. Agreement before and after is measured on labels that were left out of the fit.

    Examples:
      saiten tune offline labels.csv -s answers.jsonl --aspect support -o support.json
      saiten tune offline labels.csv -s answers.jsonl --label-aspect faithful --yes-from 3
      saiten score answers.jsonl -m faithfulness --calibration support.json
    """
    from saiten.cli.reading import labeled_samples, read_said, said_of
    from saiten.durable.whole_file import writing_to
    from saiten.tuning.offline import calibrate_offline

    found = list(labeled_samples(None, samples, sample_column))
    said = said_of(read_said(labels, column), found)
    usable = chosen(said, aspect, label_aspect, yes_from)
    calibration = asyncio.run(calibrate_offline(found, usable, aspect))
    with writing_to(out, "name another file with --out"):
        calibration.save(out)
    lines = [
        f"{calibration.n} labeled samples; {calibration.measure} with people, on samples left out of the fit:",
        f"  before {calibration.before}",
        f"  after  {calibration.after}",
    ]
    if aspect != "grade":
        lines.append(f"  the verdict is yes from p = {calibration.threshold:.2f} on (before: 0.50)")
    lines.append(f"written to {out}; use it with --judge offline --calibration {out}")
    stdout().print("\n".join(lines), markup=False)


def chosen(labels: Sequence[Label], aspect: str, wanted: str | None, yes_from: float | None) -> list[Label]:
    """Return the chosen labels as labels of the judge's aspect; raise BadInput if there are none."""
    if wanted is not None:
        there = sorted({label.aspect for label in labels})
        labels = [replace(label, aspect=aspect) for label in labels if label.aspect == wanted]
        if not labels:
            raise BadInput(f"no label has the aspect {wanted!r}; the aspects are {', '.join(there) or 'none'}")
    if yes_from is not None:
        labels = [replace(label, value=float(label.value >= yes_from)) for label in labels]
    return list(labels)
