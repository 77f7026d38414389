"""`saiten metrics`: the metrics, their required fields, ranges and directions."""

import inspect
import sys
from dataclasses import is_dataclass
from math import inf
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from saiten.cli.completing import complete_metrics
from saiten.cli.output import stdout
from saiten.cli.shared_options import FormatOption
from saiten.errors import ConfigurationError

if TYPE_CHECKING:
    from saiten.metrics.catalog import Entry

app = typer.Typer(add_completion=False)


@app.command()
def metrics(
    name: Annotated[
        str | None, typer.Argument(help="Metric to explain, with its settings.", autocompletion=complete_metrics)
    ] = None,
    form: FormatOption = "table",
    japanese: Annotated[
        bool, typer.Option("--ja", help="Show descriptions in Japanese. 説明を日本語で表示します。")
    ] = False,
) -> None:
    r"""List the metrics, or explain one.

    Settings go in brackets: -m "correctness\[evidence=none]", -m "aspect_critique\[harmfulness]".
    Presets stand for several metrics: -m ragas, -m overlap. A metric of your own is named by its file and class,
    my_metrics.py:Politeness, and its code is run.

    Examples:
      saiten metrics
      saiten metrics faithfulness
      saiten metrics my_metrics.py:Politeness
      saiten metrics --ja
      saiten metrics --format json
    """
    from saiten.metrics.catalog import ENTRIES, PRESETS
    from saiten.views.render import render
    from saiten.views.table import Table
    from saiten.words import Message

    if name is not None and form in {"html", "xlsx"}:
        raise ConfigurationError(f"{form} lists all metrics; {name} can only be explained in the terminal")
    if name is not None and name.lower() in PRESETS:
        stdout().print(f"{name.lower()} stands for {', '.join(PRESETS[name.lower()])}")
        return
    if name is not None:
        _explain(name, japanese=japanese)
        return
    tables = [
        Table(
            Message("title", f"metrics_{family}"),
            ("metric", "measures", "needs", "range", "better", "judge"),
            tuple(_row(entry, japanese=japanese) for entry in ENTRIES if entry.family == family),
        )
        for family in ("ragas", "judged", "overlap", "neural")
    ]
    render(tables, form, stdout())
    if form == "table":
        presets = "; ".join(f"{preset} = {', '.join(titles)}" for preset, titles in PRESETS.items())
        stdout().print(f"Presets: {presets}", style="dim")


def _row(entry: "Entry", *, japanese: bool) -> tuple[str, ...]:
    metric = entry.load()
    return (
        entry.title,
        entry.ja if japanese else entry.en,
        ", ".join(metric.needs),
        range_text(metric.bounds),
        {True: "higher", False: "lower", None: "–"}[metric.higher_is_better],
        "yes" if metric.tasks else "no",
    )


def range_text(bounds: tuple[float, float]) -> str:
    """Return the bounds as `0 … 1`, with ∞ if unbounded."""
    return " … ".join({inf: "∞", -inf: "-∞"}.get(bound, f"{bound:g}") for bound in bounds)


def _explain(name: str, *, japanese: bool) -> None:
    """Print the docstrings of the metric's file and class, and its settings."""
    from saiten.metrics.catalog import entry_of, make_metric
    from saiten.metrics.naming import is_python, read_name
    from saiten.metrics.own import OwnMetric

    title, items = read_name(name)
    made = make_metric(name) if items or is_python(title) else None  # mistakes in the settings are reported here, too
    if isinstance(made, OwnMetric):
        _print_metric(made.metric, type(made.metric), f"[bold]{escape(made.name)}[/]  {escape(made.code)}", f'"{name}"')
        return
    entry = entry_of(title)
    metric = entry.load()
    typed = next((f', or -m "{entry.title}[{setting.name}=…]"' for setting in entry.settings), "")
    typed = entry.title + typed if entry.example == entry.title else f'"{entry.example}"'
    _print_metric(metric, metric, f"[bold]{entry.title}[/]  {entry.ja if japanese else entry.en}", typed)


def _print_metric(metric: Any, kind: type[Any], heading: str, typed: str) -> None:
    from saiten.metrics.brackets import settings_allowed

    out = stdout()
    out.print(heading)
    out.print(f"needs {', '.join(metric.needs) or 'nothing'} · range {range_text(metric.bounds)}\n", style="dim")
    for text in (inspect.getdoc(sys.modules[kind.__module__]), inspect.getdoc(kind)):
        out.print(escape(text or ""), end="\n\n")
    for setting in settings_allowed(kind) if is_dataclass(kind) else ():
        unset = setting.default is None or setting.default == ""
        default = "required" if setting.required else f"default: {'–' if unset else setting.default}"
        out.print(escape(f"[{setting.name}=…]  {setting.values}; {default}"))
    out.print(escape(f"Typed as: saiten score answers.jsonl -m {typed}"))
