"""The report of all that the demo did."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.telling import add, commands, heading, say
from saiten.cli.output import outside
from saiten.cli.report import report_of
from saiten.demo import DemoSample
from saiten.demo.labels import known_labels
from saiten.rag.system import FORMS
from saiten.reports.report.report import write_report

_TITLE = "saiten demo · 採点の見本"
_KNOWN = "Nobody labelled these answers; the labels are known from how each was written."


def tell(out: Path, samples: Sequence[DemoSample], console: Console, notes: Console) -> None:
    """Write the page; its path is the last line."""
    heading("14 · The report, for everybody", console)
    path = out / "report.html"
    talks = [out / "dialogues" / form for form in FORMS]
    runs = [out / "answers", out / "gist", out / "simulated-aspects", out / "chains", *talks]
    with notes.status("putting the report together"):
        made = report_of(runs, labels=list(known_labels(samples)), title=_TITLE, note=_KNOWN)
    with notes.status("drawing the report"):
        write_report(made, path)
    say(
        "One file that loads nothing: every figure of above with its interval, drawn, and every answer behind it, to "
        "search and open.",
        console,
    )
    commands(console, ["report", *runs, "--labels", out / "labels.jsonl", "-o", "report.html"])
    add("Your own answers, without a model, and what a model would cost:", console)
    commands(
        console,
        ["score", "my.csv", "-m", "overlap", "-m", "faithfulness"],
        ["score", "my.csv", "-m", "ragas", "--judge", "openai:gpt-4o", "--dry-run"],
    )
    console.print(f"\nThe report, for your browser: [bold]{outside(path)}[/]", soft_wrap=True)
