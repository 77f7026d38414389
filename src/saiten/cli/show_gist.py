"""`saiten show RUN --gist`: missing and extra units of answers, with their references, on the screen or as a page."""

from collections.abc import Iterator

from rich.console import Console

from saiten.choices import Format
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Sample, Scored
from saiten.runs import RunReader
from saiten.views.gist.screen import print_gist_run
from saiten.views.gist.view import GistRun, gist_run
from saiten.views.tables.gist import profile_tables
from saiten.views.terminal import print_tables


def show_gist(reader: RunReader, form: Format, out: Console, *, sample: str | None, apart: bool) -> None:
    """Show the answers of a run, or one of them, with their units.

    `apart`: no other view was asked for.

    Raises:
        ConfigurationError: another view was asked for as well, or another form than `table` or `html`.
        BadInput: the run has no such sample, or `gist` was not scored.
    """
    if not apart:
        raise ConfigurationError("--gist is a view of its own: leave out --worst and --dialogue")
    if form not in {"table", "html"}:
        raise ConfigurationError(
            f"--gist is shown as table or html, not as {form}; the units: --sample ID --format json"
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
