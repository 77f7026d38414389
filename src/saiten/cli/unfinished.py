"""Unfinished runs: killed, stopped, or still being written."""

from collections.abc import Sequence

from rich.console import Console

from saiten.cli.output import escape_untrusted
from saiten.runs import RunReader


def note_unfinished(readers: Sequence[RunReader], notes: Console) -> bool:
    """Note for each unfinished run that its figures are not final; return whether there was one."""
    open_ones = [reader for reader in readers if reader.unfinished]
    for reader in open_ones:
        notes.print(
            f"[yellow]not finished:[/] {escape_untrusted(reader.folder)}; its data was not read to the end yet, "
            "or some of its scores are still to come. The command that began it goes on with it"
        )
    return bool(open_ones)
