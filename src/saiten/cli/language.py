"""`--lang`: the language of the terminal, anywhere in the command line."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from saiten.errors import ConfigurationError
from saiten.records import Language
from saiten.words import Message
from saiten.words.terminal import VARIABLE, in_terminal_language, terminal_language

if TYPE_CHECKING:
    from logging import LogRecord

_OPTION = "--lang"
_LANGUAGES = get_args(Language)


def take_language(arguments: Sequence[str]) -> list[str]:
    """Return the arguments without `--lang`, whose value becomes that of `SAITEN_LANG` for this process.

    What follows `--` is left as it is. The last one counts, as for other options.

    Raises:
        ConfigurationError: the option or the variable names no language of saiten; that of the locale may be any.
    """
    rest: list[str] = []
    waiting = [*arguments]
    while waiting and waiting[0] != "--":
        argument = waiting.pop(0)
        name, equals, value = argument.partition("=")
        if name != _OPTION:
            rest.append(argument)
            continue
        if not equals:
            value = waiting.pop(0) if waiting else ""
        os.environ[VARIABLE] = _known(_OPTION, value)
    if chosen := os.environ.get(VARIABLE):
        os.environ[VARIABLE] = _known(VARIABLE, chosen)
    if terminal_language() != "en":
        _word_warnings()
    return [*rest, *waiting]


def choose_language(chosen: Language | None) -> Language | None:
    """Set the language if it was given to the parser, as when a shell completes a command."""
    if chosen is not None:
        os.environ[VARIABLE] = chosen
    return chosen


def _word_warnings() -> None:
    """Let warnings, which Python prints on standard error as long as nobody configures logging, be in this language."""
    import logging

    if logging.lastResort is not None:
        logging.lastResort.addFilter(_worded)  # once, however often it is called


def _worded(record: "LogRecord") -> bool:
    text = record.msg if isinstance(record.msg, Message) else record.getMessage()
    record.msg, record.args = in_terminal_language(text), ()
    return True


def _known(where: str, value: str) -> str:
    if value.lower() not in _LANGUAGES:
        raise ConfigurationError(f"{where} takes ja or en, not {value!r}")
    return value.lower()
