"""`saiten index` and `saiten search`, as users type them."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from servers import refusal

TEXTS = {
    "manual.md": "# RX-7800B\n\nRX-7800Bの待機時の消費電力は3ワットです。\n",
    "faq/returns.txt": "返品は30日以内にお願いします。\n",
    "en/power.md": "The printer needs three watts while it stands idle.\n",
}


@pytest.fixture
def documents(somewhere):
    """A folder with three documents."""
    for name, text in TEXTS.items():
        path = somewhere / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return somewhere / "docs"


def numbers(said):
    """The counts of an index, by name."""
    return {row["what"]: row["number"] for row in json.loads(said.out)["Index"]}


def test_index_then_search(saiten, documents):
    """Documents go in, a second run finds nothing to do, and a search shows rank, score, source, place and text."""
    first = saiten("index", "docs", "--kb", "kb", "--format", "json")
    assert first.status == 0, first
    assert numbers(first)["documents new"] == numbers(first)["chunks in the base"] == 3
    again = numbers(saiten("index", "docs", "--kb", "kb", "--format", "json"))
    assert (again["documents unchanged"], again["chunks embedded"]) == (3, 0)
    for retrieval in ("dense", "hybrid", "bm25"):
        found = saiten("search", "ＲＸ－７８００Ｂの電力", "--kb", "kb", "--retrieval", retrieval, "--format", "json")
        (rows,) = json.loads(found.out).values()
        assert (rows[0]["rank"], rows[0]["source"]) == (1, "manual.md")
        assert rows[0]["text"] in TEXTS["manual.md"]
    table = saiten("search", "returns", "--kb", "kb", "-k", "1")
    assert "rank" in table.out
    assert (
        "answer with it: saiten answer QUESTIONS --system rag:kb -o ANSWERS.jsonl"
        in saiten("index", "docs", "--kb", "kb").out
    )
    assert not table.err


def test_prune_and_what_is_said_without_it(saiten, documents):
    """Deleted documents stay until they are pruned, and the output says so."""
    saiten("index", "docs", "--kb", "kb")
    (documents / "manual.md").unlink()
    said = saiten("index", "docs", "--kb", "kb", "--format", "json")
    assert numbers(said)["documents not given, kept"] == 1
    assert "--prune" in said.err
    pruned = numbers(saiten("index", "docs", "--kb", "kb", "--prune", "--format", "json"))
    assert (pruned["documents removed"], pruned["documents in the base"]) == (1, 2)


def test_what_cannot_be_read_is_named(saiten, documents):
    """They are in a separate table, with the reason, harmless to the terminal; the others are indexed; the exit status
    says that not all is well, each time.
    """
    (documents / "junk\x1b[31m.txt").write_bytes(b"\x00\x01" * 3_000)
    (documents / "empty.md").write_bytes(b"")
    said = saiten("index", "docs", "--kb", "kb")
    assert said.status == 2
    assert "2 documents could not be read; the others are indexed" in said.err
    assert saiten("index", "docs", "--kb", "kb").status == 2
    assert saiten("search", "printer", "--kb", "kb").status == 0
    assert "empty.md" in said.out
    assert "\x1b[31m" not in said.out + said.err
    assert "Not read" in said.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["index", "nothing", "--kb", "kb"], "nothing"),
        (["index", "bare", "--kb", "kb"], "there is no document in bare"),
        (["index", "dosc", "--kb", "kb"], "there is no file or folder dosc"),
        (["index", "docs", "--kb", "docs"], "contains other files"),
        (["index", "docs", "--kb", "new", "--chunk-size", "5", "--overlap", "5"], "are impossible"),
        (["index", "docs", "--kb", "new", "--embedder", "ollama"], "unknown embedder"),
        (["index", "docs", "--kb", "new", "--embedder", "builtin:7"], "64 to 65536 dimensions, not 7"),
        (["index", "docs", "--kb", "http://localhost:6333"], "expected http://HOST:6333/NAME"),
        (["search", "x", "--kb", "nowhere"], "make one with: saiten index"),
        (["search", "x", "--kb", "docs"], "there is no knowledge base at docs"),
    ],
)
def test_what_is_typed_wrongly(saiten, documents, somewhere, arguments, said):
    """The command says what to do, with status 2, and leaves the documents alone."""
    (somewhere / "bare").mkdir()
    before = sorted(path.name for path in documents.rglob("*"))
    ended = saiten(*arguments)
    assert ended.status == 2, ended
    assert said in " ".join(ended.err.split())
    assert sorted(path.name for path in documents.rglob("*")) == before


def test_another_chunking_or_embedder_on_the_same_base(saiten, documents):
    """Both are refused with what to do; without options the base's own are used, whatever saiten.toml says."""
    saiten("index", "docs", "--kb", "kb", "--chunk-size", "100", "--overlap", "10", "--embedder", "builtin:128")
    assert saiten("index", "docs", "--kb", "kb", "--chunk-size", "200").status == 2
    assert saiten("index", "docs", "--kb", "kb", "--embedder", "builtin").status == 2
    Path("saiten.toml").write_text('embedder = "openai:m@http://127.0.0.1:9/v1"\n', "utf-8")
    assert saiten("index", "docs", "--kb", "kb").status == 0
    assert saiten("search", "power", "--kb", "kb").status == 0


