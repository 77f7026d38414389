"""Folders that saiten 0.1.0 wrote before all kinds of run had one engine, in `earlier/`, can be read and resumed."""

import json
import shutil
from pathlib import Path

import pytest

from saiten import evaluate

SCORED = ("score", "answers.jsonl", "-m", "token_f1", "-o", "command")


@pytest.fixture
def earlier():
    """These folders, with signatures removed: they include versions of a tokenizer and of the offline judge."""
    shutil.copytree(Path(__file__).parent / "earlier", Path(), dirs_exist_ok=True)
    for path in Path().rglob("manifest.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"signatures": {}}))


@pytest.mark.usefixtures("earlier")
def test_they_are_shown_compared_and_reported(saiten):
    """Scores, dialogues and experiments."""
    for run in ("command", "dialogues", "experiment/scores/two"):
        shown = saiten("show", run, "--format", "json")
        assert shown.status == 0, shown
        assert saiten("report", run, "-o", "report.html").status == 0
    assert "wscore" in saiten("show", "dialogues").out
    assert "Hana" in saiten("show", "dialogues", "--dialogue", "q1").out
    compared = saiten("compare", "command", "experiment/scores/two")
    assert compared.status == 0, compared
    assert saiten("experiment", "grid.yaml", "-o", "experiment", "--results").status == 0


@pytest.mark.usefixtures("earlier")
@pytest.mark.parametrize(
    ("command", "file", "said"),
    [
        (SCORED, "command/scores.jsonl", "already has 4 scores"),
        (
            ("answer", "questions.jsonl", "--system", "file:answers.jsonl", "-o", "collected.jsonl"),
            "collected.jsonl",
            "already has 2 of the answers",
        ),
        (
            ("converse", "questions.jsonl", "--system", "file:answers.jsonl", "--max-turns", "1", "-o", "dialogues"),
            "dialogues/scores.jsonl",
            "already has 8 scores",
        ),
        (("experiment", "grid.yaml", "-o", "experiment"), "experiment/scores/two/scores.jsonl", ""),
    ],
)
def test_the_same_command_goes_on_and_asks_nothing_again(saiten, command, file, said):
    """Nothing is added to complete files."""
    before = Path(file).read_bytes()
    done = saiten(*command)
    assert done.status == 0, done
    assert said in done.err
    assert Path(file).read_bytes() == before


@pytest.mark.usefixtures("earlier")
def test_python_goes_on_with_one_and_other_settings_are_still_refused(saiten):
    """A setting that was not recorded had its default, so any other value differs."""
    before = Path("command/scores.jsonl").read_bytes()
    assert len(evaluate("answers.jsonl", ["token_f1"], run="command").scores) == 4
    assert Path("command/scores.jsonl").read_bytes() == before
    refused = saiten(
        "answer", "questions.jsonl", "--system", "file:answers.jsonl", "-o", "collected.jsonl", "--language", "ja"
    )
    assert (refused.status, 'language: was "detected", is "ja"' in refused.err) == (2, True), refused
