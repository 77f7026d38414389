"""Windows: a text that is longer than an encoder reads at once becomes several inputs, the question in each of them.

`[CLS] question [SEP] a piece of the answer [SEP]`, in the form that the tokeniser itself gives a pair of texts. The
texts cannot write control tokens: `[SEP]` inside an answer stays five characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from saiten.errors import ConfigurationError
from saiten.judges.encoder.texts import Texts

SHORTEST = 16
"""Tokens of a window at the least."""


@dataclass(frozen=True, slots=True)
class Window:
    """One input."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    """Which of the two texts a token belongs to, for the encoders that want to know."""


@dataclass(frozen=True, slots=True)
class Cut:
    """All windows of a pair of texts."""

    windows: tuple[Window, ...]
    left_out: str
    """What no window holds, for people; empty where everything is read."""

    @property
    def tokens(self) -> int:
        """That the encoder reads."""
        return sum(len(window.ids) for window in self.windows)


class Cutter:
    """Cuts texts into windows of at most `length` tokens, at most `most` of them."""

    def __init__(self, tokeniser: Any, length: int, most: int) -> None:
        """`tokeniser`: one of the transformers library.

        Raises:
            ConfigurationError: it cannot put two texts together, or the length is too short.
        """
        if length < SHORTEST or most < 1:
            raise ConfigurationError(f"an encoder reads {SHORTEST} tokens at once at the least, not {length}")
        self._tokeniser = tokeniser
        self._length = length
        self._most = most
        self._frame = _frame(tokeniser)

    def cut(self, texts: Texts) -> Cut:
        """The windows: pieces of equal length, together the whole answer.

        What stands beside the answer has at most half of a window. Of an answer that would need more windows than
        there may be, the end is not read.
        """
        room = self._length - self._frame.tokens
        beside, answer = self._ids(texts.beside), self._ids(texts.answer)
        shown = beside[: room // 2]
        piece = room - len(shown)
        read = answer[: piece * self._most]
        count = max(1, ceil(len(read) / piece))
        size = max(1, ceil(len(read) / count))
        pieces = [read[start : start + size] for start in range(0, len(read), size)] or [[]]
        said = [
            f"{what} ({len(used):,} of {len(all_):,} tokens read)"
            for what, used, all_ in (("what stands beside the answer", shown, beside), ("the answer", read, answer))
            if len(used) < len(all_)
        ]
        return Cut(tuple(self._frame.around(shown, each) for each in pieces), " and ".join(said))

    def _ids(self, text: str) -> list[int]:
        whole = text.encode("utf-8", "replace").decode()  # half a character, as JSON can write it, is no text
        found: list[int] = self._tokeniser(
            whole, add_special_tokens=False, split_special_tokens=True, verbose=False, return_attention_mask=False
        )["input_ids"]
        return found


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the tokeniser writes around and between two texts, and the types that it gives their tokens."""

    ids: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    """Before the first, between them, after the second."""
    types: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    of_texts: tuple[int, int]

    @property
    def tokens(self) -> int:
        return sum(map(len, self.ids))

    def around(self, first: Sequence[int], second: Sequence[int]) -> Window:
        before, between, after = self.ids
        types = (
            self.types[0] + (self.of_texts[0],) * len(first) + self.types[1] + (self.of_texts[1],) * len(second)
        ) + self.types[2]
        return Window((*before, *first, *between, *second, *after), types)


def _frame(tokeniser: Any) -> _Frame:
    """Read off a pair of one-letter texts, which every kind of tokeniser puts together in its own way."""
    first, second = (tokeniser(text, add_special_tokens=False)["input_ids"] for text in ("a", "b"))
    pair = tokeniser("a", "b")
    ids = tuple(pair["input_ids"])
    types = tuple(pair.get("token_type_ids") or (0,) * len(ids))
    starts = [at for at in range(len(ids)) if first and ids[at : at + len(first)] == tuple(first)]
    ends = [at for at in range(len(ids), 0, -1) if second and ids[at - len(second) : at] == tuple(second)]
    if not starts or not ends or starts[0] + len(first) > ends[0] - len(second):
        raise ConfigurationError(
            "the encoder's tokeniser does not put two texts together; expected that of a BERT-like encoder"
        )
    at, end = starts[0], ends[0]
    then, until = at + len(first), end - len(second)
    return _Frame(
        (ids[:at], ids[then:until], ids[end:]),
        (types[:at], types[then:until], types[end:]),
        (types[at], types[until]),
    )
