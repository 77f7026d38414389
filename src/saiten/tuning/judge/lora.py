"""Fine-tuning a causal model to write people's grades: LoRA, with the loss on the reply's tokens alone.

Source: Hu et al. 2022, *LoRA: Low-Rank Adaptation of Large Language Models*. The base is frozen; next to each of its
linear layers two small matrices are learned, and only these are saved.
"""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from saiten.durable.whole_file import writing_to
from saiten.errors import BadInput, ConfigurationError
from saiten.judges.llm import LLMJudge
from saiten.judges.tuned import TunedAspect
from saiten.models.chat_template import ChatTemplate
from saiten.models.networks import quietly, require
from saiten.models.transformers_chat import TransformersChat
from saiten.prompts import BUILT_IN, Prompts
from saiten.protocols import Judge
from saiten.tuning.judge.base_model import BaseModel, load_base
from saiten.tuning.judge.encoding import Encoded, encode
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.head import Learning, Trained, TrainingJob


@dataclass(frozen=True, slots=True)
class ChatHead:
    """A judge that is a chat model and writes its reply."""

    prompts: Prompts = BUILT_IN

    def check(self) -> None:
        require("your own judge (--head chat)", "train", "torch", "transformers", "peft", "accelerate")

    def defaults(self, base: str) -> Learning:
        return Learning(base, epochs=3, learning_rate=2e-4, batch=8, max_length=2048, rank=16)

    def train(self, job: TrainingJob) -> Trained:
        self.check()
        with _hushed():
            from saiten.tuning.judge.trainer import trained  # noqa: PLC0415 - optional, and takes seconds

            base = load_base(job.learning.base)
            encoded, notes = _encoded(job.examples, base, job.learning, self.prompts)
            model = trained(encoded, base, job)
            with writing_to(job.folder, "name another folder with -o"):
                model.save_pretrained(job.folder, save_embedding_layers=False)
                base.tokenizer.save_pretrained(job.folder)
        return Trained({"max_length": job.learning.max_length}, notes)

    def judge(self, folder: Path, aspects: Sequence[TunedAspect], trained: Trained) -> Judge:
        return self._chat_judge(str(folder))

    def base_judge(self, learning: Learning) -> Judge | None:
        return self._chat_judge(learning.base)

    def _chat_judge(self, model: str) -> Judge:
        return LLMJudge(TransformersChat(model), max_tokens=1024, prompts=self.prompts)  # since a base may never end


@contextmanager
def _hushed() -> Iterator[None]:
    """Redirect libraries' output to stderr, which keeps stdout for results, and hide their warnings."""
    with redirect_stdout(sys.stderr), quietly(), warnings.catch_warnings():
        for kind in (FutureWarning, DeprecationWarning, UserWarning):
            warnings.simplefilter("ignore", kind)
        yield


def _encoded(
    examples: Sequence[GradedExample], base: BaseModel, learning: Learning, prompts: Prompts
) -> tuple[Sequence[Encoded], tuple[str, ...]]:
    """Encode the examples that fit; a truncated target would teach the model to stop in the middle."""
    template = ChatTemplate(base.tokenizer)
    longest = learning.max_length if base.context is None else min(learning.max_length, base.context)
    try:
        every = [encode(example, base.tokenizer, template, prompts) for example in examples]
    except ValueError as error:
        raise ConfigurationError(f"{learning.base} cannot be trained on these prompts: {error}") from error
    fitting = [one for one in every if len(one) <= longest]
    if not fitting:
        raise BadInput(
            f"none of the {len(every)} examples fits into {longest} tokens (the shortest has {min(map(len, every))}); "
            "allow more with --max-length, or use a base with a longer context"
        )
    left_out = len(every) - len(fitting)
    said = f"left out {left_out} examples of more than {longest} tokens (--max-length; the longest has "
    return fitting, (f"{said}{max(map(len, every))})",) if left_out else ()
