"""The demo's dialogues, from the built-in texts to the comparison of the two forms of our RAG."""

import asyncio
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.telling import commands, heading, line, say, table
from saiten.cli.progress import DialogueProgress
from saiten.demo.dialogues import hold_dialogues
from saiten.demo.questions import corpus, demo_questions
from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.reading import find_dialogue
from saiten.results.comparison import compare_runs
from saiten.runs import read_run
from saiten.views.table import Table
from saiten.views.tables.dialogue_rows import dialogue_rows
from saiten.wiring import Models, index_documents, open_knowledge_base

SHOWN = "en-m02"
"""A dialogue that is worth reading."""
_CUT = 84


def demo_dialogues(folder: Path, notes: Console) -> list[Path]:
    """Index the built-in texts into `folder/kb` and hold the dialogues in `folder/qa` and `folder/mqa`; a few seconds.

    The folder is the demo's own; the same again goes on where it stopped.
    """

    async def all_of_it(progress: DialogueProgress) -> list[Path]:
        models = Models()
        await index_documents([corpus()], str(folder / "kb"), models)
        base = await open_knowledge_base(str(folder / "kb"), models)
        try:
            return await hold_dialogues(folder, base, progress)
        finally:
            await base.close()

    with DialogueProgress(notes, 2 * len(demo_questions()), "USD") as progress:
        return asyncio.run(all_of_it(progress))


def comparison(runs: list[Path]) -> list[Table]:
    """The two forms, held against each other on the same pairs."""
    return compare_runs([read_run(run) for run in runs], glance=True)


def tell(out: Path, console: Console, notes: Console) -> None:
    """The comparison, and one dialogue to read, much shortened."""
    heading("10 · How soon does a conversation get there? Dialogues", console)
    runs = demo_dialogues(out / "dialogues", notes)
    say(
        "Our RAG, asked on until everything is said: each question alone (qa), or with the history (mqa). wscore: "
        "grades, early ones weigh more; lscore: how many answers it took; mscore: the best grade.",
        console,
    )
    overall = comparison(runs)[0]
    kept = [overall.columns.index(name) for name in ("metric", "difference", "95 % interval", "p", "verdict", "n")]
    rows = [[row[at] for at in kept] for row in overall.rows if row[0] != "leak"]
    table([f"{overall.columns[at]}" for at in kept], rows, console)
    found = find_dialogue(read_run(runs[1]), SHOWN)
    if found is not None:
        console.print()
        print_short(found, console)
    commands(console, ["compare", *runs], ["show", runs[1], "--dialogue", SHOWN])


def print_short(dialogue: Dialogue, console: Console) -> None:
    """What was wanted; then what each turn asked, got, and was graded with: a line each."""
    line("reference", dialogue.reference, console, most=_CUT)
    graded = 0
    for row in dialogue_rows(dialogue):
        if row.title in {"asks", "system"}:
            line(f"{row.turn} {row.title}", row.text, console, most=_CUT)
        elif row.grade is not None and row.turn > graded:
            graded = row.turn
            line(f"  grade {row.grade:.1f}", row.text, console, most=_CUT)
