"""The output of commands: figures on standard output, everything else on standard error."""

import os
import sys
from collections.abc import Callable

from rich.console import Console
from rich.markup import escape

from saiten.redaction import redact

_WIDE = 160
"""Columns without a terminal."""


def stdout() -> Console:
    """Return the console for results; in a pipe (`| less`) as wide as the user's terminal, else wide."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _width_of_terminal()
    return Console(file=sys.stdout, highlight=False, emoji=False, width=width)


def _width_of_terminal() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):  # no terminal, or no file at all
        return _WIDE


def stderr() -> Console:
    """Return the console for progress, notes and errors, so that results can be piped."""
    return Console(file=sys.stderr, highlight=False, emoji=False, soft_wrap=True)


def notifier(console: Console) -> Callable[[str], None]:
    """Return a callback that prints notes on this console."""

    def notify(text: str) -> None:
        from saiten.views.strip_controls import strip_controls

        console.print(f"note: {strip_controls(redact(text))}", markup=False, style="dim")

    return notify


def escape_untrusted(text: object) -> str:
    """Escape untrusted text for rich's markup, and remove control sequences and passwords."""
    from saiten.views.strip_controls import strip_controls

    return escape(strip_controls(redact(str(text))))
