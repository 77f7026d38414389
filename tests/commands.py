"""saiten's commands in tests: called in this process or as processes of their own, in a folder for each test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from saiten.cli import main

SAITEN = [sys.executable, "-c", "from saiten.cli import main; main()"]

QUESTIONS = [
    {
        "id": f"q{n}",
        "question": f"Question {n}?",
        "answer": f"The answer is {n}. It is right.",
        "contexts": [f"The answer is {n}.", "Another text."],
        "reference": f"The answer is {n}.",
    }
    for n in range(1000)
]


class Said:
    """How a command ended: exit status, standard output, standard error."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """Run each test in its own folder, without the user's keys and terminal width."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def saiten(capsys):
    """`saiten ARGUMENTS` in this process."""

    def call(*arguments):
        capsys.readouterr()
        try:
            main([str(argument) for argument in arguments])
            status = 0
        except SystemExit as end:
            status = end.code or 0
        return Said(status, *capsys.readouterr())

    return call


@pytest.fixture
def process():
    """`saiten ARGUMENTS` as a separate running process."""
    started = []

    def start(*arguments, **settings):
        started.append(
            subprocess.Popen(
                [*SAITEN, *map(str, arguments)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=os.environ | {"PYTHONUTF8": "1"} | settings.pop("env", {}),
                **settings,
            )
        )
        return started[-1]

    yield start
    for each in started:
        each.kill()
        each.communicate()


@pytest.fixture
def data(somewhere):
    """`data(n)`: a file with the first n of the questions, or with these rows."""

    def write(rows, name="data.jsonl"):
        chosen = QUESTIONS[:rows] if isinstance(rows, int) else rows
        lines = [row if isinstance(row, bytes) else orjson.dumps(row) for row in chosen]
        Path(name).write_bytes(b"\n".join(lines) + b"\n")
        return Path(name)

    return write


@pytest.fixture(scope="session")
def kept():
    """The folders that `once` made, by the function that made them."""
    return {}


@pytest.fixture
def once(somewhere, kept, monkeypatch, tmp_path_factory):
    """`once(make)`: the files that `make()` writes into an empty current folder, made once per process and copied."""

    def copied(make):
        made_by = make.__module__, make.__qualname__
        if made_by not in kept:
            folder = tmp_path_factory.mktemp("kept")
            with monkeypatch.context() as there:
                there.chdir(folder)
                make()
            kept[made_by] = folder
        shutil.copytree(kept[made_by], somewhere, dirs_exist_ok=True)

    return copied
