"""`saiten annotate`: the web page where people grade."""

import os
import re
import secrets
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

import typer
from rich.console import Console

from saiten.cli import INTERRUPTED
from saiten.cli import data_options as of_data
from saiten.cli.annotate_project import Flags, FormName, Typed, opened
from saiten.cli.drawn_line import DrawnLine
from saiten.cli.output import escape_untrusted, stderr, told
from saiten.data import BadRow
from saiten.durable.whole_file import whole_file
from saiten.errors import BadInput, ConfigurationError
from saiten.models.networks import require
from saiten.records import Sample
from saiten.views.strip_controls import strip_controls
from saiten.views.words import in_japanese

if TYPE_CHECKING:
    from saiten.annotation.forms import Form
    from saiten.annotation.records import Json, NewItem
    from saiten.annotation.store.project import Project
    from saiten.annotation.web.settings import WebSettings

app = typer.Typer(add_completion=False)

_THE_PROJECT = "The project: set when it is made, and held to"
_THE_SERVER = "The server"
_TOKEN = "SAITEN_ADMIN_TOKEN"  # noqa: S105 - the name of a variable
_SHORTEST_TOKEN = 32
_LONGEST_ID = 1_000
_NAMED = 80
"""Characters of an id, and of one that stands in a message."""
_SHOWN = 5
"""Rows left out that are told one by one."""


