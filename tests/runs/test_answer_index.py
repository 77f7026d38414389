"""Answers of a run in any order: read by their offsets, whatever the files have gone through."""

import json
import math

import pytest

from saiten.records import Sample, Score, Scored
from saiten.runs import Journal, read_run
from saiten.runs.answer_index import AnswerIndex
from saiten.runs.shards import Division, shard_folder, write_division

SIGNATURES = {"token_f1": "token_f1|saiten:0", "accuracy": "accuracy|saiten:0"}


def journal(folder, numbers, *, score=True):
    """A run with these samples and their scores; the file of scores is in another order than that of samples."""
    with Journal.open(folder, signatures=SIGNATURES) as made:
        for n in numbers:
            made.sample(Sample(f"q{n}", "質問?" * (n % 3 + 1), "A", language="ja" if n % 2 else "en"))
        for n in reversed(numbers if score else []):
            made.score(Scored(f"q{n}", "token_f1", Score(n / 10, reason=f"理由 {n}")))
            if n % 2:
                made.score(Scored(f"q{n}", "accuracy", Score(None, "failed", "HTTP 500")))
    return folder


@pytest.fixture
def index(tmp_path):
    """`index(folder)`: the index of a run, and the notes of reading it."""
    opened = []

    def made(folder):
        notes = []
        opened.append(AnswerIndex(read_run(folder, notify=notes.append)))
        return opened[-1], notes

    yield made
    for each in opened:
        each.__exit__()


def ids(index, rows):
    """The ids and the values of `token_f1` in these rows."""
    return [(sample.id, scores["token_f1"].value) for sample, scores in index.read(rows)]


def test_answers_are_read_in_any_order_with_their_scores(index, tmp_path):
    """Line ends are found by bytes, not characters; a metric without a score of the answer is missing."""
    found, notes = index(journal(tmp_path / "run", range(6)))
    assert ids(found, [5, 0, 3, 3]) == [("q5", 0.5), ("q0", 0.0), ("q3", 0.3), ("q3", 0.3)]
    (_, scores), (_, others) = found.read([1, 2])
    assert scores == {"token_f1": Score(0.1, reason="理由 1"), "accuracy": Score(None, "failed", "HTTP 500")}
    assert list(others) == ["token_f1"]
    assert (len(found), found.metrics, found.missing, found.japanese, notes) == (6, ("token_f1", "accuracy"), 3, 3, [])
    assert found.values["token_f1"].tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert all(map(math.isnan, found.values["accuracy"]))
    assert found.fields == {"id", "question", "answer", "language"}


def test_of_several_lines_for_one_score_the_last_one_counts(index, tmp_path):
    """As everywhere: a score that was retried replaces the failed one."""
    folder = journal(tmp_path / "run", range(3))
    with (folder / "scores.jsonl").open("a") as file:
        file.write(json.dumps({"sample": "q1", "metric": "accuracy", "value": 1.0, "status": "ok", "expected": 0.9, "usage": {}}) + "\n")  # fmt: skip
    found, _ = index(folder)
    ((_, scores),) = found.read([1])
    assert (scores["accuracy"].value, scores["accuracy"].expected) == (1.0, 0.9)
    assert (found.values["accuracy"][1], found.expected) == (1.0, {"accuracy"})


def test_damaged_lines_are_reported_and_the_rest_is_read(index, tmp_path):
    """Also a line that another process is still writing; scores without a sample are counted."""
    folder = journal(tmp_path / "run", range(3))
    lines = (folder / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "samples.jsonl").write_bytes(b"".join([lines[0], b"\xff\xfe{\n", lines[2]]))
    with (folder / "scores.jsonl").open("ab") as file:
        file.write(b'{"sample": "q2", "met')
    found, notes = index(folder)
    assert ids(found, range(len(found))) == [("q0", 0.0), ("q2", 0.2)]
    assert found.orphans == 2
    assert [note.rpartition("/")[2].partition(" cannot")[0] for note in notes] == ["samples.jsonl:2", "scores.jsonl:5"]


def test_a_run_in_shards_is_one_run_with_few_files_open(index, tmp_path, monkeypatch):
    """Rows go from shard to shard in the worst-first order; a run may have thousands of shards."""
    monkeypatch.setattr("saiten.runs.answer_index._OPEN_AT_MOST", 4)
    run = journal(tmp_path / "run", range(2))
    for name in ("samples.jsonl", "scores.jsonl"):
        (run / name).unlink()
    write_division(run, Division(({}, {}, {}, {})))
    for shard in (0, 1, 3):  # one has not begun
        journal(shard_folder(run, shard), range(10 * shard, 10 * shard + 2))
    found, notes = index(run)
    assert ids(found, [4, 0, 2, 5, 1, 3]) == [("q30", 3.0), ("q0", 0.0), ("q10", 1.0), ("q31", 3.1), ("q1", 0.1), ("q11", 1.1)]  # fmt: skip
    assert (len(found._files) <= 4, notes) == (True, [])


def test_a_run_without_scores_has_its_answers_all_the_same(index, tmp_path):
    """They are missing, not absent."""
    found, _ = index(journal(tmp_path / "run", range(2), score=False))
    assert [scores for _, scores in found.read([0, 1])] == [{}, {}]
    assert found.missing == 4
