"""The network behind perplexity: measures in batches how surprising answers are after the text before them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from saiten.errors import ConfigurationError
from saiten.metrics.neural.causal_model import CausalModel, Precision, TokenSpan, load_causal_model
from saiten.models.batches import Batches
from saiten.models.networks import best_device

_ITEMS_ON_CPU, _ITEMS = 8, 64
"""Answers per batch, on a CPU and elsewhere; tokens decide how many share a forward pass. Few on a CPU, since waiting
for it, or interrupting it, takes a whole batch."""
_SPANS = 1024  # spans of texts at once, to bound memory whatever the length of a text


@dataclass(frozen=True, slots=True)
class PerplexityRequest:
    """An answer to measure."""

    before: str
    """The text before it, including the separator; "" for nothing."""
    answer: str
    stride: int = 0
    """0: half of the network's maximum length."""


@dataclass(frozen=True, slots=True)
class Surprisal:
    """How surprising an answer is."""

    nll: float
    """Sum over the counted tokens of -ln p(token | tokens before it)."""
    tokens: int
    uncounted: int
    """Tokens of the answer with nothing before them: 1 or 0."""
    unknown: int
    """Tokens of the answer outside the tokenizer's vocabulary."""
    windows: int
    start: bool
    """Whether the text begins with a start token."""


class PerplexityNetwork:
    """A causal language model, loaded for the first answer; runs shared batches in a separate thread."""

    def __init__(self, model: str, precision: Precision, made: str) -> None:
        self._named = model, precision, made
        self._loaded: CausalModel | None = None
        size = _ITEMS_ON_CPU if best_device() == "cpu" else _ITEMS
        self._batches: Batches[PerplexityRequest, Surprisal] = Batches(
            self._measure, size=size, length=lambda each: len(each.before) + len(each.answer), what="perplexity"
        )

    async def measure(self, request: PerplexityRequest) -> Surprisal:
        """Measure how surprising the answer is; raises ConfigurationError for an unusable model or stride."""
        return await self._batches.of(request)

    def _measure(self, requests: Sequence[PerplexityRequest]) -> list[Surprisal]:
        model = self._loaded = self._loaded or load_causal_model(*self._named)
        texts = [_Text.of(each, model) for each in requests]
        sums, counts = [0.0] * len(texts), [0] * len(texts)
        spans = ((at, span) for at, text in enumerate(texts) for span in text.spans())
        while some := list(islice(spans, _SPANS)):
            found = model.surprise([span for _, span in some], lambda: self._batches.awaited(requests))
            for (at, _), surprise in zip(some, found, strict=True):
                sums[at] += surprise
                counts[at] += 1
        return [text.measured(nll, count) for text, nll, count in zip(texts, sums, counts, strict=True)]


@dataclass(frozen=True, slots=True)
class _Text:
    """An answer with the text before it, as tokens."""

    tokens: tuple[int, ...]
    start: tuple[int, ...]
    first: int
    """The first of `tokens` that is measured."""
    uncounted: int
    unknown: int
    room: int
    """Maximum tokens per span."""
    stride: int

    @classmethod
    def of(cls, request: PerplexityRequest, model: CausalModel) -> "_Text":
        """Tokenize both sides separately, so that no token straddles them and every form measures the same tokens."""
        before, answer = model.tokens(request.before), model.tokens(request.answer)
        start = () if model.start is None else (model.start,)
        uncounted = 0 if before or start else min(1, len(answer))
        unknown = 0 if model.unknown is None else answer.count(model.unknown)
        room = model.window + 1 - len(start)  # the last token is predicted, not read
        stride = _stride(request, model)
        return cls(before + answer, start, len(before) + uncounted, uncounted, unknown, room, stride)

    def spans(self) -> Iterator[TokenSpan]:
        """Yield spans that fit the network and together measure each token once."""
        for window in windows(self.first, len(self.tokens), room=self.room, stride=self.stride):
            yield TokenSpan(self.tokens, self.start, *window)

    def measured(self, nll: float, spans: int) -> Surprisal:
        counted = len(self.tokens) - self.first
        return Surprisal(nll, counted, self.uncounted, self.unknown, spans, bool(self.start))


def _stride(request: PerplexityRequest, model: CausalModel) -> int:
    """Return the stride, at most half of the window, so that a token has at least half a window before it."""
    half = max(1, model.window // 2)
    if request.stride > half:
        raise ConfigurationError(
            f"perplexity: stride={request.stride} is more than half of the {model.window} tokens that the model reads; "
            f"expected 1 to {half}, or 0 for {half}"
        )
    return request.stride or half


class MeasuredWindow(NamedTuple):
    """A window of a text, in tokens: `begin` to `end` are read, `counted` to `end` are measured."""

    begin: int
    counted: int
    end: int


def windows(first: int, total: int, *, room: int, stride: int) -> Iterator[MeasuredWindow]:
    """Yield windows in which the tokens `first` to `total` are each predicted once, in order.

    A text that fits is one window. Otherwise the windows' ends are `stride` apart, and each reaches back as far as
    `room` allows: a token has at least room - stride tokens before it, or all there are. Tokens before `first` are
    read as far as they fit.

    Args:
        first: The first token to be measured.
        total: The number of tokens.
        room: The maximum number of tokens per window.
        stride: The maximum number of tokens measured per window after the first; from 1 to `room`.
    """
    counted = first
    end = min(total, max(room, first + stride))
    while counted < end:
        yield MeasuredWindow(max(0, end - room), counted, end)
        counted, end = end, min(total, end + stride)
