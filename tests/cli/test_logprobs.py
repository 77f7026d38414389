"""`saiten score --logprobs`: expected values from a server's token probabilities, on a real HTTP server."""

import json
from pathlib import Path

import pytest

import saiten as package
from saiten.runs import read_run
from servers import completion, instance, refusal, with_logprobs

METRICS = ("-m", "faithfulness", "-m", "accuracy", "-m", "correctness", "-m", "token_f1")
RIVALS = {"true": {"true": 0.8, "false": 0.2}, "4": {"4": 0.5, "5": 0.25, "0": 0.25}}


@pytest.fixture
def judge(openai_server):
    """The options of a judge that decides yes with 0.8, and grades 4."""

    def reply(asked):
        said = instance(asked.schema)
        if "grade" in said:
            said["grade"] = 4
        body = completion(asked, json.dumps(said))
        return with_logprobs(body, RIVALS) if asked.body.get("logprobs") else body

    openai_server.reply = reply
    return ("--judge", f"openai:m@{openai_server.base_url}", "-o", "run")


def expected(scores):
    """Metric → the expected value of each of its scores."""
    found = {}
    for (_, metric), score in sorted(scores().items()):
        found.setdefault(metric, []).append(score.expected)
    return found


def test_scores_have_expected_values(saiten, judge, data, scores, openai_server):
    """By the tokens of each verdict and grade; verdicts and grades, and metrics without a judge, stay as they are."""
    said = saiten("score", data(2), *METRICS, *judge, "--logprobs")
    assert said.status == 0, said.err
    found = expected(scores)
    assert found["faithfulness"] == found["accuracy"] == pytest.approx([0.8, 0.8])
    assert found["correctness"] == pytest.approx([(4 * 0.5 + 5 * 0.25) / 0.75] * 2)
    assert found["token_f1"] == [None, None]
    assert {score.value for (_, metric), score in scores().items() if metric == "correctness"} == {4.0}
    signatures = read_run(Path("run")).manifest.signatures
    assert "|logprobs:5|" in signatures["accuracy"]
    assert "logprobs" not in signatures["token_f1"]
    splits = [asked for asked in openai_server.requests if "statements" in (asked.schema or {}).get("properties", {})]
    assert splits
    assert not any("logprobs" in asked.body for asked in splits)
    again = saiten("score", data(2), *METRICS, *judge, "--logprobs")
    assert again.out == said.out
    shown = saiten("show", "run", "--sample", next(iter(scores()))[0])
    assert "expected 0.8" in shown.out
    as_json = json.loads(saiten("show", "run", "--sample", next(iter(scores()))[0], "--format", "json").out)
    assert {each["metric"]: each.get("expected") for each in as_json["scores"]}["accuracy"] == pytest.approx(0.8)


def test_votes_average_what_each_expects(saiten, judge, data, scores):
    """With votes and probabilities, the expected value is the mean of each vote's own."""
    said = saiten("score", data(1), "-m", "correctness", *judge, "--logprobs", "--votes", "3")
    assert said.status == 0, said.err
    assert expected(scores)["correctness"] == pytest.approx([(4 * 0.5 + 5 * 0.25) / 0.75])


def test_a_server_that_refuses_is_asked_once_and_reported(saiten, judge, data, openai_server, caplog):
    """The preflight finds out; the run has its values, a note says why there are no others."""
    reply = openai_server.reply
    openai_server.reply = lambda asked: (
        refusal(400, "'logprobs' is not supported with this model", param="logprobs")
        if "logprobs" in asked.body
        else reply(asked)
    )
    said = saiten("score", data(3), *METRICS, *judge, "--logprobs", "--votes", "3")
    assert said.status == 0, said.err
    refused = [asked for asked in openai_server.requests if "logprobs" in asked.body]
    assert len(refused) == 1
    assert sum("returns no token probabilities" in message for message in caplog.messages) == 1
    found = [one.score.expected for one in read_run(Path("run")).scores() if one.metric == "accuracy"]
    assert found == [1.0, 1.0, 1.0]  # by the votes
    assert "|logprobs:not-returned|" in read_run(Path("run")).manifest.signatures["accuracy"]
    again = saiten("score", data(3), *METRICS, *judge, "--logprobs", "--votes", "3")
    assert again.status == 0, again.err
    assert again.out == said.out


def test_the_file_may_set_it_and_the_command_may_not(saiten, judge, data, scores, somewhere):
    """`logprobs = true` in saiten.toml; `--no-logprobs` wins over it; anything but true or false is refused."""
    (somewhere / "saiten.toml").write_text("logprobs = true\n")
    assert saiten("score", data(1), "-m", "accuracy", *judge).status == 0
    assert expected(scores)["accuracy"] == pytest.approx([0.8])
    other = saiten("score", data(1), "-m", "accuracy", *judge, "--no-logprobs")
    assert other.status == 2
    assert "logprobs: was true" in other.err
    (somewhere / "saiten.toml").write_text('logprobs = "yes"\n')
    wrong = saiten("score", data(1), "-m", "accuracy", *judge)
    assert "`logprobs` must be true or false, not 'yes'" in " ".join(wrong.err.split())


def test_python_has_the_keyword(judge, openai_server):
    """`evaluate(…, logprobs=True)`."""
    samples = [{"question": "Where?", "answer": "Here.", "reference": "Here."}]
    named = f"openai:m@{openai_server.base_url}"
    result = package.evaluate(samples, metrics=["accuracy"], judge=named, logprobs=True)
    assert result.scores[0].score.expected == pytest.approx(0.8)
    assert result.to_pandas()["accuracy:expected"].tolist() == pytest.approx([0.8])
    openai_server.reply = lambda _: None
    without = package.evaluate(samples, metrics=["accuracy"], judge=named, logprobs=True)
    assert without.scores[0].score.expected is None
    assert "|logprobs:not-returned|" in without.signatures["accuracy"]


def test_the_offline_judge_needs_no_tokens(saiten, data):
    """It has its own probabilities; the option is refused rather than ignored."""
    said = saiten("score", data(1), "-m", "accuracy", "--logprobs", "-o", "run")
    assert said.status == 2
    assert "leave out logprobs" in " ".join(said.err.split())
