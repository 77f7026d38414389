"""Look-alikes: a text as a lenient reader sees it, who takes a character for the ASCII one that it resembles.

`</аnswer>` with a Cyrillic а, `＜／ANSWER＞`, `❮⧸a nswer❯` and `&lt;/answer&gt;` are all `</answer>` to a model, and
to `readings`. The look-alikes are Unicode's confusables (UTS #39; `lookalikes.toml`), letters with Latin names (small
capitals, turned and circled ones), whatever NFKD decomposes, and the signs below.
"""

import html
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from urllib.parse import unquote

LINE_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

SIGNS = {
    "<": "«˂˱ᐸᚲ‹≤≦≨≪≮≰≲≴≶≸≺≼≾⊀⊰⊲⊴⋖⋘⋚⋜⋞⋦⋨⋪⋬〈⍃⏴◀◁◂◃◄◅❬❮❰⟨⟪⥶⥷⦉⦑⦓⦕⧀⧏⧼⨞⩹⩻⩽⩿⪁⪃⪅⪇⪉⪋⪍⪏⪑⪓⪕⪗⪙⪛⪝⪟⪡⪣⪦⪨⪪⪬⪯⪱⪳⪵⪷⪹⪻⫷⫹⯇〈《︽︿﹤＜𝈶🞀🢐",
    "/": "⊘⌿⍁⟋⧄⧸⫻⫽⹊／🙼ノ",
    "\\": "⍀⍂⑊⟍⧵⧹＼﹨🙽",
    "[": "⁅❲⟦⟬⦋⦍⦏⦗⹕⹗【〔〖〘〚︗︹︻﹇﹝［",
    "]": "⁆❳⟧⟭⦌⦎⦐⹖⹘】〕〗〙〛︘︺︼﹈﹞］",
    "{": "❴⟅⦃｟⦅｛﹛︷",
    "}": "❵⟆⦄｠⦆｝﹜︸",
    "#": "＃﹟♯⌗",
    "-": "֊᐀᠆‐‑‒–—―‧⁃⁓⎯─━┄┅┈┉╌╍═⸗⸺⸻⹀⹝〜〰゠ー一︱︲﹉﹘ｰ",
    "_": "‗︳︴﹍﹎﹏＿",
}
"""Signs that a model may confuse with an ASCII one, most of which are not in Unicode's data."""

_UNDECOMPOSED = re.compile(r"\(([a-z0-9]+)\)|([a-z0-9]+)[.,]")
"""Compatibility forms such as ⒜ and ⒈ read without the signs around them."""
_NAMED = re.compile(r"(?:.* )?(?:LATIN|REGIONAL INDICATOR SYMBOL) (?:.* )?LETTER (?:[A-Z-]{2,} )*([A-Z])(?: WITH .*)?")
BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that show nothing."""
_ESCAPE = re.compile(r"%[0-9A-F]{2}|&[#A-Z]|\\(?:u\{?|U|x)[0-9A-F]{2}", re.IGNORECASE)
_CODE = re.compile(r"\\+(?:u\{([0-9A-F]{1,6})\}|U([0-9A-F]{8})|u([0-9A-F]{4})|x([0-9A-F]{2}))", re.IGNORECASE)
_MOST_ESCAPES = 4
"""Times that a text may be escaped within escapes."""
_TAGS = re.compile("[\U000e0020-\U000e007e]")
_SHOWN_TAGS = {0xE0000 + code: code for code in range(0x20, 0x7F)}
"""Invisible twins of ASCII, which models can read."""


def readings(text: str) -> Iterator[str]:
    """Yield each way to read the text, in the letters of `plain`."""
    return map(plain, resolved(text))


def resolved(text: str) -> Iterator[str]:
    """Yield the text as it is, and with escapes (`&lt;`, `%3C`) and invisible tags resolved if it has any."""
    yield text
    if not text.isascii() and _TAGS.search(text):
        text = text.translate(_SHOWN_TAGS)
        yield text
    wide = text if text.isascii() else unicodedata.normalize("NFKC", text)
    shown = wide
    for _ in range(_MOST_ESCAPES):
        if not _ESCAPE.search(shown):
            break
        shown = _CODE.sub(_character, unquote(html.unescape(shown)))
    if shown != wide:
        yield shown


def plain(text: str) -> str:
    """Return the text in lower-case ASCII where it resembles any, without what is invisible or a mark on a letter.

    White space is dropped, except for line breaks, each of which is a newline.
    """
    return text.translate(_ASCII if text.isascii() else _CHARACTERS)


def _character(code: re.Match[str]) -> str:
    number = int(next(filter(None, code.groups())), 16)
    return chr(number) if number < 0x110000 else ""


class _Readings(dict[int, str | None]):
    """What characters are read as, by code point; each is found out once."""

    def __missing__(self, code: int) -> str | None:
        reading = self[code] = _reading(chr(code)) or None
        return reading


def _reading(character: str) -> str:
    if character in LINE_BREAKS:
        return "\n"
    if character.isascii():
        return character.lower() if "\x20" < character < "\x7f" else ""
    found = _look_alikes().get(character)
    if found is None and not _is_invisible(character):
        found = _decomposed(character) or _named(character)
    return found or ""


def _is_invisible(character: str) -> bool:
    """Return whether it is white space, a mark on another character, or shows nothing."""
    category = unicodedata.category(character)
    return category[0] in "MZ" or category in {"Cc", "Cf", "Cn"} or character in BLANK


def _decomposed(character: str) -> str | None:
    apart = unicodedata.normalize("NFKD", character)
    if apart == character:
        return None
    parts = "".join(map(_reading, apart))
    found = _UNDECOMPOSED.fullmatch(parts)
    return found[1] or found[2] if found else parts


def _named(character: str) -> str:
    """Return the digit or Latin letter that its name says it is, in lower case, or the character."""
    digit = unicodedata.digit(character, None)
    named = _NAMED.fullmatch(unicodedata.name(character, ""))
    if digit is None and named is None:
        folded = character.casefold()
        return folded if folded == character else "".join(map(_reading, folded))
    return named[1].lower() if named else str(digit)


@cache
def _look_alikes() -> dict[str, str]:
    table = tomllib.loads(files(__package__).joinpath("lookalikes.toml").read_text(encoding="utf-8"))
    confusable = {each: reading for reading, characters in table["confusables"].items() for each in characters}
    return confusable | {each: sign for sign, characters in SIGNS.items() for each in characters}


_ASCII: dict[int, str | None] = {code: _reading(chr(code)) or None for code in range(0x80)}
_CHARACTERS = _Readings(_ASCII)
