"""In-process networks: required packages, devices, loading, and fingerprints for signatures."""

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
"""Suffixes of the files that determine a network's behavior."""

_held: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
"""Networks in use; each is released with its last holder."""
_holding = threading.Lock()
_loading = threading.RLock()
"""Held while a network is loaded: transformers switches defaults of the whole process, so that of two networks loaded
at once one would lack weights."""


def require(what: str, extra: str, *modules: str) -> None:
    """Check that the modules are installed; raises ConfigurationError if a module is missing."""
    if missing := [module for module in modules if find_spec(module) is None]:
        raise ConfigurationError(f'{what} needs {" and ".join(missing)}; install with: pip install "saiten[{extra}]"')


def best_device() -> str:
    """Return `cuda`, `mps` or `cpu`: the fastest device that torch finds."""
    torch = import_module("torch")
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def loaded(what: str, expected: str, load: Callable[[], T]) -> T:
    """Return what `load` returns, one load at a time; raises ConfigurationError if `load` failed."""
    try:
        with _loading:
            return load()
    except ConfigurationError:
        raise
    except Exception as error:  # safetensors and pickle raise their own types for damaged weights
        if "trust_remote_code" in str(error):  # the library's advice would run the code
            raise ConfigurationError(
                f"{what} cannot be loaded: it requires code from its repository, which saiten never runs; expected "
                f"{expected}"
            ) from error
        lines = str(error).strip().splitlines() or [repr(error)]
        said = lines[0] if len(lines) == 1 or not lines[0].endswith(":") else f"{lines[0]} {lines[1].strip()}"
        raise ConfigurationError(f"{what} cannot be loaded: {said}; expected {expected}") from error


def safely(model: str) -> dict[str, bool]:
    """Return transformers' loading options: never run a repository's code; local folders never use the network."""
    return {"trust_remote_code": False, "local_files_only": Path(model).is_dir()}


def configuration(model: str, what: str, expected: str) -> Any:
    """Read the configuration of a model folder or hub name; folders never use the network.

    Raises:
        ConfigurationError: it is unreadable, or requires code from a repository, which is never run.
    """
    library = import_module("transformers")
    config = loaded(what, expected, lambda: library.AutoConfig.from_pretrained(model, **safely(model)))
    attention = getattr(config, "_attn_implementation", None)
    if isinstance(attention, str) and "/" in attention:  # transformers would download and run this code
        raise ConfigurationError(
            f"{what} requires code from the hub ({attention}), which saiten never runs; remove attn_implementation "
            "from its config.json"
        )
    return config


def causal_weights(source: str, what: str, dtype: Any, **more: Any) -> Any:
    """Load a causal language model from a folder or hub name and check that no weights are missing.

    Raises:
        ConfigurationError: some weights are missing, as in an encoder, and would be initialized at random.
    """
    network, lacking = _weights("AutoModelForCausalLM", source, dtype=dtype, **more)
    if lacking:
        raise ConfigurationError(
            f"{what} is no causal language model: there are no weights for {lacking[0]}, so that it would predict at "
            "random; expected a model that writes text, with all its weights"
        )
    return network


def encoder_with_tokenizer(source: str, *, config: Any = None, **more: Any) -> tuple[Any, Any, list[str]]:
    """Load an encoder in 32 bits from a folder or hub name.

    Return its tokenizer, the network, and the names of missing weights, which are random. BERT's pooler is not among
    them: it is not used here, and sentence-transformers saves none.
    """
    torch, library = import_module("torch"), import_module("transformers")
    with quietly(bars=not Path(source).is_dir()):
        tokenizer = library.AutoTokenizer.from_pretrained(source, **safely(source), **more)
        network, lacking = _weights("AutoModel", source, dtype=torch.float32, config=config, **more)
    return tokenizer, network, [name for name in lacking if "pooler" not in name]


def classifier_with_tokenizer(kind: str, source: str, **more: Any) -> tuple[Any, Any, list[str]]:
    """Load a classifier in 32 bits from a folder or hub name; `kind` is its class among transformers' automatic ones.

    Return its tokenizer, the network, and the names of missing weights, which are random.
    """
    torch, library = import_module("torch"), import_module("transformers")
    with quietly(bars=not Path(source).is_dir()):
        tokenizer = library.AutoTokenizer.from_pretrained(source, **safely(source), **more)
        return tokenizer, *_weights(kind, source, dtype=torch.float32, **more)


def _weights(kind: str, source: str, **more: Any) -> tuple[Any, list[str]]:
    load = getattr(import_module("transformers"), kind).from_pretrained
    network, report = load(source, output_loading_info=True, **safely(source), **more)
    return network, sorted(map(str, [*report["missing_keys"], *report["mismatched_keys"]]))


_LONGEST = 8192
"""Maximum tokens per input if neither tokenizer nor network has a lower limit."""
_TOKENS_ON_CPU, _TOKENS = 2048, 32768
"""Maximum tokens per forward pass, with padding, unless a single input is longer; on a CPU and elsewhere."""


def tokens_at_once(network: Any) -> int:
    """Return the maximum number of tokens per forward pass of an encoder, with padding."""
    return _TOKENS_ON_CPU if network.device.type == "cpu" else _TOKENS


