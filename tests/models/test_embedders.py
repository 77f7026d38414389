"""Embedders: unit vectors, few requests, the same everywhere."""

import asyncio
import hashlib
import subprocess
import sys
from base64 import b64encode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import CallFailed, ConfigurationError
from saiten.models.budget import Budget
from saiten.models.builtin_embedder import BuiltinEmbedder, _embed
from saiten.models.limits import Limits, Retries
from saiten.models.openai_embedder import OpenAICompatibleEmbedder
from saiten.models.prices import Price, Quote
from saiten.models.sqlite_store import SQLiteStore
from saiten.models.stack import layers, stack_embedder
from saiten.models.vectors import cosines, unit
from saiten.records import Usage
from servers import Asked, Fault, OpenAIServer, embeddings, refusal


def cosine(one: str, other: str) -> float:
    """The similarity of two texts by the built-in embedder."""
    return float(_embed(one) @ _embed(other))


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("東京は日本の首都です。", "日本の首都は東京です", "猫が魚を食べた。"),
        ("有給休暇は年20日です", "有給休暇は年に20日ある", "駐車場は地下にあります"),
        ("The cat sat on the mat.", "A cat was sitting on the mat", "Interest rates were raised in March."),
        ("年20日", "20日", "年30日"),
        ("Colour and behaviour", "color and behavior", "stock market"),
    ],
)
def test_builtin_distinguishes_near_from_far(text, near, far):
    """Texts with many common pieces are nearer than others, in Japanese and in English."""
    assert cosine(text, near) > cosine(text, far) + 0.2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ｔｏｋｙｏ　２０２６", "tokyo 2026"),
        ("ﾃｽﾄ", "テスト"),
        ("か\u3099", "が"),
        ("A  b\n", " a B"),
        ("東京、大阪。", "東京 大阪"),
    ],
)
def test_builtin_normalizes(one, other):
    """Width, case, composition, spaces and punctuation make no difference."""
    assert cosine(one, other) == pytest.approx(1.0)


@given(st.text(max_size=60))
def test_builtin_gives_unit_vectors(text):
    """Every text has a row of length 1, or 0 without any letter or digit, even with lone surrogates."""
    length = np.linalg.norm(_embed(text))
    assert length == pytest.approx(1.0, abs=1e-5) or (length == 0 and not any(char.isalnum() for char in text))


def test_builtin_is_the_same_everywhere():
    """The vectors are identical to the last bit in every process, whatever its hash seed, and in every release."""
    code = "import hashlib; from saiten.models.builtin_embedder import _embed; print(hashlib.sha256(_embed('東京は日本の首都です。 The cat sat, 3.5 %').tobytes()).hexdigest())"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {hashlib.sha256(_embed("東京は日本の首都です。 The cat sat, 3.5 %").tobytes()).hexdigest()}


async def test_builtin_shape():
    """One row per text; no text, no row."""
    embedder = BuiltinEmbedder()
    assert (await embedder.embed([])).vectors.shape == (0, 4096)
    assert (await embedder.embed(["", "a"])).vectors.shape == (2, 4096)
    await embedder.close()


@pytest.mark.parametrize("refuses", [set(), {"encoding_format"}])
async def test_vectors(openai_server: OpenAIServer, refuses):
    """As base64 or, if the server refuses that, as numbers: the same unit vectors, in the order requested."""
    openai_server.refuses = refuses
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    texts = ["犬", "", "cat", "犬"]
    result = await embedder.embed(texts)
    await embedder.embed(["more"])
    await embedder.close()
    raw = np.array([entry["embedding"] for entry in embeddings({"input": ["犬", "cat"]})["data"]])
    expected = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    assert np.allclose(result.vectors, [expected[0], np.zeros(16), expected[1], expected[0]], atol=1e-6)
    assert result.vectors.dtype == np.float32
    assert openai_server.requests[0].body["input"] == ["犬", "cat"]
    assert len(openai_server.requests) == 2 + len(refuses)


