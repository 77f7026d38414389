"""Perplexity: how surprising the answer is to a language model; the exponential of the mean over the answer's tokens.

1 is an answer that the model would have written word for word; the vocabulary's size, one it finds as likely as any
other; lower is better. Undefined for a blank answer. Figures of two models are not comparable, since their tokens
differ; `bits_per_byte` in the details is.
Source: the paper on long-form question answering and LLM-MATE, which compares three forms with people's grades.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from math import inf
from typing import Any, ClassVar, Literal, get_args

from saiten.errors import ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.metrics.neural.causal_model import EXPECTED, Precision
from saiten.metrics.neural.perplexity_network import PerplexityNetwork, PerplexityRequest, Surprisal
from saiten.metrics.neural.random_questions import RandomQuestions, read_questions
from saiten.models.networks import configuration, fingerprint, held, require
from saiten.protocols import Judge
from saiten.records import Sample, Score

Before = Literal["A", "QA", "RQA"]
"""The text before the answer: nothing · its question · a random other question."""
FORMS: tuple[str, ...] = get_args(Before)

SEPARATOR = "\n"
"""Between question and answer; tokenized with the question."""


@dataclass(frozen=True)
class Perplexity(BaseMetric):
    """One of the three forms; `perplexity` alone means all of them. They share one network.

    `A`: the answer alone · `QA`: after its question · `RQA`: after a random other question in the same language, as a
    control for `QA`. Only the answer's tokens count, and they are the same in all three.
    """

    title = "perplexity"
    needs = ("answer",)
    bounds = (1.0, inf)
    higher_is_better = False
    main = "form"
    parts: ClassVar[tuple[str, ...]] = FORMS
    has_network = True

    form: Before = "A"
    model: str = ""
    """A causal language model: a folder, or its name on the Hugging Face hub. There is no default."""
    stride: int = 0
    """Tokens measured per window if the text exceeds the model's maximum; 0: half of that maximum."""
    seed: int = 1
    questions: str = ""
    """A file with questions to draw from, such as the data itself; empty: a hundred in each language."""
    dtype: Precision = "float32"
    """Type of the weights: bfloat16 halves the memory and loses two digits."""

    def __post_init__(self) -> None:
        """Refuse invalid settings; the model is checked when it is loaded."""
        super().__post_init__()
        if self.stride < 0:
            raise ConfigurationError(f"perplexity: stride is a number of tokens, not {self.stride}")
        if self.form == "QA":
            self.declare(needs=("question", "answer"))

    @cached_property
    def made(self) -> str:
        """The version of the model; raises ConfigurationError if there is no model, or a library is missing."""
        require("perplexity", "neural", "torch", "transformers")
        if not self.model:
            raise ConfigurationError(
                "perplexity needs a language model, and none was named: perplexity[model=NAME_OR_FOLDER], a causal "
                "language model on the Hugging Face hub or in a local folder. Take one that knows the language of the "
                "answers: openai-community/gpt2 reads English alone; Japanese needs a Japanese or multilingual one"
            )
        config = configuration(self.model, f"perplexity: the model {self.model}", EXPECTED)
        return fingerprint(self.model, config)

    @cached_property
    def network(self) -> PerplexityNetwork:
        """The network, loaded on first use; raises as `made` does."""
        named = self.model, self.dtype, self.made
        return held(("perplexity", *named), lambda: PerplexityNetwork(*named))

    @cached_property
    def pool(self) -> RandomQuestions:
        """The questions to draw from; raises ConfigurationError if the file cannot be used."""
        return read_questions(self.questions)

    def describe(self) -> Mapping[str, str]:
        """Return the model's fingerprint or commit, the library version, and the digest of random questions.

        Raises as `made` and `pool` do, so that a run stops before anything is scored.
        """
        return {
            **({"fingerprint": self.made} if self.made else {}),
            "transformers": version("transformers"),
            **({"questions": self.pool.digest} if self.form == "RQA" else {}),
        }

    async def score(self, sample: Sample, judge: Judge) -> Score:
        """Return the perplexity."""
        answer = (sample.answer or "").strip()
        if not answer:
            return Score.undefined("the answer is empty")
        question = self._question(sample)
        if question is None:
            where = f"in {self.questions}" if self.questions else "among those shipped"
            return Score.undefined(f"there is no other question in the sample's language ({sample.language}) {where}")
        before = question + SEPARATOR if question else ""
        measured = await self.network.measure(PerplexityRequest(before, answer, self.stride))
        drawn = {"question": question} if self.form == "RQA" else {}
        return perplexity(measured, {**details_of(measured, answer), **drawn})

    def _question(self, sample: Sample) -> str | None:
        """Return the question before the answer, "" for nothing; None if there is no random question."""
        if self.form == "RQA":
            return self.pool.draw(sample, self.seed)
        return sample.question.strip() if self.form == "QA" else ""


def perplexity(measured: Surprisal, details: Mapping[str, Any]) -> Score:
    """Return exp(nll / tokens)."""
    if not measured.tokens:
        return Score.undefined("no token of the answer has anything before it", **details)
    mean = measured.nll / measured.tokens
    try:
        value = math.exp(mean)
    except OverflowError:
        value = inf
    if not math.isfinite(value):
        return Score(
            None,
            "failed",
            f"the mean surprise is {mean:g} nats, which has no perplexity; a model in float16 may need dtype=float32",
            {key: one for key, one in details.items() if not isinstance(one, float) or math.isfinite(one)},
        )
    return Score(value, details=details)


def details_of(measured: Surprisal, answer: str) -> Mapping[str, Any]:
    """Return the counts, and bits per UTF-8 byte if every token was counted."""
    whole = not measured.uncounted and not measured.unknown
    return {
        "tokens": measured.tokens,
        "nll": measured.nll,
        **({"bits_per_byte": measured.nll / math.log(2) / len(answer.encode())} if whole else {}),
        "begins_with": "start token" if measured.start else "nothing",
        **({"uncounted": measured.uncounted} if measured.uncounted else {}),
        **({"unknown": measured.unknown} if measured.unknown else {}),
        **({"windows": measured.windows} if measured.windows > 1 else {}),
    }
