"""`--lang`: the language of the terminal, anywhere in the command line."""

import os
from collections.abc import Sequence
from typing import get_args

from saiten.errors import ConfigurationError
from saiten.records import Language
from saiten.words.terminal import VARIABLE

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
    return [*rest, *waiting]


def choose_language(chosen: Language | None) -> Language | None:
    """Set the language if it was given to the parser, as when a shell completes a command."""
    if chosen is not None:
        os.environ[VARIABLE] = chosen
    return chosen


def _known(where: str, value: str) -> str:
    if value.lower() not in _LANGUAGES:
        os.environ.pop(VARIABLE, None)  # else the error would be in no language
        raise ConfigurationError(f"{where} is {' or '.join(_LANGUAGES)}, not {value!r}")
    return value.lower()
