"""`saiten.toml`: defaults that one does not want to type each time, and the prices of models.

    judge = "openai:gpt-4o-mini"
    embedder = "openai:text-embedding-3-small"
    metrics = ["faithfulness", "correctness"]
    concurrency = 64
    max_cost = 5.0

    [prices]                        # per million tokens
    "gpt-4o-mini" = { prompt = 0.15, completion = 0.60 }

    [key_env]                       # where the keys of several servers are
    "https://api.openai.com" = "OPENAI_API_KEY"
    "http://gpu1:8000" = "GPU1_KEY"

The command line wins over the file.
"""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from saiten.errors import ConfigurationError
from saiten.records import Language

FILE = "saiten.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """What `saiten.toml` may hold; None means that nothing is set."""

    judge: str | None = None
    embedder: str | None = None
    calibration: tuple[str, ...] = ()
    """Files written by `saiten tune offline`, one an aspect."""
    metrics: tuple[str, ...] = ()
    language: Language | None = None
    temperature: float | None = None
    seed: int | None = None
    votes: int | None = None
    max_tokens: int | None = None
    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float | None = None
    retries: int | None = None
    cache: str | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    currency: str = "USD"
    prices: Mapping[str, Any] = field(default_factory=dict)
    """By model: `prompt` and `completion`, per million tokens."""
    key_env: Mapping[str, str] = field(default_factory=dict)
    """By the address of a server: the environment variable that holds its key."""
    file: Path | None = field(default=None, compare=False)
    """Where all this was read; None where there is no file."""


_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("judge", "embedder", "language", "cache", "currency"), (str,)),
    **dict.fromkeys(("seed", "votes", "max_tokens", "concurrency", "retries", "max_calls"), (int,)),
    **dict.fromkeys(("requests_per_minute", "tokens_per_minute"), (int,)),
    **dict.fromkeys(("temperature", "timeout", "max_cost"), (int, float)),
}


def read_config(path: Path | None = None) -> Config:
    """The configuration in `path`, or in `saiten.toml` of the current folder, or none.

    Raises:
        ConfigurationError: the file named is not there, is no TOML, or holds something unknown or of the wrong type.
    """
    file = path or Path(FILE)
    if not file.is_file():
        if path is not None:
            raise ConfigurationError(f"{path}: no such configuration file")
        return Config()
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: not a TOML file: {error}") from error
    return Config(**{key: _checked(file, key, value) for key, value in found.items()}, file=file.absolute())


def _checked(file: Path, key: str, value: Any) -> Any:
    known = [f.name for f in fields(Config) if f.name != "file"]
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
        raise ConfigurationError(f"{file}: unknown setting `{key}`; {hint}")
    if key in {"metrics", "calibration"}:
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise ConfigurationError(f"{file}: `{key}` must be a list of texts, not {value!r}")
        return tuple(value)
    if key == "prices":
        return _table(file, key, value)
    if key == "key_env":
        return _names(file, key, value)
    if key == "language" and value not in get_args(Language):
        raise ConfigurationError(f"{file}: language is one of {', '.join(get_args(Language))}, not {value!r}")
    expected = _TYPES[key]
    if isinstance(value, bool) or not isinstance(value, expected):
        names = " or ".join(kind.__name__ for kind in expected)
        raise ConfigurationError(f"{file}: `{key}` must be {names}, not {value!r}")
    return value


def _table(file: Path, key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{file}: `{key}` must be a table, not {value!r}")
    return value


def _names(file: Path, key: str, value: Any) -> Mapping[str, str]:
    """A table of texts. What is in it is not repeated: somebody may have put a key there."""
    table = _table(file, key, value)
    if not all(isinstance(name, str) for name in table.values()):
        raise ConfigurationError(f"{file}: `{key}` holds a server and the name of an environment variable on each line")
    return table