@app.command(no_args_is_help=True)
def annotate(
    data: Annotated[
        str | None, typer.Argument(help="The answers: JSONL, CSV, Parquet, …; none: what the database has already.")
    ] = None,
    form: Annotated[
        FormName | None,
        typer.Option(
            help="grade: 0 to 5 · correct: yes or no · aspects: a rubric's · gist: mark what is missing and extra · "
            "preference: put the answers to a question into order.",
            rich_help_panel=_THE_PROJECT,
        ),
    ] = None,
    rubric: Annotated[
        Path | None,
        typer.Option(help="Of --form aspects, and of --aspects. Default: the four axes.", rich_help_panel=_THE_PROJECT),
    ] = None,
    aspects: Annotated[
        bool,
        typer.Option(
            "--aspects", help="Preference: grade each answer on the rubric, too.", rich_help_panel=_THE_PROJECT
        ),
    ] = False,
    pick: Annotated[
        bool,
        typer.Option(
            "--pick", help="Preference: the best answer alone, no order of the others.", rich_help_panel=_THE_PROJECT
        ),
    ] = False,
    reason: Annotated[
        Literal["required", "optional"] | None,
        typer.Option(help="Whether a reason must be given. Default: optional.", rich_help_panel=_THE_PROJECT),
    ] = None,
    per_item: Annotated[
        int | None,
        typer.Option(min=1, help="Annotators for an item of the overlap. Default: 2.", rich_help_panel=_THE_PROJECT),
    ] = None,
    overlap: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of the items that so many annotate; the others have one annotator. Default: 1.",
            rich_help_panel=_THE_PROJECT,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of overlap and orders. Default: 0.", rich_help_panel=_THE_PROJECT)
    ] = None,
    whole_questions: Annotated[
        bool,
        typer.Option(
            "--whole-questions",
            help="Whoever gets one answer to a question gets all answers to it.",
            rich_help_panel=_THE_PROJECT,
        ),
    ] = False,
    prelabels: Annotated[
        Path | None,
        typer.Option(
            help="What a judge says of the same answers: a run, or a file of labels.", rich_help_panel=_THE_PROJECT
        ),
    ] = None,
    show_prelabels: Annotated[
        bool,
        typer.Option(
            "--show-prelabels",
            help="Let annotators see it; default: hidden. Which is exported.",
            rich_help_panel=_THE_PROJECT,
        ),
    ] = False,
    db: Annotated[
        str | None,
        typer.Option(help="A file, or postgresql://USER:PASSWORD@HOST/DATABASE. Default: DATA.FORM.db in this folder."),
    ] = None,
    annotator: Annotated[
        list[str] | None, typer.Option(help="Somebody who is to get a link. Repeatable; the page can add more.")
    ] = None,
    new_link: Annotated[
        list[str] | None, typer.Option(help="Somebody who lost their link: a new one, the former ends. Repeatable.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write the labels so far to a file (- for standard output), and end.")
    ] = None,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Make the project and the links, and end without serving.")
    ] = False,
    host: Annotated[
        str,
        typer.Option(help=f"Other addresses than this machine's own need {_TOKEN}.", rich_help_panel=_THE_SERVER),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="0: any that is free.", rich_help_panel=_THE_SERVER)
    ] = 8765,
    public_url: Annotated[
        str | None,
        typer.Option(
            help="The address of the reverse proxy by which browsers come: https://grade.example.org",
            rich_help_panel=_THE_SERVER,
        ),
    ] = None,
    column: of_data.ColumnOption = None,
    data_format: of_data.DataFormatOption = None,
    language: of_data.LanguageOption = None,
    limit: of_data.LimitOption = None,
    strict: of_data.StrictOption = False,
) -> None:
    """Let people grade: a web page in Japanese and English, on this machine unless told otherwise.

    Prints a link for you, the admin, and one for each annotator: whoever has the link is that person. All is kept in
    the database; Ctrl-C ends the server, the same command goes on. Labels are exported as they are read by
    agreement, meta-evaluate and tune.

    Examples:
      saiten annotate answers.jsonl --form grade --annotator Aiko --annotator Ben
      saiten annotate answers.jsonl --form gist --reason required --per-item 3 --overlap 0.2
      saiten annotate answers.csv --form aspects --rubric clarity.toml --column answer=output
      saiten annotate answers.jsonl --form preference --aspects --pick --reason required
      saiten annotate answers.jsonl --form correct --prelabels runs/first --show-prelabels
      saiten annotate --db answers.grade.db
      saiten annotate --db answers.grade.db --export labels.jsonl

    Exit status: 0 done (--export, --prepare), 2 wrong set-up or input, 130 for Ctrl-C.
    """
    require("`saiten annotate`", "annotate", "alembic", "fastapi", "sqlalchemy", "uvicorn")
    from saiten.annotation.export import export_lines
    from saiten.annotation.forms import FORMS
    from saiten.annotation.store.annotated import annotated_items
    from saiten.annotation.store.people import server_admin

    notes = stderr()
    flags = Flags(show_prelabels, aspects, pick, whole_questions)
    typed = Typed(form, rubric, reason, per_item, overlap, seed, flags)
    with opened(data, db, typed) as project:
        asked = FORMS[project.settings.form].from_options(project.settings.options)
        if data is not None:
            chosen = of_data.DataOptions(
                source=data, column=column, data_format=data_format, language=language, limit=limit
            )
            _fill(project, asked, chosen, prelabels, notes, strict=strict)
        elif prelabels is not None:
            raise ConfigurationError("--prelabels are joined to the answers by their ids: name the data too")
        if export is not None:
            written = _write(export, export_lines(asked, annotated_items(project)))
            nobody = "" if written else "; nobody has saved anything yet"
            notes.print(f"{written} {'label' if written == 1 else 'labels'} written{nobody}")
            return
        server_admin(project)
        people = _Named(annotator or (), new_link or ())
        if prepare:
            _tell_links(project, people, web_settings(host, port, public_url, os.environ), notes)
        else:
            _serve(project, asked, people, (host, port, public_url), notes)


@dataclass(frozen=True, slots=True)
class _Named:
    """Who was named on the command line."""

    annotators: Sequence[str]
    """To be made, where they are not there."""
    new_links: Sequence[str]
    """To get another link."""


