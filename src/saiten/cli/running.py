"""How a run on the command line ends: done, budget spent, or Ctrl-C."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console

from saiten.cli import INTERRUPTED
from saiten.cli.output import escape_untrusted
from saiten.errors import BudgetSpent, SaitenError
from saiten.executor import fewer_collections

LEFT_OUT = 2
"""Exit status if something that was named could not be used: a document that cannot be read, a system that is
misconfigured. The rest was done."""

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
        with fewer_collections():
            yield ending
    except stops as error:
        notes.print(f"[yellow]stopped:[/] {escape_untrusted(error)}")
        if unfinished:
            notes.print(unfinished)
        ending.status = STOPPED
    except KeyboardInterrupt:
        notes.print(f"[yellow]interrupted:[/] {kept}; re-run the command to resume")
        ending.status = INTERRUPTED
