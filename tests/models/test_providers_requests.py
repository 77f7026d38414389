"""What is sent to each provider: its own form, one key, every parameter and option, and nothing else."""

import warnings

import pytest

from saiten.errors import ConfigurationError
from saiten.protocols import ChatMessage, ChatRequest
from saiten.records import Usage
from saiten.settings import CallSettings
from saiten.wiring import Models
from stand_ins.google import TOKEN, VertexServer
from stand_ins.hosted import AzureServer
from stand_ins.native import KEY
from stand_ins.shapes import HOSTED, NATIVE, NEEDS_LIBRARY, Shape, each, log_in

SCHEMA = {
    "title": "grade",
    "type": "object",
    "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 5}, "ok": {"type": "boolean"}},
    "required": ["n", "ok"],
}
MESSAGES = (
    ChatMessage("system", "Grade."),
    ChatMessage("user", "example"),
    ChatMessage("assistant", "worked"),
    ChatMessage("user", "採点"),
)
ONCE = CallSettings(retries=0, timeout=20)


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """A function that sends one request to a shape's server, and returns the answer and what arrived."""

    async def ask(shape: Shape, *, headers=(), environ=None, setup=lambda _: None, **settings):
        with shape.server() as server:
            setup(server)
            log_in(server, monkeypatch, tmp_path)
            chat = Models(ONCE, shape.environ | (environ or {})).chat(shape.named(server)[0], headers=dict(headers))
            try:
                answer = await chat.complete(ChatRequest(MESSAGES, **settings))
            finally:
                await chat.close()
        return answer, server.requests

    return ask


BODIES = {
    "anthropic": {
        "model": "claude-x",
        "system": "Grade.",
        "messages": [
            {"role": "user", "content": "example"},
            {"role": "assistant", "content": "worked"},
            {"role": "user", "content": "採点"},
        ],
        "temperature": 0.5,
        "max_tokens": 99,
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "Grade."}], "role": "user"},
        "contents": [
            {"parts": [{"text": "example"}], "role": "user"},
            {"parts": [{"text": "worked"}], "role": "model"},
            {"parts": [{"text": "採点"}], "role": "user"},
        ],
        "generationConfig": {"temperature": 0.5, "maxOutputTokens": 99, "seed": 7},
    },
    "bedrock": {
        "system": [{"text": "Grade."}],
        "messages": [
            {"role": "user", "content": [{"text": "example"}]},
            {"role": "assistant", "content": [{"text": "worked"}]},
            {"role": "user", "content": [{"text": "採点"}]},
        ],
        "inferenceConfig": {"temperature": 0.5, "maxTokens": 99},
    },
}
BODIES["vertex"] = BODIES["gemini"]
PATHS = {
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/gemini-x:generateContent",
    "vertex": "/v1beta1/projects/a-project/locations/europe-west4/publishers/google/models/gemini-x:generateContent",
    "bedrock": "/model/anthropic.claude-x-v1:0/converse",
}


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", NATIVE)
async def test_a_request_has_the_form_of_its_provider(asked, name):
    """Every message and parameter that the provider has is in its place, and nothing is added. Tokens in the
    provider's cache are part of the prompt's, also where the provider counts them apart (Anthropic, Bedrock).
    """
    answer, (request,) = await asked(NATIVE[name], temperature=0.5, seed=7, max_tokens=99)
    assert (request.path, request.native) == (PATHS[name], BODIES[name])
    assert answer.text == "A plain answer."
    assert answer.usage == Usage(1, 16, 7, unpriced=1, cached_tokens=5)


KEY_HEADERS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key", "azure": "api-key"}


@each()
async def test_the_key_is_sent_once(asked, shape):
    """In the header of its provider, and in no other; headers of the same name are not sent twice."""
    _, (request,) = await asked(shape)
    provider = shape.judge.partition(":")[0]
    header = KEY_HEADERS.get(provider, "Authorization")
    values = [f"{name}: {value}" for name, value in request.headers.items() if KEY in value or TOKEN in value]
    if provider == "bedrock":
        assert request.headers.getall("Authorization")[0].startswith("AWS4-HMAC-SHA256 ")
    elif provider == "ollama":
        assert values == []
    else:
        value = TOKEN if provider == "vertex" else KEY
        expected = f"Bearer {value}" if header == "Authorization" else value
        assert values == [f"{header}: {expected}"]
    assert len({name.lower() for name in request.headers}) == len(request.headers)


@each(NATIVE)
async def test_nothing_is_sent_about_this_machine(asked, shape):
    """The SDKs' headers with operating system and architecture stay here."""
    _, (request,) = await asked(shape)
    assert not [name for name in request.headers if name.lower().startswith("x-stainless")]


