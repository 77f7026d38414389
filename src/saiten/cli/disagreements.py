"""`saiten disagreements`: the items on which a judge and people differ most."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import TIE_MARGIN, DisagreementKind, GradeZero
from saiten.cli.shared_options import GRADE_ZERO, LABEL_COLUMN_HELP, SAMPLE_COLUMN_HELP, FormatOption, LabelsArgument
from saiten.cli.subject import JudgeFiles
from saiten.cli.unfold import unfold
from saiten.options import option

app = typer.Typer(add_completion=False)


@dataclass(frozen=True, slots=True)
class DisagreementOptions:
    """What to compare and list."""

    metrics: tuple[str, ...] = option(
        (),
        "List the disagreements of this metric or judge. Repeatable. Default: per aspect, the judge closest to people.",
        "--metric",
        "-m",
    )
    aspect: tuple[str, ...] = option((), "Use only this aspect. Repeatable.", "--aspect", "-a")
    most: int = option(10, "Maximum number of items per list.", "--most", "-n", min=1)
    only: DisagreementKind | None = option(
        None,
        "List only items of this kind: the judge's verdict is yes and people's no, or the other way round, or its "
        "value is higher or lower (grades: by at least one).",
    )
    system: str | None = option(None, "Use only this system's answers.")
    group: str | None = option(None, "Use only this group's samples (--sample-column group=COLUMN).")
    yes_from: float | None = option(None, "Turn grades into verdicts: at least this value is a yes.")
    grade_zero: GradeZero = option("auto", GRADE_ZERO)
    tie_margin: float = option(TIE_MARGIN, "For preferences, the largest score difference that is a tie.", min=0.0)
    column: tuple[str, ...] = option((), LABEL_COLUMN_HELP)
    sample_column: tuple[str, ...] = option((), SAMPLE_COLUMN_HELP)


@app.command(no_args_is_help=True)
@unfold
def disagreements(
    run: Annotated[Path, typer.Argument(help="Run folder, or a file of samples to list only --judges.")],
    labels: LabelsArgument,
    *,
    options: DisagreementOptions,
    others: JudgeFiles,
    spans: Annotated[
        bool,
        typer.Option("--spans", help="List answers in which the gist metric and people marked different units."),
    ] = False,
    form: FormatOption = "table",
) -> None:
    """List the items on which a judge and people differ most.

    Prints how often each metric differs from people, and the share of agreement with Wilson's interval. Then lists
    items, those with the largest difference first, with question, reference and answer, the judge's value and reason,
    and what each person said. The unsupported part of an answer is marked: as the judge marked it (faithfulness,
    hallucination_spans, answer_correctness, gist), otherwise the words that are in no source. Items on which people
    agree come before equally large differences on which they do not.

    With --spans, RUN and LABELS are those of meta-evaluate --spans; both sides' marks are shown in the texts.

    Examples:
      saiten disagreements runs/first labels.jsonl
      saiten disagreements runs/first labels.jsonl -m accuracy --only judge-yes-people-no -n 20
      saiten disagreements runs/first labels.csv -m correctness --aspect grade --only judge-higher
      saiten disagreements runs/first labels.csv --yes-from 4 --only judge-yes-people-no --system hasty
      saiten disagreements samples.jsonl labels.jsonl --judges gpt4.jsonl -m gpt-4
      saiten disagreements runs/gist spans.jsonl --spans
      saiten disagreements runs/first labels.jsonl --format html > disagreements.html
    """
    from saiten.cli.disagreeing import list_marks, list_values

    (list_marks if spans else list_values)(run, labels, others, options, form)
