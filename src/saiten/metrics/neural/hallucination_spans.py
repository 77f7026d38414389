"""Hallucination spans: the share of the answer that a token classifier does not mark as unsupported by the contexts.

1 is an answer without a marked character, 0 one that is marked from beginning to end; the details have the spans.
Source: Kovács and Recski 2025, *LettuceDetect: A Hallucination Detection Framework for RAG Applications*, for the
network; the share is saiten's own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from saiten.errors import ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.metrics.neural.span_inputs import CONTEXTS, TEMPLATE, SpanRequest
from saiten.metrics.neural.span_network import MarkedAnswer, Probabilities, SpanNetwork, span_network
from saiten.metrics.ragas.compat import NOTHING_RETRIEVED, first_blank, is_blank
from saiten.metrics.ragas.verdicts import quoted
from saiten.models.class_labels import SupportLabel, support_label
from saiten.models.classifiers import ClassifierSpec, find_classifier
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.text.refusals import is_refusal, only_declines

_EXAMPLE = "hallucination_spans[model=NAME_OR_FOLDER,support=LABEL]"


@dataclass(frozen=True)
class HallucinationSpans(BaseMetric):
    """1 - marked characters / characters, without white space.

    A token classifier, not the judge, reads question, contexts and answer. Contexts that do not fit into one input are
    read in windows, and a character is marked if no window supports it. An answer that only declines is declined;
    without anything retrieved, nothing is supported.
    """

    title = "hallucination_spans"
    needs = ("answer", "contexts")
    has_network = True

    model: str = ""
    """A token classifier: a folder, or its name on the Hugging Face hub. There is no default."""
    support: str = ""
    """The label that means supported, by name or number; "": by the names in the model's configuration."""
    template: str = ""
    """A text file with {question} and {contexts}, the form in which the network learned to read them."""

    @cached_property
    def spec(self) -> ClassifierSpec:
        """The model; raises ConfigurationError if none is named, or there is no such model."""
        if not self.model.strip():
            raise ConfigurationError(
                "hallucination_spans needs a token classifier, and none was named: "
                "hallucination_spans[model=NAME_OR_FOLDER], in a local folder or on the Hugging Face hub, such as "
                "KRLabsOrg/lettucedect-base-modernbert-en-v1 for English"
            )
        return find_classifier("token", self.model, f"hallucination_spans: the model {self.model}")

    @cached_property
    def label(self) -> SupportLabel:
        """The label that means supported; raises ConfigurationError if it is missing or unclear."""
        return support_label(self.spec.labels, self.support, self.spec.what, _EXAMPLE)

    @cached_property
    def written(self) -> str:
        """The template; raises ConfigurationError if the file cannot be used."""
        if not self.template:
            return TEMPLATE
        try:
            text = Path(self.template).expanduser().read_text("utf-8")
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"hallucination_spans: the template {self.template} cannot be read: {error}"
            ) from error
        if text.count(CONTEXTS) != 1:
            raise ConfigurationError(
                f"hallucination_spans: the template {self.template} has {CONTEXTS} {text.count(CONTEXTS)} times; "
                "expected it once"
            )
        return text

    @cached_property
    def network(self) -> SpanNetwork:
        """The network, loaded on first use."""
        return span_network(self.spec, self.label)

    def describe(self) -> Mapping[str, str]:
        """Return fingerprint or commit, label, digest of the template, and the library's version.

        Raises as `spec`, `label` and `written` do, so that a run stops before anything is scored.
        """
        return {
            **({"fingerprint": self.spec.made} if self.spec.made else {}),
            "support": str(self.label),
            **({"template": sha256(self.written.encode()).hexdigest()[:12]} if self.template else {}),
            "transformers": version("transformers"),
        }

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Return the share of the answer that is not marked, without using the judge."""
        answer, contexts = sample.answer or "", sample.contexts or ()
        if nothing := first_blank(sample, ("answer",)):
            return nothing
        if only_declines(answer, sample.language) or (is_blank(contexts) and is_refusal(answer, sample.language)):
            return Score.declined("the answer only says that it does not know, or that the documents do not say")
        if is_blank(contexts):
            return Score(0.0, reason=NOTHING_RETRIEVED)
        request = SpanRequest(sample.question, answer, contexts, sample.language, self.written)
        return share_unmarked(answer, await self.network.mark(request))


def share_unmarked(answer: str, found: MarkedAnswer) -> Score:
    """Return the share of the characters, without white space, whose p is below 0.5; expected is the mean of 1 - p."""
    counted = np.isfinite(found.unsupported) & np.array([not sign.isspace() for sign in answer])
    if not counted.any():
        return Score.undefined("the answer has no token that the model's tokenizer reads")
    p = found.unsupported[counted]
    spans = list(marked_spans(answer, np.where(counted, found.unsupported, np.nan)))
    reason = f"not supported: {quoted([span['text'] for span in spans])}" if spans else "nothing is marked"
    if found.cut:
        reason += "; the contexts or the question were too long to be read to their end"
    details = {"spans": spans, "characters": len(p), "marked": int((p >= _MARKED).sum()), "windows": found.windows}
    return Score(
        float((p < _MARKED).mean()), reason=reason, details=details, expected=float(np.clip(1 - p.mean(), 0.0, 1.0))
    )


_MARKED = 0.5


def marked_spans(answer: str, unsupported: Probabilities) -> Iterator[dict[str, Any]]:
    """Yield the spans with p from 0.5 as `{start, end, text, p}`, p being the highest in the span.

    Only characters without a token, such as white space, may separate the marks of one span.
    """
    run: list[int] = []
    for at, p in enumerate(unsupported.tolist()):
        if p >= _MARKED:
            run.append(at)
        elif p == p and run:  # noqa: PLR0124 - not NaN
            yield _span(answer, run, unsupported)
            run = []
    if run:
        yield _span(answer, run, unsupported)


def _span(answer: str, run: Sequence[int], unsupported: Probabilities) -> dict[str, Any]:
    start, end = run[0], run[-1] + 1
    return {"start": start, "end": end, "text": answer[start:end], "p": float(unsupported[run].max())}
