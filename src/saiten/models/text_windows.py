"""Long texts cut into windows of a number of tokens, at the ends of sentences where possible."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple


class TextWindow(NamedTuple):
    """A piece of a text, as a slice in characters."""

    start: int
    end: int
    tokens: int


Count = Callable[[list[str]], list[int]]
"""Returns the number of tokens of each text."""


def cut_pieces(text: str, starts: Sequence[int], count: Count, most: int) -> list[TextWindow]:
    """Cut the whole text where sentences start, and longer sentences at white space, or anywhere if there is none.

    Args:
        text: The text.
        starts: Where its sentences start, in order.
        count: The tokenizer.
        most: Maximum number of tokens per piece; a single character may have more.
    """
    cuts = sorted({0, *starts, len(text)})
    waiting = list(pairwise(cuts))
    found: list[TextWindow] = []
    while waiting:
        halves: list[tuple[int, int]] = []
        for (start, end), tokens in zip(waiting, count([text[a:b] for a, b in waiting]), strict=True):
            if tokens <= most or end - start == 1:
                found.append(TextWindow(start, end, tokens))
            else:
                middle = _middle(text, start, end)
                halves += [(start, middle), (middle, end)]
        waiting = halves
    return sorted(found)


def _middle(text: str, start: int, end: int) -> int:
    """Return a place between the two, after white space near the middle if there is any."""
    middle, near = (start + end) // 2, (end - start) // 8
    space = max(text.rfind(sign, middle - near, middle + near) for sign in " \n\t\u3000")
    return space + 1 if start < space + 1 < end else middle


def windows_of(pieces: Sequence[TextWindow], room: int, overlap: int) -> Iterator[TextWindow]:
    """Yield windows of successive pieces that together cover the text, each with at most `room` tokens.

    A window begins with the last pieces of the one before, as many as `overlap` tokens hold and leave room for the next
    piece. A piece longer than the room is a window by itself.
    """
    first = 0
    while first < len(pieces):
        end, tokens = first + 1, pieces[first].tokens
        while end < len(pieces) and tokens + pieces[end].tokens <= room:
            tokens += pieces[end].tokens
            end += 1
        yield TextWindow(pieces[first].start, pieces[end - 1].end, tokens)
        if end == len(pieces):
            return
        back, shared = end, 0
        most = min(overlap, room - pieces[end].tokens)
        while most > 0 and back - 1 > first and shared + pieces[back - 1].tokens <= most:
            back -= 1
            shared += pieces[back].tokens
        first = back
