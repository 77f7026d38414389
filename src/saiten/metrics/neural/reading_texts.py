"""Tokenised texts for an encoder: which tokens count, and how many are truncated or unknown."""

from collections.abc import Sequence
from dataclasses import dataclass

from saiten.errors import ConfigurationError
from saiten.metrics.neural.encoder import TokenEncoder


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Counts of a text's tokens, without the special ones."""

    tokens: int
    """Tokens that the network reads."""
    left_out: int
    """Tokens truncated at the end."""
    unknown: int
    """Those of `tokens` outside the vocabulary."""

    @property
    def nothing(self) -> str:
        """The reason why there is nothing to match, or ""."""
        if not self.tokens:
            return "has no token that the model's tokenizer reads"
        return "has no token that the model knows: take a model of its language" if self.unknown == self.tokens else ""


@dataclass(frozen=True, slots=True)
class TokenisedText:
    """A text as tokens."""

    ids: tuple[int, ...]
    """Including special tokens."""
    counts: tuple[bool, ...]
    """Whether each token counts: all but the two around a text."""
    tokens: TokenCounts


def tokenise(encoder: TokenEncoder, texts: Sequence[str]) -> list[TokenisedText]:
    """Tokenise the texts; special tokens written in them are plain text.

    Raises:
        ConfigurationError: the tokenizer has tokens that the network lacks.
    """
    tokenizer = encoder.tokenizer
    plain = [text.encode("utf-8", "replace").decode().strip() for text in texts]  # lone surrogates are no text
    found = tokenizer(plain, split_special_tokens=True, verbose=False)["input_ids"]
    around, unknown = {tokenizer.cls_token_id, tokenizer.sep_token_id}, tokenizer.unk_token_id
    made = []
    for text, text_ids in zip(plain, found, strict=True):
        ids = text_ids
        if len(text_ids) > encoder.reads:
            ids = tokenizer(text, split_special_tokens=True, truncation=True, max_length=encoder.reads)["input_ids"]
        if ids and max(ids) >= encoder.words:
            raise ConfigurationError(
                f"bertscore: the tokenizer of {tokenizer.name_or_path} gave the token {max(ids)}, and the network "
                f"knows {encoder.words} tokens; they do not belong together"
            )
        counts = tuple(token not in around for token in ids)
        tokens = TokenCounts(sum(counts), len(text_ids) - len(ids), sum(token == unknown for token in ids))
        made.append(TokenisedText(tuple(ids), counts, tokens))
    return made
