"""`saiten annotate`: collect human labels on a web page."""

import os
from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.annotate_options import PeopleOptions, ProjectOptions, ServerOptions
from saiten.cli.output import stderr
from saiten.cli.unfold import unfold
from saiten.errors import ConfigurationError
from saiten.settings import DataSettings

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
@unfold
def annotate(
    data: Annotated[
        str | None,
        typer.Argument(help="Answers (JSONL, CSV, Excel, Parquet, …). Default: those already in the database."),
    ] = None,
    *,
    options: ProjectOptions,
    db: Annotated[
        str | None,
        typer.Option(help="Database: a file, or postgresql://USER:PASSWORD@HOST/DATABASE. Default: DATA.FORM.db."),
    ] = None,
    people: PeopleOptions,
    export: Annotated[
        Path | None, typer.Option(help="Write the labels so far to a file (- for standard output), and exit.")
    ] = None,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Create the project and the links, and exit without serving.")
    ] = False,
    server: ServerOptions,
    rows: DataSettings,
) -> None:
    """Collect human labels on a web page in Japanese and English, served on this machine by default.

    Prints a link for the admin and one for each annotator; anyone with a link can act as that person. Everything is
    saved in the database. Ctrl-C stops the server; re-run the command to continue. Exported labels can be read by
    agreement, meta-evaluate and tune.

    Examples:
      saiten annotate answers.jsonl --form grade --annotator Aiko --annotator Ben
      saiten annotate answers.jsonl --form gist --reason required --per-item 3 --overlap 0.2
      saiten annotate answers.csv --form aspects --rubric clarity.toml --column answer=output
      saiten annotate answers.jsonl --form preference --aspects --pick --reason required
      saiten annotate answers.jsonl --form correct --prelabels runs/first --show-prelabels
      saiten annotate --db answers.grade.db
      saiten annotate --db answers.grade.db --export labels.jsonl

    Exit status: 0 success (--export, --prepare), 2 invalid setup or input, 130 interrupted by Ctrl-C.
    """
    from saiten.models.networks import require

    require("`saiten annotate`", "annotate", "alembic", "fastapi", "sqlalchemy", "uvicorn")
    from saiten.annotation.export import export_lines
    from saiten.annotation.forms import FORMS
    from saiten.annotation.store.annotations import annotated_items
    from saiten.annotation.store.people import server_admin
    from saiten.cli.annotate_data import fill, write_labels
    from saiten.cli.annotate_project import opened
    from saiten.cli.annotate_server import print_links, serve_project, web_settings
    from saiten.cli.data_source import DataSource

    notes = stderr()
    with opened(data, db, options) as project:
        page = FORMS[project.settings.form].from_options(project.settings.options)
        if data is not None:
            fill(project, page, DataSource(data, rows), options.prelabels, notes)
        elif options.prelabels is not None:
            raise ConfigurationError("--prelabels requires the answers, to which they are joined by id")
        if export is not None:
            written = write_labels(export, export_lines(page, annotated_items(project)))
            nobody = "" if written else "; no annotator has saved anything yet"
            notes.print(f"{written} {'label' if written == 1 else 'labels'} written{nobody}")
            return
        server_admin(project)
        if prepare:
            print_links(project, people, web_settings(server, os.environ), notes)
        else:
            serve_project(project, page, people, server, notes)
