"""The network behind BERTScore: texts become vectors, a batch at once, and two texts are matched token by token.

Source: Zhang et al. 2020, *BERTScore: Evaluating Text Generation with BERT*, section 3, as bert_score 0.3.13 computes
it: each token is matched with its nearest one; [CLS] and [SEP] can be matched, but do not count themselves.

Written here because bert_score is no longer kept, and torchmetrics 1.9 gives the samples of a batch each other's values
where lengths differ, leaves [CLS] and [SEP] out of the matching, and matches 512 positions of every text however short.
The tests hold it against bert_score.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from typing import Any, NamedTuple

from saiten.metrics.neural.encoder import Encoder, Plan, load
from saiten.metrics.neural.reading_texts import Reading, read
from saiten.models.batches import Batches
from saiten.models.networks import held


class Compared(NamedTuple):
    """What is asked for: an answer, and references that are each held against it."""

    answer: str
    references: tuple[str, ...]


class Match(NamedTuple):
    """A reference held against the answer; cosines, -1 to 1, the mean over tokens."""

    precision: float
    """How near the answer's tokens come to the reference's."""
    recall: float
    """How near the reference's tokens come to the answer's."""


@dataclass(frozen=True, slots=True)
class Matches:
    """What came out."""

    answer: Reading
    references: tuple[Reading, ...]
    found: tuple[Match | None, ...]
    """One for each reference; None where one of the two has nothing to match."""


def network_for(planned: Plan, batch: int) -> Batches[Compared, Matches]:
    """The network, shared by all who ask for the same; it is loaded at the first use."""
    key = ("bertscore", planned.model, planned.made, planned.layer, batch)
    return held(key, lambda: Batches(_Work(planned), size=batch, length=_characters, what="bertscore"))


def _characters(item: Compared) -> int:
    return max(map(len, (item.answer, *item.references)))


class _Work:
    """What is done with a batch; called from one thread at a time."""

    def __init__(self, planned: Plan) -> None:
        self._planned = planned
        self._encoder: Encoder | None = None

    def __call__(self, items: Sequence[Compared]) -> list[Matches]:
        self._encoder = self._encoder or load(self._planned)
        with import_module("torch").inference_mode():
            texts = tuple(dict.fromkeys(text for item in items for text in (item.answer, *item.references)))
            embedded = embed(self._encoder, texts)
            return [matches(embedded[item.answer], [embedded[text] for text in item.references]) for item in items]


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text as the network sees it."""

    vectors: Any
    """Shape (tokens, dimensions), special tokens included; each row has length 1."""
    counts: Any
    """Shape (tokens,): whether a token counts."""
    reading: Reading


def embed(encoder: Encoder, texts: Sequence[str]) -> dict[str, Embedded]:
    """Each text, embedded; the longest first, some thousand tokens in a forward pass."""
    torch = import_module("torch")
    order = sorted(zip(texts, read(encoder, texts), strict=True), key=lambda each: len(each[1].ids), reverse=True)
    found: dict[str, Embedded] = {}
    while order:
        size = max(1, encoder.at_once // max(1, len(order[0][1].ids)))
        part, order = order[:size], order[size:]
        states = torch.nn.functional.normalize(encoder.states([each.ids for _, each in part]), dim=-1)
        for (text, each), vectors in zip(part, states, strict=True):
            counts = torch.tensor(each.counts, device=vectors.device)
            # A copy, so that the padding and the rest of the pass are not kept.
            found[text] = Embedded(vectors[: len(each.ids)].clone(), counts, each.reading)
    return found


def matches(answer: Embedded, references: Sequence[Embedded]) -> Matches:
    """The answer against each reference."""
    found = tuple(
        None if answer.reading.nothing or each.reading.nothing else match(answer, each) for each in references
    )
    return Matches(answer.reading, tuple(each.reading for each in references), found)


def match(answer: Embedded, reference: Embedded) -> Match:
    """The paper's P and R, with equal weights.

    Raises:
        ArithmeticError: the network gave vectors that are no numbers.
    """
    cosines = answer.vectors @ reference.vectors.T
    precision = float(cosines.amax(1)[answer.counts].mean())
    recall = float(cosines.amax(0)[reference.counts].mean())
    if not (isfinite(precision) and isfinite(recall)):
        raise ArithmeticError("the network made vectors of this text that are no numbers")
    return Match(*(min(1.0, max(-1.0, value)) for value in (precision, recall)))
