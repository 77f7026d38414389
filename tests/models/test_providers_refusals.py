"""What a provider refuses is left out, folded or written into the prompt: found out once, and shown in signatures."""

import asyncio

import pytest

from saiten.errors import CallFailed, ConfigurationError
from saiten.judges.llm import LLMJudge
from saiten.models.dialect import Structured
from saiten.protocols import ChatMessage, ChatRequest
from saiten.settings import CallSettings, JudgeSettings
from saiten.tasks.statements import SplitStatements
from saiten.wiring import Models, assemble_judge
from servers import Fault, OpenAIServer, refusal
from stand_ins.hosted import VllmServer, vllm_error
from stand_ins.shapes import HOSTED, NATIVE, NEEDS_LIBRARY

ONCE = CallSettings(retries=0, timeout=20)
SCHEMA = {"title": "t", "type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


def request(text="a", **settings):
    """A request in the form of a rendered prompt."""
    messages = (ChatMessage("system", "Grade."), ChatMessage("user", text))
    return ChatRequest(messages, **({"schema": SCHEMA, "seed": 1, "max_tokens": 50} | settings))


# shape, what the server refuses, requests until the first answer, `left_out` then
REFUSED = [
    ("anthropic", {"temperature"}, 2, {"temperature", "seed", "logprobs", "top_logprobs"}),
    ("gemini", {"seed"}, 2, {"seed", "logprobs", "top_logprobs"}),
    ("gemini", {"seed", "temperature"}, 3, {"seed", "temperature", "logprobs", "top_logprobs"}),
    ("vertex", {"seed"}, 2, {"seed", "logprobs", "top_logprobs"}),
    ("bedrock", {"temperature"}, 2, {"temperature", "seed", "logprobs", "top_logprobs"}),
    ("mistral", {"random_seed"}, 2, {"seed"}),
    ("vllm", {"seed", "temperature"}, 3, {"seed", "temperature"}),
    ("openai", {"temperature"}, 2, {"temperature"}),
]


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "refuses", "calls", "left_out"), REFUSED)
async def test_a_refused_parameter_is_left_out_from_then_on(opened, name, refuses, calls, left_out):
    """Each costs one request, once, even with many first calls at the same time."""
    server, chat = opened((NATIVE | HOSTED)[name])
    server.refuses, server.latency = refuses, 0.01
    answers = await asyncio.gather(*(chat.complete(request(str(number))) for number in range(8)))
    await chat.close()
    assert max(answer.usage.calls for answer in answers) == calls
    assert len(server.requests) == 8 + calls - 1
    assert chat.left_out == left_out


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "calls"), [("anthropic", 2), ("gemini", 4), ("vertex", 4), ("bedrock", 1)])
async def test_without_schemas_it_is_in_the_prompt(opened, name, calls):
    """A model that takes none costs one refusal per form that its provider has."""
    server, chat = opened(NATIVE[name])
    server.structured = "text"
    first, second = await chat.complete(request("a")), await chat.complete(request("b"))
    await chat.close()
    assert (first.text, second.text) == ('{"ok":true}', '{"ok":true}')
    assert (first.usage.calls, second.usage.calls, len(server.requests)) == (calls, 1, calls + 1)
    assert server.requests[-1].schema_in_text == SCHEMA
    assert chat.dialect.structured is Structured.TEXT


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", ["gemini", "vertex", "bedrock", "vllm"])
async def test_the_system_text_is_folded_where_there_is_no_system_role(opened, name):
    """Gemma, Titan, Mistral: one refusal, and from then on the first user message begins with it."""
    server, chat = opened((NATIVE | HOSTED)[name])
    server.has_system = False
    first, second = await chat.complete(request("a", schema=None)), await chat.complete(request("b", schema=None))
    await chat.close()
    assert (first.usage.calls, second.usage.calls, len(server.requests)) == (2, 1, 3)
    assert server.requests[-1].body["messages"] == [{"role": "user", "content": "Grade.\n\nb"}]


