"""What our own RAG says: dialogues and chains, beforehand, in the other process, and to nobody."""

import io
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.chains import run_chains
from saiten.cli.demo.dialogues import demo_dialogues


def our_rag(out: Path) -> None:
    """The runs that the sections on dialogues and chains go on with."""
    nowhere = Console(file=io.StringIO())
    demo_dialogues(out / "dialogues", nowhere)
    run_chains(out, nowhere)
