"""The tokens around a pair of texts, as the encoder's tokenizer writes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from saiten.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class InputWindow:
    """One input of the encoder."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    """Which of the two texts each token belongs to, for encoders that use it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The tokens that the tokenizer writes around and between two texts, and their types."""

    ids: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    """Before the first text, between them, and after the second."""
    types: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    of_texts: tuple[int, int]

    @property
    def tokens(self) -> int:
        return sum(map(len, self.ids))

    def around(self, first: Sequence[int], second: Sequence[int]) -> InputWindow:
        before, between, after = self.ids
        types = (
            self.types[0] + (self.of_texts[0],) * len(first) + self.types[1] + (self.of_texts[1],) * len(second)
        ) + self.types[2]
        return InputWindow((*before, *first, *between, *second, *after), types)


def frame_of(tokenizer: Any) -> Frame:
    """Derive the frame from a pair of one-letter texts, since every tokenizer has its own."""
    first, second = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("a", "b"))
    pair = tokenizer("a", "b")
    ids = tuple(pair["input_ids"])
    types = tuple(pair.get("token_type_ids") or (0,) * len(ids))
    starts = [at for at in range(len(ids)) if first and ids[at : at + len(first)] == tuple(first)]
    ends = [at for at in range(len(ids), 0, -1) if second and ids[at - len(second) : at] == tuple(second)]
    if not starts or not ends or starts[0] + len(first) > ends[0] - len(second):
        raise ConfigurationError(
            "the encoder's tokenizer does not join two texts; expected that of a BERT-like encoder"
        )
    at, end = starts[0], ends[0]
    then, until = at + len(first), end - len(second)
    return Frame(
        (ids[:at], ids[then:until], ids[end:]),
        (types[:at], types[then:until], types[end:]),
        (types[at], types[until]),
    )