@NEEDS_LIBRARY
async def test_thinking_leaves_the_temperature_out(opened):
    """Anthropic's thinking takes no temperature: the option is what its user wants, so the temperature goes."""
    server, chat = opened(NATIVE["anthropic"])
    options = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    answer = await chat.complete(request(options=options, max_tokens=4096))
    await chat.close()
    assert server.requests[-1].native["thinking"] == options["thinking"]
    assert "temperature" not in server.requests[-1].native
    assert (answer.usage.calls, "temperature" in chat.left_out) == (2, True)


@NEEDS_LIBRARY
async def test_a_limit_below_the_thinking_is_an_error(opened):
    """It is never left out: the library would put one of its own in its place."""
    server, chat = opened(NATIVE["anthropic"])
    options = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    with pytest.raises(ConfigurationError, match=r"`max_tokens` must be greater than `thinking.budget_tokens`"):
        await chat.complete(request(options=options, max_tokens=100))
    await chat.close()
    assert len(server.requests) == 1


OPTIONS = [
    ("anthropic", {"foo": 1}, "foo: Extra inputs are not permitted"),
    ("anthropic", {"temperature": 1.5}, "temperature: range: 0..1"),
    ("gemini", {"foo": 1}, 'Unknown name "foo"'),
    ("gemini", {"generationConfig": {"foo": 1}}, "Unknown name \"foo\" at 'generation_config'"),
    ("bedrock", {"foo": 1}, "foo: Extra inputs are not permitted"),
    ("mistral", {"foo": 1}, "body.foo: Extra inputs are not permitted"),
    ("vllm", {"foo": 1}, "foo is not supported"),
]


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "options", "said"), OPTIONS)
async def test_a_refused_option_is_an_error_that_names_it(opened, name, options, said):
    """What was typed is never left out without a word."""
    server, chat = opened((NATIVE | HOSTED)[name])
    server.refuses = {"foo"}
    with pytest.raises(ConfigurationError) as error:
        await chat.complete(request(options=options))
    await chat.close()
    assert said in str(error.value)
    assert len(server.requests) == 1
    assert not {"foo", "temperature", "generationConfig"} & chat.left_out


@NEEDS_LIBRARY
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("anthropic", {"reasoning_effort": "banana"}),
        ("gemini", {"reasoning_effort": "banana"}),
        ("bedrock", {"max_tokens": "many"}),
        ("anthropic", {"top_p": "high"}),
    ],
)
async def test_an_option_that_the_library_does_not_take_is_an_error(opened, name, options):
    """Before anything is sent, and without a second try."""
    server, chat = opened(NATIVE[name])
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        await chat.complete(request(options=options))
    await chat.close()
    assert server.requests == []


@NEEDS_LIBRARY
async def test_effort_that_a_model_does_not_have_is_an_error(opened):
    """The library knows some models, and sends nothing."""
    shape = NATIVE["bedrock"]
    server, _ = opened(shape)
    chat = Models(ONCE, {}).chat(f"bedrock:amazon.nova-x@{server.root}")
    with pytest.raises(ConfigurationError, match="option 'reasoning_effort'"):
        await chat.complete(request(options={"reasoning_effort": "low"}))
    await chat.close()
    assert server.requests == []


# ------------------------------------------------------------------------------------------- "param": "None"

NONE = [None, "None", "", "null"]


@pytest.mark.parametrize("param", NONE)
@pytest.mark.parametrize("name", ["temperature", "seed", "response_format"])
async def test_a_refusal_may_leave_param_empty_in_several_ways(openai_server: OpenAIServer, name, param):
    """Where OpenAI has null, vLLM writes the word None: the text tells what is refused."""
    said = refusal(400, f"{name} is not supported by this model", param=param)
    openai_server.reply = lambda asked: said if name in asked.body else None
    chat = Models(ONCE, {}).chat(f"vllm:m@{openai_server.base_url}")
    await chat.complete(request())
    await chat.close()
    assert name not in openai_server.requests[-1].body


