"""A model without a system role gets the system text in the first user message, once that is known."""

import asyncio
import contextlib

import pytest

from saiten import evaluate
from saiten.errors import CallFailed, ConfigurationError
from saiten.judges.llm import LLMJudge
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Sample
from servers import Asked, Fault, OpenAIServer, refusal

SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
VLLM = {
    "object": "error",
    "message": "Conversation roles must alternate user/assistant/user/assistant/...",
    "type": "BadRequestError",
    "param": None,
    "code": 400,
}
TGI = {
    "error": "Template error: invalid operation: System role not supported (in <string>:1)",
    "error_type": "template_error",
}
LLAMA_CPP = {"error": {"code": 500, "message": "System role not supported at row 1, column 67", "type": "server_error"}}
LM_STUDIO = {
    "error": 'Error rendering prompt with jinja template: "Error: Only user and assistant roles are supported!"'
}
GEMMA = {"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it"}}
O1 = refusal(
    400,
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    param="messages[0].role",
    code="unsupported_value",
)
FASTAPI = {"detail": [{"loc": ["body", "messages", 0, "role"], "msg": "Input should be 'user' or 'assistant'"}]}
REFUSALS = {
    "vLLM": Fault(400, VLLM),
    "TGI": Fault(422, TGI),
    "llama.cpp": Fault(500, LLAMA_CPP),
    "LM Studio": Fault(400, LM_STUDIO),
    "Gemma": Fault(400, GEMMA),
    "o1": O1,
    "FastAPI": Fault(422, FASTAPI),
    "plain": Fault(400, "system messages are not supported by this model"),
}


def template_without_system(refused: Fault, otherwise=lambda _: None):
    """A server whose template requires alternating user and assistant messages, and nothing else."""

    def reply(asked: Asked):
        roles = [message["role"] for message in asked.body["messages"]]
        by_turns = roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        return otherwise(asked) if by_turns else refused

    return reply


def request(text: str, schema=SCHEMA) -> ChatRequest:
    """A request in the shape of a rendered prompt with one worked example."""
    messages = (
        ChatMessage("system", "Grade."),
        ChatMessage("user", "example"),
        ChatMessage("assistant", "worked"),
        ChatMessage("user", text),
    )
    return ChatRequest(messages, schema, seed=0, max_tokens=50)


@pytest.mark.parametrize("refused", REFUSALS.values(), ids=REFUSALS)
async def test_the_system_text_opens_the_first_user_message_once_it_was_refused(openai_server: OpenAIServer, refused):
    """However a server says it: one refusal, and from then on no system role, without losing a word of the prompt."""
    openai_server.reply = template_without_system(refused)
    chat = OpenAICompatibleChat("prometheus", openai_server.base_url)
    first, second = await chat.complete(request("a")), await chat.complete(request("b"))
    await chat.close()
    assert (first.usage.calls, second.usage.calls, len(openai_server.requests)) == (2, 1, 3)
    assert openai_server.requests[-1].body["messages"] == [
        {"role": "user", "content": "Grade.\n\nexample"},
        {"role": "assistant", "content": "worked"},
        {"role": "user", "content": "b"},
    ]


async def test_many_first_calls_at_once_are_refused_once(openai_server: OpenAIServer):
    """Of 32 calls in flight, one finds out and none fails, whatever the mix of forms."""
    openai_server.reply, openai_server.latency = template_without_system(REFUSALS["vLLM"]), 0.01
    chat = OpenAICompatibleChat("prometheus", openai_server.base_url)
    await asyncio.gather(*(chat.complete(request(str(n), SCHEMA if n % 2 else None)) for n in range(32)))
    await chat.close()
    assert len(openai_server.requests) == 32 + 1


async def test_calls_without_a_system_message_do_not_hide_the_refusal(openai_server: OpenAIServer):
    """Success without a system message says nothing about one: the first with one still goes alone."""
    openai_server.reply, openai_server.latency = template_without_system(REFUSALS["vLLM"]), 0.01
    chat = OpenAICompatibleChat("prometheus", openai_server.base_url)
    await chat.complete(ChatRequest((ChatMessage("user", "hello"),), SCHEMA, seed=0, max_tokens=50))
    await asyncio.gather(*(chat.complete(request(str(n))) for n in range(8)))
    await chat.close()
    assert len(openai_server.requests) == 1 + 8 + 1


async def test_the_preflight_finds_out(openai_server: OpenAIServer):
    """It has a system message as real calls do, so no real call is refused."""
    openai_server.reply = template_without_system(REFUSALS["vLLM"])
    chat = OpenAICompatibleChat("prometheus", openai_server.base_url)
    await LLMJudge(chat).preflight()
    assert len(openai_server.requests) == 2
    assert chat.dialect.folded
    await chat.close()


def test_a_run_with_prometheus_loses_no_score(openai_server: OpenAIServer):
    """Every answer is graded, through the command's own path; the refusal costs one call."""
    grade = lambda asked: "Feedback: fine [RESULT] 4" if "response_format" not in asked.body else None  # noqa: E731
    openai_server.reply = template_without_system(REFUSALS["vLLM"], grade)
    samples = [Sample(f"s{n}", question="q", answer=f"a{n}", reference="r", language="en") for n in range(6)]
    judge = f"openai:prometheus@{openai_server.base_url}"
    result = evaluate(samples, ["correctness[form=prometheus,evidence=none]"], judge=judge)
    assert [one.score.value for one in result.scores] == [4.0] * 6
    assert len(openai_server.requests) == 1 + 1 + 6


async def test_the_schema_in_the_prompt_is_folded_too(openai_server: OpenAIServer):
    """If the schema is written into the system message, it reaches the model with the rest of it."""
    openai_server.structured = "text"
    openai_server.reply = template_without_system(REFUSALS["TGI"], lambda _: '{"ok": true}')
    chat = OpenAICompatibleChat("gemma", openai_server.base_url)
    await chat.complete(request("a"))
    await chat.close()
    first = openai_server.requests[-1].body["messages"][0]
    assert first["role"] == "user"
    assert first["content"].startswith("Grade.\n\n")
    assert "JSON Schema" in first["content"]


@pytest.mark.parametrize(
    "fault",
    [
        refusal(400, "response_format is not supported by this system", param="response_format"),
        refusal(400, "the prompt is not fine"),
        Fault(500, "the operating system ran out of memory"),
        refusal(400, "messages: at least one message is required"),
    ],
)
async def test_other_trouble_folds_nothing(openai_server: OpenAIServer, fault):
    """A complaint about something else leaves the system role alone."""
    openai_server.reply = lambda asked: fault if asked.number == 1 else None
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    with contextlib.suppress(CallFailed, ConfigurationError):
        await chat.complete(request("a"))
    await chat.close()
    assert not chat.dialect.folded


async def test_a_server_that_refuses_either_way_is_asked_twice(openai_server: OpenAIServer):
    """A refusal that folding does not fix is an error, not a loop."""
    openai_server.reply = lambda _: REFUSALS["vLLM"]
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    with pytest.raises(ConfigurationError, match="roles must alternate"):
        await chat.complete(request("a"))
    await chat.close()
    assert len(openai_server.requests) == 2
