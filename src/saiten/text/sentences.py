"""Sentences and clauses with their places in the text, for Japanese and English.

One scan finds possible sentence ends and examines a bounded context around each, so that time is linear in the length
of the text.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from saiten.records import Language


class Sentence(NamedTuple):
    """A sentence with its place: `text` equals the slice `start:end` of the whole text."""

    text: str
    start: int
    end: int


_NEWLINES = "\n\r\x0b\x0c\x85\u2028\u2029"
_SIGN = re.compile(rf"\r\n|[{_NEWLINES}]|[。｡！？!?．.…]+")
_STRONG = frozenset("。｡！？")
"""These end a sentence whatever follows; others only before white space, the end, or Japanese."""

_CLOSERS = re.compile(r"[\"'”’»)\]}」』）］】》〉]*(?:\[\d{1,4}\])*")
"""Closing signs, and citations such as [12], belong to the sentence."""

_AHEAD = 80  # maximum white space skipped to find the next letter

_JAPANESE = re.compile("[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60]")
_LIST_MARK = re.compile(r"[\s#>*-]*[(\[（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})")
_NEW_ITEM = re.compile(r"\s*(?:[-*•・●○■□◆▪–|>]|#{1,6}\s|[(（]?(?:\d{1,3}|[a-z])[.)．）])")
_BRACKET = re.compile(rf"[「『（」』）{_NEWLINES}]")
_WIDE = str.maketrans("()", "（）")
"""In Japanese, ASCII parentheses also hold sentences together; English ones may contain several sentences."""

_OPENED_BY = {"」": "「", "』": "『", "）": "（"}

_TITLES = frozenset(
    "mr mrs ms dr prof rev hon gen capt lt sgt st mt messrs mme vs cf e.g i.e viz approx resp dept univ".split()  # noqa: SIM905 - a list of words is read as prose
)
"""Abbreviations that are always followed by something. `etc.`, `Inc.` may end a sentence: the next letter decides."""

_BEFORE_NUMBERS = frozenset(
    "no nos fig figs eq sec ch vol vols pp p art para ca jan feb mar apr jun jul aug sep sept oct nov dec".split()  # noqa: SIM905 - a list of words is read as prose
)
_OPENERS = frozenset(
    "The A An It In On At This That These He She They We You I But And However For As If When His Her Its Their".split()  # noqa: SIM905 - a list of words is read as prose
)
"""After `U.S.` or `p.m.` only these begin a sentence, since `U.S. Army` does not."""

_SHORTEST_CLAUSE = {"ja": 8, "en": 18}  # Characters; shorter pieces stay with their neighbor

_JAPANESE_CLAUSE = re.compile(
    r"(?<=が、)|(?<=ので、)|(?<=ため、)|(?<=から、)|(?<=けれど、)|(?<=けれども、)|(?<=おり、)|(?<=であり、)|(?<=ますし、)|(?<=たり、)"
    r"|(?<=場合は、)|(?<=場合には、)|(?<=と共に、)|(?<=[しっいきりえけせてねべめれ]、)(?=[^、。]{8})|(?<=[；;])"
    r"|(?=[（(][^（()）]{8,}[）)])|(?<=[）)])(?=[^、。）)]{6})"
)
_ENGLISH_CLAUSE = re.compile(
    r"(?<=;)\s++|(?<=:)\s++(?=\S{2})|(?<=,)\s++(?=(?:and|but|or|so|yet|which|who|where|while|whereas|because|since"
    r"|although|though|unless|if|when|for example|for instance|such as|e\.g\.|including|especially)\b)"
    r"|(?<!\s)\s++(?=(?:because|unless|although|whereas|provided that|such as|for example)\b)"
    r"|(?<!\s)\s++(?=\([^()]{18,}\))|(?<=\))\s++",
    re.IGNORECASE,
)


def split_sentences(text: str, language: Language) -> list[Sentence]:
    """Return the sentences of the text in order; only white space is between them.

    - 。！？ end a sentence, together with closing brackets and quotation marks; inside 「…」, 『…』 and （…）, in
      Japanese also (…), nothing is split, so 「はい。」と答えた。 is one sentence. A bracket not closed on its line
      does not count.
    - `.`, `!` and `?` end a sentence before white space or the end, but not within 3.5, U.S., www.example.com, after an
      abbreviation or an initial, or before a lower-case letter.
    - Lines are separate sentences, and so are list items and headings. In English a line that begins with a lower-case
      letter continues the previous one (wrapped text), unless an empty line is between them.
    - The mark of a list item (`1.`, `-`, `・`) stays with its item.
    """
    return list(_pieces(text, _cuts(text, language)))


def split_clauses(text: str, language: Language) -> list[Sentence]:
    """Return the sentences, split where new information begins: roughly, without grammar, in pieces of some length."""
    return [clause for sentence in split_sentences(text, language) for clause in _clauses(sentence, language)]


def _clauses(sentence: Sentence, language: Language) -> Iterator[Sentence]:
    least, length = _SHORTEST_CLAUSE[language], len(sentence.text)
    cuts = [0]
    for found in (_JAPANESE_CLAUSE if language == "ja" else _ENGLISH_CLAUSE).finditer(sentence.text):
        if found.end() - cuts[-1] >= least and length - found.end() >= least:
            cuts.append(found.end())
    return _pieces(sentence.text, cuts, sentence.start)


def _pieces(text: str, cuts: Iterable[int], begin: int = 0) -> Iterator[Sentence]:
    """Yield what is between the cuts, stripped; the text begins at `begin`."""
    start = 0
    for cut in (*cuts, len(text)):
        piece = text[start:cut]
        if body := piece.strip():
            at = begin + start + len(piece) - len(piece.lstrip())
            yield Sentence(body, at, at + len(body))
        start = cut


def _cuts(text: str, language: Language) -> Iterator[int]:
    brackets = iter(_brackets(text.translate(_WIDE) if language == "ja" else text))
    opened, closed = next(brackets, (len(text), len(text)))
    line = 0
    for sign in _SIGN.finditer(text):
        at, end = sign.span()
        while closed <= at < len(text):
            opened, closed = next(brackets, (len(text), len(text)))
        if text[at] in _NEWLINES:
            line = end
            if language == "ja" or _begins_anew(text, at, end):
                yield end
        elif opened < at:
            if end == closed - 1 and text[closed : closed + 1] in ("「", "『"):
                yield closed  # 「行くよ。」「うん。」: a new speaker
        else:
            closers = _CLOSERS.match(text, end)
            tail = closers.end() if closers else end
            if _ends(text, line, at, end, tail):
                yield tail


def _brackets(text: str) -> list[tuple[int, int]]:
    """Return the outermost pairs of Japanese brackets, each closed on its own line, as (start, end)."""
    pairs: list[tuple[int, int]] = []
    waiting: list[int] = []
    for found in _BRACKET.finditer(text):
        at, sign = found.start(), found.group()
        if sign in _NEWLINES:
            waiting.clear()
        elif sign not in _OPENED_BY:
            waiting.append(at)
        elif waiting and text[waiting[-1]] == _OPENED_BY[sign]:
            begin = waiting.pop()
            while pairs and pairs[-1][0] > begin:
                pairs.pop()
            pairs.append((begin, at + 1))
    return pairs


def _begins_anew(text: str, at: int, end: int) -> bool:
    """Return whether the line that begins at `end` is not the wrapped rest of the previous one."""
    following = text[end : end + _AHEAD]
    if text[at - 1 : at] in _NEWLINES or following[:1] in _NEWLINES:
        return True
    return not following.lstrip()[:1].islower() or bool(_NEW_ITEM.match(following))


def _ends(text: str, line: int, at: int, end: int, closed: int) -> bool:
    """Return whether the signs in `at:end`, with closing signs up to `closed`, end a sentence."""
    signs, after = text[at:end], text[closed : closed + 1]
    if not _STRONG.isdisjoint(signs):
        return "。" in signs or after != "と"  # 「え？」と, also without the brackets
    if signs == "．":
        number = text[at - 1 : at].isdigit() and (after.isdigit() or _marks_item(text, line, at))
        return not number
    if after and not after.isspace():
        japanese = signs[0] in "!?" or (signs == "." and _JAPANESE.match(text[at - 1 : at]))
        return bool(japanese and _JAPANESE.match(after))
    following = text[closed : closed + _AHEAD].lstrip()
    if following[:1].islower() and not _NEW_ITEM.match(following):
        return False
    return signs != "." or not _abbreviates(text, line, at, following)


def _marks_item(text: str, line: int, at: int) -> bool:
    """Return whether the line up to the full stop at `at` is only the number of a list item."""
    return at - line <= 12 and bool(_LIST_MARK.fullmatch(text, line, at))


def _abbreviates(text: str, line: int, at: int, following: str) -> bool:
    """Return whether the full stop at `at` belongs to an abbreviation, an initial or the number of a list item."""
    if _marks_item(text, line, at):
        return True
    words = text[max(line, at - 20) : at].split()
    word = words[-1].lstrip("([\"'“‘*_") if words else ""
    small = word.lower()
    if small in _TITLES:
        return bool(following)
    if small in _BEFORE_NUMBERS:
        return following[:1].isdigit()
    initial = len(word) == 1 and word.isalpha() and word.isupper() and word != "I"
    dotted = len(word) > 2 and all(len(part) == 1 and part.isalpha() for part in word.split("."))
    next_word = following.split(None, 1)[0].rstrip(",") if following else ""
    return bool(following) and (initial or (dotted and next_word not in _OPENERS))
