"""The output of commands: figures on standard output, everything else on standard error."""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from saiten.records import Language
from saiten.redaction import redact_message
from saiten.words import Message
from saiten.words.terminal import in_terminal_language, terminal_language

_WIDE = 160
"""Columns without a terminal."""
_NOTE: Mapping[Language, str] = {"en": "note: ", "ja": "注記: "}


class WordedConsole(Console):
    """A console that prints the texts of the code in the language of the terminal; a `Text` is printed as it is."""

    def print(self, *objects: Any, markup: bool | None = None, **how: Any) -> None:
        """Print the objects; texts from outside, such as the path of a report, belong in a `Text`."""
        worded = (
            in_terminal_language(each, markup=markup is not False)
            if type(each) is str or isinstance(each, Message)
            else each
            for each in objects
        )
        super().print(*worded, markup=markup, **how)


def stdout() -> WordedConsole:
    """Return the console for results; in a pipe (`| less`) as wide as the user's terminal, else wide."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _width_of_terminal()
    return WordedConsole(file=sys.stdout, highlight=False, emoji=False, width=width)


def _width_of_terminal() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):  # no terminal, or no file at all
        return _WIDE


def stderr() -> WordedConsole:
    """Return the console for progress, notes and errors, so that results can be piped."""
    return WordedConsole(file=sys.stderr, highlight=False, emoji=False, soft_wrap=True)


def notifier(console: Console) -> Callable[[str | Message], None]:
    """Return a callback that prints notes on this console."""

    def notify(text: str | Message) -> None:
        console.print(Text(f"{_NOTE[terminal_language()]}{verbatim(in_terminal_language(text))}", "dim"))

    return notify


def print_path(path: object) -> None:
    """Print what was written to standard output, for the next program."""
    stdout().print(Text(verbatim(path)), soft_wrap=True)


def verbatim(text: object) -> str:
    """Return untrusted text without control sequences and passwords."""
    from saiten.views.strip_controls import strip_controls

    return strip_controls(redact_message(in_terminal_language(text) if isinstance(text, Message) else str(text)))


def escape_untrusted(text: object) -> str:
    """Escape untrusted text or a message for rich's markup, and remove control sequences and passwords."""
    return escape(verbatim(text))
