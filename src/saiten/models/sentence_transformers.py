"""An in-process embedder: a sentence-transformers model, from a local folder or by hub name."""

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
    """Embeds with a sentence-transformers model in a separate thread, so that the event loop stays free.

    Concurrent texts are embedded together, sorted by length, and equal ones once. The model is loaded on first use; a
    hub name is downloaded then, unless it is cached. No code in a model's repository is run. Texts longer than the
    model's maximum are truncated. Queries and documents are embedded alike, so models that expect prefixes (`query: `,
    `passage: `) perform below their best.
    """

    def __init__(self, model: str, *, batch: int = 32, device: str | None = None, scaled: bool = True) -> None:
        """`model`: a folder or hub name; `batch`: texts per batch; `device`: torch's name, None for the best available.

        Unless `scaled`, vectors keep the length the model gives them.

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

    @property
    def name(self) -> str:
        """`st:NAME_OR_FOLDER`, prefixed with `raw:` if vectors are not scaled."""
        return f"{'' if self._scaled else RAW}st:{self._model}"

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        if not texts:
            return Embeddings(np.zeros((0, 0), np.float32))
        return Embeddings(np.stack(await asyncio.gather(*map(self._batches.of, texts))))

    async def close(self) -> None:
        self._batches.close()

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text; zeros for an empty text."""
        vectors = np.asarray(
            self._load().encode(list(texts), batch_size=self._batch, show_progress_bar=False, convert_to_numpy=True),
            np.float32,
        ).reshape(len(texts), -1)
        vectors[[not text for text in texts]] = 0
        if not np.isfinite(vectors).all():
            raise ConfigurationError(f"{self.name} gave vectors that are not numbers; the model is damaged")
        return list(unit(vectors) if self._scaled else vectors)

    def _load(self) -> Any:
        if self._loaded is None:
            library = import_module("sentence_transformers")  # optional, and takes seconds
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
    """Return the transformers networks in a folder, which the library saves at its top or one level below."""
    files = [file for pattern in ("config.json", "*/config.json") for file in Path(model).glob(pattern)]
    return [str(file.parent) for file in files if "model_type" in file.read_text("utf-8", "replace")]
