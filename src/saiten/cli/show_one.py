"""The views of `saiten show` other than the summary: a sample, a dialogue, the worst scores, units of gist."""

from collections.abc import Iterator

from rich.console import Console

from saiten.choices import Format
from saiten.cli.output import escape_untrusted, stdout
from saiten.dialogue.reading import find_dialogue, has_dialogues
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Sample, Scored
from saiten.results.verdict import higher_is_better
from saiten.runs import RunReader
from saiten.views.gist.screen import print_gist_run
from saiten.views.gist.view import GistRun, gist_run
from saiten.views.page.dialogue_page import dialogue_json, print_dialogue
from saiten.views.page.sample_page import print_sample, sample_json
from saiten.views.reasons import reason_of
from saiten.views.table import Table
from saiten.views.tables.gist import profile_tables
from saiten.views.terminal import print_tables
from saiten.words import Message


def worst_table(reader: RunReader, metric: str, number: int) -> Table:
    """Return a table of the samples with a metric's worst values; samples without a value are excluded.

    Raises:
        BadInput: the run has no such metric.
    """
    scored = [one for one in reader.scores() if one.metric == metric]
    if not scored:
        raise BadInput(f"{reader.folder} has no scores of {metric}; it has {', '.join(reader.manifest.signatures)}")
    sign, key = (
        (-1, "highest_of") if higher_is_better(metric, reader.manifest.signatures) is False else (1, "lowest_of")
    )
    measured = [(one.score.value, one) for one in scored if one.score.value is not None]
    worst = sorted(measured, key=lambda pair: (sign * pair[0], pair[1].sample))[:number]
    rows = tuple((one.sample, value, reason_of(one) or None) for value, one in worst)
    return Table(
        Message("title", key, metric=metric),
        ("sample", "value", "reason"),
        rows,
        (Message("caption", "with_value", n=len(measured)),),
    )


def show_dialogue(reader: RunReader, identity: str, form: Format) -> None:
    """Print one dialogue with its grades; raise BadInput if the run has none with this id."""
    if not has_dialogues(reader):
        raise BadInput(f"{reader.folder} is not a run of dialogues; `saiten converse` makes one")
    found = find_dialogue(reader, identity)
    if found is None:
        raise BadInput(f"{reader.folder} has no dialogue {identity!r}; `--worst wscore` lists some of their ids")
    if form == "table":
        print_dialogue(found, stdout())
    else:
        stdout().file.write(dialogue_json(found) + "\n")


def show_sample(reader: RunReader, identity: str, form: Format) -> None:
    """Print one sample in full; raise BadInput if the run has none with this id."""
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


def show_gist(reader: RunReader, form: Format, out: Console, *, sample: str | None, apart: bool) -> None:
    """Show the answers of a run, or one of them, with their units.

    `apart`: no other view was asked for.

    Raises:
        ConfigurationError: another view was asked for as well, or another form than `table` or `html`.
        BadInput: the run has no such sample, or `gist` was not scored.
    """
    if not apart:
        raise ConfigurationError("--gist cannot be combined with --worst and --dialogue")
    if form not in {"table", "html"}:
        raise ConfigurationError(
            f"--gist supports table and html, not {form}; for the units use --sample ID --format json"
        )
    run = _read(reader, sample)
    if form == "html":
        from saiten.views.gist.page import write_gist_page

        write_gist_page(run, out.file, title=str(reader.folder) if sample is None else f"{reader.folder} · {sample}")
        return
    if sample is None:
        print_tables(profile_tables(run.profiles), out)
    print_gist_run(run, out)


def _read(reader: RunReader, identity: str | None) -> GistRun:
    def samples() -> Iterator[Sample]:
        return (one for one in reader.samples() if identity in {None, one.id})

    def scores() -> Iterator[Scored]:
        return (one for one in reader.scores() if identity in {None, one.sample})

    run = gist_run(scores(), samples)
    if run is not None and run.shown:
        return run
    if identity is not None and reader.sample(identity) is None:
        raise BadInput(f"{reader.folder} has no sample {identity!r}; `--worst METRIC` lists some of its ids")
    raise BadInput(f"{reader.folder} has no scores of gist; it has {', '.join(reader.manifest.signatures)}")
