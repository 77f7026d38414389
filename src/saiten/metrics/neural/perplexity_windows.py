"""A text that is longer than a network reads, cut into windows in which each token is predicted exactly once."""

from collections.abc import Iterator
from typing import NamedTuple


class Window(NamedTuple):
    """A piece of a text, in tokens: `begin` to `end` are shown, `counted` to `end` are measured."""

    begin: int
    counted: int
    end: int


def windows(first: int, total: int, *, room: int, stride: int) -> Iterator[Window]:
    """The windows in which the tokens `first` to `total` are measured, in order.

    A text that fits is one window. Else the windows' ends are `stride` apart, and each reaches back as far as there is
    `room`: a token has at least room - stride tokens before it, or all that there are. What comes before `first` is
    shown as far as it fits, and falls out of later windows.

    Args:
        first: The first token to be measured.
        total: The number of tokens.
        room: The most tokens in one window.
        stride: The most tokens measured in a window after the first; from 1 to `room`.
    """
    counted = first
    end = min(total, max(room, first + stride))
    while counted < end:
        yield Window(max(0, end - room), counted, end)
        counted, end = end, min(total, end + stride)
