"""Loading what the user named: a function or an object, by `module:NAME` or `path/to/file.py:NAME`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from inspect import getsourcefile, isclass, isroutine, unwrap
from types import ModuleType
from typing import Any

from saiten.data.objects.types import kinds_of
from saiten.errors import ConfigurationError
from saiten.importing import defined_in, from_file, from_path

_EXAMPLE = "for example python:my_package.bot:answer or bot.py:answer"
_FRAMEWORKS = {
    "langchain": "langchain",
    "langchain_core": "langchain",
    "langgraph": "langchain",
    "llama_index": "llamaindex",
    "workflows": "llamaindex",
    "haystack": "haystack",
}
"""Top-level package of an object's class → how such objects are named."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Something that was found."""

    value: Any
    """A function, unless an object was asked for."""
    name: str
    """As typed, with its prefix: `python:` for a function."""
    file: str
    """The file that defines it, for errors; "" if unknown."""


def is_in_file(spec: str) -> bool:
    """Return whether it names something in a file without a prefix: `path/to/file.py:NAME`."""
    return re.fullmatch(r"([A-Za-z]:[\\/])?[^:]+\.py:[^:/\\]*", spec) is not None


def load_function(spec: str, *, takes: str = "question") -> Loaded:
    """Load the function; modules are found as Python does, and in the current folder.

    Raises:
        ConfigurationError: there is no such file, module or function (with similar names), or the module cannot be
            imported (with the line at fault), or the name is not that of a function that `takes` this.
    """
    typed = spec.strip().removeprefix("python:")
    module, place, attribute = _module_of(typed, f"python:{typed} names no function; {_EXAMPLE}")
    function = defined_in(module, attribute, place)
    if not callable(function) or isclass(function):
        kind = framework_of(function)
        hint = f"; did you mean {kind}:{typed}?" if kind else ""
        raise ConfigurationError(
            f"{attribute} in {place} is {_kind_of(function)}; a function that takes a {takes} was expected{hint}"
        )
    return Loaded(function, f"python:{typed}", _file_of(function) or getattr(module, "__file__", None) or "")


def load_object(spec: str, prefix: str, expected: str, accepts: Callable[[Any], bool]) -> Loaded:
    """Load the object that `prefix:FILE.py:NAME` or `prefix:PACKAGE.MODULE:NAME` names; only its module is run.

    Raises:
        ConfigurationError: as `load_function`, or it is not what was `expected`, which `accepts` recognizes.
    """
    typed = spec.strip().removeprefix(f"{prefix}:")
    example = f"for example {prefix}:app.py:NAME or {prefix}:my_package.app:NAME"
    module, place, attribute = _module_of(typed, f"{prefix}:{typed} names no object; {example}")
    value = defined_in(module, attribute, place, wanted=accepts)
    if not accepts(value):
        made = "; name the object that it makes, not the function" if isroutine(value) else ""
        kind = framework_of(value)
        other = f"; did you mean {kind}:{typed}?" if kind not in {None, prefix} else ""
        raise ConfigurationError(f"{attribute} in {place} is {_kind_of(value)}; expected {expected}{made}{other}")
    return Loaded(value, f"{prefix}:{typed}", getattr(module, "__file__", None) or "")


def framework_of(value: Any) -> str | None:
    """Return the prefix for an object of a framework's class, or of one derived from it; None for anything else."""
    if isroutine(value) or isclass(value):
        return None
    return next((_FRAMEWORKS[package] for package, _ in kinds_of(type(value)) if package in _FRAMEWORKS), None)


def _module_of(typed: str, otherwise: str) -> tuple[ModuleType, str, str]:
    """Return the imported module, its name as typed, and the name of what is wanted in it."""
    place, colon, attribute = typed.rpartition(":")
    if not colon or not place or not attribute:
        raise ConfigurationError(otherwise)
    return from_file(place) if place.endswith(".py") else from_path(place), place, attribute


def _kind_of(value: Any) -> str:
    if isclass(value):
        return "a class"
    return "a function" if isroutine(value) else f"a {type(value).__name__}"


def _file_of(function: Any) -> str | None:
    called = unwrap(getattr(function, "func", function))  # a partial's function
    try:
        return getsourcefile(called) or getsourcefile(type(called).__call__)
    except TypeError:
        return None