WITH_SCHEMA = {
    "anthropic": lambda body: body["output_config"]["format"]["schema"],
    "gemini": lambda body: body["generationConfig"]["responseJsonSchema"],
    "vertex": lambda body: body["generationConfig"]["responseJsonSchema"],
}


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", WITH_SCHEMA)
async def test_a_schema_is_sent_as_a_schema(asked, name):
    """In the provider's own field, in a form that it takes, and not in the prompt."""
    answer, (request,) = await asked(NATIVE[name], schema=SCHEMA, max_tokens=99)
    schema = WITH_SCHEMA[name](request.native)
    assert (list(schema["properties"]), schema["additionalProperties"]) == (["n", "ok"], False)
    assert request.schema_in_text is None
    assert answer.text == '{"n":1,"ok":true}'


@NEEDS_LIBRARY
async def test_a_provider_without_schemas_has_it_in_the_prompt(asked):
    """Bedrock has none for most models: the system text ends with it, at the first request."""
    answer, (request,) = await asked(NATIVE["bedrock"], schema=SCHEMA, max_tokens=99)
    assert request.schema_in_text == SCHEMA
    assert answer.text == '{"n":1,"ok":true}'


OPTIONS = {
    "anthropic": ({"top_k": 5, "thinking": {"type": "adaptive"}}, lambda body: body),
    "gemini": (
        {"generationConfig": {"topK": 5, "thinkingConfig": {"thinkingBudget": 0}}, "safetySettings": []},
        lambda body: body,
    ),
    "vertex": ({"generationConfig": {"topK": 5}, "labels": {"team": "search"}}, lambda body: body),
    "bedrock": (
        {"top_k": 5, "seed": 3, "reasoning_config": {"type": "disabled"}},
        lambda body: body["additionalModelRequestFields"],
    ),
}


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", NATIVE)
async def test_an_option_reaches_the_body_as_it_is(asked, name):
    """Deep ones join what is there, and nothing else changes."""
    options, place = OPTIONS[name]
    _, (request,) = await asked(NATIVE[name], temperature=0.5, seed=7, max_tokens=99, options=options)
    body = place(request.native)
    for option, value in options.items():
        assert body[option] == (value if option != "generationConfig" else BODIES[name]["generationConfig"] | value)
    assert {**request.native, **BODIES[name]} | {"generationConfig": 0} == request.native | {"generationConfig": 0}


@each(HOSTED)
async def test_an_option_reaches_the_body_of_every_hosted_model(asked, shape):
    """Also one that replaces a parameter, and one that takes it away."""
    known = {"safe_prompt": True} if shape.judge.startswith("mistral") else {"provider": {"order": ["a"]}}
    options = {"temperature": 0.25, "max_tokens": None, **known}
    _, requests = await asked(shape, temperature=0.0, seed=1, max_tokens=9, options=options)
    body = requests[-1].body
    assert body["temperature"] == 0.25
    assert "max_tokens" not in body
    assert known.items() <= body.items()


async def test_mistral_calls_the_seed_by_its_name(asked):
    """`random_seed`: `seed` would be refused."""
    _, (request,) = await asked(HOSTED["mistral"], temperature=0.0, seed=7)
    assert (request.body["random_seed"], "seed" in request.body) == (7, False)


@pytest.mark.parametrize("name", ["azure:deployed", "openai:deployed"])
async def test_a_classic_address_of_azure(name):
    """With the deployment in the path and `?api-version=…`, which is kept."""
    with AzureServer() as server:
        where = server.base_url.replace("/v1", "/openai/deployments/deployed?api-version=2024-10-21")
        headers = {} if name.startswith("azure") else {"api-key": KEY, "Authorization": ""}
        models = Models(ONCE, {"AZURE_OPENAI_API_KEY": KEY})
        server.key = KEY if name.startswith("azure") else None
        chat = models.chat(f"{name}@{where}", headers=headers)
        await chat.complete(ChatRequest(MESSAGES))
        await chat.close()
    (request,) = server.requests
    assert request.path == "/openai/deployments/deployed/chat/completions"
    assert (dict(request.query), request.headers["api-key"]) == ({"api-version": "2024-10-21"}, KEY)


REASONING = {
    "anthropic": lambda body: body["thinking"]["type"] == "adaptive" and body["output_config"]["effort"] == "low",
    "gemini": lambda body: body["generationConfig"]["thinkingConfig"]["thinking_budget"] > 0,
    "bedrock": lambda body: body["additionalModelRequestFields"]["reasoning_config"]["type"] == "enabled",
}


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", REASONING)
async def test_effort_is_translated(asked, name):
    """`reasoning_effort` becomes what the provider has instead, and the text before the answer is no answer."""
    answer, (request,) = await asked(
        NATIVE[name], temperature=None, max_tokens=9999, options={"reasoning_effort": "low"}
    )
    assert REASONING[name](request.native)
    assert answer.text == "A plain answer."


