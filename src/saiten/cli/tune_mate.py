"""`saiten tune mate`: learn the weights of aspects from people's grades."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.data_options import read_columns
from saiten.cli.meta_evaluate import read_said
from saiten.cli.output import FormatOption, escape_untrusted, stderr, stdout, told
from saiten.cli.tune_samples import samples_of
from saiten.data.columns import LABEL_COLUMNS, MISSING, Columns
from saiten.data.formats import read_rows
from saiten.data.rows import Row
from saiten.data.values import as_text
from saiten.durable.whole_file import whole_file
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.naming import write_name
from saiten.metrics.rubrics import Rubric, read_rubric
from saiten.metrics.rubrics.weights import weights_text
from saiten.runs import read_run
from saiten.tuning.mate import LearnedWeights, learn_weights
from saiten.tuning.rated import Rated, rated_by_judge, rated_by_people
from saiten.views.table import render
from saiten.views.tables.aspect import weight_tables

_QUESTION = {"item": LABEL_COLUMNS["item"], "question": ("question", "質問")}


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
    column: Annotated[list[str] | None, typer.Option(help="FIELD=COLUMN of the labels. Repeatable.")] = None,
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
    notes = stderr()
    scales = _rubric(rubric, values=values, target=target)
    wanted = target or (scales.overall if scales else None)
    if wanted is None:
        raise ConfigurationError("what is to be explained? Name the aspect with --target")
    columns = read_columns(column or [])
    said = list(read_said(labels, columns, notes))
    if run is not None:
        reader = read_run(run, tell=told(notes))
        asked = {sample.id: sample.question for sample in reader.samples()}
        rated = rated_by_judge(said, reader.scores(), asked, target=wanted, aspects=_aspects(aspect, scales, wanted))
    else:
        asked = _questions(samples, labels, columns.get("item"))
        rated = rated_by_people(said, asked, target=wanted, aspects=_aspects(aspect, scales, wanted))
    _tell_blank(rated)
    learned = learn_weights(rated, scales, intercept=intercept, resamples=resamples, seed=seed)
    _write(out, learned)
    render(weight_tables(learned.weights, _notes(learned)), form, stdout(), f"Weights: {out.name}")
    named = write_name("mate", {"weights": out, **({"rubric": rubric} if rubric else {})})
    use = f"; use it with -m '{named}'" if learned.weights.features == "deductions" or rubric else ""
    notes.print(f"written to {escape_untrusted(out)}{escape_untrusted(use)}")


def _rubric(file: str, *, values: bool, target: str | None) -> Rubric | None:
    if values and file:
        raise ConfigurationError("--values takes the grades as they are, so no rubric is needed; leave out one of them")
    return None if values else read_rubric(file)


def _aspects(named: list[str] | None, rubric: Rubric | None, target: str) -> tuple[str, ...]:
    """Those that were named; else all others of the rubric; () for all that there are."""
    chosen = tuple(dict.fromkeys(named or ()))
    if target in chosen:
        raise ConfigurationError(f"{target!r} is what is to be explained; it cannot explain itself. Leave out --aspect")
    return chosen or tuple(name for name in (rubric.names if rubric else ()) if name != target)


def _questions(samples: Path | None, labels: Path, item: str | None) -> dict[str, str]:
    """The question of each item: of the samples, or of a column of the labels.

    Raises:
        BadInput: neither knows it; without the questions answers could not be held out by question.
    """
    if samples is not None:
        return {sample.id: sample.question for sample in samples_of(None, samples, (), stderr())}
    fields = Columns(_QUESTION, {"item": item} if item else {})
    found: dict[str, str] = {}
    for row in read_rows(labels, None, wanted=fields.wanted, tell=lambda _: None):
        if isinstance(row, Row):
            name, question = (fields.find(row.fields, field) for field in ("item", "question"))
            if MISSING not in (name, question) and name is not None and question is not None:
                found[as_text(name) or ""] = as_text(question) or ""
    if not found:
        raise BadInput(
            f"the questions of the answers are not known, and the weights are held out by question: name the samples "
            f"with --samples, or a run; or give {labels} a column `question`"
        )
    return found


def _tell_blank(rated: Rated) -> None:
    if not all(question.strip() for question in rated.questions):
        raise BadInput("some answers have a blank question; answers are held out by question, so each needs its own")


def _notes(learned: LearnedWeights) -> list[str]:
    held = learned.held_out
    why = [f"Pearson on the held-out questions: {text}" for text in (held.reason, held.note) if text]
    return [*learned.notes, *(text.replace("cluster", "question") for text in why)]


def _write(file: Path, learned: LearnedWeights) -> None:
    """As a whole or not at all; a pipe or a device is written to, never replaced."""
    text = weights_text(learned.weights).encode()
    try:
        with whole_file(file) as stream:
            stream.write(text)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}; name another file with --out") from error
