"""The answers of a run in shards as one file, in the order of the questions."""

from collections.abc import Sequence
from pathlib import Path

from saiten.durable.whole_file import whole_file, writing_to
from saiten.models.budget import CALLS_NAME, PRICES_NAME
from saiten.runs.answers.answers_file import folder_of
from saiten.runs.lines import from_line, joined_lines
from saiten.runs.locked_folder import ERRORS_NAME
from saiten.runs.shards import run_folders

ANSWERS_NAME = "answers.jsonl"
"""The file of answers in a shard's folder."""


def join_answers(folder: Path, answers: Path) -> None:
    """Write the answers that the shards have so far into one file, and what they cost into its folder.

    Raises:
        ConfigurationError: A file cannot be written; the shards are as they were.
    """
    folders = run_folders(folder)
    shards = [] if folders == (folder,) else [shard / ANSWERS_NAME for shard in folders]
    _join(shards, answers)
    for name in (ERRORS_NAME, CALLS_NAME, PRICES_NAME):
        _join([folder_of(shard) / name for shard in shards], folder / name)


def put_in_order(answers: Path, ids: Sequence[str]) -> None:
    """Rewrite a file of answers in the order of these ids; it is in memory meanwhile.

    Raises:
        ConfigurationError: It cannot be rewritten; it is unchanged.
    """
    place = {identity: number for number, identity in enumerate(ids)}
    with answers.open("rb") as file:
        lines = sorted(file, key=lambda line: place.get(str(from_line(line).get("id")), len(place)))
    with writing_to(answers, "free some space, and re-run the command"), whole_file(answers) as file:
        file.writelines(lines)


def _join(parts: list[Path], whole: Path) -> None:
    """Replace a file by the lines of the parts, if there are any."""
    if not any(part.exists() for part in parts):
        return
    with writing_to(whole, "free some space, and re-run the command"), whole_file(whole) as file:
        file.writelines(joined_lines(parts))
