"""Prompt files: one TOML file per prompt, English and Japanese side by side, checked on loading."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, get_args

from saiten.errors import ConfigurationError
from saiten.records import Language

PLACEHOLDER = re.compile(r"\{([a-z_]+)(\??)\}")
"""`{name}` in the user's part, or `{name?}`, which disappears if the input is empty."""

_LANGUAGES = set(get_args(Language))


@dataclass(frozen=True, slots=True)
class Example:
    """A few-shot example: inputs and the right reply."""

    inputs: Mapping[str, str | int | tuple[str, ...]]
    reply: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in one language, exactly as the model sees it."""

    system: str
    """The instructions; constant, for the sake of prefix caches."""
    user: str
    """The place for inputs: a line with only a placeholder becomes a marked block."""
    examples: tuple[Example, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return tuple(name for name, _ in PLACEHOLDER.findall(self.user))


@cache
def load(name: str) -> Mapping[Language, Prompt]:
    """Load the prompt of this name in each language; raises ConfigurationError if its file is missing or faulty."""
    file = files(__package__).joinpath(f"{name}.toml")
    if not file.is_file():
        raise ConfigurationError(f"there is no prompt {name!r}: expected a file {file}; there are {', '.join(names())}")
    return read(file)


@cache
def names() -> tuple[str, ...]:
    """Return the names of all prompts, sorted."""
    return tuple(sorted(f.name.removesuffix(".toml") for f in files(__package__).iterdir() if f.name.endswith(".toml")))


def read(file: Traversable) -> Mapping[Language, Prompt]:
    """Read the prompts in one file; raises ConfigurationError, which names the file and its fault."""
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        _expect_keys(content, required=_LANGUAGES, allowed=_LANGUAGES, where="the file")
        prompts = {language: _prompt(content[language], language) for language in get_args(Language)}
    except (OSError, ValueError) as error:  # tomllib's and unicode's errors are ValueErrors
        raise ConfigurationError(f"{file}: {error}") from error
    return prompts


def _prompt(table: Mapping[str, Any], language: str) -> Prompt:
    _expect_keys(table, required={"user"}, allowed={"system", "user", "examples"}, where=f"[{language}]")
    prompt = Prompt(
        system=str(table.get("system", "")).strip(),
        user=str(table["user"]).strip(),
        examples=tuple(_example(example, language) for example in table.get("examples", ())),
    )
    for number, example in enumerate(prompt.examples, start=1):
        required = {name for name, optional in PLACEHOLDER.findall(prompt.user) if not optional}
        where = f"example {number} of [{language}]"
        _expect_keys(example.inputs, required=required, allowed=set(prompt.fields), where=where)
    return prompt


def _example(table: Mapping[str, Any], language: str) -> Example:
    inputs = {name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
              for name, value in table.items() if name != "reply"}  # fmt: skip
    if "reply" not in table:
        raise ValueError(f"an example of [{language}] has no reply")
    return Example(inputs, str(table["reply"]).strip())


def _expect_keys(table: Mapping[str, Any], *, required: set[str], allowed: set[str], where: str) -> None:
    if lacking := sorted(required - set(table)):
        raise ValueError(f"{where} lacks {', '.join(lacking)}")
    if unknown := sorted(set(table) - allowed):
        raise ValueError(f"{where} has {', '.join(unknown)}, expected only {', '.join(sorted(allowed))}")
