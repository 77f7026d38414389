"""Thinking in a model's reply, marked by the tags of common families of reasoning models."""

import re

_TAGS = r"think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|seed:think"

OPENING = rf"<\s*(?:{_TAGS})\s*>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>\s*(?:analysis|commentary)"
"""Tags that begin thinking."""

CLOSING = (
    rf"<\s*/\s*(?:{_TAGS})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|channel\|>\s*final[^<{]{0,40}(?:<\|constrain\|>[^<{]{0,20})?(?:<\|message\|>)?"
)
"""Tags that end it. Without an opening tag (some chat templates put it in the prompt), all before is thinking."""

_EITHER = re.compile(rf"(?P<opening>{OPENING})|(?P<closing>{CLOSING})", re.IGNORECASE)
_CLOSING = re.compile(CLOSING, re.IGNORECASE)


def end_of_thinking(text: str, start: int) -> int:
    """Return the end of the thinking in progress at `start`; raises ValueError if it never ends."""
    closing = _CLOSING.search(text, start)
    if closing is None:
        raise ValueError("the reply ends before its thinking does, so it contains no answer; think less")
    return closing.end()


def last_end_of_thinking(text: str, start: int) -> int | None:
    """Return the end of the last stretch of thinking after `start`; None if none ends there."""
    return max((closing.end() for closing in _CLOSING.finditer(text, start)), default=None)


def without_thinking(text: str) -> str:
    """Remove the thinking from a reply in prose; in JSON, tags may be inside a string and mean nothing.

    Raises ValueError if the thinking never ends.
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
            return "".join(spoken) + text[mark.start() :]  # a reply that merely mentions the tag
        position = end_of_thinking(text, mark.end())
    return "".join(spoken) + text[position:]
