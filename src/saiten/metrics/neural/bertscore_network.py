"""The network behind BERTScore: embeds texts in batches, and matches two texts token by token.

Source: Zhang et al. 2020, *BERTScore: Evaluating Text Generation with BERT*, section 3, as computed by bert_score
0.3.13: each token is matched with its nearest one; [CLS] and [SEP] can be matched, but do not count themselves.

Not taken from a library: bert_score is unmaintained, and torchmetrics 1.9 mixes up the samples of a batch if lengths
differ, excludes [CLS] and [SEP] from matching, and processes 512 positions for every text. The tests compare with
bert_score.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from typing import Any, NamedTuple

from saiten.metrics.neural.encoder import EncoderSpec, TokenCounts, TokenEncoder, load, tokenize
from saiten.models.batches import Batches
from saiten.models.networks import held


class MatchRequest(NamedTuple):
    """An answer, and the references to match with it."""

    answer: str
    references: tuple[str, ...]


class Match(NamedTuple):
    """The match of a reference and the answer: mean cosines over tokens, -1 to 1."""

    precision: float
    """The mean similarity of the answer's tokens to the reference's nearest."""
    recall: float
    """The mean similarity of the reference's tokens to the answer's nearest."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of one request."""

    answer: TokenCounts
    references: tuple[TokenCounts, ...]
    found: tuple[Match | None, ...]
    """One per reference; None if either text has nothing to match."""


def network_for(spec: EncoderSpec, batch: int) -> Batches[MatchRequest, Matches]:
    """Return the network, shared by equal requests and loaded on first use."""
    key = ("bertscore", spec.model, spec.made, spec.layer, batch)
    return held(key, lambda: Batches(_Matcher(spec), size=batch, length=_characters, what="bertscore"))


def _characters(item: MatchRequest) -> int:
    return max(map(len, (item.answer, *item.references)))


class _Matcher:
    """Matches a batch of requests; called from one thread at a time."""

    def __init__(self, spec: EncoderSpec) -> None:
        self._spec = spec
        self._encoder: TokenEncoder | None = None

    def __call__(self, items: Sequence[MatchRequest]) -> list[Matches]:
        self._encoder = self._encoder or load(self._spec)
        with import_module("torch").inference_mode():
            texts = tuple(dict.fromkeys(text for item in items for text in (item.answer, *item.references)))
            embedded = embed(self._encoder, texts)
            return [matches(embedded[item.answer], [embedded[text] for text in item.references]) for item in items]


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text as embedded by the network."""

    vectors: Any
    """Shape (tokens, dimensions), including special tokens; rows have length 1."""
    counts: Any
    """Shape (tokens,): whether a token counts."""
    tokens: TokenCounts


def embed(encoder: TokenEncoder, texts: Sequence[str]) -> dict[str, Embedded]:
    """Embed the texts, longest first, a few thousand tokens per forward pass."""
    torch = import_module("torch")
    order = sorted(zip(texts, tokenize(encoder, texts), strict=True), key=lambda each: len(each[1].ids), reverse=True)
    found: dict[str, Embedded] = {}
    while order:
        size = max(1, encoder.at_once // max(1, len(order[0][1].ids)))
        part, order = order[:size], order[size:]
        states = torch.nn.functional.normalize(encoder.states([each.ids for _, each in part]), dim=-1)
        for (text, each), vectors in zip(part, states, strict=True):
            counts = torch.tensor(each.counts, device=vectors.device)
            # copy, so that the padding and the rest of the batch can be freed
            found[text] = Embedded(vectors[: len(each.ids)].clone(), counts, each.tokens)
    return found


def matches(answer: Embedded, references: Sequence[Embedded]) -> Matches:
    """Match the answer with each reference."""
    found = tuple(None if answer.tokens.nothing or each.tokens.nothing else match(answer, each) for each in references)
    return Matches(answer.tokens, tuple(each.tokens for each in references), found)


def match(answer: Embedded, reference: Embedded) -> Match:
    """Compute the paper's P and R, with equal weights; raises ArithmeticError if the vectors are not numbers."""
    cosines = answer.vectors @ reference.vectors.T
    precision = float(cosines.amax(1)[answer.counts].mean())
    recall = float(cosines.amax(0)[reference.counts].mean())
    if not (isfinite(precision) and isfinite(recall)):
        raise ArithmeticError("the network made vectors of this text that are no numbers")
    return Match(*(min(1.0, max(-1.0, value)) for value in (precision, recall)))
