"""Data in the user's Python: `my_eval.py:dataset` or `python:package.module:dataset`, whose code is run."""

import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from inspect import Parameter, iscoroutinefunction, isroutine, signature
from pathlib import Path
from traceback import extract_tb
from typing import Any

from saiten.errors import ConfigurationError, SaitenError
from saiten.importing import defined_in, from_file, from_path

_FORMS = "my_eval.py:NAME or python:PACKAGE.MODULE:NAME"
_EXPECTED = "data, or a function without parameters that returns it, was expected"


def is_python(data: str) -> bool:
    """Return whether the data is an object in Python, and not a file of this name."""
    place, colon, _ = data.rpartition(":")
    return data.startswith("python:") or bool(colon and place.endswith(".py") and not Path(data).exists())


def name_of_object(data: str) -> str:
    """Return a name for files made of the data: `my_eval-dataset`."""
    place, _, attribute = data.removeprefix("python:").rpartition(":")
    module = Path(place).stem if place.endswith(".py") else place.rpartition(".")[2]
    return "-".join(filter(None, (module, attribute)))


def load_data(data: str) -> Any:
    """Return the object; what the code prints goes to standard error.

    Raises:
        ConfigurationError: There is no such file, module or name, the code fails (with its line), or what it defines is
            a class, or a function that needs something.
    """
    typed = data.removeprefix("python:")
    place, _, attribute = typed.rpartition(":")
    if not place or not attribute:
        raise ConfigurationError(f"{data} names no data; expected {_FORMS}")
    with redirect_stdout(sys.stderr):
        module = from_file(place) if place.endswith(".py") else from_path(place)
        found = defined_in(module, attribute, place, wanted=lambda _: True)
        if isinstance(found, type):
            raise ConfigurationError(f"{attribute} in {place} is a class; {_EXPECTED}")
        file = getattr(module, "__file__", None) or ""
        if isroutine(found) or isinstance(found, partial):
            found = _called(found, data, file)
    return _watched(found, data, file) if isinstance(found, Iterator) else found


def _called(function: Callable[[], Any], data: str, file: str) -> Any:
    if iscoroutinefunction(function):
        raise ConfigurationError(f"{data} is async; write a plain function that calls it with asyncio.run")
    needed = [
        each.name
        for each in signature(function).parameters.values()
        if each.default is Parameter.empty and each.kind not in {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD}
    ]
    if needed:
        raise ConfigurationError(f"{data} has the parameters {', '.join(needed)}; {_EXPECTED}")
    try:
        return function()
    except SaitenError:
        raise
    except Exception as error:
        raise _failed(error, data, file) from error


def _watched(rows: Iterator[Any], data: str, file: str) -> Iterator[Any]:
    """Yield the rows of a generator, whose code runs meanwhile."""
    try:
        yield from rows
    except SaitenError:
        raise
    except Exception as error:
        raise _failed(error, data, file) from error


def _failed(error: Exception, data: str, file: str) -> ConfigurationError:
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
    where = f" (line {lines[-1]} of {file})" if lines else ""
    return ConfigurationError(f"{data} raised {type(error).__name__}: {error}{where}")
