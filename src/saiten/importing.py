"""Importing the user's Python, which runs it: a module from a file or by its name, and what it defines."""

import importlib.util
import pkgutil
import sys
import traceback
from collections.abc import Callable
from difflib import get_close_matches
from hashlib import blake2b
from inspect import isclass, isroutine
from pathlib import Path
from types import ModuleType
from typing import Any

from saiten.errors import ConfigurationError

_NOTHING = {True: "it defines no function or class", False: "it defines nothing of that kind"}


def from_file(place: str) -> ModuleType:
    """Import a file, again if it has changed; raises ConfigurationError if it is missing or cannot be imported."""
    try:
        path = Path(place).resolve()
        code = path.read_bytes()
    except FileNotFoundError:
        folder = path.parent
        there = [file.name for file in folder.glob("*.py")] if folder.is_dir() else []
        near = get_close_matches(path.name, there, n=1)
        hint = f"; did you mean {Path(place).with_name(near[0])}?" if near else ""
        raise ConfigurationError(f"there is no file {place}{hint}") from None
    except (OSError, ValueError) as error:  # ValueError: no name that a file can have
        raise ConfigurationError(f"{place} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    # a unique name: `bot.py` must not be confused with, or hide, an installed module `bot`
    name = f"{path.stem}_{blake2b(str(path).encode() + code, digest_size=4).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    source = importlib.util.spec_from_file_location(name, path)
    if source is None:
        raise ConfigurationError(f"{place} cannot be imported; a Python file was expected")
    module = importlib.util.module_from_spec(source)
    _look_in(path.parent)
    sys.modules[name] = module
    try:
        exec(compile(code, path, "exec"), module.__dict__)  # noqa: S102 - these bytes, not a cache of earlier ones
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _not_imported(place, error, path) from error
    return module


def from_path(place: str) -> ModuleType:
    """Import a module by its dotted name; raises ConfigurationError likewise."""
    _look_in(Path.cwd())
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name and (place == error.name or place.startswith(error.name + ".")):
            raise ConfigurationError(f"there is no module {place}{_near_module(place)}") from None
        raise _not_imported(place, error) from error
    except (Exception, SystemExit) as error:
        raise _not_imported(place, error) from error


def defined_in(module: ModuleType, attribute: str, place: str, *, wanted: Callable[[Any], bool] = callable) -> Any:
    """Return what the module defines under a dotted name.

    Args:
        module: The module.
        attribute: The name.
        place: The module as typed, for errors.
        wanted: Whether an object may be meant by a misspelled name; by default, if it can be called.

    Raises:
        ConfigurationError: it defines nothing of this name; the text has similar names, or those that there are.
    """
    value: Any = module
    for name in attribute.split("."):
        if not hasattr(value, name):
            there = [each for each in dir(value) if not each.startswith("_") and wanted(getattr(value, each, None))]
            near = get_close_matches(name, there, n=1)
            own = [each for each in there if _is_own(getattr(value, each), module)]
            known = f"there are {', '.join(own[:5])}" if own else _NOTHING[wanted is callable]
            raise ConfigurationError(
                f"there is no {attribute} in {place}; {f'did you mean {near[0]}?' if near else known}"
            )
        value = getattr(value, name)
    return value


def _is_own(value: Any, module: ModuleType) -> bool:
    """Return whether it was defined there; an object has no place of definition."""
    return not (isroutine(value) or isclass(value)) or value.__module__ == module.__name__


def _look_in(folder: Path) -> None:
    """Make modules in the folder importable, as for `python file.py`."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _near_module(place: str) -> str:
    parent, _, last = place.rpartition(".")
    folders = list(getattr(sys.modules[parent], "__path__", ())) if parent in sys.modules else [str(Path.cwd())]
    there = [found.name for found in pkgutil.iter_modules(folders)]
    near = get_close_matches(last, there, n=1)
    if near:
        return f"; did you mean {'.'.join(filter(None, (parent, near[0])))}?"
    return f"; it is looked for in {Path.cwd()} and where Python finds its packages"


def _not_imported(place: str, error: BaseException, path: Path | None = None) -> ConfigurationError:
    """Return the error with its line: the last one in the file at `path`, or else the last one outside the import."""
    if isinstance(error, SyntaxError):
        where = f" (line {error.lineno} of {error.filename})"
        return ConfigurationError(f"{place} cannot be imported: {error.msg}{where}")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_machinery(frame.filename)]
    own = [frame for frame in frames if frame.filename == str(path)] or frames
    where = f" (line {own[-1].lineno} of {own[-1].filename})" if own else ""
    return ConfigurationError(f"{place} cannot be imported: {type(error).__name__}: {error}{where}")


def _is_machinery(filename: str) -> bool:
    return filename == __file__ or "importlib" in filename