async def test_a_system_role_is_folded_whatever_param_is():
    """As vLLM words it."""
    with VllmServer() as server:
        server.has_system = False
        chat = Models(ONCE, {}).chat(f"vllm:m@{server.base_url}")
        await chat.complete(request())
        await chat.close()
    assert [message["role"] for message in server.requests[-1].body["messages"]] == ["user"]


async def test_a_prompt_that_is_too_long_drops_nothing():
    """The complaint of vLLM about it names max_tokens, and its `param` is the word None."""
    said = "This model's maximum context length is 4096 tokens. However, you requested 5000 (max_tokens=50)."
    with VllmServer() as server:
        server.reply = lambda _: vllm_error(said)
        chat = Models(ONCE, {}).chat(f"vllm:m@{server.base_url}")
        with pytest.raises(CallFailed, match="too long"):
            await chat.complete(request())
        await chat.close()
    assert len(server.requests) == 1


# ------------------------------------------------------------------------------------------------ signatures


async def described(shape, server, **settings):
    """The judge's part of a signature, before and after a preflight call."""
    judge = assemble_judge(JudgeSettings(shape.named(server)[0], **settings), ONCE, shape.environ)
    before = dict(judge.describe([SplitStatements]))
    await judge.preflight()
    after = dict(judge.describe([SplitStatements]))
    await judge.close()
    return before, after


@NEEDS_LIBRARY
@pytest.mark.parametrize(
    ("name", "refuses", "before", "after"),
    [
        ("anthropic", {"temperature"}, ("0.0", "refused(1)"), ("refused(0.0)", "refused(1)")),
        ("gemini", {"seed"}, ("0.0", "1"), ("0.0", "refused(1)")),
        ("bedrock", set(), ("0.0", "refused(1)"), ("0.0", "refused(1)")),
        ("mistral", {"random_seed", "temperature"}, ("0.0", "1"), ("refused(0.0)", "refused(1)")),
        ("openai", set(), ("0.0", "1"), ("0.0", "1")),
    ],
)
async def test_what_was_refused_is_in_the_signature(opened, name, refuses, before, after):
    """A figure says whether its temperature and its seed were sent."""
    shape = (NATIVE | HOSTED)[name]
    server, _ = opened(shape)
    server.refuses = refuses
    first, last = await described(shape, server)
    assert ((first["temperature"], first["seed"]), (last["temperature"], last["seed"])) == (before, after)


async def test_an_option_takes_the_place_of_a_parameter_in_the_signature(opened):
    """Its value is among the options, and secrets are not shown; so are headers, by their names."""
    shape = HOSTED["openai"]
    server, _ = opened(shape)
    _, parts = await described(
        shape,
        server,
        judge_options={"temperature": 0.5, "seed": None, "metadata": {"api_key": "sk-planted-option"}, "stop": "|"},
        judge_headers={"X-Key": "sk-planted-header", "OpenAI-Organization": "org-1"},
    )
    assert parts["options"] == 'metadata={"api_key": "***"}, seed=null, stop=\\u007c, temperature=0.5'
    assert parts["headers"] == "OpenAI-Organization=org-1, X-Key=***"
    assert not {"temperature", "seed"} & parts.keys()


async def test_the_system_role_is_folded_for_a_judge_once(opened):
    """The first small call finds out, and no other call is refused."""
    server, chat = opened(HOSTED["vllm"])
    server.has_system = False
    judge = LLMJudge(chat)
    await judge.preflight()
    for text in ("one", "two"):
        await judge.perform(SplitStatements("q", text, language="en"))
    await judge.close()
    assert len(server.requests) == 2 + 2


def test_an_odd_refusal_is_no_loop():
    """A stand-in that refuses everything is asked as often as there is something to leave out."""

    async def run():
        with OpenAIServer() as server:
            server.reply = lambda _: Fault(400, {"error": {"message": "seed temperature max_tokens"}})
            chat = Models(ONCE, {}).chat(f"vllm:m@{server.base_url}")
            with pytest.raises(ConfigurationError):
                await chat.complete(request())
            await chat.close()
        return len(server.requests)

    assert asyncio.run(run()) < 8
