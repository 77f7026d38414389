"""What takes long and waits for nothing else is done by a second process beside the rest of the demo.

Whatever ends that process costs time and nothing more: who needs its work does it again, and what is there already is
not done twice.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread


@contextmanager
def beside(work: Callable[[Path], object], folder: Path) -> Iterator[Callable[[], None]]:
    """Begin `work(folder)`; gives a function that waits for its end, however it ends. Left early, it is ended.

    The function is a module's own, so that the other process finds it.
    """
    process = get_context("spawn").Process(target=_quietly, args=(work, folder), daemon=True)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited: on Ctrl-C the process that was asked decides
    try:
        process.start()
    except OSError:  # no more processes are allowed here
        signal.signal(signal.SIGINT, before)
        yield lambda: None
        return
    signal.signal(signal.SIGINT, before)
    try:
        yield process.join
    finally:
        process.terminate()
        process.join()


def _quietly(work: Callable[[Path], object], folder: Path) -> None:
    """Without a word, and not longer than who asked for it: whoever does the work again hears what is wrong."""
    Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout = sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the process's very end
    work(folder)


def _end_with_parent() -> None:
    """A demo that was killed leaves no process that writes into its folder."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
