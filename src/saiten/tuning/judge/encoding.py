"""Encoding of an example as tokens for a causal model: the judge's prompt, then people's grade as the reply."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from saiten.models.chat_template import ChatTemplate
from saiten.prompts import BUILT_IN, Prompts
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.target import target

IGNORED = -100
"""The label of tokens excluded from the loss, as defined by torch."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An example as tokens."""

    prompt: tuple[int, ...]
    """Exactly what a local chat model reads when the judge asks."""
    reply: tuple[int, ...]
    """The target reply, including the end token."""

    def __len__(self) -> int:
        return len(self.prompt) + len(self.reply)


def encode(example: GradedExample, tokenizer: Any, template: ChatTemplate, prompts: Prompts = BUILT_IN) -> Encoded:
    """Tokenize an example of any length; prompt and reply separately, as in generation.

    A reason that contains a control token of the model is left out, since the reply would end there.
    """
    ends = template.end_tokens()
    end = tokenizer.eos_token_id if tokenizer.eos_token_id in ends else ends[0]
    reply = _reply(example, tokenizer)
    controls = {*tokenizer.added_tokens_decoder, *tokenizer.all_special_ids}
    if example.reason and not controls.isdisjoint(reply):
        reply = _reply(replace(example, reason=""), tokenizer)
    return Encoded(tuple(template.ids(prompts.render(example.task))), (*reply, end))


def _reply(example: GradedExample, tokenizer: Any) -> tuple[int, ...]:
    text = target(example.task, example.value, example.reason).encode("utf-8", "replace").decode()
    return tuple(tokenizer.encode(text, add_special_tokens=False, verbose=False))


def collate(batch: Sequence[Encoded], padding: int, *, logits_to_keep: bool) -> dict[str, Any]:
    """Return the tensors of a batch, of shape (examples, longest), padded on the left so that replies are aligned.

    Only the replies are labeled. With `logits_to_keep` the labels are cut to the last columns, and the model predicts
    no others: the prompts, which are most of the tokens, then cost no logits.
    """
    import torch  # noqa: PLC0415 - optional, and takes a second

    longest = max(map(len, batch))
    tokens = torch.full((len(batch), longest), padding)
    mask, labels = torch.zeros_like(tokens), torch.full_like(tokens, IGNORED)
    for row, one in enumerate(batch):
        tokens[row, longest - len(one) :] = torch.tensor(one.prompt + one.reply)
        labels[row, longest - len(one.reply) :] = torch.tensor(one.reply)
        mask[row, longest - len(one) :] = 1
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    found = {"input_ids": tokens, "attention_mask": mask, "position_ids": positions, "labels": labels}
    if logits_to_keep:
        kept = max(len(one.reply) for one in batch) + 1  # the token before the reply predicts its first
        found |= {"labels": labels[:, -kept:], "logits_to_keep": kept}
    return found
