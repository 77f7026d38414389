"""The keywords of `saiten.evaluate` that are settings: for type checkers, and spelled out for help and completion."""

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import Any, TypedDict, TypeVar, get_type_hints

from saiten.options import options_of
from saiten.settings import CallSettings, JudgeSettings

F = TypeVar("F", bound=Callable[..., Any])

_WIDTH = 110
"""Columns of a docstring."""


class Keywords(TypedDict, total=False):
    """The keywords of `saiten.evaluate` that are fields of `JudgeSettings` and `CallSettings`."""

    embedder: str
    temperature: float | None
    seed: int
    votes: int
    max_tokens: int
    logprobs: bool
    calibration: Sequence[Path | str]
    separate_calls: bool
    retry_refusals: int
    prompts: Path | str | None
    judge_options: Mapping[str, Any]
    judge_headers: Mapping[str, str]
    embedder_options: Mapping[str, Any]
    embedder_headers: Mapping[str, str]
    max_calls: int | None
    max_cost: float | None
    concurrency: int
    requests_per_minute: int | None
    tokens_per_minute: int | None
    timeout: float
    retries: int
    cache: Path | str | None
    no_cache: bool
    batch: bool
    batch_files: bool
    batch_size: int
    batch_poll: float
    batch_price: float | None
    currency: str
    prices: Mapping[str, Any]
    key_env: Mapping[str, str]


def with_keywords(function: F) -> F:
    """Replace `**settings` in the function's signature and docstring by the fields that it stands for.

    A type checker knows them as `Unpack[Keywords]`. The defaults shown are those without a `saiten.toml`.
    """
    signature = inspect.signature(function)
    named = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    function.__dict__["__signature__"] = signature.replace(parameters=[*named, *_parameters()])
    doc = function.__doc__ or ""
    function.__doc__ = doc.replace("\n\n    Raises:", f"\n{_explained()}\n\n    Raises:")
    return function


def _parameters() -> Iterator[inspect.Parameter]:
    hints = get_type_hints(Keywords)
    for name, (_, _, default) in _fields():
        shown = {} if default is MISSING else default
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=shown, annotation=hints[name])


def _explained() -> str:
    """Return the lines of the docstring: the help of the command line."""
    lines = (f"{name}: {declared.help}".replace("\\[", "[") for name, (declared, _, _) in _fields() if declared.help)
    indent = " " * 8
    return "\n".join(
        textwrap.fill(line, _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}    ") for line in lines
    )


def _fields() -> Iterator[tuple[str, tuple[Any, Any, Any]]]:
    for kind in (JudgeSettings, CallSettings):
        yield from ((name, found) for name, found in options_of(kind).items() if name in Keywords.__annotations__)
