"""`saiten init`: look at data, and write a `saiten.toml` for it."""

from typing import Annotated

import typer

from saiten.cli.unfold import Omit, unfold
from saiten.options import FILE
from saiten.settings import DataSettings

app = typer.Typer(add_completion=False)


@app.command()
@unfold
def init(
    data: Annotated[
        str | None, typer.Argument(help="Data to score, as for `saiten score`, except standard input.")
    ] = None,
    *,
    rows: Annotated[DataSettings, Omit({"limit", "sample", "sample_seed", "stratify", "strict"})],
    force: Annotated[bool, typer.Option("--force", help=f"Replace an existing {FILE}.")] = False,
) -> None:
    """Inspect data, report what can be measured, and write a saiten.toml with comments.

    Reads the first 1,000 rows and reports the recognized columns, the languages, systems and groups, and the metrics
    whose fields are present. The file starts with the offline judge, which needs no key. Without data, it is a
    template. The output ends with the commands to type next.

    Examples:
      saiten init answers.jsonl
      saiten init my.csv --column question=Q --column answer=A
      saiten init
    """
    from pathlib import Path

    from saiten.cli.config_text import config_text
    from saiten.cli.looking import explain_fields, look_at, say_next
    from saiten.cli.output import stdout
    from saiten.durable.whole_file import write_whole
    from saiten.errors import ConfigurationError

    file, out = Path(FILE), stdout()
    if file.exists() and not force:
        raise ConfigurationError(f"{FILE} exists in this folder; --force replaces it")
    found = None
    if data is None:
        explain_fields(out)
    else:
        found = look_at(data, rows, out)
    text = config_text(found, rows.column, rows.language)
    write_whole(file, text, shared=True, otherwise="go to another folder")
    say_next(data, found, rows.data_format, out)
