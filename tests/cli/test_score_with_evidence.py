import json

import pytest

from saiten.runs import read_run

DOCUMENT = "The SSL port of the server is 25000.\n\nBackups are made every night at two o'clock.\n"
ROW = {
    "id": "q1",
    "question": "Which port does SSL use?",
    "answer": "Port 25000.",
    "reference": "Port 25000 is used for SSL.",
    "contexts": ["Ports are opened by the installer."],
}


@pytest.fixture
def kb(saiten, tmp_path):
    """A knowledge base of one document in two chunks."""
    (tmp_path / "manual.txt").write_text(DOCUMENT, encoding="utf-8")
    folder = tmp_path / "kb"
    assert saiten("index", tmp_path / "manual.txt", "--kb", folder, "--chunk-size", 40, "-q").status == 0
    return folder


@pytest.fixture
def answers(tmp_path):
    """Answers to grade."""
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    return path


def graded(run):
    """The only correctness score."""
    (score,) = (one.score for one in read_run(run).scores() if one.metric.startswith("correctness"))
    return score


def test_the_grader_sees_what_question_and_reference_retrieve(saiten, kb, answers, tmp_path):
    """Mode `reference` (E3): the score has the passages, its signature the base, and a second run asks nothing."""
    command = ("score", answers, "-m", "correctness", "--evidence", "reference", "--kb", kb, "-k", 1)
    assert saiten(*command, "-o", tmp_path / "run").status == 0
    (passage,) = graded(tmp_path / "run").details["evidence"]["passages"]
    assert (passage["text"], passage["source"]) == ("The SSL port of the server is 25000.", "manual.txt")
    assert "evidence_from:" in read_run(tmp_path / "run").manifest.signatures["correctness"]
    assert "already has 1 scores" in saiten(*command, "-o", tmp_path / "run").err


def test_the_contexts_of_the_answer_are_the_evidence_of_e2(saiten, answers, tmp_path):
    """Mode `answer` needs no knowledge base."""
    done = saiten("score", answers, "-m", "correctness", "--evidence", "answer", "-o", tmp_path / "run")
    assert done.status == 0
    assert graded(tmp_path / "run").details["evidence"] == {"mode": "answer", "pieces": 1}


def test_both_modes_side_by_side_show_the_shift(saiten, kb, answers, tmp_path):
    """E2 and E3 on the same answers, in one run."""
    metrics = "correctness,correctness[evidence=answer]"
    done = saiten("score", answers, "-m", metrics, "--kb", kb, "-o", tmp_path / "run", "--format", "json")
    assert done.status == 0
    modes = {one.metric: one.score.details["evidence"]["mode"] for one in read_run(tmp_path / "run").scores()}
    assert modes == {"correctness": "reference", "correctness[evidence=answer]": "answer"}


def test_reference_without_a_knowledge_base_is_an_error_before_anything_is_spent(saiten, answers, tmp_path):
    """The message says what to do, and no folder is left."""
    done = saiten("score", answers, "-m", "correctness", "--evidence", "reference", "-o", tmp_path / "run")
    assert done.status == 2
    assert "needs a knowledge base" in done.err
    assert "saiten index" in done.err
    assert not (tmp_path / "run").exists()


def test_evidence_that_the_samples_bring_needs_no_knowledge_base(saiten, tmp_path):
    """A column `evidence` is sufficient."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(ROW | {"evidence": ["SSL uses 25000."]}) + "\n")
    done = saiten("score", path, "-m", "correctness", "--evidence", "reference", "-o", tmp_path / "run")
    assert done.status == 0
    assert graded(tmp_path / "run").details["evidence"] == {"mode": "reference", "pieces": 1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-m", "token_f1"), "there is no such metric"),
        (("-m", "correctness", "--evidence", "answer"), "there is no such metric"),
    ],
)
def test_a_knowledge_base_that_nobody_uses_is_an_error(saiten, kb, answers, options, said):
    """An option without effect is misleading."""
    done = saiten("score", answers, *options, "--kb", kb, "-o", "run")
    assert done.status == 2
    assert said in done.err


def test_a_knowledge_base_that_is_not_there_is_an_error(saiten, answers, tmp_path):
    """The message names the folder; nothing is spent."""
    done = saiten("score", answers, "-m", "correctness", "--kb", tmp_path / "nothing", "-o", tmp_path / "run")
    assert done.status == 2
    assert "nothing" in done.err
    assert not (tmp_path / "run").exists()


def test_another_content_of_the_base_is_another_figure(saiten, kb, answers, tmp_path):
    """A run begun with other documents is not resumed."""
    command = ("score", answers, "-m", "correctness", "--kb", kb, "-o", tmp_path / "run")
    assert saiten(*command).status == 0
    (tmp_path / "more.txt").write_text("Something else.")
    assert saiten("index", tmp_path / "more.txt", "--kb", kb, "-q").status == 0
    done = saiten(*command)
    assert done.status == 2
    assert "other settings" in done.err


def test_a_dry_run_counts_the_evidence_and_asks_nobody(saiten, kb, answers, tmp_path):
    """Placeholders as long as the passages are used instead."""
    plain = ("score", answers, "-m", "correctness", "--judge", "openai:m@http://localhost:1/v1", "--dry-run")
    without, seen = (json.loads(saiten(*plain, *more, "--format", "json").out) for more in ((), ("--kb", kb)))
    tokens = [next(iter(tables.values()))[0]["prompt tokens"] for tables in (without, seen)]
    assert tokens[1] > tokens[0] + 500
