"""What docs/ci.md shows of other people's files is parsed, and its commands are commands."""

import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml

from saiten.cli import app

PAGE = Path(__file__).parent.parent / "docs" / "ci.md"
FILES = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)]  # fmt: skip


def texts(value):
    """Every text in a file, however deep it stands."""
    if isinstance(value, dict):
        return [text for each in value.values() for text in texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) else []


LINES = [line.strip() for file in FILES for text in texts(file) for line in text.splitlines() if "saiten " in line and not line.strip().startswith("pip")]  # fmt: skip


def test_there_are_files_and_commands_in_the_page():
    """So that what follows tests something."""
    assert len(FILES) == 2
    assert len(LINES) == 3


@pytest.mark.parametrize("line", LINES)
def test_its_commands_have_the_options_they_use(line):
    """The command is parsed as it would be on a runner, but not run."""
    program, name, *words = shlex.split(line.partition(" >>")[0])
    assert program == "saiten"
    group = typer.main.get_command(app)
    command = group.get_command(None, name)
    context = command.make_context(name, words, resilient_parsing=False)
    assert context.params


def test_the_statuses_of_the_page_are_those_of_the_code():
    """The table says what `main` says."""
    from saiten.cli import ALARM, INTERRUPTED, MISSED, main
    from saiten.cli.running import STOPPED

    table = [int(found) for found in re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)]
    assert table == [0, 2, STOPPED, ALARM, MISSED, INTERRUPTED]
    assert all(f"{status} for" in main.__doc__.replace("\n    ", " ") for status in table)
