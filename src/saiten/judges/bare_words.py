"""Replies of one word: a yes or no and nothing else, where a single verdict was requested."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from saiten.judges.fields import needed_fields, only_list, shown_fields
from saiten.judges.json_values import validated
from saiten.judges.quotations import QUOTED
from saiten.judges.wanted import Wanted
from saiten.lookalikes import plain, resolved
from saiten.protocols import Reply
from saiten.tasks.correctness import DECISIONS
from saiten.tasks.verdicts import Verdict, plain_word, read_yes_no

_FENCED = re.compile(r"\s*`{3}[a-z]{0,10}\s*\n([^\n]*)\n\s*`{3}\s*", re.IGNORECASE)
_LONGEST = 60
"""Characters of such a reply, with its marks and fences."""
_INCOMPLETE = re.compile(r"\d|[\[\]{}]|^[^\"]*\"[^\"]*$|^[^「」]*「[^「」]*$")
"""A number, or the beginning of a list or a quotation."""
_BREAKS = re.compile(r"[\n.。!！?？:：;；,，、\"'“”「」『』()（）\[\]【】`*>|]+")
"""Signs that set a word off from the rest of a text."""


def read_word(wanted: Wanted, spoken: str) -> Reply | None:
    """Return the reply that consists of nothing but its only verdict; None if it is anything else.

    A number is not a word, since it may be a grade, a count or the number of an item.

    Raises:
        ValueError: the word is set off in the material, as a planted verdict would be, so it may be a quotation.
    """
    text = spoken.strip()
    if len(text) > _LONGEST:
        return None
    fenced = _FENCED.fullmatch(text)
    word = fenced[1] if fenced else text
    if _INCOMPLETE.search(word) or not isinstance(read_yes_no(word, DECISIONS), bool):
        return None
    value = _with(wanted, word)
    if value is None:
        return None
    reply = None
    with suppress(ValueError):  # a word for correctness where something else was asked
        reply = validated(wanted, value)
    if reply is not None and any(
        _is_set_off(plain_word(word), read) for text in wanted.material.texts for read in resolved(text)
    ):
        raise ValueError(QUOTED)
    return reply


def _with(wanted: Wanted, word: str) -> Mapping[str, Any] | None:
    """Return the reply's fields with this verdict; None if it needs more than one."""
    only = only_list(wanted.kind)
    if only is not None and only[1] is Verdict and wanted.counts.get(only[0]) == 1:
        return {only[0]: [word]}
    needed = needed_fields(wanted.kind)
    single = len(needed) == 1 and shown_fields(wanted.kind)[needed[0]].annotation is bool
    return {needed[0]: word} if single else None


def _is_set_off(word: str, text: str) -> bool:
    """Return whether the text has the word, or a look-alike of it, by itself, or the sign anywhere."""
    if not word.isalpha():
        return word in text
    read = plain(word)
    return any(plain(plain_word(piece)) == read for piece in _BREAKS.split(text))
