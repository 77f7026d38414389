"""The page where people grade: a project with ten answers, ready to be opened by one command."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.telling import commands, heading, say
from saiten.demo import DemoSample
from saiten.errors import ConfigurationError
from saiten.models.networks import require
from saiten.records import Sample

ITEMS = 10
DATABASE = "people.correct.db"


def tell(out: Path, samples: Sequence[DemoSample], console: Console, notes: Console) -> None:
    """Make the project; no server is started here. Without the extra: say what it takes."""
    heading("12 · Let people grade", console)
    try:
        with notes.status("making a project for annotators"):
            make_project(out / DATABASE, [one.sample for one in samples])
    except ConfigurationError as error:
        say("A web page where people grade, compare and mark, in Japanese and English. It is an extra:", console)
        console.print(f"  {error}", style="dim", markup=False, soft_wrap=True)
        commands(
            console, ["annotate", out / "samples.jsonl", "--form", "correct", "--limit", "10", "--annotator", "me"]
        )
        return
    say(
        f"A project with {ITEMS} of the answers is ready. The first command opens the page on this machine and prints "
        "your link; the second writes what was said, for sections 4 and 6.",
        console,
    )
    commands(
        console,
        ["annotate", "--db", out / DATABASE, "--annotator", "me"],
        ["annotate", "--db", out / DATABASE, "--export", "people.jsonl"],
    )


def make_project(database: Path, samples: Sequence[Sample]) -> None:
    """Ten answers of as many questions, both languages, with yes or no to be said of each.

    Raises:
        ConfigurationError: the extra is not installed; the text says how to install it.
    """
    require("the page where people grade", "annotate", "alembic", "fastapi", "sqlalchemy", "uvicorn")
    from saiten.annotation.forms import CorrectForm
    from saiten.annotation.records import ProjectSettings
    from saiten.annotation.store.items import add_items
    from saiten.annotation.store.project import open_project

    form = CorrectForm()
    chosen = samples[:: len(samples) // ITEMS + 1]
    with open_project(str(database), ProjectSettings(form.title, form.options)) as project:
        add_items(project, form.items(chosen))
