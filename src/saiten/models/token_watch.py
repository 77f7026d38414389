"""The likeliest tokens at each step of a network in this process, recorded while it writes."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from saiten.protocols import Token


class TokenWatch:
    """A logits processor that changes nothing; it must see the logits before they are drawn from."""

    def __init__(self, counts: Sequence[int | None]) -> None:
        """`counts`: per row, the number of likeliest tokens to record; None for none."""
        self._torch = import_module("torch")
        self._counts = counts
        self._most = max(filter(None, counts), default=0)
        self._chosen: list[Any] = []
        self._likeliest: list[tuple[Any, Any]] = []
        self._last: Any = None

    def __call__(self, ids: Any, logits: Any) -> Any:
        """Return the logits, shape (rows, vocabulary), as they are."""
        if self._most:
            self._close(ids[:, -1])
            self._last = self._torch.log_softmax(logits.float(), dim=-1)
            likeliest = self._last.topk(min(self._most, logits.shape[-1]), dim=-1)
            self._likeliest.append((likeliest.values, likeliest.indices))
        return logits

    def tokens(self, written: Any, text_of: Callable[[int], bytes]) -> list[tuple[Token, ...] | None]:
        """Return the tokens of each row, None for a row without; call it once, after the last step.

        Args:
            written: the tokens of all steps, shape (rows, steps).
            text_of: the text of a token.
        """
        if not self._likeliest:
            return [None] * len(self._counts)
        self._close(written[:, -1])
        chosen = self._torch.stack(self._chosen, dim=1).tolist()
        steps = [(values.tolist(), places.tolist()) for values, places in self._likeliest]
        rows: list[tuple[Token, ...] | None] = []
        for row, (count, ids) in enumerate(zip(self._counts, written.tolist(), strict=True)):
            likeliest = (zip(values[row][:count], places[row][:count], strict=True) for values, places in steps)
            each = zip(ids, chosen[row], likeliest, strict=True)
            rows.append(None if count is None else tuple(_token(*one, text_of) for one in each))
        return rows

    def _close(self, chosen: Any) -> None:
        """Record the log probability of the tokens chosen from the last step's logits."""
        if self._last is not None:
            self._chosen.append(self._last.gather(1, chosen.unsqueeze(1)).squeeze(1))
            self._last = None


def _token(
    token: int, logprob: float, likeliest: Sequence[tuple[float, int]] | Any, text_of: Callable[[int], bytes]
) -> Token:
    return Token(text_of(token), logprob, tuple((text_of(other), p) for p, other in likeliest))


_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>\Z")
"""A byte in the vocabulary of SentencePiece."""


def token_texts(tokenizer: Any) -> Callable[[int], bytes]:
    """Return a function from a token to its bytes, which may be a part of a character; special tokens have none."""
    vocabulary = tokenizer.get_vocab()
    pieces = {number: piece for piece, number in vocabulary.items()}
    special = frozenset(tokenizer.all_special_ids)
    by_byte = "\u0120" in vocabulary  # a space, as byte-level vocabularies write it

    @cache
    def text_of(token: int) -> bytes:
        piece = pieces.get(token, "")
        if token in special:
            return b""
        if by_byte and all(sign in _bytes() for sign in piece):
            return bytes(_bytes()[sign] for sign in piece)
        byte = _BYTE.match(piece)
        return bytes.fromhex(byte[1]) if byte else piece.replace("\u2581", " ").encode("utf-8", "replace")

    return text_of


@cache
def _bytes() -> Mapping[str, int]:
    """The characters that byte-level vocabularies use for bytes (Radford et al. 2019, GPT-2)."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(others)}
