"""The page of one metric: when to take it and when not, an example, its docstrings and settings."""

import inspect
import shlex
import sys
from dataclasses import is_dataclass
from typing import Any

from rich.markup import escape

from saiten.cli.metric_list import range_text
from saiten.cli.output import stdout
from saiten.metrics.brackets import settings_allowed
from saiten.metrics.catalog import Entry, entry_of, make_metric
from saiten.metrics.naming import is_python, read_name
from saiten.metrics.own import OwnMetric
from saiten.records import Language
from saiten.views.metric_names import shown_metric
from saiten.words import Message, in_language

_MODEL = "openai:gpt-4o-mini"
"""The judge in examples."""


def explain(name: str, language: Language) -> None:
    """Print what a metric answers, when to take it and an example; then its docstrings and settings.

    Raises:
        ConfigurationError: there is no such metric, or it has no such setting.
    """
    title, items = read_name(name)
    made = make_metric(name) if items or is_python(title) else None  # mistakes in the settings are reported here, too
    if isinstance(made, OwnMetric):
        stdout().print(f"[bold]{escape(made.name)}[/]  {escape(made.code)}")
        _print_metric(made.metric, type(made.metric), name, language)
        return
    entry = entry_of(title)
    out = stdout()
    measured = entry.ja if language == "ja" else entry.en
    out.print(f"[bold]{shown_metric(entry.title, language)}[/]  {escape(measured)}")
    for line in _advice(entry, language):
        out.print(escape(line))
    _print_metric(entry.load(), entry.load(), name if made else entry.example, language)


def _advice(entry: Entry, language: Language) -> tuple[str, str]:
    use, avoid = entry.use[language], entry.avoid[language]
    if language == "ja":
        return f"向いている場合：{use}", f"向いていない場合：{avoid}"
    return f"Take it {use}.", f"Not {avoid}."


def _print_metric(metric: Any, kind: type[Any], typed: str, language: Language) -> None:
    out = stdout()
    needs, bounds = ", ".join(metric.needs), range_text(metric.bounds)
    if language == "ja":
        out.print(f"必要な項目：{needs or 'なし'} · 範囲：{bounds}", style="dim")
    else:
        out.print(f"needs {needs or 'nothing'} · range {bounds}", style="dim")
    judge = f" --judge {_MODEL}" if metric.tasks else ""
    out.print(escape(f"\n  saiten score answers.jsonl -m {_quoted(typed)}{judge} -o runs/first\n"), soft_wrap=True)
    for text in (inspect.getdoc(sys.modules[kind.__module__]), inspect.getdoc(kind)):
        out.print(escape(text or ""), end="\n\n")
    for setting in settings_allowed(kind) if is_dataclass(kind) else ():
        unset = setting.default is None or setting.default == ""
        default = {"default": "–" if unset else setting.default, "name": setting.name, "values": setting.values}
        line = Message("screen", "setting_required" if setting.required else "setting", **default)
        out.print(escape(in_language(line, language)))


def _quoted(name: str) -> str:
    """Return the name in double quotes, which every shell reads, if it needs quotes."""
    return name if shlex.quote(name) == name else f'"{name}"' if '"' not in name else shlex.quote(name)