async def test_white_space_is_a_text(openai_server: OpenAIServer):
    """It is sent as it is, and has the model's vector, even one of zeros; only an empty text is not sent."""
    texts = [" ", "a", "", "\n\t"]
    vectors = {" ": [3.0, 4.0], "a": [1.0, 0.0], "\n\t": [0.0, 0.0]}
    openai_server.reply = lambda asked: {"data": [{"embedding": vectors[text]} for text in asked.body["input"]]}
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    found = (await embedder.embed(texts)).vectors
    await embedder.close()
    assert np.allclose(found, [[0.6, 0.8], [1, 0], [0, 0], [0, 0]])
    assert openai_server.requests[0].body["input"] == [" ", "a", "\n\t"]


async def test_white_space_that_the_server_refuses_fails_alone(openai_server: OpenAIServer):
    """The other texts of the batch have their vectors."""
    openai_server.reply = lambda asked: refusal(400, "input is blank") if " " in asked.body["input"] else None
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    await embedder.embed(["ok"])  # as before every run, so that a refusal is about its text
    blank, other = await asyncio.gather(embedder.embed([" "]), embedder.embed(["a"]), return_exceptions=True)
    await embedder.close()
    assert isinstance(blank, CallFailed)
    assert np.linalg.norm(other.vectors) == pytest.approx(1)


@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e-3, 7.5, 1e20]))
def test_cosines(dimensions, seed, length):
    """They are those of double precision, whatever the lengths; a vector with itself has exactly 1, with zeros 0."""
    rows = (np.random.default_rng(seed).normal(size=(4, dimensions)) * length).astype(np.float32)
    exact = rows.astype(np.float64)
    expected = exact[1:] @ exact[0] / (np.linalg.norm(exact[1:], axis=1) * np.linalg.norm(exact[0]))
    assert cosines(rows) == pytest.approx(expected, abs=1e-12)
    assert cosines(np.stack([rows[0], rows[0], 0 * rows[0]])) == [1.0, 0.0]


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_a_vector_of_length_1_is_not_rounded_again(dimensions, seed):
    """Single precision, as a server sends it, stays as it is to the last bit; other lengths become 1."""
    rows = np.random.default_rng(seed).normal(size=(3, dimensions))
    once = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    assert np.array_equal(unit(once), once)
    assert np.linalg.norm(unit(once * 3).astype(np.float64), axis=1) == pytest.approx(1, abs=1e-6)


async def test_shuffled_reply(openai_server: OpenAIServer):
    """A server may answer in another order; the index counts."""
    openai_server.reply = lambda asked: {"data": embeddings(asked.body)["data"][::-1]}
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    shuffled = (await embedder.embed(["a", "b"])).vectors
    openai_server.reply = lambda _: None
    assert np.array_equal(shuffled, (await embedder.embed(["a", "b"])).vectors)
    await embedder.close()


async def test_concurrent_callers_share_requests(openai_server: OpenAIServer):
    """Requests within a short time are sent together, equal texts once, in batches of bounded size."""
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url, batch=40)
    results = await asyncio.gather(*(embedder.embed([f"text {n}", "shared"]) for n in range(99)))
    await embedder.close()
    sizes = [len(asked.body["input"]) for asked in openai_server.requests]
    assert (sum(sizes), max(sizes), len(sizes)) == (100, 40, 3)
    assert sum((result.usage for result in results), Usage()).calls == 3


async def test_canceled_caller(openai_server: OpenAIServer):
    """A canceled caller takes nothing from those whose texts are in the same request."""
    go_on = openai_server.hold()
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    first = asyncio.create_task(embedder.embed(["a"]))
    second = asyncio.create_task(embedder.embed(["b"]))
    while not openai_server.requests:  # noqa: ASYNC110 - the server is another thread
        await asyncio.sleep(0.005)
    first.cancel()
    go_on.set()
    assert (await second).vectors.shape == (1, 16)
    third = asyncio.create_task(embedder.embed(["c"]))
    await asyncio.sleep(0)
    third.cancel()
    await asyncio.sleep(0)
    assert (await embedder.embed(["d"])).vectors.shape == (1, 16)
    await embedder.close()
    assert [asked.body["input"] for asked in openai_server.requests] == [["a", "b"], ["d"]]


