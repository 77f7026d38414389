"""The words of results in both languages, by key: `en.po` and `ja.po`.

A record or a table carries a `Message` instead of a finished sentence; the display chooses the language. An entry of a
catalog has a section (`msgctxt`: title, column, caption, cell, remark, …), a key (`msgid`) and the words (`msgstr`)
with named `{values}`. Entries are sorted by section and key, and both catalogs have the same ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from saiten.records import Language
from saiten.words.templates import translated

_JOINED = "join"
"""Section of the separators of a joined message."""


@dataclass(frozen=True, slots=True, init=False)
class Message:
    """Words by key, with their values; `str` gives the English."""

    section: str
    key: str
    values: tuple[tuple[str, Any], ...] = field(default=())
    """Numbers, texts from outside, which stay unchanged, and further messages."""

    def __init__(self, section: str, key: str, /, **values: Any) -> None:
        object.__setattr__(self, "section", section)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "values", tuple(values.items()))

    def __str__(self) -> str:
        return in_language(self, "en")

    def __bool__(self) -> bool:
        return self.section != _JOINED or bool(self.values)


class Composed(str):
    """An English text that the code composed, such as the reason of a score; a display finds its Japanese."""

    __slots__ = ()


def joined(parts: Iterable[str | Message | None], by: str = "remarks") -> Message:
    """Join several messages into one, leaving out empty ones.

    Args:
        parts: Messages, or texts from outside.
        by: The separator: `remarks` (`; `), `listed` (`, `) or `sentences` (a space).
    """
    return Message(_JOINED, by, **{str(at): part for at, part in enumerate(part for part in parts if part)})


def in_language(text: str | Message, language: Language) -> str:
    """Return the words of a message in a language; a plain text stays unchanged, unless the code composed it.

    Raises:
        KeyError: The catalog has no such entry, or the message lacks a value.
    """
    if isinstance(text, str):
        return translated(text, language) if isinstance(text, Composed) else text
    words = catalog(language)[text.section, text.key]
    values = {
        name: in_language(value, language) if isinstance(value, Message | Composed) else value
        for name, value in text.values
    }
    if text.section == _JOINED:
        return words[0].join(values.values())
    # An entry with a plural has two forms in English, and one in Japanese.
    return words[0 if len(words) == 1 or values.get("n") == 1 else 1].format_map(values)


@cache
def section(name: str, language: Language) -> Mapping[str, str]:
    """Return all entries of a section by key, for a page that fills them in itself."""
    return {key: words[0] for (of, key), words in catalog(language).items() if of == name}


@cache
def catalog(language: Language) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the words of a language by section and key, singular before plural."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - loaded where something is shown

    with (files(__package__) / f"{language}.po").open("rb") as file:
        entries = [entry for entry in read_po(file) if entry.id]
    return {
        (entry.context or "", entry.id if isinstance(entry.id, str) else entry.id[0]): (
            (entry.string,) if isinstance(entry.string, str) else tuple(entry.string or ())
        )
        for entry in entries
    }
