"""The network behind hallucination_spans: the probability that each character of an answer is unsupported."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import numpy.typing as npt

from saiten.errors import ConfigurationError
from saiten.metrics.neural.span_inputs import SpanInput, SpanRequest, inputs_of
from saiten.models.batches import Batches
from saiten.models.class_labels import SupportLabel
from saiten.models.classifiers import Classifier, ClassifierSpec, load_classifier
from saiten.models.networks import held

_AT_ONCE = 32
"""Answers per batch; tokens decide how many inputs share a forward pass."""
_WINDOW = 4096
"""Maximum tokens per input, unless the model reads fewer."""
_SHORTEST = 32
"""Minimum tokens per input."""
_DIGITS = 4
"""Decimals kept, since a batch's composition changes the ones after."""

Probabilities = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MarkedAnswer:
    """What the network says about one answer."""

    unsupported: Probabilities
    """Per character of the answer; NaN where there is no token, as for white space."""
    windows: int
    """The number of inputs."""
    cut: bool
    """Whether the end of the contexts, or of the question, was not read."""


def span_network(spec: ClassifierSpec, label: SupportLabel) -> "SpanNetwork":
    """Return the network, shared by the metrics that use it in the same way."""
    return held(("spans", spec, label), lambda: SpanNetwork(spec, label))


class SpanNetwork:
    """A token classifier, loaded for the first answer; works in a separate thread."""

    def __init__(self, spec: ClassifierSpec, label: SupportLabel) -> None:
        self._spec = spec
        self._label = label
        self._classifier: Classifier | None = None
        self._batches: Batches[SpanRequest, MarkedAnswer] = Batches(self._work, size=_AT_ONCE, length=len, what="spans")

    async def mark(self, request: SpanRequest) -> MarkedAnswer:
        """Return the probabilities for the answer; raises ConfigurationError if the model is unusable."""
        return await self._batches.of(request)

    def _work(self, requests: Sequence[SpanRequest]) -> list[MarkedAnswer]:
        """A character is as unsupported as in the window of the contexts that supports it best."""
        classifier = self._classifier = self._classifier or self._load()
        every = [inputs_of(request, classifier, min(_WINDOW, classifier.longest)) for request in requests]
        found = [np.full(len(request.answer), np.nan) for request in requests]
        waiting = [(at, one) for at, each in enumerate(every) for one in each.inputs]
        waiting.sort(key=lambda one: one[1].tokens, reverse=True)
        while waiting:
            if not self._batches.awaited(requests):
                raise RuntimeError("nobody waits for it any more")
            size = max(1, classifier.at_once // waiting[0][1].tokens)
            some, waiting = waiting[:size], waiting[size:]
            for (at, one), marks in zip(some, self._marks(classifier, [one for _, one in some]), strict=True):
                place = slice(one.start, one.start + len(one.answer))
                found[at][place] = np.fmin(found[at][place], marks)
        return [MarkedAnswer(marks, len(each.inputs), each.cut) for marks, each in zip(found, every, strict=True)]

    def _marks(self, classifier: Classifier, inputs: Sequence[SpanInput]) -> list[Probabilities]:
        """Return the probabilities for the characters of each part of an answer, from one forward pass."""
        torch = import_module("torch")
        encoded = classifier.pairs([each.prompt for each in inputs], [each.answer for each in inputs], offsets=True)
        places = encoded.pop("offset_mapping").tolist()
        of_text = [encoded.sequence_ids(at) for at in range(len(inputs))]
        with torch.inference_mode():
            logits = classifier.network(**encoded.to(classifier.network.device)).logits
            support = self._label.probability(logits, independent=self._spec.independent).cpu().double().numpy()
        if not np.isfinite(support).all():
            raise ConfigurationError(f"{self._spec.what} gives values that are not numbers; its weights are damaged")
        unsupported = np.round(1 - support, _DIGITS)
        return [
            _spread(len(one.answer), row, spans, texts)
            for one, row, spans, texts in zip(inputs, unsupported, places, of_text, strict=True)
        ]

    def _load(self) -> Classifier:
        classifier = load_classifier(self._spec)
        if not classifier.tokenizer.is_fast:
            raise ConfigurationError(
                f"{self._spec.what}: its tokenizer does not say where in the text a token is; expected a fast one "
                "(tokenizer.json)"
            )
        if classifier.longest < _SHORTEST:
            raise ConfigurationError(
                f"{self._spec.what} reads {classifier.longest} tokens; expected at least {_SHORTEST}"
            )
        return classifier


def _spread(
    length: int, tokens: Probabilities, places: Sequence[tuple[int, int]], texts: Sequence[int | None]
) -> Probabilities:
    """Return the highest probability of the tokens at each character; NaN where there is none."""
    marks = np.full(length, np.nan)
    for p, (start, end), text in zip(tokens.tolist(), places, texts, strict=False):
        if text == 1 and start < end:
            marks[start:end] = np.fmax(marks[start:end], p)
    return marks