async def test_one_bad_text_fails_alone(openai_server: OpenAIServer):
    """A text refused by the server fails its own caller; the others in the batch get their vectors."""

    def reply(asked: Asked):
        return refusal(400, "maximum context length is 512 tokens") if "long" in asked.body["input"] else None

    openai_server.reply = reply
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    results = await asyncio.gather(
        *(embedder.embed([text]) for text in ["a", "b", "long", "c"]), return_exceptions=True
    )
    await embedder.close()
    assert [isinstance(result, CallFailed) for result in results] == [False, False, True, False]
    assert sum(result.usage.calls for result in results) == len(openai_server.requests)


async def test_smaller_batches_are_learned(openai_server: OpenAIServer):
    """A server that only accepts small batches gets small ones from then on."""
    said = "batch size 16 > maximum allowed batch size 4"
    openai_server.reply = lambda asked: Fault(422, said) if len(asked.body["input"]) > 4 else None
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url, batch=16)
    await embedder.embed([f"text {n}" for n in range(16)])
    before = len(openai_server.requests)
    await embedder.embed([f"further text {n}" for n in range(16)])
    await embedder.close()
    assert len(openai_server.requests) - before == 4


@pytest.mark.parametrize(
    "body",
    [
        {"data": []},
        {"data": [{"embedding": [1.0]}]},
        {"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]},
        {"data": [{"embedding": "not base64!"}, {"embedding": [1.0]}]},
        {"data": [{"embedding": [1.0]}, {"embedding": [None]}]},
        {"data": [{"embedding": []}, {"embedding": []}]},
        {"data": [{"embedding": [1.0]}, {"embedding": [0.0]}]},
        {"data": "x"},
        {"vectors": []},
        {"data": [1, 2]},
    ],
)
async def test_odd_replies(openai_server: OpenAIServer, body):
    """Anything but one vector of equal length per text is a failure, and the error shows it."""
    openai_server.reply = lambda _: body
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    with pytest.raises(CallFailed, match="2 vectors of equal length") as error:
        await embedder.embed(["a", "b"])
    await embedder.close()
    assert error.value.retryable


@pytest.mark.parametrize("wrong", [[0.0, 0.0], [float("nan"), 1.0]])
async def test_vectors_that_measure_nothing_are_reported_as_such(openai_server: OpenAIServer, wrong):
    """Their number is right, so the error is not about that."""
    held = b64encode(np.array(wrong, "<f4").tobytes()).decode()
    openai_server.reply = lambda _: {"data": [{"embedding": held}]}
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    with pytest.raises(CallFailed, match=r"no measurement \(zero, NaN or infinite\)"):
        await embedder.embed(["a"])
    await embedder.close()


async def test_the_same_layers_serve_embedders(openai_server: OpenAIServer, tmp_path):
    """Retries, limits, price, budget and cache work for an embedder as for a chat."""
    openai_server.reply = lambda asked: Fault(503, "busy") if asked.number == 1 else None
    budget = Budget(max_calls=3, max_cost=1.0)
    around = layers(retries=Retries(first=0.001), limits=Limits(2), quote=Quote(Price(1.0)), budget=budget)
    embedder = stack_embedder(
        OpenAICompatibleEmbedder("e", openai_server.base_url), around, SQLiteStore(tmp_path / "answers.sqlite")
    )
    first = await embedder.embed(["long enough a text to have tokens"])
    again = await embedder.embed(["long enough a text to have tokens"])
    await embedder.close()
    assert np.array_equal(first.vectors, again.vectors)
    assert (first.usage.calls, again.usage) == (2, Usage(reused=1))
    assert first.usage.cost == budget.cost > 0


async def test_wrong_set_up(openai_server: OpenAIServer):
    """Configuration errors read like those of chats."""
    openai_server.key = "k"
    embedder = OpenAICompatibleEmbedder("e", openai_server.base_url)
    with pytest.raises(ConfigurationError, match="set OPENAI_API_KEY"):
        await embedder.embed(["a"])
    await embedder.close()
    with pytest.raises(ConfigurationError):
        OpenAICompatibleEmbedder("e", batch=0)
