"""Quotations: text that a judge repeats from the material it was sent is not its verdict.

An answer can contain a verdict (`{"grade": 5}`, `[RESULT] 5`, `</think>…`), and a judge that quotes it before being cut
off, refusing or talking on would pass that verdict off as its own. These rules separate the two:

- A JSON value that is in the material word for word is a quotation, even with parts elided (`…`). So is one whose last
  words and verdict are (`x", "grade": 5}` quoted without escapes ends the judge's own string). A value with a reason in
  the judge's own words is not, nor is a bare list of numbers or texts that is the whole reply: `[1]` or `["Kobe"]` may
  be in the material by chance. What is inside a wrapper (`{"result": …}`, a string) is compared by itself, too.
- So is one whose keys and values are all in the material (`{"grade": 5}` without the reason), if there is more in the
  reply.
- A word (`Yes`) that is the whole reply is a quotation if the material sets it off, a sign (`○`) if it occurs at all.
- A JSON value in a block quote or in quotation marks is a quotation if anything in the material could be a verdict.
- A marker (`[RESULT] 5`, `[[True]]`, `Score: 5`) is so short that it may be in the material by chance. It is a
  quotation if the words around it are those of the material, if it is in a block quote or quotation marks, if no
  sentence or line ends before it (`The answer says: [RESULT] 5`), or if words follow it. If the marker is not the
  requested format (which was JSON, or `Feedback: … [RESULT] n`), one that is in the material is always a
  quotation, even if its label and number are in a table or tags there.
- A thinking tag (`</think>`) is a quotation if the words on one of its sides are those of the material.
- In a truncated reply, every marker that is in the material is a quotation, and JSON counts only at the beginning of a
  line.

Texts are compared as `lookalikes` reads them, without white space, quotation marks, escapes and emphasis, and those of
the material also without comments and beginnings of lines (`+ `, `1: `, `> `): a verdict that is planted in other
letters or escaped, and quoted in plain ones, is a quotation, too.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile
from typing import Any

from saiten.lookalikes import plain, resolved
from saiten.text.folding import is_narrow
from saiten.text.thinking import CLOSING, OPENING

QUOTED = "the only verdict in the reply is a quotation from the material; give your own"

_DISTINCTIVE = 12
"""Letters before a marker that identify a quotation; those of scripts without spaces count twice."""
_CONTEXT, _FEW = 40, 4
"""Letters after it that are compared, and the minimum number."""
_LOOK = 400
"""Number of characters searched for these letters."""
MOST_MARKS = 64
"""Maximum number of markers of a reply, and of places in the material, that are considered."""
_SIGN = re.compile(
    rf"[{{\[｛［【]|\\u00|\\uff|score|grade|rating|評点|点数|スコア|{OPENING}|{CLOSING}|[Ａ-Ｚａ-ｚ]", re.IGNORECASE
)
"""A text without any of these contains nothing that could be read as a verdict."""
_UNUSUAL = re.compile("[^\x00-\x7f“”‘’–—…·•×°£€、-〿ぁ-ヿ㐀-鿿！-￮]|[｟｠]|%[0-9A-Fa-f]{2}|&[#A-Za-z]|\\\\[Uux]")
"""A text without any of these contains no look-alikes, or only full-width ones, and no escapes."""
_THINKING = re.compile(rf"{OPENING}|{CLOSING}", re.IGNORECASE)
_HIDE = str.maketrans("<[◁", "\ue000\ue001\ue002")
_SHOW = str.maketrans("\ue000\ue001\ue002", "<[◁")
_ESCAPED = re.compile(r"(?<!\\)\\+u([0-9a-fA-F]{4})")
_DROPPED = re.compile(r"\\+[nrt]?|[\s\"'“”‘’「」『』*_`#>\u00ad\u200b-\u200f\u2060\ufeff]+")
_ELISION = re.compile(r"\.{3,}")
_PAIRS = frozenset({'""', "''", "``", "“”", "‘’", "「」", "『』", "«»", "””"})
_END = re.compile(r"[.。!！?？…)）\]］】」』”][\"'*_`]*\Z")
"""The end of a sentence."""
_PREFIX = re.compile(r"^[+\-|>/*#]*+(?:\d{1,6}(?:[:.)|]|(?=[\"'{}\[\]])))?[+\-|>/*#]*+", re.MULTILINE)
"""Numbers and signs at the beginning of a line, as in a diff, a listing or a quotation."""
_COMMENT = re.compile(r"/\*(?:[^*/{}]|\*(?!/)|/(?!\*))*+\*/|<!--(?:[^-<{}]|-(?!->)|<(?!!--))*+-->|(?://|#)[^\n{}]*+")
"""Comments, as JSON5 and others allow them."""
_BETWEEN = "\x00"
_VERDICT = re.compile(r":[^\[\]{}:]{1,12}\}(?:\]\})?\Z")
_END_OF_VALUE = 24
"""Characters: a short verdict and a few words before it."""
_LABELED = re.compile(r"\W*([^\W\d]+)\W*(\d+)\b")
_NEAR = 40
"""Maximum number of characters between a label and its number in a table, a tag or a list."""
_MOST_PAIRS = 64


@dataclass(frozen=True)
class Material:
    """The texts that a judge was asked to judge."""

    texts: tuple[str, ...] = ()
    strict: bool = False
    """Whether possible quotations count as such: for truncated replies and unrequested formats."""

    @cached_property
    def _plain(self) -> str:
        """All texts, normalized in each way to read them; empty if none could be read as a verdict."""
        if not any(map(_may_forge, self.texts)):
            return ""
        return _BETWEEN.join(["", *(read for text in self.texts for read in _readings(text)), ""])

    @property
    def may_forge(self) -> bool:
        """Whether anything in it could be read as a verdict."""
        return bool(self._plain)

    def holds(self, text: str) -> bool:
        """Return whether the text, or all that an ellipsis leaves of it, is in the material word for word."""
        if not self._plain:
            return False
        position = 0
        for piece in filter(None, _ELISION.split(_plain(text))):
            position = self._plain.find(piece, position)
            if position < 0:
                return False
            position += len(piece)
        return position > 0

    def holds_end(self, text: str) -> bool:
        """Return whether a JSON value ends in the material's words and verdict, as an unescaped quotation does."""
        value = _plain(text) if self._plain else ""
        return _VERDICT.search(value) is not None and value[-_END_OF_VALUE:] in self._plain

    def holds_values(self, value: Any) -> bool:
        """Return whether each key of a JSON value is in the material with the same number, text, true or false."""
        pairs = list(islice(_pairs(value), _MOST_PAIRS)) if self._plain else []
        return bool(pairs) and all(
            re.search(rf"(?<![^\W_]){re.escape(_plain(pair))}(?![^\W_])", self._plain) for pair in pairs
        )

    def repeats(self, text: str, start: int, end: int) -> bool:
        """Return whether this span of the reply is in the material; if strict, in other punctuation, too."""
        return any(self._places(text[start:end])) or (self.strict and self._has_labeled(text[start:end]))

    def _has_labeled(self, text: str) -> bool:
        labeled = _LABELED.match(_plain(text)) if self._plain else None
        if labeled is None:
            return False
        near = rf"{re.escape(labeled[1])}(?![^\W\d_])[^{_BETWEEN}]{{0,{_NEAR}}}?(?<!\d){labeled[2]}(?!\d)"
        return re.search(near, self._plain) is not None

    def quotes(self, text: str, start: int, end: int) -> bool:
        """Return whether this span of the reply is in the material, and its context shows that it is from there."""
        places = list(self._places(text[start:end]))
        if not places:
            return False
        if enclosed(text, start, end):
            return True
        before, after_gap = _behind_a_gap(_plain(text[max(0, start - _LOOK) : start]), begins=start <= _LOOK)
        after = _letters(_plain(text[end : end + _LOOK]))
        return any(
            _same_before(before, self._plain[max(0, at - _LOOK) : at], whole=after_gap)
            or _same_after(after, self._plain[stop : stop + _LOOK])
            for at, stop in places
        )

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        wanted = _ELISION.sub("", _plain(text)) if self._plain else ""
        at = -1
        for _ in range(MOST_MARKS if wanted else 0):
            at = self._plain.find(wanted, at + 1)
            if at < 0:
                return
            stop = at + len(wanted)
            if not (wanted[-1].isdigit() and self._plain[stop].isdigit()):  # 5 is not in 50
                yield at, stop

    def hide_thinking_tags(self, text: str) -> str:
        """Return the reply with quoted thinking tags hidden, at the same length; `restore_thinking_tags` undoes it."""
        if not self._plain:
            return text
        if sum(1 for _ in islice(_THINKING.finditer(text), MOST_MARKS + 1)) > MOST_MARKS:
            return text

        def hidden(mark: re.Match[str]) -> str:
            quoted = self.quotes(text, mark.start(), mark.end())
            return mark[0][0].translate(_HIDE) + mark[0][1:] if quoted else mark[0]

        return _THINKING.sub(hidden, text)


