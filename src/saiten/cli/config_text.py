"""The text of a `saiten.toml`: settings to begin with, and their help as comments."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from saiten.data.looking import Look
from saiten.metrics.catalog import ENTRIES
from saiten.models.providers import providers
from saiten.options import options_of
from saiten.records import Language
from saiten.settings import CallSettings, DataSettings, JudgeSettings, MetricSettings

FIRST_MODEL = "openai:gpt-4o-mini"
_MODELS = (FIRST_MODEL, "ollama:qwen3", "vllm:qwen3@http://gpu1:8000")
"""One model that needs a key, one on this machine, one on a server."""
_FIRST = ("faithfulness", "answer_correctness", "token_f1")
"""The metrics to begin with: is the answer supported, is it right, by a judge and by its words."""
_OTHERWISE = ("answer_relevancy",)
"""Those for data with nothing to compare an answer with."""
_CALLS = 1_000
_WIDTH = 110
_KINDS = (MetricSettings, JudgeSettings, DataSettings, CallSettings)


def config_text(found: Look | None, columns: tuple[str, ...] = (), language: Language | None = None) -> str:
    """Return the file for data, or a template without. `columns` and `language` are those that the user typed."""
    columns += () if found is None else tuple(f"{field}={column}" for field, column in found.guessed.items())
    metrics = list(_FIRST) if found is None else first_metrics(found)
    common = "ja" if found is not None and next(iter(found.languages)) == "ja" else "en"
    parts = [
        _comment(
            "Settings of saiten for this folder, for the command line and saiten.evaluate. What you type takes "
            "precedence over them."
        ),
        [*_help("metrics"), *_possible(found, metrics), _line("metrics", metrics, active=bool(metrics))],
        [*_help("judge"), _line("judge", "offline"), *_models()],
        [*_help("max_calls"), _line("max_calls", _CALLS), *_help("max_cost"), _line("max_cost", 5.0, active=False)],
        [*_help("cache"), _line("cache", ".saiten/answers.sqlite", active=False)],
        [*_help("column"), _line("column", list(columns or ("question=Q", "answer=A")), active=bool(columns))],
        [*_help("language"), _line("language", language or common, active=language is not None)],
    ]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def first_metrics(found: Look) -> list[str]:
    """Return the metrics to begin with whose fields the data has."""
    possible = possible_metrics(found)
    return [name for name in _FIRST if name in possible] or [name for name in _OTHERWISE if name in possible]


def possible_metrics(found: Look) -> list[str]:
    """Return the metrics whose fields the data has."""
    return [entry.title for entry in ENTRIES if all(map(found.has, entry.load().needs))]


def _possible(found: Look | None, chosen: list[str]) -> list[str]:
    others = [] if found is None else [name for name in possible_metrics(found) if name not in chosen]
    return _comment(f"The data also has what these need: {', '.join(others)}.") if others else []


def _models() -> Iterator[str]:
    """Yield models that may take the place of the offline judge."""
    for spec in _MODELS:
        provider = providers()[spec.partition(":")[0]]
        says = f"its key is read from {provider.key[0]}" if provider.needs_key else "on a server of your own"
        yield f"{_line('judge', spec, active=False)}  # {says}"


def _line(name: str, value: Any, *, active: bool = True) -> str:
    """Return `name = value`; TOML writes texts, numbers and lists as JSON does, except for one control character."""
    written = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{'' if active else '# '}{name} = {written}"


def _help(name: str) -> list[str]:
    """Return the help of the command line as comments."""
    (declared,) = (found[name][0] for kind in _KINDS if name in (found := options_of(kind)))
    return _comment(declared.help.replace("\\[", "[").removesuffix(" Repeatable."))


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
