"""Quotations: what a judge repeats of the material that it was sent is not its verdict.

An answer can carry a verdict (`{"grade": 5}`, `[RESULT] 5`, `</think>…`), and a judge that quotes it before it is cut
off, refuses, or goes on talking would pass that verdict off as its own. These rules tell the two apart:

- A JSON value that is in the material word for word is a quotation, also where the judge leaves parts of it out (`…`).
  So is one whose last words and verdict are (`x", "grade": 5}` quoted without escapes ends the judge's own string). A
  value with a reason in the judge's own words is not. A bare list that is the whole reply is the judge's own, too:
  `[1]` or `["Kobe"]` may be in the material by chance.
- A JSON value in a block quote or in quotation marks is a quotation if anything in the material could be a verdict.
- A mark (`[RESULT] 5`, `[[True]]`, `Score: 5`) is so short that it may be in the material by chance. One that is in
  the material is a quotation if the words around it are those of the material, if it is in a block quote or in
  quotation marks, or if no sentence or line ends before it (`The answer says: [RESULT] 5`). Where the mark is not the
  form that was asked for (JSON was, or `Feedback: … [RESULT] n`), one that is in the material is always a quotation.
- A mark of thinking (`</think>`) is a quotation if the words on one of its sides are those of the material.
- In a reply that was cut off, every mark that is in the material is a quotation, and JSON counts only at the beginning
  of a line.

Texts are compared without white space, quotation marks, escapes and emphasis, with full width and case folded.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, takewhile

from saiten.text.folding import is_narrow
from saiten.text.thinking import CLOSING, OPENING

QUOTED = "the only verdict in the reply is a quotation from the material; give your own"

_TELLING = 12
"""Letters before a mark by which a quotation is known, those of scripts without spaces counted twice."""
_CONTEXT, _FEW = 40, 4
"""Letters behind it that are compared, and how many there must be."""
_LOOK = 400
"""Characters in which so many letters are looked for."""
MOST_MARKS = 64
"""Marks of a reply, and places in the material, that are looked at; a text that holds more is no reply."""
_SIGN = re.compile(
    rf"[{{\[｛［【]|\\u00|\\uff|score|grade|rating|評点|点数|スコア|{OPENING}|{CLOSING}|[Ａ-Ｚａ-ｚ]", re.IGNORECASE
)
"""Without one of these a text holds nothing that could be read as a verdict."""
_THINKING = re.compile(rf"{OPENING}|{CLOSING}", re.IGNORECASE)
_HIDE = str.maketrans("<[◁", "\ue000\ue001\ue002")
_SHOW = str.maketrans("\ue000\ue001\ue002", "<[◁")
_ESCAPED = re.compile(r"(?<!\\)\\+u([0-9a-fA-F]{4})")
_DROPPED = re.compile(r"\\+[nrt]?|[\s\"'“”‘’「」『』*_`#>\u00ad\u200b-\u200f\u2060\ufeff]+")
_ELISION = re.compile(r"\.{3,}")
_PAIRS = frozenset({'""', "''", "``", "“”", "‘’", "「」", "『』", "«»", "””"})
_END = re.compile(r"[.。!！?？…)）\]］】」』”][\"'*_`]*\Z")
"""The end of a judge's sentence."""
_BETWEEN = "\x00"
_VERDICT = re.compile(r":[^\[\]{}:]{1,12}\}(?:\]\})?\Z")
_END_OF_VALUE = 24
"""Characters: a short verdict and some words before it."""


