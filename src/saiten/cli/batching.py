"""The batches of a run on the command line: how far they are, and what becomes of them after Ctrl-C."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from saiten.cli.output import escape_untrusted
from saiten.cli.progress import RunProgress
from saiten.runs.batches import BatchFolder
from saiten.wiring import Models


@contextmanager
def batching(models: Models, folder: Path, progress: RunProgress, notes: Console) -> Iterator[None]:
    """Let the models send batches from this run, and show how far they are; at the end, name those that go on."""
    models.shelf, models.report = BatchFolder(folder), progress.waits
    try:
        yield
    finally:
        for record in models.shelf.records():
            if record.ended or not record.id:
                continue
            collect = "re-run the command" if models.calls.batched else "add --batch"
            notes.print(
                f"batch {escape_untrusted(record.id)} with {record.requests} requests goes on at {record.model}; "
                f"{collect} to collect its replies, or cancel it:\n  {escape_untrusted(record.cancel)}",
                soft_wrap=True,
            )