def _fill(
    project: "Project",
    form: "Form",
    chosen: of_data.DataOptions,
    prelabels: Path | None,
    notes: Console,
    *,
    strict: bool,
) -> None:
    """Put the answers into the database, and what a judge said of them."""
    from saiten.annotation.prelabels import read_prelabels
    from saiten.annotation.store.items import add_items
    from saiten.annotation.store.prelabels import add_prelabels
    from saiten.annotation.store.progress import item_counts

    judged = None if prelabels is None else read_prelabels(prelabels, tell=told(notes))
    beforehand: list[tuple[str, str, Json]] = []
    with DrawnLine(notes, "answers", chosen.count(), quiet=False) as line:

        def items() -> "Iterator[NewItem]":
            rows = of_data.begun(chosen.rows(told(notes)))
            for item in form.items(_usable(rows, form.title, line, strict=strict)):
                payload = judged.payload(form, item) if judged else None
                if judged and payload is not None:
                    beforehand.append((item.key, judged.source, payload))
                yield item

        try:
            added = add_items(project, items())
        except BadInput as error:
            raise BadInput(f"{chosen.source}: {error}") from error
    total = item_counts(project).total
    if not total:
        raise BadInput(f"{chosen.source} has nothing to annotate: no row could be used")
    if added:
        notes.print(f"{added} items were added")
    if judged:
        add_prelabels(project, beforehand)
        notes.print(f"{len(beforehand)} of {total} items have pre-labels of {escape_untrusted(judged.source)}")


def _usable(rows: Iterator[Sample | BadRow], form: str, line: DrawnLine, *, strict: bool) -> Iterator[Sample]:
    """The samples that have what the form shows; others are told and left out."""
    left_out = 0
    for number, row in enumerate(rows, 1):
        why = _lacking(row, form)
        if why is None and isinstance(row, Sample):
            line.draw(number, lambda: "")
            yield row
            continue
        where, reason = (
            (row.where, row.reason) if isinstance(row, BadRow) else (f"sample {row.id[:_NAMED]!r}", why or "")
        )
        if strict:
            raise BadInput(f"{where}: {reason}")
        left_out += 1
        line.name(left_out, "left out", where, reason)


def _lacking(row: Sample | BadRow, form: str) -> str | None:
    if isinstance(row, BadRow) or row.answer is None:
        return "it has no answer; collect answers with `saiten answer`, or name their column: --column answer=COLUMN"
    if not _is_text(row):
        return "it holds half of a character (a lone surrogate), which no database keeps"
    if "\0" in row.id or len(row.id) > _LONGEST_ID:
        return f"its id holds a zero character or has more than {_LONGEST_ID:,} characters; give it another"
    if form == "gist" and not (row.reference or "").strip():
        return "it has no reference, and its units are what is to be marked"
    return None


def _is_text(sample: Sample) -> bool:
    texts = (sample.id, sample.question, sample.answer or "", *sample.references, *(sample.contexts or ()))
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def _write(file: Path, lines: Iterator[bytes]) -> int:
    """To standard output, or as a whole file or not at all; a pipe or a device is written to, never replaced.

    Returns how many lines there were.
    """
    if str(file) == "-":
        written = _write_to(sys.stdout.buffer, lines)
        sys.stdout.buffer.flush()
        return written
    try:
        with whole_file(file) as stream:
            return _write_to(stream, lines)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}; name another with --export") from error


def _write_to(stream: IO[bytes], lines: Iterator[bytes]) -> int:
    written = 0
    for written, line in enumerate(lines, 1):  # noqa: B007 - the last one counts
        stream.write(line)
    return written