@each()
async def test_headers_are_sent(asked, shape):
    """Each once, the value `env:NAME` from the environment; one that the client has, too, is replaced."""
    headers = {"X-Team": "search", "X-Trace": "env:TRACE", "user-agent": "ours"}
    _, (request,) = await asked(shape, headers=headers, environ={"TRACE": "t-1"})
    assert [request.headers.getall(name) for name in headers] == [["search"], ["t-1"], ["ours"]]


@each(NATIVE)
async def test_a_call_warns_of_nothing(asked, shape, caplog, capsys):
    """Neither log lines, nor warnings, nor output of the libraries."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, requests = await asked(shape)
    assert [record for record in caplog.records if record.levelname not in ("DEBUG", "INFO")] == []
    assert (capsys.readouterr().out, capsys.readouterr().err) == ("", "")
    assert len(requests) == 1


# ------------------------------------------------------------------------------------------------ embedders


@each({name: shape for name, shape in (NATIVE | HOSTED).items() if shape.embedder})
async def test_texts_become_vectors(monkeypatch, tmp_path, shape):
    """The same for every provider: one row per text, in order, of length 1."""
    with shape.server() as server:
        log_in(server, monkeypatch, tmp_path)
        embedder = Models(ONCE, shape.environ).embedder(shape.named(server)[1])
        found = await embedder.embed(["one", "two", "one", "三"])
        await embedder.close()
    assert found.vectors.shape == (4, 16)
    assert (found.vectors[0] == found.vectors[2]).all()
    assert not (found.vectors[0] == found.vectors[1]).all()
    assert sum(len(asked.body["input"]) for asked in server.requests) == 3
    assert found.usage.calls == len(server.requests) == (3 if shape.judge.startswith("bedrock") else 1)


@NEEDS_LIBRARY
@pytest.mark.parametrize(("name", "sizes"), [("openai", [22, 128]), ("cohere", [54, 96]), ("gemini", [50, 100])])
async def test_a_batch_is_no_larger_than_a_provider_takes(monkeypatch, tmp_path, name, sizes):
    """So that none is refused first."""
    shape = (NATIVE | HOSTED)[name]
    with shape.server() as server:
        log_in(server, monkeypatch, tmp_path)
        embedder = Models(ONCE, shape.environ).embedder(shape.named(server)[1])
        await embedder.embed([str(number) for number in range(150)])
        await embedder.close()
    assert sorted(len(asked.body["input"]) for asked in server.requests) == sizes


@NEEDS_LIBRARY
async def test_an_option_that_bedrock_would_not_get_is_an_error(monkeypatch, tmp_path):
    """The library would leave it out without a word."""
    shape = NATIVE["bedrock"]
    with shape.server() as server:
        log_in(server, monkeypatch, tmp_path)
        embedder = Models(ONCE, {}).embedder(shape.named(server)[1], options={"embeddingTypes": ["float"]})
        with pytest.raises(ConfigurationError, match="dimensions and normalize, not embeddingTypes"):
            await embedder.embed(["one"])
        await embedder.close()
    assert server.requests == []


EMBEDDER_OPTIONS = {
    "gemini": (
        {"dimensions": 256, "taskType": "SEMANTIC_SIMILARITY"},
        lambda body: body["requests"][0],
        {"outputDimensionality": 256, "taskType": "SEMANTIC_SIMILARITY"},
    ),
    "vertex": ({"dimensions": 256}, lambda body: body["parameters"], {"outputDimensionality": 256}),
    "bedrock": ({"dimensions": 256, "normalize": True}, lambda body: body, {"dimensions": 256, "normalize": True}),
}


@NEEDS_LIBRARY
@pytest.mark.parametrize("name", EMBEDDER_OPTIONS)
async def test_the_options_of_an_embedder_are_sent(monkeypatch, tmp_path, name):
    """By the names of the provider; `dimensions` is understood by all."""
    options, place, expected = EMBEDDER_OPTIONS[name]
    shape = NATIVE[name]
    with shape.server() as server:
        log_in(server, monkeypatch, tmp_path)
        embedder = Models(ONCE, shape.environ).embedder(shape.named(server)[1], options=options)
        await embedder.embed(["one"])
        await embedder.close()
    assert expected.items() <= place(server.requests[0].native).items()


@NEEDS_LIBRARY
async def test_an_access_token_serves_many_calls(monkeypatch, tmp_path):
    """Google's SDK asks for one and uses it until it expires; without a project, the account's own is used."""
    with VertexServer() as server:
        log_in(server, monkeypatch, tmp_path)
        monkeypatch.delenv("GOOGLE_CLOUD_PROJECT")
        monkeypatch.delenv("GOOGLE_CLOUD_LOCATION")
        chat = Models(ONCE, {}).chat(f"vertex:gemini-x@{server.root}")
        for text in ("a", "b"):
            await chat.complete(ChatRequest((ChatMessage("user", text),)))
        await chat.close()
    assert server.tokens == 1
    assert {asked.path.partition("/publishers")[0] for asked in server.requests} == {
        "/v1beta1/projects/a-project/locations/global"
    }
