"""The language of the terminal: `--lang`, which sets `SAITEN_LANG`, or the locale."""

import os
from collections.abc import Mapping
from typing import Any

from saiten.records import Language
from saiten.words import Message, in_language
from saiten.words.templates import exactly, translated

VARIABLE = "SAITEN_LANG"
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")


def terminal_language(environ: Mapping[str, str] = os.environ) -> Language:
    """Return the language that `SAITEN_LANG` names, else that of the locale; English for any other than Japanese."""
    chosen = environ.get(VARIABLE) or next(filter(None, map(environ.get, _LOCALE)), "")
    return "ja" if chosen.lower().startswith("ja") else "en"


def in_terminal_language(text: str | Message, *, markup: bool = False) -> str:
    """Return an error, a note, a message or another text of saiten in the language of the terminal.

    `markup`: whether a text is rich's markup.
    """
    language = terminal_language()
    return translated(text, language, markup=markup) if isinstance(text, str) else in_language(text, language)


def screen_words(key: str, **values: Any) -> str:
    """Return words of the views that are drawn on the terminal alone, in its language."""
    return in_terminal_language(Message("screen", key, **values))


def help_in_terminal_language(text: str) -> str:
    """Return a text of the help in the language of the terminal."""
    return exactly(text, terminal_language())
