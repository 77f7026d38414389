"""Texts longer than the encoder's input, split into several windows, each with the question.

A window is `[CLS] question [SEP] a piece of the answer [SEP]`, as the tokenizer formats a pair of texts. Texts cannot
write control tokens: `[SEP]` inside an answer stays five characters.
"""

from dataclasses import dataclass
from math import ceil
from typing import Any

from saiten.errors import ConfigurationError
from saiten.judges.encoder.frame import InputWindow, frame_of
from saiten.judges.encoder.texts import Texts

SHORTEST = 16
"""Minimum tokens per window."""


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

    def __init__(self, tokenizer: Any, length: int, most: int) -> None:
        """`tokenizer`: from the transformers library.

        Raises:
            ConfigurationError: it cannot join two texts, or the length is too short.
        """
        if length < SHORTEST or most < 1:
            raise ConfigurationError(f"an encoder must read at least {SHORTEST} tokens at once, not {length}")
        self._tokenizer = tokenizer
        self._length = length
        self._most = most
        self._frame = frame_of(tokenizer)

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
            for what, used, all_ in (("what comes with the answer", kept, context), ("the answer", read, answer))
            if len(used) < len(all_)
        ]
        return Cut(tuple(self._frame.around(kept, each) for each in pieces), " and ".join(said))

    def _ids(self, text: str) -> list[int]:
        whole = text.encode("utf-8", "replace").decode()  # JSON may contain lone surrogates
        found: list[int] = self._tokenizer(
            whole, add_special_tokens=False, split_special_tokens=True, verbose=False, return_attention_mask=False
        )["input_ids"]
        return found
