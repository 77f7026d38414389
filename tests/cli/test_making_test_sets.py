"""`saiten questions`: a test set out of documents, with a model behind a real server, and by rules."""

import json
import os
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from question_writer import QuestionWriter
from saiten.demo.samples import corpus
from saiten.testsets.reading import items_of
from servers import Fault

KINDS = {
    "en": {"single", "several", "comparison", "unanswerable", "false_premise", "follow_up"},
    "ja": {"single", "several", "unanswerable", "false_premise", "follow_up"},
}
"""The kinds that the demo's texts certainly allow."""


@pytest.fixture
def writer(openai_server, monkeypatch):
    """A model that writes by script, behind the server."""
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    openai_server.reply = made = QuestionWriter()
    return made


@pytest.fixture
def ask(saiten, openai_server):
    """`ask(n, …)`: make questions from the demo's texts in a language."""

    def call(n, *more, out="set", language="en", judge="m"):
        model = f"openai:{judge}@{openai_server.base_url}"
        return saiten("questions", corpus(language), "-o", out, "--n", n, "--judge", model, *more)

    return call


def lines(path):
    """The lines of a file, as objects."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def paid(openai_server):
    """The requests other than the first small ones."""
    return [asked for asked in openai_server.requests if '{"ok": true}' not in asked.text]


def test_a_document_that_cannot_be_read_shows_in_the_exit_status(saiten, ask):
    """The questions are about the other documents, and are kept."""
    shutil.copytree(corpus("en"), "docs")
    Path("docs/junk.txt").write_bytes(b"\x00\x01" * 3_000)
    said = saiten("questions", "docs", "-o", "set", "--n", 3)
    assert said.status == 2, said
    assert "left out: junk.txt" in said.err
    assert len(items_of(Path("set"), notify=pytest.fail)) == 3


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_test_set_is_made_from_documents(language, ask, writer):
    """As many questions as asked for, of every kind that the documents allow, in their language, with passages."""
    said = ask(18, language=language)
    assert said.status == 0, said
    items = items_of(Path("set"), notify=pytest.fail)
    assert len(items) == 18
    assert {item.kind for item in items} >= KINDS[language]
    assert {item.language for item in items} == {language}
    texts = {path.name: path.read_text(encoding="utf-8") for path in corpus(language).iterdir()}
    for item in items:
        assert item.dropped is None
        for passage in item.passages:
            assert texts[passage.source][passage.start : passage.end] == passage.text
            assert len(passage.document) > 10
            assert all(passage.text[start:end].strip() for start, end in passage.quotes)
        assert any(passage.quotes for passage in item.passages)
        assert item.made["by"].startswith("openai:m")
        assert bool(item.history) == (item.kind == "follow_up")
    assert {passage.source for item in items for passage in item.passages} == set(texts)
    assert "18 questions" in said.err
    assert "all" in said.out


def test_every_check_and_its_cost_are_on_record(ask, writer, openai_server):
    """Each item has the results of its checks; calls.jsonl has as many calls as the server received."""
    ask(6)
    for item in items_of(Path("set"), notify=pytest.fail):
        made = {check.check for check in item.checks if check.passed}
        unneeded = {"unanswerable": {"support", "leak"}, "false_premise": {"leak"}}.get(item.kind, set())
        assert made >= {"wording", "leak", "duplicate", "closed_book", "support", "round_trip"} - unneeded
    assert sum(line.get("calls", 0) for line in lines("set/calls.jsonl")) == len(openai_server.requests)


def test_a_dry_run_calls_nobody_and_writes_nothing(ask, openai_server):
    """It says how many calls a set takes at least and at most."""
    said = ask(10, "--dry-run", "--format", "json")
    assert said.status == 0, said
    assert openai_server.requests == []
    assert not Path("set").exists()
    (table,) = json.loads(said.out).values()
    least, most = table
    assert 30 <= least["calls"] <= 50
    assert most["calls"] > 2 * least["calls"]


def test_the_dry_run_counts_what_a_run_takes(ask, writer, openai_server):
    """If no question is dropped, the run makes exactly the calls of the minimum."""
    kinds = ("--kinds", "single,several,false_premise")
    least = next(iter(json.loads(ask(12, *kinds, "--dry-run", "--format", "json").out).values()))[0]
    ask(12, *kinds)
    assert len(paid(openai_server)) == least["calls"]


def test_a_budget_stops_the_run_and_the_next_one_resumes_it(ask, writer, openai_server):
    """Nothing is asked twice, and the result is that of one run."""
    stopped = ask(8, "--max-calls", 20, "--concurrency", 2)
    assert stopped.status == 3, stopped
    assert len(openai_server.requests) <= 20
    said = ask(8)
    assert said.status == 0, said
    assert len(items_of(Path("set"), notify=pytest.fail)) == 8
    bodies = Counter(json.dumps(asked.body, sort_keys=True) for asked in paid(openai_server))
    assert max(bodies.values()) == 1


def test_indexing_and_asking_share_a_budget(ask, writer, openai_server):
    """Embeddings of the documents count toward the same limit as the questions, and are in the same book."""
    embedder = ("--embedder", f"openai:e@{openai_server.base_url}")
    stopped = ask(8, *embedder, "--max-calls", 12)
    assert stopped.status == 3, stopped
    embedded = sum("messages" not in asked.body for asked in openai_server.requests)
    assert embedded >= 1
    assert len(openai_server.requests) <= 12
    assert sum(line.get("calls", 0) for line in lines("set/calls.jsonl")) == len(openai_server.requests)
    assert ask(8, *embedder).status == 0


def test_embeddings_of_questions_have_the_headers_asked_for(ask, writer, openai_server):
    """Questions are compared by requests with `--embedder-header` and `--embedder-option`, as those of a judge are."""
    embedder = ("--embedder", f"openai:e@{openai_server.base_url}", "--embedder-header", "X-Team=search")
    assert ask(4, *embedder, "--embedder-option", "dimensions=8", "--kinds", "single").status == 0
    questions = {item.question for item in items_of(Path("set"), notify=pytest.fail)}
    embedded = [asked for asked in openai_server.requests if not questions.isdisjoint(asked.body.get("input", ()))]
    assert len(embedded) == 4
    assert all(asked.headers["X-Team"] == "search" and asked.body["dimensions"] == 8 for asked in embedded)


def test_a_killed_run_resumes_where_it_was(process, writer, openai_server, ask):
    """After SIGKILL, kept questions stay, and only requests that were in flight are sent again."""
    openai_server.latency = 0.05
    model = f"openai:m@{openai_server.base_url}"
    arguments = ("questions", corpus("en"), "-o", "set", "--n", "20", "--judge", model, "--concurrency", "4")
    started = process(*arguments, env={"OPENAI_API_KEY": "x"})
    questions = Path("set/questions.jsonl")
    while started.poll() is None and not (questions.exists() and len(questions.read_bytes().splitlines()) >= 3):
        time.sleep(0.02)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    before = [line["id"] for line in lines(questions)]
    assert 3 <= len(before) < 20
    assert ask(20, "--concurrency", 4).status == 0
    after = [line["id"] for line in lines(questions)]
    assert after[: len(before)] == before
    assert len(after) == len(set(after)) == 20
    bodies = Counter(json.dumps(asked.body, sort_keys=True) for asked in paid(openai_server))
    assert sum(count - 1 for count in bodies.values()) <= 4


def test_a_larger_number_continues_the_set(ask, writer, openai_server):
    """The first questions stay, and nothing is paid for them again."""
    ask(4, "--kinds", "single")
    first, calls = lines("set/questions.jsonl"), len(paid(openai_server))
    said = ask(8, "--kinds", "single")
    assert "already has 4 questions; resuming" in said.err
    assert lines("set/questions.jsonl")[:4] == first
    assert len(lines("set/questions.jsonl")) == 8
    assert len(paid(openai_server)) == 2 * calls


def test_kinds_and_shares_are_as_chosen(ask, writer):
    """`single=3,comparison` means three of four."""
    ask(8, "--kinds", "single=3,comparison")
    assert Counter(line["kind"] for line in lines("set/questions.jsonl")) == {"single": 6, "comparison": 2}


def test_personas_and_difficulties_take_turns(ask, writer, openai_server):
    """Every prompt names the one who asks; the item says who it was."""
    ask(6, "--kinds", "single", "--persona", "a new employee", "--persona", "an auditor", "--difficulty", "easy,hard")
    rows = lines("set/questions.jsonl")
    assert Counter(row["made"]["persona"] for row in rows) == {"a new employee": 3, "an auditor": 3}
    assert {row["made"]["difficulty"] for row in rows} == {"easy", "hard"}
    asked = [each.text for each in paid(openai_server) if "<passages>" in each.text and "<difficulty>" in each.text]
    assert all("a new employee" in text or "an auditor" in text for text in asked)


def test_the_writer_can_be_another_model(ask, writer, openai_server):
    """It drafts; the judge checks."""
    ask(3, "--kinds", "single", "--writer", f"openai:w@{openai_server.base_url}", judge="j")
    by_model = Counter(asked.body["model"] for asked in paid(openai_server))
    assert by_model["w"] == 3
    assert by_model["j"] == 12
    assert {row["made"]["by"].partition("@")[0] for row in lines("set/questions.jsonl")} == {"openai:w"}


def test_questions_can_be_in_another_language_than_the_documents(ask, writer, openai_server):
    """`--language` chooses the prompts, whatever the passages are in."""
    ask(2, "--kinds", "single", "--language", "en", language="ja")
    drafts = [asked for asked in paid(openai_server) if "<difficulty>" in asked.text]
    assert all("in English, whatever the language" in asked.body["messages"][0]["content"] for asked in drafts)


def test_a_model_that_answers_rubbish_is_told_apart_from_bad_passages(ask, writer):
    """Unreadable replies are failures with the reply kept, to be tried again; no question is invented."""
    writer.faults = lambda _, task: "I would rather not." if task.startswith("draft") else None
    said = ask(3, "--kinds", "single")
    assert said.status == 6, said
    assert "no question was kept" in said.err
    assert "saiten annotate" not in said.out  # there is nothing to decide about
    errors = lines("set/errors.jsonl")
    assert errors
    assert all(not error["final"] and error["raw"] == "I would rather not." for error in errors)
    writer.faults = lambda *_: None
    assert ask(3, "--kinds", "single").status == 0


def test_a_server_that_fails_ends_the_run_early(ask, writer, openai_server):
    """It is not asked for every slot; the reasons are shown, and a later run begins where this one ended."""
    openai_server.reply = lambda asked: None if '{"ok": true}' in asked.text else Fault(400, "no such model")
    said = ask(30, "--kinds", "single", "--concurrency", 2)
    assert said.status in {2, 6}, said
    assert len(paid(openai_server)) <= 30
    assert "no such model" in said.err


def test_what_the_checks_drop_is_shown_by_kind(ask, writer):
    """The table says how many questions each check cost; the file says why."""

    def fault(asked, task):
        return '{"reason": "unclear", "clear": false, "answer": ""}' if task == "closed_book" else None

    writer.faults = fault
    said = ask(2, "--kinds", "single", "--format", "json")
    assert said.status == 6
    (rows,) = json.loads(said.out).values()
    assert rows[0]["dropped: unclear wording"] == rows[0]["tried"] == 7
    assert {row["checks"][-1]["reason"] for row in lines("set/dropped.jsonl")} == {"unclear"}


def test_a_skipped_check_is_not_paid_for(ask, writer):
    """Without the try from memory, there is no such call."""
    ask(3, "--kinds", "single", "--skip-check", "closed_book")
    assert "closed_book" not in writer.asked
    assert Counter(writer.asked)["from_passages"] == 3


def test_an_own_knowledge_base_is_used_as_it_is(saiten, writer, openai_server, ask):
    """Documents that were indexed before are not read again."""
    saiten("index", corpus("en"), "--kb", "base")
    model = f"openai:m@{openai_server.base_url}"
    said = saiten("questions", "--kb", "base", "-o", "set", "--n", "3", "--judge", model)
    assert said.status == 0, said
    assert not Path("set/kb").exists()
    assert len(lines("set/questions.jsonl")) == 3


WRONG = {
    ("--kinds", "singel"): "--kinds does not take 'singel'; did you mean single?",
    ("--kinds", "single=0"): "the share of single must be a number above 0",
    ("--difficulty", "tough"): "--difficulty does not take 'tough'; it takes easy, medium, hard",
    ("--skip-check", "spelling"): "--skip-check does not take 'spelling'",
    ("--writer-option", "a=b"): "--writer-option and --writer-header need --writer MODEL",
    ("--writer", "nli:model"): "nli:model cannot write questions",
}


@pytest.mark.parametrize(("options", "message"), WRONG.items())
def test_wrong_options_are_named_before_anything_is_indexed(options, message, ask, openai_server):
    """Nothing is written and nobody is called."""
    said = ask(3, *options)
    assert said.status == 2, said
    assert message in said.err
    assert not Path("set").exists()
    assert openai_server.requests == []


def test_kinds_that_take_a_model_are_refused_without_one(saiten):
    """The rules write single questions only."""
    said = saiten("questions", corpus("en"), "-o", "set", "--n", "3", "--kinds", "comparison")
    assert said.status == 2
    assert "questions of the kind comparison take a model" in said.err


def test_there_must_be_something_to_ask_about(saiten, somewhere):
    """Neither documents nor a base; an empty folder; a folder with other files as the target."""
    assert "name documents, or a knowledge base" in saiten("questions", "-o", "set", "--n", "3").err
    (somewhere / "empty").mkdir()
    assert "there is no document in" in saiten("questions", "empty", "-o", "set", "--n", "3").err
    (somewhere / "other").mkdir()
    (somewhere / "other" / "thesis.txt").write_text("x", encoding="utf-8")
    assert "thesis.txt" in saiten("questions", corpus("en"), "-o", "other", "--n", "3").err
    assert sorted(path.name for path in (somewhere / "other").iterdir()) == ["thesis.txt"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_without_a_model_questions_are_made_by_rules(language, saiten):
    """No key and no network; the items and the table say how they were made, and what could not be checked."""
    said = saiten("questions", corpus(language), "-o", "set", "--n", "12")
    assert said.status == 0, said
    items = items_of(Path("set"), notify=pytest.fail)
    assert len(items) >= 8
    assert {item.made["by"] for item in items} == {"offline"}
    assert {item.kind for item in items} == {"single"}
    assert {check.check for item in items for check in item.checks if check.passed is None} >= {"closed_book"}
    assert "without a model" in said.out
    assert saiten("questions", corpus(language), "-o", "again", "--n", "12").status == 0
    assert Path("again/questions.jsonl").read_bytes() == Path("set/questions.jsonl").read_bytes()
