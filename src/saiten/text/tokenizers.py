"""Tokenizers: Sudachi for Japanese, a regular expression for English.

A tokenizer's `name` identifies its rules and versions, and is in the signature of every figure made with it. Both drop
punctuation and white space, and both handle the other language: Sudachi knows English words, and the English rule makes
each Japanese character a token. So no text with a letter yields nothing. Tokens are normalized, and never empty.
"""

import re
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from typing import Any, ClassVar, Literal, NamedTuple

from saiten.records import Language
from saiten.text.normalization import normalize
from saiten.text.remembered import Remembered

PIECE = 4_000
"""Characters tokenized at once. Sudachi takes 49,149 bytes, at up to four per character."""


@dataclass(frozen=True, slots=True)
class WordTokenizer:
    """English: runs of letters and digits; Japanese characters one by one.

    A number keeps its separators (1,200 · 3.14 · 10:30), a contraction its apostrophe (don't); a trailing 's is a
    separate token, so that *Einstein's* contains *einstein*. All else separates words: *state-of-the-art* is four.
    """

    name: ClassVar[str] = "words-1"
    """The number increases with changes to the rule."""

    def tokens(self, text: str) -> list[str]:
        """Return the tokens in order."""
        return list(_words(text))


@dataclass(frozen=True, slots=True)
class SudachiTokenizer:
    """Japanese: the surface forms of Sudachi's morphemes, without punctuation, symbols and white space.

    `mode` is the length of units: A short, B middle, C named entities in one piece (選挙/管理/委員/会 is A,
    選挙管理委員会 is C). The dictionary is loaded on first use, once per process.
    """

    mode: Literal["A", "B", "C"] = "C"

    @property
    def name(self) -> str:
        """Sudachi, its dictionary and the mode, for example `sudachi-0.7.0-core-20261015-C`; loads nothing."""
        return f"sudachi-{version('sudachipy')}-core-{version('sudachidict-core')}-{self.mode}"

    def tokens(self, text: str) -> list[str]:
        """Return the tokens in order."""
        return list(_morphemes[self.mode](text))


def tokenizer_for(language: Language) -> WordTokenizer | SudachiTokenizer:
    """Return the tokenizer that saiten's metrics use for a language."""
    return SudachiTokenizer() if language == "ja" else WordTokenizer()


_END = re.compile(r"[\n。！？!?]")
_SPACE = re.compile(r"\s")


def _pieces(text: str) -> Iterator[str]:
    """Yield pieces of at most `PIECE` characters, split after a sentence, else at a space, else anywhere."""
    start = 0
    while len(text) - start > PIECE:
        window = text[start : start + PIECE]
        ends = [match.end() for match in _END.finditer(window)] or [match.end() for match in _SPACE.finditer(window)]
        cut = start + (ends[-1] if ends else PIECE)
        yield text[start:cut]
        start = cut
    yield text[start:]


JAPANESE = (
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Kanji, hiragana, katakana and their marks (々〆〇ー), for use in a character class."""

_LETTERS = rf"[^\W_{JAPANESE}]+"
_WORD = re.compile(
    rf"[{JAPANESE}]"  # individually, since Japanese has no spaces between words
    rf"|(?<=\w)'s\b"
    rf"|{_LETTERS}(?:(?:(?<=\d)[.,:](?=\d)|'(?!s\b)){_LETTERS})*"
)


def _split_words(text: str) -> tuple[str, ...]:
    pieces = (piece.replace("\u2019", "'") for piece in _pieces(normalize(text)))
    return tuple(token for piece in pieces for token in _WORD.findall(piece))


_words = Remembered(_split_words)


class Morpheme(NamedTuple):
    """A Japanese word with its grammar, as Sudachi's dictionary (UniDic's classes) has it."""

    surface: str
    """As written: `text[start:end]`."""
    part: str
    """The part of speech, its parts joined by hyphens: `名詞-普通名詞-サ変可能`, `動詞-一般`."""
    conjugation: str
    """The type: `五段-カ行`, `下一段-ラ行`, `サ行変格`; `*` for words that do not conjugate."""
    form: str
    """The form: `連用形-一般`, `終止形-一般`; `*` for words that do not conjugate."""
    base: str
    """The dictionary form: 行う for 行い."""
    start: int
    end: int


def morphemes(text: str) -> list[Morpheme]:
    """Return all morphemes of a text of at most 4,000 characters in units of mode C, with punctuation."""
    found = []
    for each in _tokenizer("C").tokenize(text[:PIECE]):
        *part, conjugation, form = each.part_of_speech()
        place = each.begin(), each.end()
        base = each.dictionary_form()
        kind = "-".join(name for name in part if name != "*")
        found.append(Morpheme(each.surface(), kind, conjugation, form, base, *place))
    return found


_NO_WORD = ("補助記号", "空白")


def _split_morphemes(mode: str, text: str) -> tuple[str, ...]:
    tokenizer, is_word = _tokenizer(mode), _word_matcher()
    words = [
        morpheme.surface()
        for piece in _pieces(normalize(text))
        for morpheme in tokenizer.tokenize(piece)
        # the dictionary counts (^o^) and some foreign letters as symbols
        if is_word(morpheme) or any(map(str.isalnum, morpheme.surface()))
    ]
    # a few dictionary entries contain a space; equal words are kept once
    return tuple(map(sys.intern, " ".join(words).split()))


_morphemes = {mode: Remembered(partial(_split_morphemes, mode)) for mode in ("A", "B", "C")}


@cache
def _word_matcher() -> Any:
    """Return whether a morpheme is a word; a morpheme itself writes out its part of speech slowly."""
    return _dictionary().pos_matcher(lambda part: part[0] not in _NO_WORD)


_LOADING = threading.Lock()
_MINE = threading.local()


def _tokenizer(mode: str) -> Any:
    """Return this thread's Sudachi tokenizer: they cannot be shared, unlike the dictionary."""
    if mode not in _MINE.__dict__:
        with _LOADING:
            _MINE.__dict__[mode] = _dictionary().tokenizer(mode)
    return _MINE.__dict__[mode]


@cache
def _dictionary() -> Any:
    from sudachipy import Dictionary  # noqa: PLC0415 - English does not need it

    return Dictionary(dict="core")
