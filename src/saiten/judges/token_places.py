"""The tokens of an answer by their place in its text, and the probabilities of the values that one place may have."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from math import exp
from typing import Final, TypeVar

from saiten.protocols import Token

T = TypeVar("T", bound=Hashable)

_UNREADABLE = "\ufffd".encode()
"""What some servers write in place of a part of a character."""
_LEADING = tuple(sign.encode() for sign in " \t\r\n\u3000\"'“”「『＂`*_:：[［{｛(（,")
"""Signs that may precede a value within its token."""
_MOST = 16
"""Tokens of one value."""
_MOST_ENDS = 64
"""Places where one of the unreadable tokens may end; 16 characters in pieces have as many."""


class TokenPlaces:
    """The tokens of a text; those of a server that writes half characters as U+FFFD are aligned around them."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self._tokens = tokens

    def probabilities(self, start: int, words: Mapping[bytes, T], said: T) -> dict[T, float] | None:
        """Return the probability of each value that may be at this character, scaled to a total of 1.

        Followed token by token until the chosen ones have one meaning: a word in several tokens (`tr`, `ue`) counts
        each alternative by the probability of what precedes it.

        Args:
            start: the first character of the value.
            words: each way to write a value, in UTF-8, and the value.
            said: the value that the text has there.

        Returns:
            None if the tokens are not those of the text, or their alternatives are unknown.
        """
        at = len(self.text[:start].encode("utf-8", "replace"))
        first = next((n for n, (begin, end) in enumerate(self._spans) if begin <= at < end), None)
        if first is None:
            return None
        sums: dict[T, float] = defaultdict(float)
        path, before = 1.0, b""
        for token in self._tokens[first : first + _MOST]:
            # The bytes of the first token in front of the value; its alternatives may begin with the same.
            lead = token.text[: at - self._spans[first][0]] if not before else b""
            options = dict(token.likeliest) | {token.text: token.logprob}
            if len(options) < 2:
                return None
            for text, logprob in options.items():
                meant = meaning(_bare(before + text.removeprefix(lead)), words)
                if not isinstance(meant, _Unknown):
                    sums[meant] += path * exp(logprob)
            chosen = meaning(_bare(before + token.text.removeprefix(lead)), words)
            if chosen is not UNDECIDED:
                total = sum(sums.values())
                return {value: p / total for value, p in sums.items()} if chosen == said and total > 0 else None
            path *= exp(token.logprob)
            before += token.text.removeprefix(lead)
        return None

    @cached_property
    def _spans(self) -> Sequence[tuple[int, int]]:
        """The start and end of each token in bytes of the text; empty if the tokens are another text's."""
        text = self.text.encode("utf-8", "replace")
        written = [token.text for token in self._tokens]
        at = b"".join(written).rfind(text)  # thinking, which some servers leave out of the text, comes first
        if at >= 0:
            spans, position = [], -at
            for each in written:
                spans.append((position, position + len(each)))
                position += len(each)
            return spans
        return _around_unreadable(text, written)


def _around_unreadable(text: bytes, written: Sequence[bytes]) -> Sequence[tuple[int, int]]:
    """Return the spans of tokens that have U+FFFD where the text has characters; empty if they do not fit.

    Of several ways to fit, earlier tokens are as long as possible. Empty, too, if a token may end in more than
    `_MOST_ENDS` places: trying all of them would take a server's odd tokens too long.
    """
    if not any(_UNREADABLE in each for each in written):
        return []
    reached = [{0}]
    for each in written:
        ends = {end for start in reached[-1] for end in _ends(text, start, each)}
        if not 0 < len(ends) <= _MOST_ENDS:
            return []
        reached.append(ends)
    fitting = reached.pop() & {len(text)}
    every = [fitting]
    for starts, each in zip(reversed(reached), reversed(written), strict=True):
        fitting = {start for start in starts if fitting & _ends(text, start, each)}
        every.append(fitting)
    if not fitting:
        return []
    spans, position = [], 0
    for each, allowed in zip(written, every[-2::-1], strict=True):
        end = max(_ends(text, position, each) & allowed)
        spans.append((position, end))
        position = end
    return spans


def _ends(text: bytes, start: int, token: bytes) -> set[int]:
    """Return where the token may end if it starts here; a part of a character may be any 0 to 4 bytes beyond ASCII."""
    first, *others = token.split(_UNREADABLE)
    ends = {start + len(first)} if text.startswith(first, start) else set[int]()
    for part in others:
        after = {end + width for end in ends for width in range(5) if _is_beyond_ascii(text[end : end + width], width)}
        ends = {end + len(part) for end in after if text.startswith(part, end)}
    return ends


def _is_beyond_ascii(piece: bytes, width: int) -> bool:
    return len(piece) == width and all(byte >= 0x80 for byte in piece)


class _Unknown:
    """The type of the two answers that are no value."""


UNDECIDED: Final = _Unknown()
"""The beginning of several values."""
OTHER: Final = _Unknown()
"""No value at all."""


def meaning(written: bytes, words: Mapping[bytes, T]) -> T | _Unknown:
    """Return the only value that begins like this, or that this begins with."""
    found = {
        value
        for word, value in words.items()
        if word.startswith(written) or (written.startswith(word) and not _goes_on(written[len(word) :]))
    }
    if not found:
        return OTHER
    return found.pop() if len(found) == 1 else UNDECIDED


def _goes_on(rest: bytes) -> bool:
    """Return whether a word continues: `not` is no `no`, and 45 is no 4."""
    return rest.decode("utf-8", "ignore")[:1].isalnum()


def _bare(text: bytes) -> bytes:
    while lead := next((sign for sign in _LEADING if text.startswith(sign)), None):
        text = text[len(lead) :]
    return text
