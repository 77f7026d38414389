"""What a model thinks aloud, in the marks that the families of reasoning models use."""

import re

_TAGS = r"think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|seed:think"

OPENING = rf"<\s*(?:{_TAGS})\s*>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>\s*(?:analysis|commentary)"
"""Begins a stretch of thinking."""

CLOSING = (
    rf"<\s*/\s*(?:{_TAGS})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|channel\|>\s*final[^<{]{0,40}(?:<\|constrain\|>[^<{]{0,20})?(?:<\|message\|>)?"
)
"""Ends it. Where nothing was opened (some chat templates open it in the prompt), all before it was thinking."""

_EITHER = re.compile(rf"(?P<opening>{OPENING})|(?P<closing>{CLOSING})", re.IGNORECASE)
_CLOSING = re.compile(CLOSING, re.IGNORECASE)


def end_of_thinking(text: str, start: int) -> int:
    """Where the thinking that goes on at `start` has ended.

    Raises:
        ValueError: it never ends, so there is no answer.
    """
    closing = _CLOSING.search(text, start)
    if closing is None:
        raise ValueError("the reply ends before the thinking does, so it holds no answer")
    return closing.end()


def last_end_of_thinking(text: str, start: int) -> int | None:
    """Where the last stretch of thinking after `start` has ended; None if none ends there."""
    last = None
    for closing in _CLOSING.finditer(text, start):
        last = closing.end()
    return last


def without_thinking(text: str) -> str:
    """The reply without its thinking. For replies in prose; in JSON, marks may stand inside a string and mean nothing.

    Raises:
        ValueError: the reply begins to think and never ends.
    """
    spoken: list[str] = []
    position = 0
    while mark := _EITHER.search(text, position):
        if mark["closing"] is not None:
            spoken.clear()
            position = mark.end()
            continue
        before = text[position : mark.start()]
        spoken.append(before)
        if _CLOSING.search(text, mark.end()) is None and "".join(spoken).strip():
            return "".join(spoken) + text[mark.start() :]  # a review that mentions the mark
        position = end_of_thinking(text, mark.end())
    return "".join(spoken) + text[position:]
