"""Costs can be traced: dry run, run and summary name the price, where it is from, and its date."""

import json
import re
from pathlib import Path

import orjson
import pytest

from saiten.records import Usage
from saiten.runs import read_run
from saiten.wiring import quotes as quoting
from servers import completion, instance

TOKENS = {"prompt_tokens": 100_000, "completion_tokens": 1_000}
LISTED = r"0\.15 / 0\.60 USD per million prompt / completion tokens \(genai-prices [\d.]+, newest price change 20\d\d-\d\d-\d\d\)"


@pytest.fixture
def judged(saiten, openai_server):
    """`saiten score DATA -m accuracy` with a model of OpenAI on this server, into `run`."""
    openai_server.reply = lambda asked: completion(asked, json.dumps(instance(asked.schema))) | {"usage": TOKENS}

    def call(data, *more):
        judge = f"openai:gpt-4o-mini@{openai_server.base_url}"
        said = saiten("score", data, "-m", "accuracy", "--judge", judge, "-o", "run", *more)
        said.text = " ".join(f"{said.out} {said.err}".split())
        return said

    return call


@pytest.fixture
def listed(monkeypatch):
    """Let this machine be OpenAI's own server, whose prices are listed."""
    pytest.importorskip("genai_prices", reason="the price table is an extra: pip install 'saiten[prices]'")
    monkeypatch.setattr(quoting, "_lister", lambda *_: "openai")


def quotes(folder="run"):
    """The prices in a run's folder."""
    return [orjson.loads(line) for line in Path(folder, "prices.jsonl").read_bytes().splitlines()]


@pytest.mark.usefixtures("listed")
def test_a_listed_price_gives_a_sum_before_the_run(judged, data):
    """No saiten.toml is needed; the price is named with its source and the table's date."""
    said = judged(data(3), "--dry-run")
    assert re.search(LISTED, said.text)
    (rows,) = json.loads(judged(data(3), "--dry-run", "--format", "json").out).values()
    for row in rows:
        expected = (row["prompt tokens"] * 0.15 + row["completion tokens"] * 0.6) / 1e6
        assert row["cost (USD)"] == pytest.approx(expected)
    assert not Path("run").exists()


@pytest.mark.usefixtures("listed")
def test_a_listed_price_bounds_and_explains_the_cost(judged, openai_server, data):
    """--max-cost works with it; the folder records it once, with its source and date, and the summary names it."""
    each = (100_000 * 0.15 + 1_000 * 0.6) / 1e6
    said = judged(data(6), "--max-cost", 3.5 * each, "--concurrency", "1")
    assert said.status == 3
    assert len(openai_server.requests) == 3
    said = judged(data(6))
    assert said.status == 0
    assert re.search(LISTED, said.text)
    (kept,) = quotes()
    assert (kept["prompt"], kept["completion"], kept["currency"]) == (0.15, 0.6, "USD")
    assert kept["model"] == f"openai:gpt-4o-mini@{openai_server.base_url}"
    assert kept["source"].startswith("genai-prices ")
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", kept["date"])
    assert read_run("run").paid().cost == pytest.approx(len(openai_server.requests) * each)


def test_a_price_that_changes_between_two_commands_is_recorded_again(judged, saiten, data, somewhere):
    """Each price in use is kept in order; the settings of the run stay the same, so it is resumed."""
    for prompt, rows in ((0.1, 2), (0.2, 4), (0.2, 6)):
        (somewhere / "saiten.toml").write_text(f'[prices]\n"gpt-4o-mini" = {{ prompt = {prompt}, completion = 0.0 }}\n')
        assert judged(data(rows)).status == 0
    assert [(one["prompt"], one["source"]) for one in quotes()] == [(0.1, "saiten.toml"), (0.2, "saiten.toml")]
    shown = " ".join(saiten("show", "run").out.split())
    assert "0.10 / 0.00 USD per million prompt / completion tokens (saiten.toml)" in shown
    assert "0.20 / 0.00 USD per million prompt / completion tokens (saiten.toml)" in shown
    saiten("report", "run", "-o", "report.html")
    page = " ".join(Path("report.html").read_text("utf-8").split())
    assert "0.20 / 0.00 USD per million prompt / completion tokens (saiten.toml)" in page


