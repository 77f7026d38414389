"""Batches of providers that have a form of their own."""

import pytest

from stand_ins.native import KEY
from stand_ins.native_batches import AnthropicBatchesServer, GeminiBatchesServer, MistralBatchesServer
from stand_ins.shapes import NEEDS_LIBRARY

BATCH = ("--batch", "--batch-poll", "0.02")
METRICS = ("-m", "faithfulness", "-m", "accuracy")


@pytest.fixture
def claude(monkeypatch):
    """A server with Anthropic's batches, and its judge."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with AnthropicBatchesServer() as server:
        yield server, f"anthropic:claude-x@{server.root}"


@NEEDS_LIBRARY
def test_a_batch_at_anthropic(saiten, data, scores, claude):
    """Requests are those that would be sent one by one, and so are the scores."""
    server, judge = claude
    said = saiten("score", data(3), *METRICS, "--judge", judge, "-o", "run", *BATCH)
    assert said.status == 0, said
    assert [len(batch) for batch in server.batches] == [6, 3]
    assert len(server.requests) == 1
    assert saiten("score", data(3), *METRICS, "--judge", judge, "-o", "live").status == 0
    assert scores() == scores("live")
    assert sorted(repr(asked.native) for asked in server.batched) == sorted(
        repr(asked.native) for asked in server.requests[2:]
    )


@NEEDS_LIBRARY
def test_results_at_anthropic_that_are_no_replies(saiten, data, scores, claude):
    """Expired and overloaded requests are sent again; a refused one is a failed score."""
    server, judge = claude
    overloaded = {"type": "errored", "error": {"type": "error", "error": {"type": "overloaded_error", "message": "?"}}}
    long = {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 1 maximum"}
    fates = {0: "expired", 1: overloaded, 2: {"type": "errored", "error": {"type": "error", "error": long}}}
    server.fate = lambda number, index: fates.get(index, "succeeded") if number == 1 else "succeeded"
    said = saiten("score", data(4), "-m", "accuracy", "--judge", judge, "-o", "run", *BATCH)
    assert said.status == 0, said
    assert [len(batch) for batch in server.batches] == [4, 2]
    assert sorted(score.status for score in scores().values()) == ["failed", "ok", "ok", "ok"]


def test_a_batch_at_mistral(saiten, data, scores, monkeypatch):
    """Files are uploaded as at OpenAI, and become a job; the seed has the name that it has there."""
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    with MistralBatchesServer() as server:
        judge = f"mistral:m@{server.base_url}"
        server.lost = lambda method, path, number: path == "/v1/batch/jobs" and method == "POST" and number == 2
        said = saiten("score", data(3), *METRICS, "--judge", judge, "-o", "run", *BATCH)
        assert said.status == 0, said
        assert [len(batch.lines) for batch in server.batches] == [6, 3]
        assert all("random_seed" in asked.body for asked in server.batched)
    assert {score.status for score in scores().values()} == {"ok"}


@NEEDS_LIBRARY
def test_a_batch_at_gemini(saiten, data, scores, monkeypatch):
    """Requests are inline, and those that would be sent one by one; overload is sent again, and a batch whose creation
    broke off is found by its mark.
    """
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with GeminiBatchesServer() as server:
        judge = f"gemini:gemini-x@{server.root}"
        server.fate = lambda number, index: (
            {"error": {"code": 8, "message": "?"}} if (number, index) == (1, 0) else None
        )
        server.lost = True
        said = saiten("score", data(3), "-m", "accuracy", "--judge", judge, "-o", "run", *BATCH)
        assert said.status == 0, said
        assert [len(batch["inputConfig"]["requests"]["requests"]) for batch in server.batches] == [3, 1]
        assert len(server.requests) == 1
        assert saiten("score", data(3), "-m", "accuracy", "--judge", judge, "-o", "live").status == 0
        bodies = {repr(asked.native) for asked in server.batched}
        assert bodies == {repr(asked.native) for asked in server.requests[2:]}
    assert {key: one.value for key, one in scores().items()} == {key: one.value for key, one in scores("live").items()}


def test_a_batch_at_azure(batched, server, scores, monkeypatch):
    """A deployment for batches takes nothing else, so there is no first call; a file can be used when it was read."""
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
    batched.provider, server.unread = "azure", 2
    said = batched(2)
    assert said.status == 0, said
    assert server.requests == []
    assert [len(batch.lines) for batch in server.batches] == [4, 2]
    assert {score.status for score in scores().values()} == {"ok"}
