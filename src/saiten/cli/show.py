"""`saiten show`: what came out of a run, or one of its samples in full."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.choices import Format
from saiten.cli import MISSED, NOTHING
from saiten.cli import threshold_options as asked
from saiten.cli.meta_evaluate import read_said
from saiten.cli.output import FormatOption, escape_untrusted, stderr, stdout, told
from saiten.cli.show_gist import show_gist
from saiten.cli.unfinished import tell_unfinished
from saiten.dialogue.reading import find_dialogue, has_dialogues
from saiten.errors import BadInput, ConfigurationError
from saiten.results.comparison import higher_is_better
from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.runs import RunReader, read_run
from saiten.views.page.dialogue_page import dialogue_json, print_dialogue
from saiten.views.page.sample_page import print_sample, sample_json
from saiten.views.table import Table, render
from saiten.views.tables.run import currency_of, people_of, run_tables, summary_of
from saiten.views.tables.summary import usage_text

app = typer.Typer(add_completion=False)


@app.command()
def show(
    run: Annotated[Path, typer.Argument(help="The folder of a run.")],
    sample: Annotated[str | None, typer.Option(help="The id of one sample, to see it in full.")] = None,
    dialogue: Annotated[str | None, typer.Option(help="The id of one dialogue, to read it with its grades.")] = None,
    worst: Annotated[str | None, typer.Option(help="A metric: list the samples with its worst scores.")] = None,
    gist: Annotated[
        bool, typer.Option("--gist", help="Reference and answer side by side, with what is missing and extra marked.")
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option(help="What people said of the answers: their means beside the metrics', by system too."),
    ] = None,
    number: Annotated[int, typer.Option("-n", min=1, help="How many samples --worst lists.")] = 10,
    fail_under: asked.FailUnderOption = None,
    fail_over: asked.FailOverOption = None,
    fail_each: asked.FailEachOption = None,
    min_coverage: asked.MinCoverageOption = None,
    junit: asked.JunitOption = None,
    form: FormatOption = "table",
) -> None:
    """Show the summary of a run: means with intervals, coverage, signatures; or look into it.

    Examples:
      saiten show runs/first
      saiten show runs/first --worst faithfulness
      saiten show runs/first --sample q17/hasty
      saiten show runs/talks --dialogue q17
      saiten show runs/first --labels labels.jsonl
      saiten show runs/first --format md
      saiten show runs/first --format html > first.html
      saiten show runs/gist --gist
      saiten show runs/gist --gist --format html > units.html
      saiten show runs/first --fail-under faithfulness=0.8 --fail-under token_f1.low=0.3
      saiten show runs/first --fail-under faithfulness.min=0.5 --junit saiten.xml

    Exit status: 0 done, 2 wrong input, 5 a threshold was missed; a run that is not finished misses all.
    """
    notes = stderr()
    reader = read_run(run, tell=told(notes))
    gate = asked.Gate.typed(
        list(reader.manifest.signatures),
        under=fail_under,
        over=fail_over,
        each=fail_each,
        coverage=min_coverage,
        junit=junit,
    )
    if gate is not None and (gist or any(one is not None for one in (sample, dialogue, worst))):
        raise ConfigurationError("thresholds are held against the summary; leave out --sample, --worst and the like")
    if labels is not None and (gist or any(one is not None for one in (sample, dialogue, worst))):
        raise ConfigurationError(
            "--labels adds people's means to the summary; leave out --sample, --worst and the like"
        )
    if gist or any(one is not None for one in (sample, dialogue, worst)):
        tell_unfinished([reader], notes)
    if gist:
        show_gist(reader, form, stdout(), sample=sample, apart=worst is None and dialogue is None)
        return
    one = "sample" if sample is not None else "dialogue"
    if (sample is not None or dialogue is not None) and form == "html":
        raise ConfigurationError(f"one {one} is shown in the terminal or as --format json; a page holds tables only")
    if sample is not None:
        _show_sample(reader, sample, form)
    elif dialogue is not None:
        _show_dialogue(reader, dialogue, form)
    elif worst is not None:
        render([worst_table(reader, worst, number)], form, stdout(), str(run))
    else:
        status = show_summary(run, form, stdout(), gate, labels)
        raise typer.Exit(0 if status == NOTHING else status)  # it was shown


def show_summary(
    run: Path, form: Format, out: Console, gate: asked.Gate | None = None, labels: Path | None = None
) -> int:
    """Print the summary of the run in this folder.

    Returns:
        The exit status: 0, that of a threshold that it misses, or that of a run without a single value.
    """
    reader = read_run(run, tell=told(stderr()))
    said = () if labels is None else tuple(read_said(labels, {}, stderr()))
    if labels is not None and not said:
        raise BadInput(f"there are no labels in {labels}")
    people = list(people_of(reader, said)) if said else ()
    summary = summary_of(reader, people, of_labels="" if labels is None else labels.name)
    tell_unfinished([reader], stderr())
    if not summary.figures:
        stderr().print("there are no scores yet")
        if gate is None:
            return NOTHING
    if only_words(summary.signatures.values()):
        stderr().print(f"[bold]{ONLY_WORDS}[/]")
    tables = run_tables(reader, summary, glance=form == "table") if summary.figures else []
    outcomes = () if gate is None else gate.hold(reader, summary)
    if gate is not None:
        tables.append(gate.table(outcomes, glance=form == "table"))
    render(tables, form, out, str(run))
    if form == "table" and summary.figures:
        spent = usage_text(summary.usage, currency_of(reader))
        one = "dialogue" if has_dialogues(reader) else "sample"
        out.print(f"{escape_untrusted(spent)} · one {one} in full: saiten show {escape_untrusted(run)} --{one} ID")
    if any(outcome.missed for outcome in outcomes):
        return MISSED
    if not summary.measured:
        stderr().print("[bold red]nothing was measured:[/] no score has a value; the reasons stand in the summary")
        return NOTHING
    return 0


def worst_table(reader: RunReader, metric: str, number: int) -> Table:
    """The samples with the worst values of a metric, the lowest unless lower is better; without a value is not worst.

    Raises:
        BadInput: the run has no such metric.
    """
    scored = [one for one in reader.scores() if one.metric == metric]
    if not scored:
        raise BadInput(f"{reader.folder} has no scores of {metric}; it has {', '.join(reader.manifest.signatures)}")
    sign, word = (-1, "Highest") if higher_is_better(metric) is False else (1, "Lowest")
    measured = [(one.score.value, one) for one in scored if one.score.value is not None]
    worst = sorted(measured, key=lambda pair: (sign * pair[0], pair[1].sample))[:number]
    rows = tuple((one.sample, value, one.score.reason) for value, one in worst)
    return Table(
        f"{word} {metric}",
        ("sample", "value", "reason"),
        rows,
        f"{len(measured)} {'sample has' if len(measured) == 1 else 'samples have'} a value.",
    )


def _show_dialogue(reader: RunReader, identity: str, form: Format) -> None:
    if not has_dialogues(reader):
        raise BadInput(f"{reader.folder} is no run of dialogues; `saiten converse` makes one")
    found = find_dialogue(reader, identity)
    if found is None:
        raise BadInput(f"{reader.folder} has no dialogue {identity!r}; `--worst wscore` lists some of their ids")
    if form == "table":
        print_dialogue(found, stdout())
    else:
        stdout().file.write(dialogue_json(found) + "\n")


def _show_sample(reader: RunReader, identity: str, form: Format) -> None:
    found = reader.sample(identity)
    if found is None:
        raise BadInput(f"{reader.folder} has no sample {identity!r}; `--worst METRIC` lists some of its ids")
    scores = [one for one in reader.scores() if one.sample == identity]
    if form == "table":
        print_sample(found, scores, stdout())
        if has_dialogues(reader):
            stdout().print(
                f"what was said: saiten show {escape_untrusted(reader.folder)} --dialogue {escape_untrusted(identity)}",
                soft_wrap=True,
            )
    else:
        stdout().file.write(sample_json(found, scores) + "\n")
