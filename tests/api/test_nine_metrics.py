"""The nine metrics of RAGAS, end to end, with the shape of every provider: each score is there, at the same price."""

from functools import cache

import pytest

import saiten
from saiten.records import Sample
from servers import OpenAIServer
from stand_ins.shapes import HOSTED, NATIVE, Shape, each, log_in

SAMPLES = [
    Sample("en", "Where is it?", "It is in Nagoya. It is old.", ("It stands in Nagoya.", "It is old."), "It is in Nagoya."),
    Sample("ja", "どこにありますか。", "名古屋にあります。古いです。", ("名古屋にあります。", "古いです。"), "名古屋にあります。"),
]  # fmt: skip
NINE = 9
FORMS = {"anthropic": 1, "gemini": 3, "vertex": 3, "bedrock": 0}
"""Forms of structured output that are refused in turn before the schema is in the prompt; three with OpenAI's."""


def scored(shape: Shape, server: OpenAIServer, embedder: str):
    """The result of all nine metrics."""
    judge, own = shape.named(server)
    names = {"judge": judge, "embedder": own or embedder, "retries": 0, "timeout": 60, "seed": 3}
    return saiten.evaluate(SAMPLES, ["ragas"], **names)


def chats(server: OpenAIServer) -> int:
    """The chat requests that arrived."""
    return sum("messages" in asked.body for asked in server.requests)


@cache
def expected() -> int:
    """The chat requests of a run with a plain server."""
    with OpenAIServer() as server:
        scored(Shape(OpenAIServer, "openai:m@{root}/v1", "openai:e@{root}/v1"), server, "")
    return chats(server)


@each(NATIVE, HOSTED)
@pytest.mark.parametrize("structured", ["json_schema", "text"])
def test_every_score_is_there(shape, structured, monkeypatch, tmp_path):
    """In Japanese and English, with and without schemas, and with as many requests as anywhere else."""
    name = shape.judge.partition(":")[0]
    with shape.server() as server:
        server.structured = structured
        log_in(server, monkeypatch, tmp_path)
        for variable, value in shape.environ.items():
            monkeypatch.setenv(variable, value)
        result = scored(shape, server, "builtin")
    assert {one.score.status for one in result.scores} == {"ok"}
    assert len(result.scores) == 2 * NINE
    refused = FORMS.get(name, 3) if structured == "text" else 0
    assert chats(server) == expected() + refused
    assert not any(asked.body.get("stream") or asked.native.get("stream") for asked in server.requests)


@each({name: NATIVE[name] for name in ("gemini", "vertex", "bedrock")} | {"vllm": HOSTED["vllm"]})
def test_models_without_a_system_role_lose_no_score(shape, monkeypatch, tmp_path):
    """The refusal costs one request."""
    with shape.server() as server:
        server.has_system = False
        log_in(server, monkeypatch, tmp_path)
        for variable, value in shape.environ.items():
            monkeypatch.setenv(variable, value)
        result = scored(shape, server, "builtin")
    assert {one.score.status for one in result.scores} == {"ok"}
    assert chats(server) == expected() + 1
