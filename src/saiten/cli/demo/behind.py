"""What stands behind a figure: one answer, its statements and their verdicts."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.telling import add, commands, heading, line, say
from saiten.cli.output import escape_untrusted
from saiten.demo import DemoSample
from saiten.runs import read_run
from saiten.views.page.sample_details import detail_lines
from saiten.views.table import show_cell

SHOWN = "en-m03-chatty"
"""An answer that is right and has an invention beside it."""
METRIC = "faithfulness"
_SIGNS: Mapping[str, str] = {"yes": "[green]✓[/]", "no": "[red]✗[/]", "unclear": "[yellow]?[/]"}


def tell(out: Path, samples: Sequence[DemoSample], console: Console) -> None:
    """One answer as it is looked into, much shortened."""
    heading("3 · What stands behind a figure?", console)
    sample = next(one.sample for one in samples if one.sample.id == SHOWN)
    score = next(one.score for one in read_run(out / "answers").scores() if (one.sample, one.metric) == (SHOWN, METRIC))
    line("question", sample.question, console)
    line("answer", sample.answer or "", console)
    line("reference", sample.reference or "", console)
    add(f"[bold]{METRIC} {show_cell(score.value)}[/]: each statement, looked for in the contexts", console)
    for one in detail_lines(score.details):
        if one.kind in _SIGNS:
            say(f"  {_SIGNS[one.kind]} {escape_untrusted(one.text)}", console)
            if one.kind != "yes":
                say(f"      [dim]{escape_untrusted(one.reason)}[/]", console)
    commands(console, ["show", out / "answers", "--sample", SHOWN])