@dataclass(frozen=True)
class Material:
    """The texts that a judge was sent to be judged."""

    texts: tuple[str, ...] = ()
    strict: bool = False
    """Whether what may be a quotation is one: where a reply was cut off, or is not in the form that was asked for."""

    @cached_property
    def _plain(self) -> str:
        """All texts as they are compared; empty if none could be read as a verdict."""
        if not any(_SIGN.search(text) for text in self.texts):
            return ""
        return _BETWEEN.join(["", *map(_plain, self.texts), ""])

    @property
    def may_forge(self) -> bool:
        """Whether anything in it could be read as a verdict; else a reply in quotation marks is only written so."""
        return bool(self._plain)

    def holds(self, text: str) -> bool:
        """Whether the text is in the material word for word, or all that an ellipsis leaves of it."""
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
        """Whether a JSON value ends in the material's words and verdict, as one does that quotes without escaping."""
        plain = _plain(text) if self._plain else ""
        return _VERDICT.search(plain) is not None and plain[-_END_OF_VALUE:] in self._plain

    def repeats(self, text: str, start: int, end: int) -> bool:
        """Whether this stretch of the reply is in the material."""
        return any(self._places(text[start:end]))

    def quotes(self, text: str, start: int, end: int) -> bool:
        """Whether this stretch of the reply is in the material, and its surroundings show that it is from there."""
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

    def without_marks_of_thinking(self, text: str) -> str:
        """The reply, as long as before, with the marks of thinking hidden that it quotes; `shown` undoes it."""
        if not self._plain or not any(map(_THINKING.search, self.texts)):
            return text
        if sum(1 for _ in islice(_THINKING.finditer(text), MOST_MARKS + 1)) > MOST_MARKS:
            return text

        def hidden(mark: re.Match[str]) -> str:
            quoted = self.quotes(text, mark.start(), mark.end())
            return mark[0][0].translate(_HIDE) + mark[0][1:] if quoted else mark[0]

        return _THINKING.sub(hidden, text)


def shown(text: str) -> str:
    """The text with the marks that were hidden."""
    return text.translate(_SHOW)


def enclosed(text: str, start: int, end: int) -> bool:
    """Whether the stretch is in a block quote, or right between quotation marks that are not all of the text."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if line.lstrip().startswith(">"):
        return True
    left, right = text[max(0, start - _LOOK) : start].rstrip(" "), text[end : end + 10].lstrip(" .。,、")
    if left[-1:] + right[:1] not in _PAIRS or left.endswith("```"):
        return False
    return bool(left[:-1].strip() or text[end:].strip(" .。,、\"'`”’」』»\n"))


def ends_a_sentence(before: str) -> bool:
    """Whether a sentence or a line of a judge's ends here; what an ellipsis or a fence ends is none."""
    bare = before.rstrip()
    if not bare or _ELISION.search(bare[-3:].replace("…", "...")):
        return False
    return bool(_END.search(bare[-9:])) or ("\n" in before[len(bare) :] and bare[-1] not in ":：`")


def _behind_a_gap(plain: str, *, begins: bool) -> tuple[str, bool]:
    """The letters behind the last ellipsis, and whether these are all since a gap or since the reply began."""
    pieces = _ELISION.split(plain)
    return _letters(pieces[-1]), begins or len(pieces) > 1


def _same_before(mine: str, theirs: str, *, whole: bool) -> bool:
    """Whether the last words are the same: a few, all that the material has there, or all of the reply's (`whole`)."""
    theirs = _letters(theirs.rpartition(_BETWEEN)[2])[::-1]
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(mine[::-1], theirs, strict=False))
    same = "".join(letter for letter, _ in pairs)
    weight = sum(1 if is_narrow(letter) else 2 for letter in same)
    return bool(same) and (
        same == theirs or weight >= _TELLING or (whole and len(same) == len(mine) and weight >= _FEW)
    )


def _same_after(mine: str, theirs: str) -> bool:
    """Whether the next words are the same, up to where either ends; a judge's own may begin like those of others."""
    mine, theirs = mine[:_CONTEXT], _letters(theirs.partition(_BETWEEN)[0])[:_CONTEXT]
    shorter = min(len(mine), len(theirs))
    return shorter > 0 and shorter >= min(_FEW, len(theirs)) and mine[:shorter] == theirs[:shorter]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _plain(text: str) -> str:
    unescaped = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return _DROPPED.sub("", unicodedata.normalize("NFKC", unescaped).casefold())
