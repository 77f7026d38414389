"""New words: the content words and numbers of a text that none of its sources has, with their places.

English words are compared without their endings, Japanese ones by their dictionary form, numbers by their value.
Function words are never new. What is found is a hint, not a verdict: a paraphrase uses new words, too, and known words
can be put together to something false.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from saiten.records import Span
from saiten.text.folding import fold
from saiten.text.numbers import known_numbers
from saiten.text.tokenizers import PIECE, morphemes
from saiten.text.words import STOP_WORDS, TOKEN, normalize, stem, units_of

_HELPING = re.compile("[\u3041-\u3096]{1,3}")
"""Short words in hiragana, such as こと, ため and する: they hardly say anything."""
_CONTENT = ("名詞", "動詞", "形容詞", "形状詞", "副詞")
_NO_CONTENT = ("非自立可能", "助動詞語幹", "数詞")
"""Parts of speech that only help, and numerals, which are compared by their value."""
_BETWEEN = 2
"""Maximum characters, none of them a letter, between two words that are marked as one passage."""


def new_words(text: str, sources: Sequence[str]) -> tuple[Span, ...]:
    """Return the passages of the text that consist of new words; neighboring words are one passage."""
    known = _KnownWords(tuple(normalize(source).lower() for source in sources))
    found: list[tuple[int, int]] = []
    for start, end in _new(text, known):
        between = text[found[-1][1] : start] if found else "\n"
        if len(between) <= _BETWEEN and not any(sign.isalnum() or sign in "\n.。!?！？" for sign in between):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(Span(text[start:end], start, end) for start, end in found)


@dataclass(frozen=True)
class _KnownWords:
    """The words of the sources, which are normalized and lower-cased."""

    sources: tuple[str, ...]

    @cached_property
    def units(self) -> AbstractSet[str]:
        return {unit for source in self.sources for unit in units_of(source)}

    @cached_property
    def numbers(self) -> AbstractSet[str]:
        return {number for source in self.sources for number in known_numbers(source)}

    @cached_property
    def folded(self) -> str:
        return "\n".join(fold(source).text for source in self.sources)

    @cached_property
    def bases(self) -> AbstractSet[str]:
        return {base for source in self.sources for _, _, base, _ in _content(source)}

    def has(self, word: str) -> bool:
        """Return whether a Latin word or a number is known, or only a function word."""
        plain = normalize(word).lower()
        if plain in STOP_WORDS or stem(plain) in self.units:
            return True
        return not self.numbers.isdisjoint(known_numbers(plain))


def _new(text: str, known: _KnownWords) -> Iterator[tuple[int, int]]:
    for token in TOKEN.finditer(text):
        if token.lastgroup != "ja":
            if not known.has(token.group()):
                yield token.span()
            continue
        for start, end, base, surface in _content(token.group()):
            if base not in known.bases and fold(surface).text not in known.folded:
                yield token.start() + start, token.start() + end


def _content(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield start, end, dictionary form and surface of each Japanese content word."""
    for begin in range(0, len(text), PIECE):
        for each in morphemes(text[begin : begin + PIECE]):
            helps = any(part in each.part for part in _NO_CONTENT) or _HELPING.fullmatch(each.base)
            if each.part.startswith(_CONTENT) and not helps:
                yield begin + each.start, begin + each.end, each.base, each.surface
