"""Loading a function by name: `module:function` or `path/to/file.py:function`."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import getsourcefile, unwrap
from typing import Any

from saiten.errors import ConfigurationError
from saiten.importing import defined_in, from_file, from_path

_EXAMPLE = "for example python:my_package.bot:answer or bot.py:answer"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A function that was found."""

    function: Callable[..., Any]
    name: str
    """As typed, prefixed with `python:`."""
    file: str
    """The file that defines it, for errors; "" if unknown."""


def load_function(spec: str) -> Loaded:
    """Load the function; modules are found as Python does, and in the current folder.

    Raises:
        ConfigurationError: there is no such file, module or function (with similar names), or the module cannot be
            imported (with the line at fault).
    """
    typed = spec.strip().removeprefix("python:")
    place, colon, attribute = typed.rpartition(":")
    if not colon or not place or not attribute:
        raise ConfigurationError(f"python:{typed} names no function; {_EXAMPLE}")
    module = from_file(place) if place.endswith(".py") else from_path(place)
    function = defined_in(module, attribute, place)
    if not callable(function) or isinstance(function, type):
        what = "a class" if isinstance(function, type) else f"a {type(function).__name__}"
        raise ConfigurationError(f"{attribute} in {place} is {what}; a function that takes a question was expected")
    return Loaded(function, f"python:{typed}", _file_of(function) or getattr(module, "__file__", None) or "")


def _file_of(function: Any) -> str | None:
    called = unwrap(getattr(function, "func", function))  # a partial's function
    try:
        return getsourcefile(called) or getsourcefile(type(called).__call__)
    except TypeError:
        return None
