"""`saiten metrics`: which to take first, and all of them with required fields, ranges and directions."""

from typing import Annotated

import typer

from saiten.cli.completing import complete_metrics
from saiten.cli.output import stdout
from saiten.cli.shared_options import FormatOption
from saiten.errors import ConfigurationError
from saiten.records import Language
from saiten.words.terminal import terminal_language

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
    r"""Show which metrics to take first and list all of them, or explain one.

    Settings go in brackets: -m "correctness\[evidence=none]", -m "aspect_critique\[harmfulness]".
    Presets select several metrics: -m ragas, -m overlap. A metric of your own is named by its file and class,
    my_metrics.py:Politeness, and its code is run.

    Examples:
      saiten metrics
      saiten metrics faithfulness
      saiten metrics my_metrics.py:Politeness
      saiten metrics --ja
      saiten metrics --format json
    """
    from saiten.cli.metric_list import metric_tables
    from saiten.cli.metric_page import explain
    from saiten.metrics.catalog import PRESETS
    from saiten.views.render import render
    from saiten.words import Message

    # What programs read is in English unless it is asked for.
    language: Language = "ja" if japanese else "en" if form in {"json", "csv"} else terminal_language()
    if name is not None and form in {"html", "xlsx"}:
        raise ConfigurationError(f"{form} lists all metrics; {name} can only be explained in the terminal")
    if name is not None and name.lower() in PRESETS:
        stdout().print(f"{name.lower()} stands for {', '.join(PRESETS[name.lower()])}")
        return
    if name is not None:
        explain(name, language)
        return
    render(metric_tables(language), form, stdout())
    if form == "table":
        presets = "; ".join(f"{preset} = {', '.join(titles)}" for preset, titles in PRESETS.items())
        stdout().print(Message("screen", "presets", presets=presets), style="dim")
