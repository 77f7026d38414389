"""From human grades to an encoder that grades: `saiten tune judge --head regression`, then `--judge hf:FOLDER`."""

import json
import random
from pathlib import Path
from statistics import correlation

import pytest

import networks
from tiny_models import tiny_bert

pytestmark = networks.marks()


def answers(seed):
    """Eighty answers, two per question."""
    draw = random.Random(seed)
    words = [draw.choices(["cat", "dog", "the", "sat", "on"], k=8) for _ in range(80)]
    return [{"id": f"a{at}", "question": f"is it {at // 2}", "answer": " ".join(one)} for at, one in enumerate(words)]


def cats(rows):
    """How factual each answer is."""
    return [min(3, row["answer"].split().count("cat")) for row in rows]


@pytest.fixture
def labeled(somewhere, data):
    """Answers, and grades by two people: factuality is the number of cats; acceptability follows."""
    draw, rows = random.Random(0), answers(0)
    labels = [
        {"item": row["id"], "annotator": person, "aspect": aspect, "value": value}
        for row, factuality in zip(rows, cats(rows), strict=True)
        for person in "ab"
        for aspect, value in (
            ("factuality", factuality),
            ("formality", draw.choice([-1, 0])),
            ("amount_info", draw.choice([-1, 0])),
            ("acceptability", factuality),
        )
    ]
    data(rows, "answers.jsonl")
    data(labels, "labels.jsonl")
    data(answers(1), "others.jsonl")
    tiny_bert(somewhere / "base", layers=2)
    return rows


LEARN = (
    "tune", "judge", "labels.jsonl", "-s", "answers.jsonl", "--head", "regression", "--base", "base", "-o", "judge",
    "--epochs", 8, "--learning-rate", 0.003, "--max-length", 48, "--format", "json",
)  # fmt: skip


def test_from_labels_to_scores(saiten, labeled, scores):
    """The figures are real numbers within the scale, the same each time; an unlearned aspect is undefined."""
    made = saiten(*LEARN, "-a", "factuality", "-a", "formality")
    assert made.status == 0, made.err
    assert list(json.loads(made.out)) == ["On held-out questions"]

    said = saiten("score", "others.jsonl", "-m", "aspects,mate", "--judge", "hf:judge", "-o", "run")
    assert said.status == 0, said.err
    one, others = scores("run"), answers(1)
    factual = [one[row["id"], "aspects[factuality]"] for row in others]
    assert {score.status for score in factual} == {"ok"}
    assert all(0 <= score.value <= 3 for score in factual)
    assert any(score.value != round(score.value) for score in factual)
    assert all(score.details["exact"] == score.value for score in factual)
    assert correlation([score.value for score in factual], cats(others)) > 0.85
    unknown = one["a0", "aspects[acceptability]"]
    assert (unknown.status, unknown.value) == ("undefined", None)
    assert "learned factuality (0 to 3), formality (-1 to 1); it cannot rate 'acceptability'" in unknown.reason
    assert one["a0", "mate"].status == "undefined"

    again = saiten("score", "others.jsonl", "-m", "aspects[factuality]", "--judge", "hf:judge", "-o", "other")
    assert again.status == 0, again.err
    assert [scores("other")[row["id"], "aspects[factuality]"].value for row in others] == [s.value for s in factual]


def test_answers_that_a_judge_learned_from_are_not_graded_by_it(saiten, labeled, scores):
    """The folder records the held-out questions: theirs are graded, the others are undefined with the reason."""
    assert saiten(*LEARN, "-a", "factuality").status == 0
    kept = [json.loads(line) for line in Path("judge/questions.jsonl").read_text("utf-8").splitlines()]
    held_out = {item for line in kept if line["held_out"] for item in line["items"]}
    assert (len(kept), len(held_out)) == (40, 16)
    spaced = [{**row, "question": f" {row['question']}", "answer": row["answer"].replace(" ", "  ")} for row in labeled]
    Path("spaced.jsonl").write_text("".join(json.dumps(row) + "\n" for row in spaced))
    for file in ("answers.jsonl", "spaced.jsonl"):
        assert saiten("score", file, "-m", "aspects[factuality]", "--judge", "hf:judge", "-o", file[:-6]).status == 0
        found = scores(file[:-6])
        statuses = {item: score.status for (item, _), score in found.items()}
        assert {item for item, status in statuses.items() if status == "ok"} == held_out
        reasons = {score.reason for score in found.values() if score.status == "undefined"}
        assert len(reasons) == 1
        assert "learned from people's grades of this very answer" in reasons.pop()
    Path("judge/questions.jsonl").write_text("{}\n")
    said = saiten("score", "others.jsonl", "-m", "aspects[factuality]", "--judge", "hf:judge", "-o", "damaged")
    assert (said.status, "questions.jsonl is damaged" in said.err) == (2, True)


def test_the_papers_table_comes_out_of_the_command(saiten, labeled):
    """Direct and MATE with the judge's grades, on held-out questions alone, over the same answers, with intervals."""
    made = saiten(*LEARN)
    assert made.status == 0, made.err
    rows = json.loads(made.out)["At once or by aspects, on held-out questions"]
    assert [row["score"] for row in rows] == ["direct", "mate", "mate, weights of the learned questions"]
    assert {(row["stands for"], row["n"], row["questions"]) for row in rows} == {("acceptability", 16, 8)}
    direct = next(row for row in json.loads(made.out)["On held-out questions"] if row["aspect"] == "acceptability")
    assert rows[0]["Pearson"] == direct["Pearson"]
    assert all(row["r from"] < row["Pearson"] <= row["r to"] for row in rows)
    assert "At once or by aspects" in Path("judge/README.md").read_text("utf-8")


def test_what_an_encoder_cannot_learn_with_is_refused(saiten, labeled):
    """Exit status 2, before anything is loaded."""
    said = saiten(
        "tune", "judge", "labels.jsonl", "-s", "answers.jsonl", "--head", "regression", "--base", "base", "--rank", 4
    )
    assert said.status == 2
    assert "all weights of an encoder are trained" in said.err
