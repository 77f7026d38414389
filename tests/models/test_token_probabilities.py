"""Token probabilities from a server: requested, read, refused, missing, odd, and kept in the store of answers."""

from dataclasses import replace
from math import inf, log

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.models.cache import CachedChat
from saiten.models.openai_compatible import OpenAICompatibleChat
from saiten.models.scripted import ScriptedChat
from saiten.models.sqlite_store import SQLiteStore
from saiten.models.token_probabilities import pack_tokens, read_tokens, unpack_tokens
from saiten.protocols import ChatMessage, ChatRequest, Completion, Token
from servers import Fault, OpenAIServer, completion, refusal, with_logprobs

REQUEST = ChatRequest((ChatMessage("user", "Right?"),), logprobs=5)
RIVALS = {"はい": {"はい": 0.75, "いいえ": 0.25}}


@pytest.fixture
def chat(openai_server: OpenAIServer):
    """A chat with the server, which answers with probabilities if they are requested."""

    def reply(asked):
        body = completion(asked, "はい。")
        return with_logprobs(body, RIVALS) if asked.body.get("logprobs") else body

    openai_server.reply = reply
    return OpenAICompatibleChat("m", openai_server.base_url)


async def test_probabilities_are_requested_and_read(openai_server: OpenAIServer, chat):
    """The request has `logprobs` and `top_logprobs`; tokens come with their bytes and alternatives."""
    answer = await chat.complete(REQUEST)
    body = openai_server.requests[-1].body
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5)
    first = answer.tokens[0]
    assert first.text == "はい".encode()
    assert dict(first.likeliest) == pytest.approx({"はい".encode(): log(0.75), "いいえ".encode(): log(0.25)})
    assert b"".join(token.text for token in answer.tokens).decode() == answer.text
    plain = await chat.complete(replace(REQUEST, logprobs=None))
    await chat.close()
    assert plain.tokens is None
    assert not {"logprobs", "top_logprobs"} & openai_server.requests[-1].body.keys()


@pytest.mark.parametrize(
    "fault",
    [
        refusal(400, "Unsupported parameter: 'logprobs' is not supported with this model.", param="logprobs"),
        refusal(400, "top_logprobs must be 0"),
        refusal(500, "logprobs is not supported for models created with logits_all=False"),
        refusal(403, "You are not allowed to request logprobs from this model."),
        Fault(422, {"detail": [{"loc": ["body", "top_logprobs"], "msg": "extra fields not permitted"}]}),
        Fault(400, {"object": "error", "message": "Requested sample logprobs of 5, which is greater than max allowed: 0"}),
    ],
)  # fmt: skip
async def test_a_refusal_is_found_out_once(openai_server: OpenAIServer, chat, fault):
    """The server gets the same request without both parameters at once, and never sees them again."""
    reply = openai_server.reply
    openai_server.reply = lambda asked: fault if "logprobs" in asked.body else reply(asked)
    first, second = await chat.complete(REQUEST), await chat.complete(REQUEST)
    await chat.close()
    assert (first.text, first.tokens, second.tokens) == ("はい。", None, None)
    assert len(openai_server.requests) == 3
    assert chat.dialect.dropped == {"logprobs", "top_logprobs"}


ENTRY = {"token": "はい", "logprob": -0.5, "bytes": list("はい".encode())}


