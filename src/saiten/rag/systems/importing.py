"""Importing the module of a function under test, from a file or by its name."""

import importlib.util
import pkgutil
import sys
import traceback
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from types import ModuleType

from saiten.errors import ConfigurationError


def from_file(place: str) -> ModuleType:
    """Import a file; raises ConfigurationError if it is missing or cannot be imported."""
    path = Path(place).resolve()
    if not path.is_file():
        folder = path.parent
        there = [file.name for file in folder.glob("*.py")] if folder.is_dir() else []
        near = get_close_matches(path.name, there, n=1)
        hint = f"; did you mean {Path(place).with_name(near[0])}?" if near else ""
        raise ConfigurationError(f"there is no file {place}{hint}")
    # a unique name: `bot.py` must not be confused with, or hide, an installed module `bot`
    name = f"{path.stem}_{blake2b(str(path).encode(), digest_size=4).hexdigest()}"
    if name in sys.modules:
        return sys.modules[name]
    source = importlib.util.spec_from_file_location(name, path)
    if source is None or source.loader is None:
        raise ConfigurationError(f"{place} cannot be imported; a Python file was expected")
    module = importlib.util.module_from_spec(source)
    _look_in(path.parent)
    sys.modules[name] = module
    try:
        source.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _not_imported(place, error) from error
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


def _not_imported(place: str, error: BaseException) -> ConfigurationError:
    if isinstance(error, SyntaxError):
        where = f" (line {error.lineno} of {error.filename})"
        return ConfigurationError(f"{place} cannot be imported: {error.msg}{where}")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_machinery(frame.filename)]
    where = f" (line {frames[-1].lineno} of {frames[-1].filename})" if frames else ""
    return ConfigurationError(f"{place} cannot be imported: {type(error).__name__}: {error}{where}")


def _is_machinery(filename: str) -> bool:
    return filename == __file__ or "importlib" in filename
