"""An embedder in this process: a model of the sentence-transformers library, from a local folder or by its name."""

import asyncio
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from saiten.errors import ConfigurationError
from saiten.models.batches import Batches
from saiten.models.networks import best_device, configuration, loaded, quietly, require
from saiten.models.vectors import RAW, Vector, unit
from saiten.protocols import Embeddings

_EXPECTED = "a folder that sentence-transformers saved, or a name on the Hugging Face hub"


class SentenceTransformersEmbedder:
    """Embeds with a sentence-transformers model, in one thread of its own, so that the event loop stays free.

    The texts of many callers are embedded together, sorted by length; equal ones that are asked for at the same time,
    once. The model is loaded at the first use; a name that is no folder is downloaded then from the Hugging Face hub,
    unless it is on the disk already. No code out of a model's repository is run. A text that is longer than the model
    reads is cut off. Queries and documents are embedded alike: models that want prefixes (`query: `, `passage: `) are
    below what they can do.
    """

    def __init__(self, model: str, *, batch: int = 32, device: str | None = None, scaled: bool = True) -> None:
        """`model`: a folder or a name; `batch`: texts at once; `device`: as torch names it, None for the best there is.

        Vectors that are not `scaled` keep the length that the model gives them.

        Raises:
            ConfigurationError: sentence-transformers is not installed.
        """
        require(f"the embedder st:{model}", "neural", "sentence_transformers", "torch")
        self._model = model
        self._batch = batch
        self._device = device
        self._scaled = scaled
        self._loaded: Any = None
        self._batches: Batches[str, Vector] = Batches(self._embed, size=batch, length=len, what="embedder")

    def __repr__(self) -> str:
        return f"SentenceTransformersEmbedder({self._model!r})"

    @property
    def name(self) -> str:
        """`st:NAME_OR_FOLDER`, with `raw:` before it where vectors are not scaled."""
        return f"{'' if self._scaled else RAW}st:{self._model}"

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        if not texts:
            return Embeddings(np.zeros((0, 0), np.float32))
        return Embeddings(np.stack(await asyncio.gather(*map(self._batches.of, texts))))

    async def close(self) -> None:
        self._batches.close()

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        """One for each text; zeros for one without content."""
        vectors = np.asarray(
            self._load().encode(list(texts), batch_size=self._batch, show_progress_bar=False, convert_to_numpy=True),
            np.float32,
        ).reshape(len(texts), -1)
        vectors[[not text.strip() for text in texts]] = 0
        if not np.isfinite(vectors).all():
            raise ConfigurationError(f"{self.name} gave vectors that are no numbers; the model is damaged")
        return list(unit(vectors) if self._scaled else vectors)

    def _load(self) -> Any:
        if self._loaded is None:
            library = import_module("sentence_transformers")  # takes seconds, and is an extra
            for transformer in _transformers(self._model):
                configuration(transformer, self.name, _EXPECTED)
            with quietly(bars=True):
                self._loaded = loaded(
                    self.name,
                    _EXPECTED,
                    lambda: library.SentenceTransformer(
                        self._model, device=self._device or best_device(), trust_remote_code=False
                    ),
                )
        return self._loaded


def _transformers(model: str) -> list[str]:
    """Where networks of the transformers library lie in a folder; the library saves them at its top or one below."""
    files = [file for pattern in ("config.json", "*/config.json") for file in Path(model).glob(pattern)]
    return [str(file.parent) for file in files if "model_type" in file.read_text("utf-8", "replace")]