@pytest.mark.parametrize(
    ("logprobs", "expected"),
    [
        (None, None),
        ({"content": None}, None),
        ({"content": []}, None),
        ({"tokens": ["はい"], "token_logprobs": [-0.5]}, None),
        ({"content": ["はい", 3, None]}, None),
        ({"content": [{"token": "はい", "logprob": "high"}]}, None),
        ({"content": [{"token": "はい", "logprob": None}]}, None),
        ({"content": [ENTRY]}, ["はい".encode(), -0.5, 0]),
        ({"content": [ENTRY | {"bytes": None}]}, ["はい".encode(), -0.5, 0]),
        ({"content": [ENTRY | {"bytes": [227, 129]}]}, [b"\xe3\x81", -0.5, 0]),
        ({"content": [ENTRY | {"bytes": [999], "top_logprobs": "none"}]}, ["はい".encode(), -0.5, 0]),
        ({"content": [ENTRY | {"top_logprobs": [{"token": "い", "logprob": -1}, {"token": 5}]}]}, ["はい".encode(), -0.5, 1]),
        ({"content": [ENTRY | {"logprob": 0.00001}]}, ["はい".encode(), 0.0, 0]),
    ],
)  # fmt: skip
async def test_odd_probabilities_never_spoil_an_answer(openai_server: OpenAIServer, logprobs, expected):
    """What cannot be read is left out; the text is the same."""

    def reply(asked):
        body = completion(asked, "はい。")
        body["choices"][0]["logprobs"] = logprobs
        return body

    openai_server.reply = reply
    chat = OpenAICompatibleChat("m", openai_server.base_url)
    answer = await chat.complete(REQUEST)
    await chat.close()
    assert answer.text == "はい。"
    tokens = answer.tokens and answer.tokens[0]
    assert (tokens and [tokens.text, tokens.logprob, len(tokens.likeliest)]) == expected


async def test_the_store_keeps_probabilities_apart(tmp_path):
    """A reply with probabilities is not served to a request without, nor the other way round."""
    token = Token(b"\xe3\x81", -0.5, ((b"\xe3\x81", -0.5), (b"no", -inf)))
    inner = ScriptedChat([Completion("はい", tokens=(token,)), "plain"])
    chat = CachedChat(inner, SQLiteStore(tmp_path / "answers.sqlite"))
    plain = replace(REQUEST, logprobs=None)
    asked = [await chat.complete(request) for request in (REQUEST, plain, REQUEST, plain)]
    await chat.close()
    assert [answer.text for answer in asked] == ["はい", "plain", "はい", "plain"]
    assert asked[2].tokens == asked[0].tokens == (token,)
    assert asked[3].tokens is None
    assert len(inner.requests) == 2


async def test_a_store_of_an_earlier_version_is_still_read(tmp_path):
    """A request without probabilities has the key that it always had, and an entry without tokens is an answer."""
    store = SQLiteStore(tmp_path / "answers.sqlite")
    chat = CachedChat(ScriptedChat(["new"]), store)
    request = ChatRequest((ChatMessage("user", "Right?"),), max_tokens=10)
    key = "f4ca4e3046e4720a7d2e18032098e253f1695c371fef9dce7da507b2df9e6649"
    await store.put("scripted", {bytes.fromhex(key): orjson.dumps({"text": "old", "finish_reason": "stop"})})
    assert (await chat.complete(request)).text == "old"


LOGPROBS = st.floats(-1e6, 0) | st.just(-inf)


@given(st.lists(st.builds(Token, st.binary(max_size=4), LOGPROBS, st.lists(st.tuples(st.binary(max_size=4), LOGPROBS), max_size=3).map(tuple)), max_size=4))  # fmt: skip
def test_tokens_survive_packing(tokens):
    """Any bytes, and a probability of 0, whose logarithm JSON lacks."""
    found = unpack_tokens(orjson.loads(orjson.dumps(pack_tokens(tokens))))
    assert [token.text for token in found] == [token.text for token in tokens]
    assert [token.logprob for token in found] == pytest.approx([token.logprob for token in tokens], abs=1e-6)
    assert [len(token.likeliest) for token in found] == [len(token.likeliest) for token in tokens]


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["logprobs", "content", "token", "logprob", "bytes", "top_logprobs"]), inner, max_size=4), max_leaves=12))  # fmt: skip
def test_any_reply_can_be_read(value):
    """Whatever a server sends in its place, the tokens are read or left out."""
    for choice in ({"logprobs": value}, {"logprobs": {"content": value}}, {"logprobs": {"content": [value]}}):
        read_tokens(choice)
