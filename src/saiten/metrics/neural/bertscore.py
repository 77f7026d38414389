"""BERTScore: the similarity of the tokens of answer and reference, in a network's contextual embeddings.

1 is the same text; unrelated texts get 0.35 to 0.83, depending on the network (0.63 with the default), so figures can
be compared with each other but mean little by themselves.
Source: Zhang et al. 2020, *BERTScore: Evaluating Text Generation with BERT*, without idf weights and rescaling.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar, Literal, get_args

from saiten.errors import ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.metrics.neural.bertscore_network import Match, Matches, MatchRequest, network_for
from saiten.metrics.neural.encoder import EncoderSpec, TokenCounts, find_encoder
from saiten.models.batches import Batches
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.stats.f_measure import harmonic_mean

Which = Literal["precision", "recall", "f1"]
WHICH: tuple[Which, ...] = get_args(Which)

_AT_ONCE = 8  # references per batch item, to bound its memory


@dataclass(frozen=True)
class BertScore(BaseMetric):
    """One of the three figures; `bertscore` alone means all of them. They share one network and its work.

    Each figure takes the best of several references separately. A blank text is undefined. Texts are truncated to the
    network's maximum length; the details say by how many tokens. Without `layer`, the layer that bert_score recommends
    for the model, else the last; the signature says which.
    """

    title = "bertscore"
    needs = ("answer", "reference")
    bounds = (-1.0, 1.0)
    main = "which"
    parts: ClassVar[tuple[str, ...]] = WHICH
    has_network = True

    which: Which = "f1"
    model: str = "bert-base-multilingual-cased"
    """A folder, or a name on the Hugging Face hub."""
    layer: int | None = None
    """The layer whose states are compared; 0 is the words without their context."""
    batch: int = field(default=64, compare=False)
    """Samples per batch; not in the name, since the figures do not depend on it."""

    def __post_init__(self) -> None:
        """Refuse invalid settings; the model is checked later, so that the metric can be described without it."""
        super().__post_init__()
        if not self.model.strip() or self.batch < 1 or (self.layer or 0) < 0:
            raise ConfigurationError(
                f"bertscore takes a model, a layer of 0 or more and a batch of 1 or more, not model={self.model!r}, "
                f"layer={self.layer}, batch={self.batch}"
            )

    @cached_property
    def spec(self) -> EncoderSpec:
        """The model and its layer; raises ConfigurationError if they do not exist."""
        return find_encoder(self.model, self.layer)

    @cached_property
    def network(self) -> Batches[MatchRequest, Matches]:
        """The network, kept as long as this metric."""
        return network_for(self.spec, self.batch)

    def describe(self) -> Mapping[str, str]:
        """Return the model, its fingerprint or commit, the layer, and the version of transformers."""
        made = {"fingerprint": self.spec.made} if self.spec.made else {}
        return {"model": self.model, **made, "layer": str(self.spec.layer), "transformers": version("transformers")}

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Return the best score over the references, without using the judge."""
        answer = sample.answer or ""
        references = {at: text for at, text in enumerate(sample.references) if text.strip()}
        if not answer.strip():
            return Score.undefined("the answer is empty")
        if not references:
            return Score.undefined("no reference has a word in it")
        texts = tuple(references.values())
        parts = [MatchRequest(answer, texts[start : start + _AT_ONCE]) for start in range(0, len(texts), _AT_ONCE)]
        done = await asyncio.gather(*(self.network.of(part) for part in parts))
        pairs = [pair for part in done for pair in zip(part.references, part.found, strict=True)]
        return best(self.which, done[0].answer, dict(zip(references, pairs, strict=True)))


def best(which: Which, answer: TokenCounts, references: Mapping[int, tuple[TokenCounts, Match | None]]) -> Score:
    """Return the highest figure; the first reference wins ties. The keys are indexes in `sample.references`."""
    matched = {at: match for at, (_, match) in references.items() if match is not None}
    if not matched:
        why = next(iter(references.values()))[0].nothing
        return Score.undefined(f"the answer {answer.nothing}" if answer.nothing else f"the reference {why}")
    values = {at: value for at, match in matched.items() if (value := figure(which, match)) is not None}
    if not values:
        return Score.undefined("precision and recall are not both above 0, so they have no harmonic mean")
    at = max(values, key=lambda each: values[each])
    reading, match = references[at][0], matched[at]
    details: dict[str, Any] = {each: figure(each, match) for each in WHICH}
    details["best_reference"] = at
    both = {"answer": answer, "reference": reading}
    for name in ("tokens", "left_out", "unknown"):
        details[name] = {side: getattr(each, name) for side, each in both.items()}
    cut = " and ".join(f"{each.left_out} tokens of the {side}" for side, each in both.items() if each.left_out)
    return Score(values[at], reason=f"the model had no room for {cut}" if cut else None, details=details)


def figure(which: Which, match: Match) -> float | None:
    """Return precision, recall, or their harmonic mean, which requires both to be above 0."""
    if which != "f1":
        return match.precision if which == "precision" else match.recall
    return float(harmonic_mean(*match)) if min(match) > 0 else None
