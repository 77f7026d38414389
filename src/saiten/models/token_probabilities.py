"""The probabilities of an answer's tokens: read from a server's reply, and packed for the store of answers."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from saiten.protocols import Token

_Packed = list[Any]


def read_tokens(choice: Mapping[str, Any]) -> tuple[Token, ...] | None:
    """Return the tokens in `choices[0].logprobs.content`; None if there are none in this format.

    A token that cannot be read is left out with its alternatives, so that one odd entry costs no other its place.
    """
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return None
    tokens: list[Token] = []
    for entry in content:
        found = _read(entry)
        if found is None:
            continue
        others = entry.get("top_logprobs")
        likeliest = tuple(filter(None, map(_read, others))) if isinstance(others, list) else ()
        tokens.append(Token(*found, likeliest))
    return tuple(tokens) or None


def _read(entry: Any) -> tuple[bytes, float] | None:
    """Return the bytes of a token and its log probability; None if either is missing or no number."""
    if not isinstance(entry, dict):
        return None
    logprob, text, raw = entry.get("logprob"), entry.get("token"), entry.get("bytes")
    if not isinstance(logprob, int | float) or isinstance(logprob, bool) or math.isnan(logprob):
        return None
    if isinstance(raw, list) and all(isinstance(each, int) and 0 <= each < 256 for each in raw):
        return bytes(raw), min(0.0, float(logprob))
    return (text.encode("utf-8", "replace"), min(0.0, float(logprob))) if isinstance(text, str) else None


def pack_tokens(tokens: Sequence[Token]) -> _Packed:
    """Return the tokens as JSON: a character per byte, since a token may be part of a character."""
    return [
        [_text(token.text), _number(token.logprob), [[_text(text), _number(p)] for text, p in token.likeliest]]
        for token in tokens
    ]


def unpack_tokens(packed: _Packed) -> tuple[Token, ...]:
    """Return the tokens; raises ValueError or TypeError if they are damaged."""
    return tuple(
        Token(text.encode("latin-1"), _float(p), tuple((other.encode("latin-1"), _float(q)) for other, q in likeliest))
        for text, p, likeliest in packed
    )


def _text(text: bytes) -> str:
    return text.decode("latin-1")


def _number(logprob: float) -> float | None:
    """Return None for a probability of 0, whose logarithm JSON lacks."""
    return round(logprob, 6) if math.isfinite(logprob) else None


def _float(number: float | None) -> float:
    return -math.inf if number is None else float(number)
