"""The form of structured output that a server accepts is found out once and remembered."""

import asyncio
from dataclasses import replace

import orjson
import pytest

from saiten.errors import CallFailed
from saiten.models.dialect import Structured, strict
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.protocols import ChatMessage, ChatRequest
from servers import Asked, Fault, OpenAIServer, refusal

SCHEMA = {
    "title": "採点 result",
    "type": "object",
    "properties": {"correct": {"type": "boolean"}},
    "required": ["correct"],
}


def request(text: str = "正しいですか。", **settings: object) -> ChatRequest:
    """A request with a schema."""
    return ChatRequest((ChatMessage("system", "Grade."), ChatMessage("user", text)), SCHEMA, **settings)


@pytest.mark.parametrize(
    ("takes", "form", "asked_in_all"),
    [
        ("json_schema", Structured.JSON_SCHEMA, 1),
        ("json_object_schema", Structured.JSON_OBJECT_SCHEMA, 2),
        ("json_object", Structured.JSON_OBJECT, 3),
        ("text", Structured.TEXT, 4),
    ],
)
async def test_each_rung(openai_server: OpenAIServer, takes, form, asked_in_all):
    """The chat descends to the first form that the server accepts, and starts there the next time."""
    openai_server.structured = takes
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    first, second = await chat.complete(request()), await chat.complete(request("次"))
    await chat.close()
    assert orjson.loads(first.text) == orjson.loads(second.text) == {"correct": True}
    assert chat.dialect.structured is form
    assert (first.usage.calls, second.usage.calls) == (asked_in_all, 1)
    assert len(openai_server.requests) == asked_in_all + 1


async def test_schema_is_in_the_prompt_below_the_top_rung(openai_server: OpenAIServer):
    """If the server does not enforce the schema, it comes last, after what the prompts of a sample have in common."""
    openai_server.structured = "json_object"
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    await chat.complete(request())
    await chat.close()
    strictest, last = openai_server.requests[0], openai_server.requests[-1]
    assert strictest.schema_in_text is None
    assert last.schema_in_text == SCHEMA
    system, user = (message["content"] for message in last.body["messages"])
    assert system == "Grade."
    assert user.startswith(strictest.text + "\n\n")
    assert user.endswith("}")


async def test_with_worked_examples_the_schema_is_in_the_system_message(openai_server: OpenAIServer):
    """Then system message and examples are the same for all samples, and so is the schema."""
    openai_server.structured = "text"
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    system, last = request().messages
    await chat.complete(replace(request(), messages=(system, last, ChatMessage("assistant", "{}"), last)))
    await chat.close()
    first, *rest = (message["content"] for message in openai_server.requests[-1].body["messages"])
    assert first.startswith("Grade.\n\n")
    assert rest == [last.content, "{}", last.content]


async def test_concurrent_first_calls_find_out_once(openai_server: OpenAIServer):
    """Of 32 simultaneous first calls, one finds out what works; the others use it."""
    openai_server.structured, openai_server.latency = "text", 0.01
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    await asyncio.gather(*(chat.complete(request(str(number))) for number in range(32)))
    await chat.close()
    assert len(openai_server.requests) == 32 + 3


async def test_canceled_finder_leaves_it_to_the_next(openai_server: OpenAIServer):
    """If the probing call is canceled, another one takes over, and none hangs."""
    openai_server.latency = 0.05
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    calls = [asyncio.create_task(chat.complete(request(str(number)))) for number in range(3)]
    await asyncio.sleep(0.01)
    calls[0].cancel()
    assert all(orjson.loads(answer.text) for answer in await asyncio.gather(*calls[1:]))
    await chat.close()


