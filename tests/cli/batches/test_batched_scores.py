"""`saiten score --batch`: the same scores in a few batches, for half the money and within the budget."""

from pathlib import Path

import pytest
from rich.console import Console

from saiten import evaluate
from saiten.cli.progress import ScoreProgress
from saiten.errors import ConfigurationError
from saiten.runs import read_run
from saiten.runs.locked_folder import prices_in


def test_a_batched_run_has_the_same_scores_as_one_without(batched, server, scores):
    """Splits and decisions of all samples are one batch, verifications the next; each request is sent once, as the
    live one would be; the scores are the same.
    """
    said = batched(6)
    assert said.status == 0, said
    assert [len(batch.lines) for batch in server.batches] == [12, 6]
    assert len(server.requests) == 1  # the first small call
    bodies = [asked.body for asked in server.batched]
    live = batched(6, out="live", batch=())
    assert live.status == 0
    assert sorted(map(repr, bodies)) == sorted(repr(asked.body) for asked in server.requests[2:])
    assert scores() == scores("live")
    assert read_run("run").paid() == read_run("live").paid()


def test_full_waves_are_sent_while_others_fill(batched, server, scores):
    """No batch has more than --batch-size requests, and nothing is sent twice."""
    said = batched(6, "--batch-size", "5")
    assert said.status == 0, said
    assert all(len(batch.lines) <= 5 for batch in server.batches)
    assert len(server.batches) >= 4
    assert sum(batched.sent().values()) == len(batched.sent()) == 18
    assert {score.status for score in scores().values()} == {"ok"}


def test_a_repair_is_one_more_batch(batched, server, scores):
    """Replies that cannot be read are asked for again in the next batch, with the fault."""
    server.reply = lambda asked: "no JSON" if len(asked.body["messages"]) < 4 and "ok" not in asked.text else None
    said = batched(2, "-m", "accuracy")
    assert said.status == 0, said
    assert {score.status for score in scores().values()} == {"ok"}


def test_votes_are_one_batch(batched, server, scores):
    """Each vote is a request of its own."""
    assert batched(2, "-m", "accuracy", "--votes", "3").status == 0
    assert max(batched.sent().values()) == 1
    assert {score.status for score in scores().values()} == {"ok"}


def test_a_run_goes_on_with_and_without_batches(batched, server, scores):
    """Replies have the same keys either way, and the settings do not differ."""
    assert batched(2, batch=()).status == 0
    assert batched(2, "-m", "token_f1", "-m", "correctness").status == 0
    assert [len(batch.lines) for batch in server.batches] == [2]
    assert batched(2, "-m", "token_f1", "-m", "correctness", batch=()).status == 0
    assert len(server.batched) == 2


@pytest.mark.slow
def test_replies_of_batches_are_kept_in_a_database(batched, server, scores, postgres_server):
    """The next run, of anybody who uses it, sends nothing but its first small call."""
    cache = ("--cache", postgres_server.new_database())
    assert batched(3, *cache).status == 0
    first = scores()
    requests, batches = len(server.requests), len(server.batches)
    assert batched(3, *cache, out="again").status == 0
    assert (len(server.requests), len(server.batches)) == (requests + 1, batches)
    assert read_run("again").paid().calls == 1
    assert {score.status for score in first.values()} == {"ok"}


def test_batches_cost_half_where_that_is_known(batched, server, somewhere):
    """--batch-price sets it for other servers; the price with its source is kept; the budget counts it."""
    (somewhere / "saiten.toml").write_text("[prices]\nm = {prompt = 1000000, completion = 0}\n")
    assert batched(2, "--batch-price", "0.5").status == 0
    live = batched(2, out="live", batch=())
    assert live.status == 0
    first = sum(len(m["content"]) for m in server.requests[0].body["messages"]) // 10
    assert read_run("run").paid().cost - first == pytest.approx((read_run("live").paid().cost - first) / 2)
    (quote,) = [quote for quote in prices_in(Path("run")) if "batches" in quote.source]
    assert (quote.price.prompt, quote.source) == (500_000, "saiten.toml × 0.5 for batches")


def test_a_budget_of_calls_is_never_exceeded(batched, server):
    """The wave has only what the budget allows; the same command goes on."""
    said = batched(4, "--max-calls", "5")
    assert said.status == 3, said
    assert len(server.batched) == 4  # and the first small call
    assert batched(4).status == 0
    assert max(batched.sent().values()) == 1


def test_a_budget_of_money_splits_a_wave(batched, server, somewhere):
    """A batch has only requests that are affordable if every reply is as long as it may be; then the next one goes."""
    (somewhere / "saiten.toml").write_text("[prices]\nm = {prompt = 0, completion = 1}\n")
    said = batched(4, "-m", "accuracy", "--max-tokens", "1000", "--max-cost", "0.0045")
    assert said.status == 0, said
    assert max(len(batch.lines) for batch in server.batches) <= 4


def test_evaluate_in_batches(server, data):
    """The keyword is the option."""
    found = evaluate(data(2), ["accuracy"], f"openai:m@{server.base_url}", run="run", batch=True, batch_poll=0.02)
    assert [score.score.status for score in found.scores] == ["ok", "ok"]
    assert len(server.batches) == 1


def test_batches_need_a_folder_and_a_cache(batched, data):
    """Replies come hours later, so they must have a place."""
    said = batched(1, "--no-cache")
    assert said.status == 2
    assert "--batch needs the folder of a run and its cache" in said.err
    with pytest.raises(ConfigurationError, match="needs the folder of a run"):
        evaluate(data(1), ["accuracy"], "openai:m@http://localhost:9/v1", batch=True)


def test_a_dry_run_has_the_price_of_batches(batched, somewhere):
    """It says where the price is from."""
    (somewhere / "saiten.toml").write_text("[prices]\nm = {prompt = 10, completion = 10}\n")
    said = batched(2, "--dry-run", "--batch-price", "0.25")
    assert "2.50 / 2.50 USD per million" in said.out
    assert "saiten.toml × 0.25 for batches" in " ".join(said.out.split())


def test_a_probe_and_an_experiment_in_batches(batched, server, saiten, somewhere):
    """Their scores are runs like any other."""
    judge = f"openai:m@{server.base_url}"
    batch = ("--batch", "--batch-poll", "0.02")
    probed = saiten(
        "probe", batched.data(2), "-m", "accuracy", "--probes", "padded", "--judge", judge, "-o", "probe", *batch
    )
    assert probed.status == 0, probed
    assert len(server.batches) == 1
    (somewhere / "plan.yaml").write_text(
        f"judge: {judge}\nmetrics: [accuracy]\nk: 1\ndata:\n  - name: d\n    answers: data.jsonl\n", encoding="utf-8"
    )
    assert saiten("experiment", "plan.yaml", "-o", "grid", *batch).status == 0
    assert len(server.batches) == 2


@pytest.mark.parametrize("command", ["answer", "converse", "index"])
def test_commands_that_cannot_wait(saiten, command):
    """They have no such option, and say so."""
    said = saiten(command, "x", "--batch")
    assert said.status == 2
    assert "--batch" in said.err


def test_progress_shows_how_far_batches_are():
    """Next to the count of samples; nothing once they have ended."""
    progress = ScoreProgress(Console(quiet=True), 10, "USD")
    progress.waits("batch 1 in progress (3 of 4 requests, 7 min)")
    assert str(progress._text()).endswith("batch 1 in progress (3 of 4 requests, 7 min)")
    progress.waits("")
    assert "batch" not in str(progress._text())
