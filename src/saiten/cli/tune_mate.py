"""`saiten tune mate`: learn the weights of aspects from human grades."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import ScoreBy
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.shared_options import SCORE_BY, FormatOption, LabelColumnOption, ResamplesOption
from saiten.cli.unfold import unfold
from saiten.errors import BadInput, ConfigurationError
from saiten.options import option, read_columns


@dataclass(frozen=True, slots=True)
class MateOptions:
    """What is explained by what, and how."""

    samples: Path | None = option(None, "File of samples with the questions; not needed with a run.", "--samples", "-s")
    target: str | None = option(None, "Aspect to be explained. Default: the overall aspect of the rubric.")
    aspect: tuple[str, ...] = option((), "Aspect that explains it. Default: all. Repeatable.", "--aspect", "-a")
    rubric: str = option("", "TOML file with scales and best grades. Default: the four aspects of long answers.")
    by: ScoreBy = option("value", SCORE_BY, "--by")
    values: bool = option(False, "Weight the grades themselves instead of deductions from the best grade.", "--values")
    intercept: bool = option(False, "Add a constant to every score.", "--intercept")
    seed: int = option(0, "Seed of the split and the intervals.", min=0)


@unfold
def mate(
    labels: Annotated[
        Path, typer.Argument(help="File of labels with item (the id of a sample), aspect, value, annotator.")
    ],
    run: Annotated[
        Path | None, typer.Argument(help="Run with scores of `aspects`, to use the judge's grades of the aspects.")
    ] = None,
    *,
    typed: MateOptions,
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
    from saiten.cli.reading import labeled_samples, read_said, said_of
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
    if typed.values and typed.rubric:
        raise ConfigurationError("--values uses the grades themselves, without a rubric; remove --values or --rubric")
    scales = None if typed.values else read_rubric(typed.rubric)
    wanted = typed.target or (scales.overall if scales else None)
    if wanted is None:
        raise ConfigurationError("name the aspect to be explained with --target")
    said = list(read_said(labels, column))
    aspects = explaining(typed.aspect, scales, wanted)
    if run is not None:
        reader = read_run(run, notify=notifier(notes))
        said = said_of(said, reader.samples())
        questions = {sample.id: sample.conversation or sample.question for sample in reader.samples()}
        rated = rated_by_judge(
            said, reader.scores(), questions, target=wanted, aspects=aspects, by=typed.by, notify=notifier(notes)
        )
    else:
        samples = None if typed.samples is None else list(labeled_samples(None, typed.samples, ()))
        said = said_of(said, samples or ())
        questions = questions_of(samples, labels, read_columns(column))
        rated = rated_by_people(said, questions, target=wanted, aspects=aspects)
    if not all(question.strip() for question in rated.questions):
        raise BadInput("some answers have a blank question; answers are held out by question, so each needs one")
    learned = learn_weights(rated, scales, intercept=typed.intercept, resamples=resamples, seed=typed.seed)
    write_whole(out, weights_text(learned.weights), shared=True, otherwise="name another file with --out")
    render(weight_tables(learned.weights, notes_of(learned)), form, stdout(), f"Weights: {out.name}")
    named = write_name("mate", {"weights": out, **({"rubric": typed.rubric} if typed.rubric else {})})
    use = f"; use it with -m '{named}'" if learned.weights.features == "deductions" or typed.rubric else ""
    notes.print(f"written to {escape_untrusted(out)}{escape_untrusted(use)}")
