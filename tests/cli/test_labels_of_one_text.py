"""Labels with the digest of an answer are of that answer only, in every command that reads labels."""

import json
from collections import Counter

import pytest

from saiten.data import read_labels
from saiten.records import Label, Sample, Turn
from saiten.results.labeled_answers import answer_digest, each_text_apart
from saiten.runs import read_run

QUESTIONS = 24


@pytest.fixture
def runs(saiten, data):
    """Two runs with the same ids; the answers to every other question differ."""
    for name in ("before", "after"):
        rows = [
            {"id": f"q{n}", "question": f"When was bridge {n} built?", "reference": f"In {1900 + n}, by Aya.",
             "answer": f"It was built in {1900 + n + (name == 'after' and n % 2 == 0)}{', by Aya' * (n % 3 == 0)}."}
            for n in range(QUESTIONS)
        ]  # fmt: skip
        data(rows, f"{name}.jsonl")
        assert saiten("score", f"{name}.jsonl", "-m", "token_f1,word_recall", "-o", name, "--quiet").status == 0
    return "before", "after"


@pytest.fixture
def labels(runs, data):
    """Labels of both runs' answers as a report over both exports them: answers that are equal have one."""
    rows = {}
    for run in runs:
        for n, sample in enumerate(read_run(run).samples()):
            digest = answer_digest(sample)
            verdict = n % 3 != 0 if run == "before" else n % 4 == 1
            rows.setdefault(digest, {"item": sample.id, "value": int(verdict), "aspect": "correct", "annotator": "Aiko", "run": run, "answer_digest": digest})  # fmt: skip
    data(list(rows.values()), "labels.jsonl")
    assert len(rows) == QUESTIONS + QUESTIONS // 2
    return list(rows.values())


def test_meta_evaluate_takes_the_labels_of_the_runs_own_answers(saiten, data, runs, labels):
    """Its figures are those of a file with only these, and a note counts the others."""
    for run in runs:
        own = {sample.id: answer_digest(sample) for sample in read_run(run).samples()}
        data([row for row in labels if own[row["item"]] == row["answer_digest"]], "own.jsonl")
        for command in (["meta-evaluate", run], ["estimate", run]):
            every, alone = (
                saiten(command[0], command[1], file, "--format", "json") for file in ("labels.jsonl", "own.jsonl")
            )
            assert every.status == alone.status == 0, every.err
            assert f"12 of {len(labels)} labels were given to other answers under the same ids" in every.out + every.err
            if command[0] == "estimate":
                assert every.out == alone.out
            else:
                figures = [
                    {key: of for key, of in json.loads(said.out).items() if key != "Notes"} for said in (every, alone)
                ]
                assert figures[0] == figures[1]


def test_labels_of_another_run_only_are_an_error(saiten, data, runs, labels):
    """Instead of figures of answers that nobody graded."""
    digests = {answer_digest(sample) for sample in read_run("before").samples()}
    data([row for row in labels if row["answer_digest"] not in digests], "others.jsonl")
    for words in (
        ("meta-evaluate", "before", "others.jsonl"), ("estimate", "before", "others.jsonl"),
        ("show", "before", "--labels", "others.jsonl"), ("drift", "before", "before", "others.jsonl"),
        ("report", "before", "--labels", "others.jsonl", "-o", "page.html"),
        ("tune", "offline", "others.jsonl", "-s", "before.jsonl", "--aspect", "correct", "-o", "support.json"),
    ):  # fmt: skip
        said = saiten(*words)
        assert said.status == 2, words
        assert "none of the 12 labels is of an answer here" in " ".join(said.err.split()), words


def test_other_commands_say_how_many_they_left_out(saiten, runs, labels):
    """Means of people, drift and learning use the run's own."""
    for words in (
        ("show", "after", "--labels", "labels.jsonl"), ("drift", "after", "after", "labels.jsonl"),
        ("tune", "offline", "labels.jsonl", "-s", "after.jsonl", "--aspect", "correct", "-o", "support.json"),
    ):  # fmt: skip
        said = saiten(*words)
        assert "12 of 36 labels were given to other answers" in " ".join((said.out + said.err).split()), words


def test_a_report_gives_each_run_its_own_labels(saiten, runs, labels, somewhere):
    """In a report over both, no label is left out; of one run, the others are counted."""
    assert saiten("report", *runs, "--labels", "labels.jsonl", "-o", "both.html", "--language", "en").status == 0
    text = (somewhere / "both.html").read_text("utf-8")
    assert "given to other answers" not in text
    assert "text differs in" not in text
    assert saiten("report", "after", "--labels", "labels.jsonl", "-o", "after.html", "--language", "en").status == 0
    assert "12 of 36 labels were given to other answers" in (somewhere / "after.html").read_text("utf-8")


def test_agreement_keeps_the_texts_of_an_id_apart(saiten, data, runs, labels):
    """Two people who graded different answers under one id did not disagree."""
    twins = [{**row, "annotator": "Ben"} for row in labels]
    data([*labels, *twins], "people.jsonl")
    found = saiten("agreement", "people.jsonl", "--format", "json", "-s", "before.jsonl")
    (counts,) = json.loads(found.out)["Labels"]
    assert counts["items"] == len(labels)
    kept, names = each_text_apart(
        [Label(row["item"], row["value"], answer_digest=row["answer_digest"]) for row in labels]
    )
    assert Counter(names.values()) == Counter({f"q{n}": 2 for n in range(0, QUESTIONS, 2)})
    assert {label.item for label in kept if label.item in {f"q{n}" for n in range(QUESTIONS)}} == {
        f"q{n}" for n in range(1, QUESTIONS, 2)
    }


def test_the_digest_changes_with_what_was_answered():
    """With id, question, conversation and answer; not with what a judge sees or a system is called."""
    plain = Sample("1", "Why?", "So.")
    assert answer_digest(plain) == answer_digest(Sample("1", "Why?", "So.", ("context",), "reference", system="a"))
    different = [
        Sample("2", "Why?", "So."), Sample("1", "How?", "So."), Sample("1", "Why?", "so."), Sample("1", "Why?", ""),
        Sample("1", "Why?", "So.", history=(Turn("What?", "That."),)), Sample("1", "", "Why?So."), Sample("1", "Why?", "\ud800"),
    ]  # fmt: skip
    assert len({answer_digest(sample) for sample in [plain, *different]}) == 8
    assert answer_digest(Sample("1", "Why?")) == ""


def test_remarks_are_no_labels(data, somewhere):
    """A row of the aspect `note` without a value is counted; with a value it is a label, and without a reason too."""
    data(
        [
            {"item": "a", "aspect": "note", "value": None, "reason": "odd"}, {"item": "b", "aspect": "note", "value": 1},
            {"item": "c", "aspect": "correct", "value": None, "reason": "odd"},
        ],
        "labels.jsonl",
    )  # fmt: skip
    notes = []
    label, bad = read_labels(somewhere / "labels.jsonl", notify=notes.append)
    assert (label.item, label.aspect) == ("b", "note")
    assert "no value" in bad.reason
    assert notes == ["labels.jsonl: 1 rows are remarks without a verdict or a grade, which are no labels"]
