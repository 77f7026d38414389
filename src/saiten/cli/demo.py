"""`saiten demo`: built-in samples with known defects, graded; no key, no network."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.completing import complete_sections
from saiten.cli.output import stdout
from saiten.errors import ConfigurationError

app = typer.Typer(add_completion=False)


@app.command()
def demo(
    context: typer.Context,
    sections: Annotated[
        list[str] | None,
        typer.Argument(help="Sections by number or name; --list shows them.", autocompletion=complete_sections),
    ] = None,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the runs; an earlier demo is replaced.")] = Path(
        "runs/demo"
    ),
    everything: Annotated[bool, typer.Option("--all", help="Show all sections.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the sections.")] = False,
) -> None:
    """Grade built-in answers in Japanese and English with the offline judge: one table, one finding, a report.

    The 192 answers of four made-up systems each have a known defect, or none, so that metrics and judge can be compared
    with the truth. Sections, on request, show the rest: what each metric sees, whether to trust the judge, missing and
    extra information, aspects, evidence, dialogues with the built-in RAG, its chains, the annotation page, and the exit
    status for a CI system. Every step is a saiten command, printed as you would type it.

    Examples:
      saiten demo
      saiten demo --list
      saiten demo 4
      saiten demo gist dialogues
      saiten demo --all -o runs/tour
    """
    from saiten.cli.first_look import first_look, say_what_next
    from saiten.cli.touring import DemoFolder, list_sections, show_sections
    from saiten.demo.steps import SECTIONS, chosen_sections

    console, saiten = stdout(), context.find_root().command
    if everything and sections:
        raise ConfigurationError("--all shows all sections; remove it, or the names of sections")
    if listed:
        list_sections(console)
        return
    chosen = SECTIONS if everything else chosen_sections(sections or ())
    folder = DemoFolder.kept(out) if sections else DemoFolder.new(out)
    console.rule("[bold]saiten · 採点[/]", align="left")
    if not chosen:
        first_look(folder, saiten, console)
        return
    show_sections(chosen, folder, saiten, console)
    say_what_next(folder.path / "report.html", console)
