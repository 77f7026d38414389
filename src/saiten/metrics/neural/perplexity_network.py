"""What perplexity asks of a network: how surprised it is by an answer after what stands before it, in batches."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from saiten.errors import ConfigurationError
from saiten.metrics.neural.causal_model import CausalModel, Piece, Precision, load_causal_model
from saiten.metrics.neural.perplexity_windows import windows
from saiten.models.batches import Batches
from saiten.models.networks import best_device, held

_ITEMS_ON_CPU, _ITEMS = 8, 64
"""Answers at once; how many of them go through the network together is decided by their tokens. A CPU is busy with few,
and who waits for it or interrupts it waits for so many."""
_PIECES = 1024
"""Pieces of texts at once, so that the memory it takes is bounded whatever the length of a text."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer to measure."""

    before: str
    """What stands before it, the separator included; "" for nothing."""
    answer: str
    stride: int = 0
    """0: half of what the network reads."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How surprising an answer is."""

    nll: float
    """Sum over the counted tokens of -ln p(token | tokens before it)."""
    tokens: int
    """Tokens that were counted."""
    uncounted: int
    """Tokens of the answer that nothing stands before: 1 or 0."""
    unknown: int
    """Tokens of the answer that stand for what the tokenizer does not know."""
    windows: int
    start: bool
    """Whether a token that begins every text stands before all."""


class PerplexityNetwork:
    """A causal language model, loaded at the first answer; batches in a thread of its own, whoever asks."""

    def __init__(self, model: str, precision: Precision, made: str) -> None:
        self._named = model, precision, made
        self._loaded: CausalModel | None = None
        self._waiting: Counter[Asked] = Counter()
        """How many wait for what; where nobody does, as after Ctrl-C, no further forward pass is begun."""
        size = _ITEMS_ON_CPU if best_device() == "cpu" else _ITEMS
        self._batches = Batches(self._measure, size=size, length=_characters, what="perplexity")

    async def measure(self, asked: Asked) -> Measured:
        """How surprising the answer is.

        Raises:
            ConfigurationError: the model cannot be loaded, is no causal language model, or cannot take this stride.
        """
        self._waiting[asked] += 1
        try:
            return await self._batches.of(asked)
        finally:
            self._waiting[asked] -= 1
            if not self._waiting[asked]:
                del self._waiting[asked]

    def _measure(self, asked: Sequence[Asked]) -> list[Measured]:
        model = self._loaded = self._loaded or load_causal_model(*self._named)
        texts = [_Text.of(each, model) for each in asked]
        sums, counts = [0.0] * len(texts), [0] * len(texts)
        pieces = ((at, piece) for at, text in enumerate(texts) for piece in text.pieces())
        while some := list(islice(pieces, _PIECES)):
            found = model.surprise([piece for _, piece in some], lambda: any(each in self._waiting for each in asked))
            for (at, _), surprise in zip(some, found, strict=True):
                sums[at] += surprise
                counts[at] += 1
        return [text.measured(nll, count) for text, nll, count in zip(texts, sums, counts, strict=True)]


def _characters(asked: Asked) -> int:
    return len(asked.before) + len(asked.answer)


def perplexity_network(model: str, precision: Precision, made: str) -> PerplexityNetwork:
    """The one network of this model, as `identify` found it: made now, or held by somebody else already."""
    return held(("perplexity", model, precision, made), lambda: PerplexityNetwork(model, precision, made))


@dataclass(frozen=True, slots=True)
class _Text:
    """An answer after what stands before it, in tokens."""

    tokens: tuple[int, ...]
    start: tuple[int, ...]
    first: int
    """The first of `tokens` that is measured."""
    uncounted: int
    unknown: int
    room: int
    """Tokens in one piece."""
    stride: int

    @classmethod
    def of(cls, asked: Asked, model: CausalModel) -> "_Text":
        """Each side has tokens of its own, so that none straddles the boundary and every form measures the same."""
        before, answer = model.tokens(asked.before), model.tokens(asked.answer)
        start = () if model.start is None else (model.start,)
        uncounted = 0 if before or start else min(1, len(answer))
        unknown = 0 if model.unknown is None else answer.count(model.unknown)
        room = model.window + 1 - len(start)  # the last token is predicted, not read
        stride = _stride(asked, model)
        return cls(before + answer, start, len(before) + uncounted, uncounted, unknown, room, stride)

    def pieces(self) -> Iterator[Piece]:
        """Pieces that fit the network; together they measure each token once."""
        for window in windows(self.first, len(self.tokens), room=self.room, stride=self.stride):
            yield Piece(self.tokens, self.start, *window)

    def measured(self, nll: float, pieces: int) -> Measured:
        counted = len(self.tokens) - self.first
        return Measured(nll, counted, self.uncounted, self.unknown, pieces, bool(self.start))


def _stride(asked: Asked, model: CausalModel) -> int:
    """At most half of the window, so that a token has at least as many before it as there are measured at once."""
    half = max(1, model.window // 2)
    if asked.stride > half:
        raise ConfigurationError(
            f"perplexity: stride={asked.stride} is more than half of the {model.window} tokens that the model reads; "
            f"expected 1 to {half}, or 0 for {half}"
        )
    return asked.stride or half
