"""What `saiten demo` shows by itself: systems side by side, one finding, the report, and what to type next."""

import os
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from saiten.cli.output import escape_untrusted
from saiten.cli.touring import DemoFolder, run_step, say
from saiten.demo.samples import load_demo
from saiten.demo.steps import LEAD
from saiten.results.compare import compare_sides
from saiten.results.sides import systems_of
from saiten.runs import RunReader, read_run
from saiten.views.tables.run import summary_of
from saiten.words.terminal import terminal_language

_WORSE, _BETTER = "chatty", "careful"
_METRIC = "accuracy[grounded]"
_DECLINED = "correctness"
"""The metric that counts declined answers apart."""
_ACTIVATE = {"fish": ".fish", "csh": ".csh", "tcsh": ".csh"}
"""Shell → the ending of its script; the others share one."""
_OPENERS = {"darwin": "open", "win32": "start"}
"""Platform → the command that opens a file; elsewhere `xdg-open`, if it is there."""


def first_look(folder: DemoFolder, saiten: Any, console: Console) -> None:
    """Run the steps of the lead, and say what they show.

    Raises:
        typer.Exit: a command failed.
    """
    say(
        "Four made-up systems answered 48 questions about an office handbook and a product manual. Which is best? "
        "[dim]accuracy\\[grounded]: correct, with nothing made up. In brackets: 95 % intervals.[/]",
        console,
    )
    score, compare, report = LEAD
    language = terminal_language()
    noted = set[str]()
    run_step(score, score.words(folder.path, language), saiten, console, noted)
    console.print()
    run_step(compare, compare.words(folder.path, language), saiten, console, noted)
    console.print()
    _say_finding(read_run(folder.path / "systems"), console)
    say(
        "The judge here only compares words, numbers and names; it understands nothing. `saiten demo 4` shows where it "
        "fails.",
        console,
    )
    console.print()
    run_step(report, report.words(folder.path, language), saiten, console, noted)
    say_what_next(folder.path / "report.html", console)


def _say_finding(reader: RunReader, console: Console) -> None:
    sides = {side.title: side for side in systems_of(reader)}
    (found,) = compare_sides([sides[_WORSE], sides[_BETTER]])
    (tested,) = [each for each in found.metrics if each.metric == _METRIC]
    declined = {
        str(figure.system): figure.coverage.get("declined", 0)
        for figure in summary_of(reader).figures
        if figure.metric == _DECLINED
    }
    difference, low, high = f"{tested.difference:.3f}", f"{tested.ci_low:.3f}", f"{tested.ci_high:.3f}"
    p, n = f"{tested.p_value:.3f}", tested.n
    say(
        f"[bold]{_BETTER} is better than {_WORSE}:[/] its share of answers that are correct with nothing made up is "
        f"{difference} higher (95 % interval {low} to {high}, p {p}, {n} questions). Declined, which counts as wrong "
        f"here: {_BETTER} {declined[_BETTER]}, {_WORSE} {declined[_WORSE]}.",
        console,
    )
    good = _correct_and_faithful()
    systems = ", ".join(f"{system} {number}" for system, number in good.most_common())
    say(
        f"The truth is known by construction. Of {n} answers each, correct and faithful are: {systems}. "
        f"{_BETTER} minus {_WORSE} is {(good[_BETTER] - good[_WORSE]) / n:.3f}.",
        console,
    )


def _correct_and_faithful() -> Counter[str]:
    """Return how many answers of each system were written to be correct and faithful."""
    found = Counter[str]()
    for one in load_demo():
        found[str(one.sample.system)] += one.correct and one.faithful
    return found


def say_what_next(report: Path, console: Console) -> None:
    """Print where the report is, if there is one, and commands for one's own answers."""
    lines = [
        "saiten init my.csv  # what your answers allow; writes saiten.toml",
        "saiten score my.csv -m overlap -m faithfulness -o runs/mine",
        "saiten score my.csv -m ragas --judge openai:gpt-4o --dry-run  # its cost",
    ]
    if program := not_found(Path(sys.executable).parent):
        activate = activation(program.parent, os.environ)
        first = f"{activate}  # once per shell: `saiten` is not on your PATH" if activate else ""
        lines = [first, *lines] if first else [line.replace("saiten", shown(program), 1) for line in lines]
    say("\nWith your own answers (`saiten demo --list` shows what else there is):", console)
    for line in lines:
        console.print(f"  {line}", style="dim", markup=False, soft_wrap=True)
    if report.exists():
        console.print()
        opener = _OPENERS.get(sys.platform, "xdg-open")
        if shutil.which(opener) or sys.platform == "win32":  # where it is built into the shell
            say(f"The report, in your browser: {opener} [bold]{escape_untrusted(shown(report))}[/]", console)
        else:
            say(f"The report, for your browser: [bold]{escape_untrusted(report)}[/]", console)


def not_found(folder: Path) -> Path | None:
    """Return the `saiten` in this folder of programs if a shell would not find it; None if it would."""
    program = shutil.which("saiten", path=str(folder))
    found = shutil.which("saiten")
    if program is None or (found is not None and Path(found).samefile(program)):
        return None
    return Path(program)


def activation(folder: Path, environ: Mapping[str, str]) -> str | None:
    """Return the command of the user's shell that activates the environment with this folder; None if it has none."""
    if (folder / "activate.bat").exists():
        return shown(folder / "activate")
    ending = _ACTIVATE.get(Path(environ.get("SHELL", "")).name, "")
    script = folder / f"activate{ending}"
    return f"source {shown(script)}" if script.exists() else None


def shown(path: Path) -> str:
    """Return the path as one types it here."""
    from saiten.views.strip_controls import strip_controls

    here = Path(os.path.relpath(path))
    return shlex.quote(strip_controls(str(path if here.parts[0] == os.pardir else here)))
