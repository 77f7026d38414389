"""Networks that run in this process: what they need, where they run, and what a figure made with them depends on."""

import hashlib
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from saiten.errors import ConfigurationError

T = TypeVar("T")

_END = 1 << 20
"""Bytes of a large file that enter a fingerprint, at its beginning and at its end."""
_READ = {".json", ".safetensors", ".bin", ".txt", ".model", ".jinja", ".pt"}
"""Endings of the files that decide what a network does."""

_held: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
"""The networks that somebody holds; a network is gone with the last who held it."""
_holding = threading.Lock()


def require(what: str, extra: str, *modules: str) -> None:
    """Nothing, if the modules are installed.

    Raises:
        ConfigurationError: one of them is not; the text names the extra to install.
    """
    if missing := [module for module in modules if find_spec(module) is None]:
        raise ConfigurationError(f'{what} needs {" and ".join(missing)}; install with: pip install "saiten[{extra}]"')


def best_device() -> str:
    """`cuda`, `mps` or `cpu`: the fastest that torch has here."""
    torch = import_module("torch")
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def loaded(what: str, expected: str, load: Callable[[], T]) -> T:
    """What `load` gives.

    Raises:
        ConfigurationError: it cannot be loaded; `what` was asked for, and `expected` says what there should be.
    """
    try:
        return load()
    except ConfigurationError:
        raise
    except Exception as error:  # damaged weights have errors of their own: of safetensors, of pickle
        lines = str(error).strip().splitlines() or [repr(error)]
        said = lines[0] if len(lines) == 1 or not lines[0].endswith(":") else f"{lines[0]} {lines[1].strip()}"
        raise ConfigurationError(f"{what} cannot be loaded: {said}; expected {expected}") from error


def safely(model: str) -> dict[str, bool]:
    """How transformers is to load a folder or a name: no code of it is run, and a folder never asks the network."""
    return {"trust_remote_code": False, "local_files_only": Path(model).is_dir()}


def configuration(model: str, what: str, expected: str) -> Any:
    """The configuration of the model in this folder or of this name; a folder is read without asking the network.

    Raises:
        ConfigurationError: transformers cannot read it, or it asks for code out of a repository, which is never run.
    """
    library = import_module("transformers")
    config = loaded(what, expected, lambda: library.AutoConfig.from_pretrained(model, **safely(model)))
    attention = getattr(config, "_attn_implementation", None)
    if isinstance(attention, str) and "/" in attention:  # transformers would download and run it
        raise ConfigurationError(
            f"{what} asks for code from the hub ({attention}), and none is run; take attn_implementation out of its "
            "config.json"
        )
    return config


@contextmanager
def quietly(*, bars: bool = False) -> Iterator[None]:
    """While this lasts, transformers reports nothing but errors; afterwards it is as it was.

    `bars`: let it draw progress bars, for a model that may have to be downloaded.
    """
    logging = import_module("transformers.utils.logging")
    level, hidden = logging.get_verbosity(), not bars and logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    if hidden:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if hidden:
            logging.enable_progress_bar()


def held(key: Hashable, make: Callable[[], T]) -> T:
    """The one object of this key: made now, or the one that somebody else holds, so that a network is loaded once."""
    with _holding:
        found: T | None = _held.get(key)
        if found is None:
            found = _held[key] = make()
        return found


def fingerprint(model: str) -> str:
    """Twelve hex digits that change with the files of a local folder; "" for a name on the hub.

    Of a large file its size, beginning and end are read: training changes all weights.
    """
    folder = Path(model)
    if not folder.is_dir():
        return ""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.suffix in _READ and path.is_file()):
        size = file.stat().st_size
        digest.update(f"{file.name}\0{size}\0".encode())
        with file.open("rb") as stream:
            digest.update(stream.read(_END))
            if size > _END:
                stream.seek(max(_END, size - _END))
                digest.update(stream.read(_END))
    return digest.hexdigest()[:12]
