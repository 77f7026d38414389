"""The batches of a run on the command line: how far they are, and what becomes of them after Ctrl-C."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from saiten.cli.output import escape_untrusted
from saiten.cli.progress import RunProgress
from saiten.models.batch.shelf import BatchRecord, Shelf
from saiten.runs.batches import BatchFolder
from saiten.wiring import Models


@contextmanager
def batching(models: Models, folder: Path, progress: RunProgress, notes: Console) -> Iterator[None]:
    """Let the models send batches from this run, and show how far they are; at the end, name those that go on."""
    models.shelf, models.report = BatchFolder(folder), progress.waits
    if not models.calls.batched:
        for record in _going_on(models.shelf):
            notes.print(
                f"[yellow]note:[/] batch {escape_untrusted(record.id)} of an earlier command is still open; without "
                "--batch its requests are sent, and paid for, once more"
            )
    try:
        yield
    finally:
        for record in _going_on(models.shelf):
            notes.print(
                f"batch {escape_untrusted(record.id)} with {record.requests} requests goes on at "
                f"{escape_untrusted(record.model)}; re-run the command with --batch to collect its replies, or cancel "
                f"it:\n  {escape_untrusted(record.cancel)}",
                soft_wrap=True,
            )


def _going_on(shelf: Shelf) -> list[BatchRecord]:
    return [record for record in shelf.records() if record.id and not record.ended]
