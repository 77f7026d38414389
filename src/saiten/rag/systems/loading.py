"""Loading a function by name: `module:function` or `path/to/file.py:function`."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import getsourcefile, unwrap
from types import ModuleType
from typing import Any

from saiten.errors import ConfigurationError
from saiten.rag.systems.importing import from_file, from_path

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
    function = _attribute(module, attribute, place)
    if not callable(function) or isinstance(function, type):
        what = "a class" if isinstance(function, type) else f"a {type(function).__name__}"
        raise ConfigurationError(f"{attribute} in {place} is {what}; a function that takes a question was expected")
    return Loaded(function, f"python:{typed}", _file_of(function) or getattr(module, "__file__", None) or "")


def _attribute(module: ModuleType, attribute: str, place: str) -> Any:
    value: Any = module
    for name in attribute.split("."):
        if not hasattr(value, name):
            there = [each for each in dir(value) if not each.startswith("_") and callable(getattr(value, each, None))]
            near = get_close_matches(name, there, n=1)
            own = [each for each in there if getattr(getattr(value, each), "__module__", None) == module.__name__]
            known = f"there are {', '.join(own[:5])}" if own else "there is no function in it"
            raise ConfigurationError(
                f"there is no {attribute} in {place}; {f'did you mean {near[0]}?' if near else known}"
            )
        value = getattr(value, name)
    return value


def _file_of(function: Any) -> str | None:
    called = unwrap(getattr(function, "func", function))  # a partial's function
    try:
        return getsourcefile(called) or getsourcefile(type(called).__call__)
    except TypeError:
        return None
