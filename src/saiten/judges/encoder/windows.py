"""Windows: texts longer than an encoder's input are split into several inputs, each with the question.

The format is `[CLS] question [SEP] a piece of the answer [SEP]`, as the tokeniser formats a pair of texts. Texts cannot
write control tokens: `[SEP]` inside an answer stays five characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from saiten.errors import ConfigurationError
from saiten.judges.encoder.texts import Texts

SHORTEST = 16
"""Minimum tokens per window."""


@dataclass(frozen=True, slots=True)
class InputWindow:
    """One input of the encoder."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    """Which of the two texts each token belongs to, for encoders that use it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """All windows of a pair of texts."""

    windows: tuple[InputWindow, ...]
    left_out: str
    """A description of what no window contains; empty if everything is read."""

    @property
    def tokens(self) -> int:
        """The number of tokens the encoder reads."""
        return sum(len(window.ids) for window in self.windows)


class Cutter:
    """Cuts texts into at most `most` windows of at most `length` tokens."""

    def __init__(self, tokeniser: Any, length: int, most: int) -> None:
        """`tokeniser`: from the transformers library.

        Raises:
            ConfigurationError: it cannot join two texts, or the length is too short.
        """
        if length < SHORTEST or most < 1:
            raise ConfigurationError(f"an encoder must read at least {SHORTEST} tokens at once, not {length}")
        self._tokeniser = tokeniser
        self._length = length
        self._most = most
        self._frame = _frame(tokeniser)

    def cut(self, texts: Texts) -> Cut:
        """Return windows with pieces of equal length, together the whole answer.

        The question and other context get at most half of a window. If the answer needs more than `most` windows, its
        end is not read.
        """
        room = self._length - self._frame.tokens
        context, answer = self._ids(texts.context), self._ids(texts.answer)
        kept = context[: room // 2]
        piece = room - len(kept)
        read = answer[: piece * self._most]
        count = max(1, ceil(len(read) / piece))
        size = max(1, ceil(len(read) / count))
        pieces = [read[start : start + size] for start in range(0, len(read), size)] or [[]]
        said = [
            f"{what} ({len(used):,} of {len(all_):,} tokens read)"
            for what, used, all_ in (("what stands beside the answer", kept, context), ("the answer", read, answer))
            if len(used) < len(all_)
        ]
        return Cut(tuple(self._frame.around(kept, each) for each in pieces), " and ".join(said))

    def _ids(self, text: str) -> list[int]:
        whole = text.encode("utf-8", "replace").decode()  # JSON may contain lone surrogates
        found: list[int] = self._tokeniser(
            whole, add_special_tokens=False, split_special_tokens=True, verbose=False, return_attention_mask=False
        )["input_ids"]
        return found


@dataclass(frozen=True, slots=True)
class _Frame:
    """The tokens that the tokeniser writes around and between two texts, and their types."""

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


def _frame(tokeniser: Any) -> _Frame:
    """Derive the frame from a pair of one-letter texts, since every tokeniser has its own."""
    first, second = (tokeniser(text, add_special_tokens=False)["input_ids"] for text in ("a", "b"))
    pair = tokeniser("a", "b")
    ids = tuple(pair["input_ids"])
    types = tuple(pair.get("token_type_ids") or (0,) * len(ids))
    starts = [at for at in range(len(ids)) if first and ids[at : at + len(first)] == tuple(first)]
    ends = [at for at in range(len(ids), 0, -1) if second and ids[at - len(second) : at] == tuple(second)]
    if not starts or not ends or starts[0] + len(first) > ends[0] - len(second):
        raise ConfigurationError(
            "the encoder's tokeniser does not join two texts; expected that of a BERT-like encoder"
        )
    at, end = starts[0], ends[0]
    then, until = at + len(first), end - len(second)
    return _Frame(
        (ids[:at], ids[then:until], ids[end:]),
        (types[:at], types[then:until], types[end:]),
        (types[at], types[until]),
    )
