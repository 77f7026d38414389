"""An embedder in this process: a model of the sentence-transformers library, from a local folder or by its name."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from saiten.errors import ConfigurationError
from saiten.models.vectors import Vector, unit
from saiten.protocols import Embeddings


class SentenceTransformersEmbedder:
    """Embeds with a sentence-transformers model, in one thread of its own, so that the event loop stays free.

    The model is loaded at the first use; a name that is no folder is downloaded then from the Hugging Face hub, unless
    it is on the disk already. No code out of a model's repository is run. The library sorts texts by length into
    batches; a text that is longer than the model reads is cut off. Queries and documents are embedded alike: models
    that want prefixes (`query: `, `passage: `) are below what they can do.
    """

    def __init__(self, model: str, *, batch: int = 32, device: str | None = None) -> None:
        """`model`: a folder or a name; `batch`: texts at once; `device`: as torch names it, None for the best there is.

        Raises:
            ConfigurationError: sentence-transformers is not installed.
        """
        if find_spec("sentence_transformers") is None:
            raise ConfigurationError(
                f"the embedder st:{model} needs sentence-transformers and torch; install them with: "
                'pip install "saiten[neural]"; or take the built-in embedder, which needs nothing more'
            )
        self._model = model
        self._batch = batch
        self._device = device
        self._loaded: Any = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedder")

    def __repr__(self) -> str:
        return f"SentenceTransformersEmbedder({self._model!r})"

    @property
    def name(self) -> str:
        """`st:NAME_OR_FOLDER`."""
        return f"st:{self._model}"

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        if not texts:
            return Embeddings(np.zeros((0, 0), np.float32))
        work = partial(self._embed, tuple(texts))
        return Embeddings(await asyncio.get_running_loop().run_in_executor(self._thread, work))

    async def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _embed(self, texts: Sequence[str]) -> Vector:
        """Shape (texts, dimensions); a text without content has a row of zeros."""
        vectors = np.asarray(
            self._load().encode(list(texts), batch_size=self._batch, show_progress_bar=False, convert_to_numpy=True),
            np.float32,
        ).reshape(len(texts), -1)
        vectors[[not text.strip() for text in texts]] = 0
        if not np.isfinite(vectors).all():
            raise ConfigurationError(f"{self.name} gave vectors that are no numbers; the model is damaged")
        return unit(vectors)

    def _load(self) -> Any:
        if self._loaded is None:
            library = import_module("sentence_transformers")  # takes seconds, and is an extra
            try:
                self._loaded = library.SentenceTransformer(self._model, device=self._device, trust_remote_code=False)
            except (OSError, ValueError, ImportError, RuntimeError, KeyError) as error:
                raise ConfigurationError(
                    f"{self.name} cannot be loaded: {str(error).strip().splitlines()[0] if str(error) else error!r}; "
                    "expected a folder that sentence-transformers saved, or a name on the Hugging Face hub"
                ) from error
        return self._loaded
