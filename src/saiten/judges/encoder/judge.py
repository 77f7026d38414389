"""The encoder as judge, trained to predict people's grades and nothing else."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from saiten.errors import CannotJudge, ConfigurationError
from saiten.judges.encoder.head import FILE, LinearHead, load_head
from saiten.judges.encoder.loading import load_encoder
from saiten.judges.encoder.network import AnswerEncoder
from saiten.judges.encoder.texts import Learnable, Texts, learnable, reply_of
from saiten.judges.similarity import measure_similarity
from saiten.judges.tuned import TunedAspect
from saiten.judges.tuned_folder import read_tuned
from saiten.models.batches import Batches
from saiten.models.networks import fingerprint, held, require
from saiten.protocols import Embedder, R, Task
from saiten.records import REUSED, Usage
from saiten.tasks.similarity import MeasureSimilarity

_AT_ONCE = 16
"""Answers per batch."""
_KEPT = 64
"""Answers whose grades are cached, since their other aspects are requested next."""


@dataclass(frozen=True, slots=True)
class _Predicted:
    grades: tuple[float, ...]
    """One per aspect."""
    tokens: int
    left_out: str


@dataclass(frozen=True, eq=False)
class _Loaded:
    """Encoder and head, used by one thread and shared by the judges of a folder."""

    encoder: AnswerEncoder
    head: LinearHead

    def predicted(self, texts: Sequence[Texts]) -> list[_Predicted]:
        cuts = self.encoder.cut(texts)
        grades = self.head.grades(self.encoder.features(cuts))
        return [
            _Predicted(tuple(row), cut.tokens, cut.left_out) for row, cut in zip(grades.tolist(), cuts, strict=True)
        ]


class EncoderJudge:
    """Grades with a model trained by `saiten tune judge --head regression`; deterministic, but without reasons.

    One pass over an answer yields the grades of all aspects. The network is loaded on first use.
    """

    def __init__(
        self,
        folder: Path | str,
        aspects: Sequence[TunedAspect],
        network: Mapping[str, Any],
        embedder: Embedder | None = None,
    ) -> None:
        """`aspects` and `network` are those of `saiten-judge.json`; `embedder` measures similarity.

        Raises:
            ConfigurationError: torch or transformers is not installed, or the settings are unusable.
        """
        require(f"the judge hf:{folder}", "neural", "torch", "transformers")
        self._folder = Path(folder)
        self._aspects = tuple(aspects)
        self._windows = _windows(self._folder, network)
        self._embedder = embedder
        self._fingerprint = fingerprint(str(folder))
        self._loaded: _Loaded | None = None
        self._batches: Batches[Texts, _Predicted] = Batches(self._work, size=_AT_ONCE, length=len, what="encoder")
        self._recent: OrderedDict[Texts, _Predicted] = OrderedDict()

    @classmethod
    def of(cls, model: str, embedder: Embedder | None = None) -> "EncoderJudge | None":
        """Load the judge in this folder; None if it is no folder, or contains another kind of judge.

        Raises:
            ConfigurationError: its training is incomplete, or as for the class.
        """
        folder = Path(model).expanduser()
        tuned = read_tuned(folder)
        if tuned is None and (folder / FILE).is_file():
            raise ConfigurationError(
                f"{model} contains a judge whose training is incomplete; run the same `saiten tune judge` again"
            )
        return cls(folder, tuned.aspects, tuned.network, embedder) if tuned and tuned.head == "regression" else None

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return the folder's name and fingerprint, and the embedder if one is used."""
        parts = {"judge": f"hf:{self._folder.resolve().name}@{self._fingerprint}", "head": "regression"}
        if MeasureSimilarity in tasks and self._embedder is not None:
            parts["embedder"] = self._embedder.name
        return parts

    async def perform(self, task: Task[R]) -> R:
        """Return the predicted human grade.

        Raises:
            CannotJudge: it did not learn this aspect, or learned it on another scale.
            ConfigurationError: the folder cannot be loaded.
        """
        if isinstance(task, MeasureSimilarity) and self._embedder is not None:
            return cast("R", await measure_similarity(task, self._embedder))
        wanted = learnable(task)
        place = self._place(wanted)
        if wanted is None or place is None:
            learned = ", ".join(f"{one.name} ({_scale(one.values)})" for one in self._aspects)
            attempt = f"rate {wanted.aspect!r}" if wanted and wanted.aspect else f"perform {type(task).__name__}"
            raise CannotJudge(f"this judge is a regression that learned {learned}; it cannot {attempt}")
        aspect = self._aspects[place]
        if wanted.values != aspect.values:
            raise CannotJudge(
                f"this judge learned {aspect.name!r} on the scale {_scale(aspect.values)}, and is asked for it on "
                f"{_scale(wanted.values)}; use the rubric that it learned with, or make a judge for this one"
            )
        predicted, usage = await self._predicted(wanted.texts)
        reply = reply_of(task, predicted.grades[place], aspect.values, predicted.left_out)
        return cast("R", reply.with_usage(usage))

    async def preflight(self) -> None:
        """Load the network and process a minimal input."""
        await self._batches.of(Texts("", "."))

    async def close(self) -> None:
        """Release the network and close the embedder."""
        self._batches.close()
        self._recent.clear()
        if self._embedder is not None:
            await self._embedder.close()

    def _place(self, wanted: Learnable | None) -> int | None:
        for place, aspect in enumerate(self._aspects):
            if wanted and aspect.task == wanted.task and wanted.aspect in {None, aspect.name}:
                return place
        return None

    async def _predicted(self, texts: Texts) -> tuple[_Predicted, Usage]:
        """Return the grades of all aspects; only the first request of an answer is charged."""
        predicted = self._recent.get(texts) or await self._batches.of(texts)
        if texts in self._recent:
            return predicted, REUSED
        self._recent[texts] = predicted
        while len(self._recent) > _KEPT:
            self._recent.popitem(last=False)
        return predicted, Usage(calls=1, prompt_tokens=predicted.tokens)

    def _work(self, texts: Sequence[Texts]) -> list[_Predicted]:
        """Predict grades; runs in the batch thread."""
        if self._loaded is None:
            self._loaded = held((str(self._folder.absolute()), self._fingerprint, self._windows), self._load)
        found = self._loaded.predicted(texts)
        if not np.isfinite([one.grades for one in found]).all():
            raise ConfigurationError(f"{self._folder} gives grades that are not numbers; its weights are damaged")
        return found

    def _load(self) -> _Loaded:
        encoder = load_encoder(str(self._folder), *self._windows, what=f"the judge hf:{self._folder}")
        return _Loaded(encoder, load_head(self._folder, len(self._aspects), encoder.width))


def _windows(folder: Path, network: Mapping[str, Any]) -> tuple[int, int]:
    found = network.get("length"), network.get("windows")
    if not all(isinstance(value, int) and value > 0 for value in found):
        raise ConfigurationError(
            f"{folder} does not give its encoder's input length; make the judge again with `saiten tune judge`"
        )
    return cast("tuple[int, int]", found)


def _scale(values: Sequence[int]) -> str:
    rising = tuple(range(values[0], values[-1] + 1)) == tuple(values)
    return f"{values[0]} to {values[-1]}" if rising else ", ".join(map(str, values))
