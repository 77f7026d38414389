"""The examples of the page on systems run with the real frameworks, as the page says."""

import json
import re
from pathlib import Path

import pytest

from saiten.cli import main

ROOT = Path(__file__).parent.parent.parent
PACKAGES = {"langchain": "langchain_core", "llamaindex": "llama_index.core", "haystack": "haystack"}
HOW = "`make interop` installs the frameworks"


@pytest.fixture(autouse=True)
def questions(tmp_path, monkeypatch):
    """A folder with questions, and no telemetry."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "false")
    row = {"id": "q1", "question": "When was the bridge opened?", "reference": "The bridge was opened in 1998."}
    Path("questions.jsonl").write_text(json.dumps(row))


def example(name):
    """The example of a framework, written as app.py; its commands."""
    page = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    section = re.search(rf"^### {name}$(.*?)^(?:###|##) ", page, re.DOTALL | re.MULTILINE | re.IGNORECASE).group(1)
    (code,) = re.findall(r"^```py\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    Path("app.py").write_text(code, encoding="utf-8")
    return re.search(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE).group(1).splitlines()


def status_of(words):
    """The exit status of `saiten WORDS`."""
    try:
        main(words)
    except SystemExit as end:
        return end.code or 0
    return 0


@pytest.mark.parametrize("name", PACKAGES)
def test_the_example_of_a_framework_is_answered_with_its_contexts(name):
    """The commands succeed; the answer has the passage with its source."""
    pytest.importorskip(PACKAGES[name], reason=HOW)
    for command in example(name):
        words = command.replace("openai:gpt-4o", "offline").split()[1:]
        assert status_of([*words, "-q"]) == 0, command
    (row,) = map(json.loads, Path("answers.jsonl").read_text(encoding="utf-8").splitlines())
    assert "1998" in row["answer"]
    assert [(each["text"], each["source"]) for each in row["contexts"]] == [
        ("The bridge was opened in 1998.", "bridge.md")
    ]
    assert row["seconds"] > 0


@pytest.mark.parametrize(("name", "retriever"), [("langchain", "retriever"), ("llamaindex", "retriever"), ("haystack", "search")])  # fmt: skip
def test_the_retriever_of_the_example_finds_the_evidence(name, retriever):
    """It is named after --retriever, and what it finds is in the score's details."""
    pytest.importorskip(PACKAGES[name], reason=HOW)
    example(name)
    answers = {"id": "q1", "question": "When?", "answer": "In 1998.", "reference": "The bridge was opened in 1998."}
    Path("answers.jsonl").write_text(json.dumps(answers))
    spec = f"{name}:app.py:{retriever}"
    assert status_of(["score", "answers.jsonl", "-m", "correctness", "--retriever", spec, "-o", "run", "-q"]) == 0
    (score,) = map(json.loads, Path("run/scores.jsonl").read_text(encoding="utf-8").splitlines())
    (passage,) = score["details"]["evidence"]["passages"]
    assert (passage["text"], passage["source"]) == ("The bridge was opened in 1998.", "bridge.md")
    assert f"{spec}[k=5]" in Path("run/manifest.json").read_text(encoding="utf-8")