def web_settings(host: str, port: int, public_url: str | None, environ: Mapping[str, str]) -> "WebSettings":
    """How the page is reached.

    Raises:
        ConfigurationError: others than this machine can reach it, and no token for the admin was set; or that, or the
            public address, has another form.
    """
    from saiten.annotation.web.settings import LOOPBACK_NAMES, WebSettings, is_loopback, public_address

    token = environ.get(_TOKEN, "")
    if token and not re.fullmatch(rf"[A-Za-z0-9._~-]{{{_SHORTEST_TOKEN},200}}", token):
        raise ConfigurationError(
            f"{_TOKEN} must have {_SHORTEST_TOKEN} to 200 letters, digits or . _ ~ -; "
            'make one with: python -c "import secrets; print(secrets.token_urlsafe(32))"'
        )
    if not token and not is_loopback(host):
        raise ConfigurationError(
            f"--host {host} lets others than this machine in, so the admin needs a token of their own: set the "
            f"environment variable {_TOKEN} to at least {_SHORTEST_TOKEN} characters that nobody can guess"
        )
    wildcard = host in {"0.0.0.0", "::", ""}  # noqa: S104 - compared, not bound
    name = (socket.gethostname() if wildcard else host).lower()
    proxy = None if public_url is None else public_address(public_url)
    names = {*LOOPBACK_NAMES, name, urlsplit(proxy or "").hostname or name}
    return WebSettings(
        address=proxy or f"http://{f'[{name}]' if ':' in name else name}:{port}",
        admin_token=token or secrets.token_urlsafe(32),
        hosts=frozenset(names),
        behind_proxy=proxy is not None,
    )


def _serve(
    project: "Project", form: "Form", people: _Named, where: tuple[str, int, str | None], notes: Console
) -> None:
    """Until Ctrl-C."""
    from saiten.annotation.store.progress import item_counts
    from saiten.annotation.web.app import make_app
    from saiten.annotation.web.serving import bound_socket, serve

    host, port, public_url = where
    web_settings(host, port, public_url, os.environ)  # what is wrong is told before links are made
    with bound_socket(host, port) as listening:
        settings = web_settings(host, listening.getsockname()[1], public_url, os.environ)
        counts = item_counts(project)
        notes.print(f"{counts.total} items, {counts.finished} finished; form {project.settings.form}")
        if settings.address.startswith("http:") and not is_local(host):
            notes.print(
                "[yellow]note[/] links and labels go over the network as they are; put a reverse proxy with HTTPS "
                "before this server, and name its address with --public-url"
            )
        token = f"({_TOKEN})" if os.environ.get(_TOKEN) else settings.admin_token
        _tell_link("admin", settings.link(token), notes)
        _tell_links(project, people, settings, notes)
        notes.print("Ctrl-C ends; the same command goes on")
        with suppress(KeyboardInterrupt):  # it only ends by a signal, which may have been set to be ignored
            serve(
                make_app(project, form, settings=settings, phrases=in_japanese),
                listening,
                behind_proxy=settings.behind_proxy,
            )
        notes.print("[yellow]ended:[/] all that was saved is kept; the same command goes on from here")
        raise typer.Exit(INTERRUPTED)


def is_local(host: str) -> bool:
    """Whether only this machine can reach it."""
    from saiten.annotation.web.settings import is_loopback

    return is_loopback(host)


def _tell_links(project: "Project", people: _Named, settings: "WebSettings", notes: Console) -> None:
    """Make whom was named, and tell their links: to standard error, this once."""
    from saiten.annotation.store.people import all_people, create_person, renew_token

    there = {person.name: person for person in all_people(project)}
    unknown = [name for name in people.new_links if name not in there]
    if unknown:
        names = ", ".join(map(repr, there)) or "nobody"
        raise ConfigurationError(f"--new-link {unknown[0]!r}: there is {names}; --annotator makes somebody new")
    for name in dict.fromkeys(people.annotators):
        if name in there:
            notes.print(
                f"{escape_untrusted(name)} is there already; their link stays as it is (--new-link makes another)"
            )
            continue
        person, token = create_person(project, name, "annotator")
        _tell_link(person.name, settings.link(token), notes)
    for name in dict.fromkeys(people.new_links):
        _tell_link(name, settings.link(renew_token(project, there[name].id)), notes)


def _tell_link(name: str, link: str, notes: Console) -> None:
    notes.print(f"{strip_controls(name)}: {link}", markup=False)
