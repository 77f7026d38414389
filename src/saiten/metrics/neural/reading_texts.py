"""How much of a text an encoder sees: its tokens, which of them count, and what it has no room or no word for."""

from collections.abc import Sequence
from dataclasses import dataclass

from saiten.errors import ConfigurationError
from saiten.metrics.neural.encoder import Encoder


@dataclass(frozen=True, slots=True)
class Reading:
    """A text in numbers of tokens, without the special ones."""

    tokens: int
    """Those that the network reads."""
    left_out: int
    """Those at the end, for which it has no room."""
    unknown: int
    """Those of `tokens` that are not in its vocabulary."""

    @property
    def nothing(self) -> str:
        """Why there is nothing to match, or ""."""
        if not self.tokens:
            return "has no token that the model's tokenizer reads"
        return "has no token that the model knows: take a model of its language" if self.unknown == self.tokens else ""


@dataclass(frozen=True, slots=True)
class Read:
    """A text as tokens."""

    ids: tuple[int, ...]
    """Special tokens included."""
    counts: tuple[bool, ...]
    """For each token whether it counts: all but the two that stand around a text."""
    reading: Reading


def read(encoder: Encoder, texts: Sequence[str]) -> list[Read]:
    """The texts as tokens; what looks like a special token in them is text.

    Raises:
        ConfigurationError: the tokenizer has tokens that the network does not know.
    """
    tokenizer = encoder.tokenizer
    plain = [text.encode("utf-8", "replace").decode().strip() for text in texts]  # half a surrogate pair is no text
    found = tokenizer(plain, split_special_tokens=True, verbose=False)["input_ids"]
    around, unknown = {tokenizer.cls_token_id, tokenizer.sep_token_id}, tokenizer.unk_token_id
    made = []
    for text, tokens in zip(plain, found, strict=True):
        ids = tokens
        if len(tokens) > encoder.reads:
            ids = tokenizer(text, split_special_tokens=True, truncation=True, max_length=encoder.reads)["input_ids"]
        if ids and max(ids) >= encoder.words:
            raise ConfigurationError(
                f"bertscore: the tokenizer of {tokenizer.name_or_path} gave the token {max(ids)}, and the network "
                f"knows {encoder.words} tokens; they do not belong together"
            )
        counts = tuple(token not in around for token in ids)
        reading = Reading(sum(counts), len(tokens) - len(ids), sum(token == unknown for token in ids))
        made.append(Read(tuple(ids), counts, reading))
    return made
