"""`saiten tune mate`: learn the weights of aspects from people's grades."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption, LabelColumnOption, read_columns
from saiten.errors import ConfigurationError


def mate(
    labels: Annotated[Path, typer.Argument(help="JSONL or CSV: item (the id of a sample), aspect, value, annotator.")],
    run: Annotated[
        Path | None, typer.Argument(help="A run with scores of `aspects`: the judge's grades in the place of people's.")
    ] = None,
    samples: Annotated[
        Path | None,
        typer.Option("--samples", "-s", help="The samples, for their questions; not needed with a run."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="The aspect that is to be explained. Default: the rubric's overall aspect.")
    ] = None,
    aspect: Annotated[
        list[str] | None, typer.Option("--aspect", "-a", help="An aspect that explains it. Default: all. Repeatable.")
    ] = None,
    rubric: Annotated[
        str, typer.Option(help="A TOML file with scales and best grades. Default: the four aspects of long answers.")
    ] = "",
    values: Annotated[
        bool, typer.Option("--values", help="Weigh the grades as they are, not what is missing to the best; no rubric.")
    ] = False,
    intercept: Annotated[bool, typer.Option("--intercept", help="Add a constant to every score.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the split and of the intervals.")] = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap rounds.")] = 1_000,
    column: LabelColumnOption = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The weights.")] = Path("weights.toml"),
    form: FormatOption = "table",
) -> None:
    r"""Learn how much each aspect counts: least squares on the deductions, from grades that people gave.

    A fifth of the questions is held out, and the score held against people there. Several annotators are averaged. With
    a RUN the aspects are the judge's grades and only the overall grade is people's: then the weights also make up for
    what this judge over-rates.

    Examples:
      saiten tune mate labels.csv --samples answers.jsonl -o weights.toml
      saiten tune mate labels.csv runs/aspects -o weights.toml
      saiten tune mate labels.csv -s answers.jsonl --rubric ours.toml --target overall
      saiten tune mate labels.csv -s answers.jsonl --values --intercept --target overall -a correctness -a coverage
      saiten score answers.jsonl -m 'mate\[weights=weights.toml]' --judge openai:MODEL
    """
    from saiten.cli.labels import read_said
    from saiten.cli.tuning_mate import aspects_of, check_questions, notes_of, questions_of, rubric_of, write_weights
    from saiten.metrics.naming import write_name
    from saiten.runs import read_run
    from saiten.tuning.mate import learn_weights
    from saiten.tuning.rated import rated_by_judge, rated_by_people
    from saiten.views.render import render
    from saiten.views.tables.aspect import weight_tables

    notes = stderr()
    scales = rubric_of(rubric, values=values, target=target)
    wanted = target or (scales.overall if scales else None)
    if wanted is None:
        raise ConfigurationError("what is to be explained? Name the aspect with --target")
    columns = read_columns(column or [])
    said = list(read_said(labels, columns, notes))
    if run is not None:
        reader = read_run(run, notify=notifier(notes))
        asked = {sample.id: sample.question for sample in reader.samples()}
        rated = rated_by_judge(said, reader.scores(), asked, target=wanted, aspects=aspects_of(aspect, scales, wanted))
    else:
        asked = questions_of(samples, labels, columns.get("item"))
        rated = rated_by_people(said, asked, target=wanted, aspects=aspects_of(aspect, scales, wanted))
    check_questions(rated)
    learned = learn_weights(rated, scales, intercept=intercept, resamples=resamples, seed=seed)
    write_weights(out, learned)
    render(weight_tables(learned.weights, notes_of(learned)), form, stdout(), f"Weights: {out.name}")
    named = write_name("mate", {"weights": out, **({"rubric": rubric} if rubric else {})})
    use = f"; use it with -m '{named}'" if learned.weights.features == "deductions" or rubric else ""
    notes.print(f"written to {escape_untrusted(out)}{escape_untrusted(use)}")
