"""The texts of the help, as the commands have them: `make words` writes them into a catalog."""

from collections.abc import Iterator

import typer

from saiten.cli import COMMANDS, OVERVIEW, app
from saiten.cli.help_words import paragraphs, without_default


def texts_in_help() -> list[str]:
    """Return the texts in the order in which a reader meets them, each once."""
    found = [*OVERVIEW]
    group = typer.main.get_command(app)
    found += [each.help for each in group.params if getattr(each, "help", None)]
    for name in COMMANDS:
        found += _of(group.get_command(typer.Context(group), name))
    return list(dict.fromkeys(found))


def _of(command: typer.core.TyperCommand) -> Iterator[str]:
    for text, is_prose in paragraphs(command.help or ""):
        yield text if is_prose else text.partition("\n")[0]
    for each in command.params:
        if panel := getattr(each, "rich_help_panel", None):
            yield panel
        if text := getattr(each, "help", None):
            yield without_default(text)
    for below in getattr(command, "commands", {}).values():
        yield from _of(below)
