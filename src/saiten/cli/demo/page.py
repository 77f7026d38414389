"""The report of all that the demo did."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.telling import add, commands, heading, say
from saiten.cli.output import escape_untrusted
from saiten.cli.report import report_of
from saiten.demo import DemoSample
from saiten.demo.labels import known_labels
from saiten.rag.system import FORMS
from saiten.views.report.document import write_report

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
    if called := how_to_call(Path(sys.executable).parent):
        add(called, console)
    console.print(f"\nThe report, for your browser: [bold]{escape_untrusted(path)}[/]", soft_wrap=True)


def how_to_call(folder: Path) -> str | None:
    """Advice where a shell would not find the `saiten` in this folder of programs; None where it would."""
    program = shutil.which("saiten", path=str(folder))
    found = shutil.which("saiten")
    if program is None or (found is not None and Path(found).samefile(program)):
        return None
    here = Path(os.path.relpath(program))
    shown = escape_untrusted(program if here.parts[0] == os.pardir else here)
    activate = folder / "activate"
    first = (
        f"run [bold]source {escape_untrusted(Path(shown).parent / activate.name)}[/] once per shell, or "
        if activate.exists()
        else ""
    )
    return f"`saiten` is not on your PATH here: {first}type [bold]{shown}[/] instead of saiten."