def test_an_embedder_behind_a_server(saiten, documents, openai_server):
    """Its name and address are kept, so a search needs neither; a permanent failure stops with status 3."""
    spec = f"openai:e@{openai_server.base_url}"
    assert saiten("index", "docs", "--kb", "kb", "--embedder", spec).status == 0
    assert saiten("search", "power", "--kb", "kb").status == 0
    (documents / "more.md").write_text("More.", "utf-8")
    openai_server.reply = lambda _: refusal(503, "busy")
    stopped = saiten("index", "docs", "--kb", "kb", "--retries", "0")
    assert stopped.status == 3, stopped
    assert "re-run the command to resume" in stopped.err
    assert saiten("search", "power", "--kb", "kb").status == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a process")
@pytest.mark.slow
def test_ctrl_c(process, saiten, documents, openai_server):
    """Indexing ends with status 130 and says how to go on, and the next run does."""
    import threading

    asked, interrupted = threading.Event(), threading.Event()

    def slow(request):
        if len(request.body["input"]) > 1:
            asked.set()
            interrupted.wait(100)

    openai_server.reply = slow
    running = process("index", "docs", "--kb", "kb", "--embedder", f"openai:e@{openai_server.base_url}", env=os.environ)
    assert asked.wait(100)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate()
    interrupted.set()
    assert running.returncode == 130, err
    assert b"re-run the command to resume" in err
    assert b"Traceback" not in err
    openai_server.reply = lambda _: None
    done = numbers(saiten("index", "docs", "--kb", "kb", "--format", "json"))
    assert done["documents in the base"] == 3


def test_every_call_of_the_embedder_is_counted(saiten, documents, openai_server):
    """This includes the call that finds the vectors' length, and those of an interrupted run."""
    embedder = f"openai:m@{openai_server.base_url}"
    done = saiten("index", "docs", "--kb", "kb", "--embedder", embedder)
    assert len(openai_server.requests) == 2
    assert "2 calls" in done.err
    stopped = saiten("index", "docs", "--kb", "other", "--embedder", embedder, "--max-calls", 1)
    assert (stopped.status, len(openai_server.requests)) == (3, 3)
    assert "1 calls" in stopped.err


def test_an_empty_base_finds_nothing_and_asks_nobody(saiten, somewhere, openai_server):
    """This holds for any k; a number that no engine accepts is no crash either."""
    (somewhere / "empty.txt").write_text("")
    saiten("index", "empty.txt", "--kb", "kb", "--embedder", f"openai:m@{openai_server.base_url}")
    before = len(openai_server.requests)
    done = saiten("search", "printer", "--kb", "kb", "-k", 10**20, "--format", "json")
    assert (done.status, json.loads(done.out)) == (0, {"Found for: printer": []})
    assert len(openai_server.requests) == before


def test_chunks_and_vectors_as_in_the_paper_on_request(saiten, documents, openai_server):
    """Chunks have exactly so many characters, and vectors an unscaled inner product; the base remembers both."""
    (documents / "long.md").write_text("ab. " * 50, "utf-8")
    vectors = {"short": [1.0, 0.0], "long": [0.9, 3.0]}

    def reply(asked):
        texts = asked.body["input"]
        found = [vectors["long" if text.startswith("ab. ab.") else "short"] for text in texts]
        return {"data": [{"index": n, "embedding": vector} for n, vector in enumerate(found)]}

    openai_server.reply = reply
    model = f"openai:e@{openai_server.base_url}"
    scores = {}
    for name, spec in (("raw", f"raw:{model}"), ("unit", model)):
        made = saiten("index", "docs", "--kb", name, "--chunk-size", "64", "--exact-chunks", "--embedder", spec)
        assert made.status == 0, made
        assert saiten("index", "docs", "--kb", name).status == 0  # as in the base
        found = saiten("search", "anything", "--kb", name, "-k", "20", "--format", "json")
        (rows,) = json.loads(found.out).values()
        scores[name] = {row["source"]: row["score"] for row in rows}
        lengths = [len(row["text"]) for row in rows if row["source"] == "long.md"]
        assert sorted(lengths) == [8, 64, 64, 64]
    # The query's vector is (1, 0): the long documents have the inner product 0.9, as they come, and 0.29 scaled.
    assert scores["raw"]["long.md"] == pytest.approx(0.9, abs=1e-6)
    assert scores["unit"]["long.md"] == pytest.approx(0.9 / (0.9**2 + 9) ** 0.5, abs=1e-3)
    refused = saiten("index", "docs", "--kb", "raw", "--sentence-chunks")
    assert (refused.status, "chunks of exactly the same length" in refused.err) == (2, True)
    other = saiten("search", "x", "--kb", "raw", "--embedder", model)
    assert (other.status, "not by openai:e" in other.err) == (2, True)


def test_raw_vectors_are_for_models(saiten, documents):
    """The built-in embedder has none; a judge's similarity is a cosine, so it accepts none."""
    for spec in ("raw:builtin", "raw:builtin:64"):
        said = saiten("index", "docs", "--kb", "kb", "--embedder", spec)
        assert (said.status, "unit vectors only" in said.err) == (2, True)
    Path("a.jsonl").write_text(json.dumps({"question": "q", "answer": "a", "reference": "r"}) + "\n")
    said = saiten("score", "a.jsonl", "-m", "answer_similarity", "--embedder", "raw:openai:e", "-o", "run")
    assert (said.status, "raw:openai:e" in said.err) == (2, True)