async def test_after_a_failure_the_others_go_together(openai_server: OpenAIServer):
    """If the probing call fails, the others do not go one by one, and its findings are kept."""
    openai_server.latency, openai_server.structured = 0.05, "json_object_schema"
    openai_server.reply = lambda asked: Fault(500, "down") if asked.number == 2 else None
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    calls = [chat.complete(request(str(number))) for number in range(16)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    await chat.close()
    assert [isinstance(result, CallFailed) for result in results] == [True] + [False] * 15
    assert openai_server.peak == 15
    assert chat.dialect.structured is Structured.JSON_OBJECT_SCHEMA


async def test_refusals_at_the_same_time_lead_one_rung_down(openai_server: OpenAIServer):
    """Many simultaneous refusals for one reason count once."""
    openai_server.latency = 0.05
    openai_server.reply = lambda _: Fault(500, "down")
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    with pytest.raises(CallFailed):  # leaves the form undecided, and the way free
        await chat.complete(request())
    openai_server.structured, openai_server.reply = "json_object_schema", lambda _: None
    await asyncio.gather(*(chat.complete(request(str(number))) for number in range(8)))
    await chat.close()
    assert len(openai_server.requests) == 1 + 8 + 8
    assert chat.dialect.structured is Structured.JSON_OBJECT_SCHEMA


@pytest.mark.parametrize(
    "fault",
    [
        Fault(500, "upstream broke"),
        Fault(429, "slow down"),
        Fault(503, "json parser is down"),
        Fault(500, "seed store lost its temperature"),
    ],
)
async def test_passing_trouble_does_not_degrade(openai_server: OpenAIServer, fault):
    """A plain 500, 429 or 503 says nothing about the form, so the form stays."""
    openai_server.reply = lambda asked: fault if asked.number == 1 else None
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    with pytest.raises(CallFailed) as error:
        await chat.complete(request())
    await chat.complete(request())
    await chat.close()
    assert error.value.retryable
    assert chat.dialect.structured is Structured.JSON_SCHEMA


async def test_llama_cpp_python_refuses_with_500(openai_server: OpenAIServer):
    """llama-cpp-python answers HTTP 500 that names response_format; that is still a refusal."""
    said = "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]"

    def reply(asked: Asked):
        is_schema = asked.body["response_format"]["type"] == "json_schema"
        return (
            Fault(500, {"error": {"message": said, "type": "internal_server_error", "param": None}})
            if is_schema
            else None
        )

    openai_server.reply = reply
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    await chat.complete(request())
    await chat.close()
    assert chat.dialect.structured is Structured.JSON_OBJECT_SCHEMA


async def test_server_that_ignores_the_form_gets_the_schema_in_the_prompt(openai_server: OpenAIServer):
    """A reply that cannot come from a model held to the schema shows that the server ignores it: from then on
    the schema is also written into the prompt.
    """
    openai_server.structured = "ignores"
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    assert (await chat.complete(request())).text == "A plain answer."
    assert orjson.loads((await chat.complete(request())).text) == {"correct": True}
    await chat.close()
    assert "response_format" in openai_server.requests[1].body


@pytest.mark.parametrize("refuses", [{"temperature"}, {"seed"}, {"max_tokens"}, {"temperature", "seed", "max_tokens"}])
async def test_refused_parameters_are_dropped_or_renamed(openai_server: OpenAIServer, refuses):
    """Reasoning models refuse some parameters; those are omitted from then on, max_tokens gets its newer name."""
    openai_server.refuses = refuses
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    settings = {"seed": 1, "max_tokens": 50}
    await chat.complete(request(**settings))
    await chat.complete(request(**settings))
    await chat.close()
    assert len(openai_server.requests) == len(refuses) + 2
    sent = openai_server.requests[-1].body
    assert not refuses & sent.keys()
    assert ("max_completion_tokens" in sent) == ("max_tokens" in refuses)


async def test_refusal_without_param_field(openai_server: OpenAIServer):
    """Many servers name the parameter only in prose."""
    openai_server.reply = lambda asked: (
        refusal(400, "seed: extra inputs are not permitted") if "seed" in asked.body else None
    )
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    await chat.complete(request(seed=3))
    await chat.close()
    assert chat.dialect.dropped == {"seed"}


async def test_too_long_a_prompt_drops_nothing(openai_server: OpenAIServer):
    """A 400 about the context length is about this prompt alone, even if it mentions max_tokens."""
    said = "'max_tokens' is too large: 50. This model's maximum context length is 4096 tokens"
    openai_server.reply = lambda asked: refusal(400, said, param="max_tokens") if asked.number == 1 else None
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    with pytest.raises(CallFailed, match="too long") as error:
        await chat.complete(request(max_tokens=50))
    assert not error.value.retryable
    await chat.complete(request(max_tokens=50))
    await chat.close()
    assert openai_server.requests[-1].body["max_tokens"] == 50


def test_strict_schema():
    """Strict mode requires all fields, no others, no defaults, and references alone."""
    schema = {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item", "description": "gone"}},
            "default": {"type": "integer", "default": 3},
        },
        "$defs": {"Item": {"type": "object", "properties": {"x": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}},
    }
    made = strict(schema)
    assert made["required"] == ["items", "default"]
    assert made["additionalProperties"] is False
    assert made["properties"]["default"] == {"type": "integer"}
    assert made["properties"]["items"]["items"] == {"$ref": "#/$defs/Item"}
    assert made["$defs"]["Item"]["required"] == ["x"]
    assert "required" not in schema
