"""The demo's dialogues, from the built-in texts to the comparison of the two forms of our RAG."""

import asyncio
from pathlib import Path

from rich.console import Console

from saiten.assembly import Models, index_documents, open_knowledge_base
from saiten.cli.converse_progress import DialogueProgress
from saiten.demo.dialogues import hold_dialogues
from saiten.demo.questions import corpus, demo_questions
from saiten.dialogue.reading import find_dialogue
from saiten.journal import read_run
from saiten.reports.comparison import compare_runs
from saiten.reports.dialogue_page import print_dialogue
from saiten.reports.tables import Table

SHOWN = "en-m02"
"""A dialogue that is worth reading."""


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


def print_one_dialogue(run: Path, console: Console, identity: str = SHOWN) -> None:
    """A dialogue to read, so that it is seen what stands behind a figure."""
    found = find_dialogue(read_run(run), identity)
    if found is not None:
        print_dialogue(found, console)
