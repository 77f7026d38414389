"""Our RAG over a real knowledge base in a folder, by its name and on the command line."""

import asyncio
import json

import pytest

from saiten.cli import main
from saiten.errors import ConfigurationError
from saiten.records import Inquiry
from saiten.settings import CallSettings
from saiten.wiring import Models, RagSettings, SystemSettings, assemble_system, rag_over, ready


def status_of(*words: object) -> int:
    """The exit status of `saiten WORDS`."""
    try:
        main([str(word) for word in words])
    except SystemExit as end:
        return end.code or 0
    return 0


@pytest.fixture(scope="module")
def kb(tmp_path_factory):
    """Two documents, indexed."""
    folder = tmp_path_factory.mktemp("kb")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "rules.md").write_text("Visitors park on the north side. The gate closes at ten.\n")
    (docs / "bridge.txt").write_text("明石海峡大橋は1998年に開通した。全長は3,911メートルである。\n", "utf-8")
    assert status_of("index", docs, "--kb", folder / "kb") == 0
    return folder / "kb"


@pytest.fixture
def questions(tmp_path, monkeypatch):
    """A file with one in each language, in the command's folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "questions.jsonl"
    rows = [{"id": "gate", "question": "When does the gate close?"}, {"id": "橋", "question": "明石海峡大橋の全長は?"}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.mark.parametrize(("chain", "steps"), [("refine", ["qa", "refine"]), ("map_reduce", ["qa", "qa", "aggregate"])])
def test_answers_are_collected_from_a_knowledge_base(chain, steps, kb, questions):
    """Each has contexts, sources, latency and calls, without a key or network; each row is labeled extractive."""
    out = questions.with_name("answers.jsonl")
    assert status_of("answer", questions, "-s", f"rag:{kb}", "-o", out, "--chain", chain, "-k", 2) == 0
    rows = {row["id"]: row for row in map(json.loads, out.read_text("utf-8").splitlines())}
    assert "The gate closes at ten." in rows["gate"]["answer"]
    assert "全長は3,911メートルである。" in rows["橋"]["answer"]
    assert all(row["system"] == f"rag[{chain},qa,k=2]:extractive" for row in rows.values())
    assert all(len(row["contexts"]) == 2 for row in rows.values())
    assert [call["step"] for call in rows["gate"]["calls"]] == ["retrieve", *steps]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rag:"], "needs a knowledge base"),
        (["rag:nowhere"], "there is no knowledge base at nowhere"),
        (["rag:{kb}", "--generator", "gpt"], "unknown generator 'gpt'"),
        (["rag:{kb}", "--example", "none.toml"], "learns nothing"),
        (["file:x.jsonl", "--chain", "stuff"], "--chain is for the built-in RAG"),
        (["openai:m@http://127.0.0.1:1/v1", "--form", "mqa"], "--form is for the built-in RAG"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(words, message, kb, questions, capsys):
    """The message says what to do instead; nothing is written."""
    written = [word.format(kb=kb) for word in words]
    assert status_of("answer", questions, "-o", "answers.jsonl", "-s", *written) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not questions.with_name("answers.jsonl").exists()


async def test_it_can_be_put_together_inside_a_running_loop_and_is_opened_once(kb):
    """An experiment does this; the description is known before it is opened."""
    models = Models(CallSettings(), {})
    rag = rag_over(str(kb), RagSettings("refine", k=1, retrieval="hybrid"), models)
    assert "hybrid" in rag.describe()["knowledge_base"]
    await ready(rag)
    opened = await rag.retriever.open()
    assert opened is await rag.retriever.open()
    assert (await rag.answer(Inquiry("gate"))).contexts[0].source.endswith("rules.md")
    await rag.close()


async def test_a_knowledge_base_that_changes_in_between_is_reported(kb, tmp_path):
    """Otherwise answers from two states would share one description."""
    docs, base = tmp_path / "docs", tmp_path / "kb"
    docs.mkdir()
    (docs / "a.md").write_text("One.")
    assert await in_thread("index", docs, "--kb", base) == 0
    rag = rag_over(str(base), RagSettings(), Models(CallSettings(), {}))
    (docs / "b.md").write_text("Two.")
    assert await in_thread("index", docs, "--kb", base) == 0
    with pytest.raises(ConfigurationError, match="changed while"):
        await rag.answer(Inquiry("One?"))
    await rag.close()


async def test_a_system_that_is_not_our_rag_is_always_ready(questions):
    """Code that answers a set need not know what the system is."""
    questions.write_text('{"question": "Why?", "answer": "So."}\n')
    await ready(assemble_system(f"file:{questions}", SystemSettings(), Models(CallSettings(), {})))


async def in_thread(*words: object) -> int:
    """Run a command in a thread next to the running loop."""
    return await asyncio.to_thread(status_of, *words)
