"""Sentence-transformers: a real model, made here, loaded by the library itself."""

import asyncio
import json
import shutil
from importlib.util import find_spec

import numpy as np
import pytest

import networks
from saiten.errors import ConfigurationError
from saiten.models.sentence_transformers import SentenceTransformersEmbedder
from saiten.wiring import Models
from tiny_models import tiny_bert

with_networks = networks.needed("sentence_transformers")


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """The folder of a tiny random model that sentence-transformers can load."""
    return tiny_bert(tmp_path_factory.mktemp("model"))


@pytest.mark.witness
@with_networks
async def test_vectors(model):
    """Unit vectors in the order requested, for any lengths; an empty text has zeros, white space what the model makes of it; repeatable."""
    embedder = Models().embedder(f"st:{model}")
    texts = ["cat", "the dog sat " * 40, "", "猫が好き", " "]
    vectors = (await embedder.embed(texts)).vectors
    assert vectors.shape == (5, 32)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 1, 0, 1, 1], atol=1e-5)
    assert np.allclose(vectors[0], (await embedder.embed(["dog", "cat"])).vectors[1], atol=1e-5)
    alone = [(await embedder.embed([text])).vectors[0] for text in texts]
    assert np.allclose(vectors, alone, atol=1e-4)
    assert (await embedder.embed([])).vectors.shape[0] == 0
    await embedder.close()
    small = SentenceTransformersEmbedder(str(model), batch=2, device="cpu")
    assert np.allclose((await small.embed(texts)).vectors, vectors, atol=1e-4)
    await small.close()


@with_networks
async def test_the_loop_stays_free(model):
    """While a model computes, other work goes on; many may ask at once."""
    embedder = Models().embedder(f"st:{model}")
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    answers = await asyncio.gather(*(embedder.embed([f"cat {n}", "dog"] * 20) for n in range(8)))
    ticking.cancel()
    assert ticks > 8
    assert {answer.vectors.shape for answer in answers} == {(40, 32)}
    await embedder.close()


@with_networks
async def test_a_folder_that_is_no_model(model, tmp_path):
    """The error says what was expected; nothing is downloaded for what looks like a path."""
    (tmp_path / "readme.txt").write_text("nothing")
    embedder = Models().embedder(f"st:{tmp_path}")
    with pytest.raises(ConfigurationError, match="expected a folder that sentence-transformers saved"):
        await embedder.embed(["cat"])
    await embedder.close()


@with_networks
async def test_an_attention_from_the_hub_is_not_fetched(model, tmp_path):
    """Settings that name a kernel in somebody's repository are refused before the library would run it."""
    folder = shutil.copytree(model, tmp_path / "kernel")
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"attn_implementation": "somebody/attention"}))
    embedder = Models().embedder(f"st:{folder}")
    with pytest.raises(ConfigurationError, match="requires code from the hub"):
        await embedder.embed(["cat"])
    await embedder.close()


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed")
def test_without_the_library():
    """The error says what to install, before anything is read or embedded."""
    with pytest.raises(ConfigurationError, match=r'pip install "saiten\[neural\]"'):
        Models().embedder("st:intfloat/multilingual-e5-small")