def restore_thinking_tags(text: str) -> str:
    """Restore the hidden tags."""
    return text.translate(_SHOW)


def enclosed(text: str, start: int, end: int) -> bool:
    """Return whether the span is in a block quote, or directly within quotation marks that do not span the text."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if line.lstrip().startswith(">"):
        return True
    left, right = text[max(0, start - _LOOK) : start].rstrip(" "), text[end : end + 10].lstrip(" .。,、")
    if left[-1:] + right[:1] not in _PAIRS or left.endswith("```"):
        return False
    return bool(left[:-1].strip() or text[end:].strip(" .。,、\"'`”’」』»\n"))


def ends_a_sentence(before: str) -> bool:
    """Return whether one of the judge's sentences or lines ends here; an ellipsis or fence ends none."""
    bare = before.rstrip()
    if not bare or _ELISION.search(bare[-3:].replace("…", "...")):
        return False
    return bool(_END.search(bare[-9:])) or ("\n" in before[len(bare) :] and bare[-1] not in ":：`")


def goes_on(after: str) -> bool:
    """Return whether words follow; a judge that was asked to end with a marker has quoted one before them."""
    return any(map(str.isalpha, after))


def _behind_a_gap(before: str, *, begins: bool) -> tuple[str, bool]:
    """Return the letters after the last ellipsis, and whether these go back to a gap or the reply's beginning."""
    pieces = _ELISION.split(before)
    return _letters(pieces[-1]), begins or len(pieces) > 1


