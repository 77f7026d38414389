"""From people's grades to an encoder that grades: `saiten tune judge --head regression`, then `--judge hf:FOLDER`."""

import random
from statistics import correlation

import pytest

import networks
from tiny_models import tiny_bert

pytestmark = networks.marks()


@pytest.fixture
def labelled(somewhere, data):
    """Answers, and grades of two aspects by two people: how factual an answer is, is how many cats it has."""
    draw = random.Random(0)
    rows, labels = [], []
    for at in range(80):
        words = draw.choices(["cat", "dog", "the", "sat", "on"], k=8)
        rows.append({"id": f"a{at}", "question": f"is it {at // 2}", "answer": " ".join(words)})
        for person in "ab":
            labels += [
                {"item": f"a{at}", "annotator": person, "aspect": "factuality", "value": min(3, words.count("cat"))},
                {"item": f"a{at}", "annotator": person, "aspect": "formality", "value": draw.choice([-1, 0, 1])},
            ]
    data(rows, "answers.jsonl")
    data(labels, "labels.jsonl")
    tiny_bert(somewhere / "base", layers=2)
    return rows


def test_from_labels_to_scores(saiten, labelled, scores):
    """The figures are real numbers within the scale, the same each time; an aspect that was not learned is undefined."""
    made = saiten(
        "tune", "judge", "labels.jsonl", "-s", "answers.jsonl", "--head", "regression", "--base", "base", "-o", "judge",
        "--epochs", 8, "--learning-rate", 0.003, "--max-length", 48, "--format", "json",
    )  # fmt: skip
    assert made.status == 0, made.err
    assert "factuality" in made.out

    said = saiten("score", "answers.jsonl", "-m", "aspects,mate", "--judge", "hf:judge", "-o", "run")
    assert said.status == 0, said.err
    one = scores("run")
    factual = [one[row["id"], "aspects[factuality]"] for row in labelled]
    assert {score.status for score in factual} == {"ok"}
    assert all(0 <= score.value <= 3 for score in factual)
    assert any(score.value != round(score.value) for score in factual)
    assert all(score.details["exact"] == score.value for score in factual)
    cats = [min(3, row["answer"].split().count("cat")) for row in labelled]
    assert correlation([score.value for score in factual], cats) > 0.85
    unknown = one["a0", "aspects[acceptability]"]
    assert (unknown.status, unknown.value) == ("undefined", None)
    assert "learned factuality (0 to 3), formality (-1 to 1); it cannot rate 'acceptability'" in unknown.reason
    assert one["a0", "mate"].status == "undefined"

    again = saiten("score", "answers.jsonl", "-m", "aspects[factuality]", "--judge", "hf:judge", "-o", "other")
    assert again.status == 0, again.err
    assert [scores("other")[row["id"], "aspects[factuality]"].value for row in labelled] == [s.value for s in factual]


def test_what_an_encoder_cannot_learn_with_is_refused(saiten, labelled):
    """Exit status 2, before anything is loaded."""
    said = saiten(
        "tune", "judge", "labels.jsonl", "-s", "answers.jsonl", "--head", "regression", "--base", "base", "--rank", 4
    )
    assert said.status == 2
    assert "an encoder learns as a whole" in said.err
