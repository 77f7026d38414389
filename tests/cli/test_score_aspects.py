"""`saiten score -m aspects,direct,mate` with a model behind a real HTTP server."""

import json
from pathlib import Path
from statistics import fmean

import pytest

from saiten.runs import read_run

NAMES = ("formality", "factuality", "amount_info", "acceptability")
GRADES = {"formality": (-1, 1, 0), "factuality": (3, 2, 3), "amount_info": (0, 0, -1), "acceptability": (3, 2, 1)}
"""By aspect: what the votes with seed 1, 2 and 3 say."""


def aspect_in(text):
    """The aspect that a message asks about."""
    return text.partition("<aspect>\n")[2].partition("\n")[0]


@pytest.fixture
def judged(saiten, openai_server, somewhere):
    """A run over two samples with three votes, and the model's replies."""

    def reply(asked):
        aspect = aspect_in(asked.text)
        return json.dumps({"reason": "r", "grade": GRADES[aspect][asked.body["seed"] - 1]}) if aspect else None

    openai_server.reply = reply
    rows = [
        {"id": "en", "question": "Why?", "answer": "So."},
        {"id": "ja", "question": "なぜですか。", "answer": "そうだからです。"},
    ]
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def call(*more):
        judge = f"openai:m@{openai_server.base_url}"
        return saiten(
            "score", "d.jsonl", "-m", "aspects,direct,mate", "--judge", judge, "-o", "run", "--votes", 3, *more
        )

    return call


def test_each_aspect_is_asked_once_a_vote_and_the_spread_is_kept(judged, openai_server):
    """Four aspects, three seeds, two samples: 24 calls; temperature above 0 so that seeds matter."""
    said = judged("--temperature", "0.7")
    assert said.status == 0, said.err
    asked = [(aspect_in(one.text), one.body["seed"]) for one in openai_server.requests if aspect_in(one.text)]
    assert sorted(asked) == sorted((name, seed) for name in NAMES for seed in (1, 2, 3) for _ in range(2))
    found = {(one.sample, one.metric): one.score for one in read_run(Path("run")).scores()}
    for sample in ("en", "ja"):
        for name in NAMES:
            score = found[sample, f"aspects[{name}]"]
            assert score.votes == tuple(map(float, GRADES[name]))
            assert score.value == pytest.approx(fmean(GRADES[name]))
        assert found[sample, "direct"].value == 2
        mate = found[sample, "mate"]
        assert mate.value == pytest.approx(fmean(mate.votes))
        assert mate.votes == pytest.approx((3 - 0.335, 3 - 0.335 - 2.048 / 3, 3 - 0.739))


def test_the_model_sees_the_rubric_in_the_samples_language_and_one_example(judged, openai_server):
    """The aspect's own texts are in blocks, without a reference, with one example."""
    assert judged("--temperature", "0.7").status == 0
    for one in openai_server.requests:
        if aspect_in(one.text) == "formality":
            roles = [message["role"] for message in one.body["messages"]]
            assert roles == ["system", "user", "assistant", "user"]
            japanese = "なぜ" in one.text
            assert ("くだけすぎ" in one.text) == ("ですか。" in one.body["messages"][1]["content"]) == japanese
            assert "reference" not in one.text


def test_a_grade_off_the_scale_is_asked_about_once_and_then_unreadable(judged, openai_server):
    """It is never clipped into the scale, and MATE has no value without it."""
    openai_server.reply = lambda asked: '{"reason": "r", "grade": 7}' if "aspect" in json.dumps(asked.body) else None
    assert judged("--temperature", "0.7").status == 6  # nothing was measured
    assert {one.score.status for one in read_run(Path("run")).scores()} == {"unreadable"}
    assert any("`grade` must be one of -1, 0, 1, got 7" in one.text for one in openai_server.requests)


def test_a_run_is_shown_with_its_grades(judged, saiten):
    """The summary has the distribution by aspect, and the agreement of the votes."""
    assert judged("--temperature", "0.7").status == 0
    tables = json.loads(saiten("show", "run", "--format", "json").out)
    rows = {row["aspect"]: row for row in tables["Grades by aspect"]}
    formality = rows["aspects[formality]"]
    assert (formality["grade: answers"], formality["n"], formality["share with it"]) == ("", 2, 0)
    assert formality["remarks"].startswith("2 with split votes")
    assert rows["aspects[factuality]"]["grade: answers"] == "3: 2"
    assert rows["aspects[amount_info]"]["grade: answers"] == "0: 2"
    assert "aspects[formality]" not in {row["metric"] for row in tables.get("How often each value was given", ())}
    assert rows["direct"]["best grade"] == 3
    assert {row["metric"] for row in tables["Test–retest reliability of the votes"]} >= {"direct", "mate"}
