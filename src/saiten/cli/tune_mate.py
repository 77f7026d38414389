"""`saiten tune mate`: learn the weights of aspects from human grades."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.shared_options import FormatOption, LabelColumnOption, ResamplesOption, read_columns
from saiten.errors import BadInput, ConfigurationError


def mate(
    labels: Annotated[
        Path, typer.Argument(help="File of labels with item (the id of a sample), aspect, value, annotator.")
    ],
    run: Annotated[
        Path | None, typer.Argument(help="Run with scores of `aspects`, to use the judge's grades of the aspects.")
    ] = None,
    samples: Annotated[
        Path | None, typer.Option("--samples", "-s", help="File of samples with the questions; not needed with a run.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Aspect to be explained. Default: the overall aspect of the rubric.")
    ] = None,
    aspect: Annotated[
        list[str] | None, typer.Option("--aspect", "-a", help="Aspect that explains it. Default: all. Repeatable.")
    ] = None,
    rubric: Annotated[
        str, typer.Option(help="TOML file with scales and best grades. Default: the four aspects of long answers.")
    ] = "",
    values: Annotated[
        bool, typer.Option("--values", help="Weight the grades themselves instead of deductions from the best grade.")
    ] = False,
    intercept: Annotated[bool, typer.Option("--intercept", help="Add a constant to every score.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the split and the intervals.")] = 0,
    resamples: ResamplesOption = 1_000,
    column: LabelColumnOption = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Weights file to write.")] = Path("weights.toml"),
    form: FormatOption = "table",
) -> None:
    r"""Learn how much each aspect counts, by least squares on the deductions in human grades.

    Several annotators are averaged. A fifth of the questions is held out, on which the score is compared with people.
    With a RUN, the aspects have the judge's grades and only the overall grade is from people, so that the weights also
    correct what this judge overrates.

    Examples:
      saiten tune mate labels.csv --samples answers.jsonl -o weights.toml
      saiten tune mate labels.csv runs/aspects -o weights.toml
      saiten tune mate labels.csv -s answers.jsonl --rubric ours.toml --target overall
      saiten tune mate labels.csv -s answers.jsonl --values --intercept --target overall -a correctness -a coverage
      saiten score answers.jsonl -m 'mate\[weights=weights.toml]' --judge openai:MODEL
    """
    from saiten.cli.reading import read_said
    from saiten.cli.tuning_mate import explaining, notes_of, questions_of
    from saiten.durable.whole_file import write_whole
    from saiten.metrics.naming import write_name
    from saiten.metrics.rubrics import read_rubric
    from saiten.metrics.rubrics.weights import weights_text
    from saiten.runs import read_run
    from saiten.tuning.mate import learn_weights
    from saiten.tuning.rated import rated_by_judge, rated_by_people
    from saiten.views.render import render
    from saiten.views.tables.aspect import weight_tables

    notes = stderr()
    if values and rubric:
        raise ConfigurationError("--values uses the grades themselves, without a rubric; remove --values or --rubric")
    scales = None if values else read_rubric(rubric)
    wanted = target or (scales.overall if scales else None)
    if wanted is None:
        raise ConfigurationError("name the aspect to be explained with --target")
    columns = read_columns(column)
    said = list(read_said(labels, columns, notes))
    aspects = explaining(aspect, scales, wanted)
    if run is not None:
        reader = read_run(run, notify=notifier(notes))
        questions = {sample.id: sample.question for sample in reader.samples()}
        rated = rated_by_judge(said, reader.scores(), questions, target=wanted, aspects=aspects)
    else:
        questions = questions_of(samples, labels, columns.get("item"))
        rated = rated_by_people(said, questions, target=wanted, aspects=aspects)
    if not all(question.strip() for question in rated.questions):
        raise BadInput("some answers have a blank question; answers are held out by question, so each needs one")
    learned = learn_weights(rated, scales, intercept=intercept, resamples=resamples, seed=seed)
    write_whole(out, weights_text(learned.weights), otherwise="name another file with --out")
    render(weight_tables(learned.weights, notes_of(learned)), form, stdout(), f"Weights: {out.name}")
    named = write_name("mate", {"weights": out, **({"rubric": rubric} if rubric else {})})
    use = f"; use it with -m '{named}'" if learned.weights.features == "deductions" or rubric else ""
    notes.print(f"written to {escape_untrusted(out)}{escape_untrusted(use)}")
