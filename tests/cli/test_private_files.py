"""What holds people's texts is readable by its owner alone; what somebody asks for by name is theirs to share."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from saiten.demo.files import corpus
from saiten.models.sqlite_store import SQLiteStore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")

ROW = {"id": "a", "question": "q", "answer": "a", "reference": "a", "contexts": ["a"]}


@pytest.fixture(params=[0, 0o022], ids=["umask-0", "umask-022"])
def umask(request):
    """The umask, for one test."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path):
    """The permission bits."""
    return path.stat().st_mode & 0o777


def open_to_others(folder):
    """Files and folders with any permission for others, without those of the search engine in its private folder."""
    for path in folder.iterdir():
        if mode(path) & 0o077:
            yield path
        elif path.is_dir() and path.name != "points":
            yield from open_to_others(path)


def make_everything(saiten, server, under):
    """One of each: a run with its cache, answers, a knowledge base, a test set, an experiment, a project."""
    Path("x.jsonl").write_text(json.dumps(ROW) + "\n" + "not JSON\n")
    judge = f"openai:m@{server.base_url}"
    plan = "data: [{demo: en, limit: 1}]\nmodels: [extractive]\nmetrics: [token_f1]\n"
    Path("e.yaml").write_text(plan, encoding="utf-8")
    for command in (
        ("score", "x.jsonl", "-m", "accuracy", "--judge", judge, "-o", under / "run"),
        ("score", "x.jsonl", "-m", "accuracy", "--judge", judge, "-o", under / "other", "--cache", under / "c.sqlite"),
        ("index", corpus("en"), "--kb", under / "kb"),
        ("answer", "x.jsonl", "--system", f"rag:{under / 'kb'}", "-o", under / "answers.jsonl"),
        ("questions", corpus("en"), "-o", under / "set", "--n", "2"),
        ("experiment", "e.yaml", "-o", under / "experiment"),
        ("annotate", "x.jsonl", "--db", under / "p.sqlite", "--form", "grade", "--prepare"),
    ):
        said = saiten(*command)
        assert said.status in (0, 6), said


def test_new_folders_and_files_are_private(saiten, monkeypatch, openai_server, umask):
    """Whatever the umask: folders that saiten makes are 0700, files 0600."""
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    under = Path("made")
    under.mkdir(0o755)
    make_everything(saiten, openai_server, under)
    assert {path.name for path in under.iterdir()} >= {"run", "c.sqlite", "kb", "answers.jsonl", "set", "p.sqlite"}
    assert [*open_to_others(under)] == []


def test_a_folder_that_exists_keeps_its_mode(saiten, monkeypatch, openai_server, umask):
    """Whoever opened a folder to others keeps it open; new files in it are private all the same."""
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    for name in ("run", "kb", "set"):
        Path("made", name).mkdir(parents=True)
        Path("made", name).chmod(0o755)
    make_everything(saiten, openai_server, Path("made"))
    for name in ("run", "kb", "set"):
        assert mode(Path("made", name)) == 0o755
        assert [*open_to_others(Path("made", name))] == []


def test_the_log_of_a_database_is_private(tmp_path, umask):
    """The write-ahead log holds the newest texts, and has the mode of its database."""
    store = SQLiteStore(tmp_path / "cache.sqlite")
    asyncio.run(store.put("m", {b"key": b"value"}))
    assert {path.name for path in tmp_path.glob("cache.sqlite*")} >= {"cache.sqlite-wal", "cache.sqlite-shm"}
    assert [*open_to_others(tmp_path)] == []


def test_reports_and_exports_are_for_others(saiten, umask):
    """A file asked for by name is as readable as any other file that its owner makes."""
    Path("x.jsonl").write_text(json.dumps(ROW) + "\n")
    assert saiten("score", "x.jsonl", "-m", "token_f1", "-o", "run").status == 0
    assert saiten("report", "run", "-o", "r.html").status == 0
    assert saiten("export", "run", "-o", "out.csv").status == 0
    assert [mode(Path(name)) for name in ("r.html", "out.csv")] == [0o666 & ~umask] * 2