def test_tokens_in_the_servers_cache_are_shown_and_priced(judged, saiten, openai_server, data, somewhere):
    """They cost what is set for them; a reply from saiten's own cache costs nothing and has no tokens, cached or not."""
    usage = TOKENS | {"prompt_tokens_details": {"cached_tokens": 80_000}}
    openai_server.reply = lambda asked: completion(asked, json.dumps(instance(asked.schema))) | {"usage": usage}
    toml = somewhere / "saiten.toml"
    toml.write_text('[prices]\n"gpt-4o-mini" = { prompt = 1.0, completion = 2.0, cached = 0.1 }\n')
    assert "tokens (saiten.toml); 0.10 for prompt tokens in the server's cache." in judged(data(3)).text
    calls = len(openai_server.requests)
    each = (20_000 * 1.0 + 80_000 * 0.1 + 1_000 * 2.0) / 1e6
    paid = read_run("run").paid()
    assert (paid.calls, paid.prompt_tokens, paid.cached_tokens) == (calls, 100_000 * calls, 80_000 * calls)
    assert paid.cost == pytest.approx(calls * each)
    assert [(one["prompt"], one["cached"]) for one in quotes()] == [(1.0, 0.1)]
    shown = " ".join(saiten("show", "run").out.split())
    assert f"{calls} calls, {calls}00,000 ({calls * 80_000:,} cached by the server) + {calls},000 tokens" in shown
    saiten("score", data(3), "-m", "correctness[evidence=none]", "--judge", f"openai:gpt-4o-mini@{openai_server.base_url}", "-o", "one", "--cache", "shared.sqlite")  # fmt: skip
    before = len(openai_server.requests)
    saiten("score", data(3), "-m", "correctness[evidence=none]", "--judge", f"openai:gpt-4o-mini@{openai_server.base_url}", "-o", "two", "--cache", "shared.sqlite")  # fmt: skip
    again = read_run("two")
    assert again.paid().calls == len(openai_server.requests) - before
    assert [one.score.usage for one in again.scores()] == [Usage(reused=1)] * 3


def test_a_run_of_an_older_version_has_no_cached_tokens(judged, saiten, data):
    """Its lines lack the fields; they count as 0, and the run can be shown and resumed."""
    assert judged(data(2)).status == 0
    for name in ("calls.jsonl", "scores.jsonl"):
        lines = Path("run", name).read_text().replace(',"cached_tokens":0,"unanswered":0', "")
        Path("run", name).write_text(lines)
    assert "cached" not in Path("run/calls.jsonl").read_text() + Path("run/scores.jsonl").read_text()
    assert judged(data(3)).status == 0
    assert read_run("run").paid().cached_tokens == 0
    assert saiten("show", "run").status == 0


def test_an_unknown_price_is_said_to_be_unknown(judged, data):
    """A server of one's own has no listed price, and nothing is recorded."""
    said = judged(data(2), "--dry-run")
    assert "is unknown: there is no price list for its server" in said.text
    assert judged(data(2)).status == 0
    assert not Path("run/prices.jsonl").exists()


def test_a_dry_run_offline_names_no_price(saiten, data):
    """There is nothing to pay."""
    assert "rice of" not in saiten("score", data(2), "-m", "accuracy", "--dry-run").out


@pytest.mark.parametrize("line", ["", "{}", '{"model": 3}', '{"prompt": "x", "completion": 1}', "[", '{"prompt": 1, "completion": 1, "tiers": [3]}'])  # fmt: skip
def test_a_damaged_record_of_prices_is_left_out(judged, saiten, data, line):
    """The run can still be shown and resumed."""
    assert judged(data(2)).status == 0
    Path("run/prices.jsonl").write_text(line + "\n")
    assert saiten("show", "run").status == 0
    assert judged(data(3)).status == 0