def longest_input(tokenizer: Any, network: Any) -> int:
    """Return the lowest of the limits set by tokenizer, configuration and position embeddings, in tokens."""
    limits = [_LONGEST, tokenizer.model_max_length, getattr(network.config, "max_position_embeddings", None)]
    for name, module in network.named_modules():
        if "position" in name and hasattr(module, "num_embeddings"):
            # RoBERTa and its relatives count positions from after the padding index
            limits.append(module.num_embeddings - (0 if module.padding_idx is None else module.padding_idx + 1))
    return min(limit for limit in limits if isinstance(limit, int) and limit > 0)


@contextmanager
def quietly(*, bars: bool = False) -> Iterator[None]:
    """Let transformers report only errors within the block.

    `bars`: allow progress bars, for a model that may have to be downloaded.
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
    """Return the object for this key, made now unless it is already in use, so that a network is loaded once."""
    with _holding:
        found: T | None = _held.get(key)
        if found is None:
            found = _held[key] = make()
        return found


def fingerprint(model: str, config: Any = None) -> str:
    """Return twelve hex digits that change with a folder's files; for a hub name the commit of `config`, or "".

    Only size, beginning and end of a large file are read: training changes all weights.
    """
    folder = Path(model)
    if not folder.is_dir():
        return getattr(config, "_commit_hash", None) or ""
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


_MODEL, _ADAPTER = "config.json", "adapter_config.json"
_BASE = "base_model_name_or_path"
_PATH = re.compile(r"[.~/\\].*|[A-Za-z]:[/\\].*|.*[/\\]|[^/\\]+[/\\][^/\\]+[/\\].*|.*\\.*")
"""Matches paths that cannot be hub names, which are NAME or OWNER/NAME."""


def is_path(typed: str) -> bool:
    """Return whether this can only be a path, since names on the hub are NAME or OWNER/NAME."""
    return _PATH.fullmatch(typed) is not None


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model as typed, and the files found for it."""

    typed: str
    source: str
    """The folder, or the hub name."""
    base: str | None = None
    """The folder or hub name of the model an adapter changes; None for a whole model."""
    fingerprint: str = ""
    """Changes with the files; "" for a hub name."""
    prefix: str = "hf:"
    """What is typed before it."""

    @classmethod
    def find(cls, typed: str, prefix: str = "hf:") -> "LocalModel":
        """Look for the model without loading it.

        Raises:
            ConfigurationError: the folder, or that of its base, is missing or contains no model.
        """
        if not typed.strip():
            raise ConfigurationError(
                f"{prefix} needs a model: {prefix}FOLDER, or {prefix}NAME as on the Hugging Face hub"
            )
        folder = Path(os.path.expanduser(typed))  # noqa: PTH111 - never raises, however odd the name
        if not os.path.isdir(folder):  # noqa: PTH112 - likewise
            if os.path.exists(folder) or is_path(typed):  # noqa: PTH110 - likewise
                raise ConfigurationError(
                    f"{prefix}{typed}: there is no such folder; expected one with a model that transformers saved, or "
                    f"a name on the Hugging Face hub such as {prefix}Qwen/Qwen3-4B"
                )
            return cls(typed, typed, prefix=prefix)
        if (folder / _ADAPTER).is_file():
            base = _base_of(folder)
            of_both = "".join(filter(None, (fingerprint(str(folder)), fingerprint(base))))
            return cls(typed, str(folder), base, of_both, prefix)
        if not (folder / _MODEL).is_file():
            raise ConfigurationError(
                f"{prefix}{typed}: the folder holds no model; expected {_MODEL} with weights and tokenizer, as "
                f"save_pretrained writes them, or {_ADAPTER} of a LoRA adapter"
            )
        return cls(typed, str(folder), None, fingerprint(str(folder)), prefix)

    @property
    def name(self) -> str:
        """`hf:NAME`, or `hf:FOLDER@FINGERPRINT`, so that further training changes the name."""
        shown = f"{self.prefix}{self.typed}"
        return f"{shown}@{self.fingerprint}" if self.fingerprint else shown

    @property
    def tokenizer(self) -> str:
        """The location of the tokenizer: the adapter's own if it has one."""
        if self.base is None or any(Path(self.source).glob("tokenizer*")):
            return self.source
        return self.base


def _base_of(folder: Path) -> str:
    """Return the adapter's base: the path used in training, one next to the adapter, or a hub name."""
    file = folder / _ADAPTER
    try:
        base = json.loads(file.read_text("utf-8"))[_BASE]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{file} cannot be read: expected JSON with {_BASE!r}, got {error!r}") from error
    if not isinstance(base, str) or not base.strip():
        raise ConfigurationError(
            f"{file}: {_BASE!r} should name the model that the adapter was trained on, got {base!r}"
        )
    for path in (os.path.expanduser(base), folder / base):  # noqa: PTH111 - never raises, however odd the name
        if os.path.isdir(path):  # noqa: PTH112 - likewise
            return str(path)
    if is_path(base):
        raise ConfigurationError(
            f"the adapter {folder} was trained on the model in {base}, which is missing; put it back, or set {_BASE!r} "
            f"in {file} to its new location"
        )
    return base