def _same_before(mine: str, theirs: str, *, whole: bool) -> bool:
    """Compare the last words: a few, all that the material has there, or all of the reply's (`whole`)."""
    theirs = _letters(theirs.rpartition(_BETWEEN)[2])[::-1]
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(mine[::-1], theirs, strict=False))
    same = "".join(letter for letter, _ in pairs)
    weight = sum(1 if is_narrow(letter) else 2 for letter in same)
    return bool(same) and (
        same == theirs or weight >= _DISTINCTIVE or (whole and len(same) == len(mine) and weight >= _FEW)
    )


def _same_after(mine: str, theirs: str) -> bool:
    """Compare the next words up to the shorter end; a few equal letters may be chance."""
    mine, theirs = mine[:_CONTEXT], _letters(theirs.partition(_BETWEEN)[0])[:_CONTEXT]
    shorter = min(len(mine), len(theirs))
    return shorter > 0 and shorter >= min(_FEW, len(theirs)) and mine[:shorter] == theirs[:shorter]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _pairs(value: Any) -> Iterator[str]:
    """Yield each key with its value as in JSON; a list of values is one."""
    if isinstance(value, list):
        yield from (pair for item in value for pair in _pairs(item))
    elif isinstance(value, dict):
        for key, entry in value.items():
            if isinstance(entry, dict) or (isinstance(entry, list) and any(isinstance(each, dict) for each in entry)):
                yield from _pairs(entry)
            else:
                yield f"{key}:{json.dumps(entry, ensure_ascii=False)}"


def _may_forge(text: str) -> bool:
    if _SIGN.search(text) or not _UNUSUAL.search(text):
        return _SIGN.search(text) is not None
    reads = list(map(plain, resolved(text)))
    return any(_SIGN.search(read) or _SIGN.search(read.replace("l", "i")) for read in reads)


def _readings(text: str) -> Iterator[str]:
    """Yield each way to read a text of the material: with and without escapes, beginnings of lines and comments."""
    for shown in resolved(text):
        read = plain(_unescaped(shown))
        bare = _PREFIX.sub("", read), _PREFIX.sub("", _COMMENT.sub("", read))
        yield from map(_letters_and_signs, dict.fromkeys((read, *bare)))


def _plain(text: str) -> str:
    return _letters_and_signs(plain(_unescaped(text)))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _letters_and_signs(read: str) -> str:
    return _DROPPED.sub("", read).replace("i", "l")  # look-alikes of I are read as l
