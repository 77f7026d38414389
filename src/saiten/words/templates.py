"""Japanese for the texts in the code, whose English is the key: `texts/*.ja.po`.

Errors, notes and reasons are f-strings. Where one is shown, the template that it was made of is found again, and its
values are put into the Japanese one. A text that no template matches stays as it is.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from saiten.records import Language

_DEEPEST = 4
"""Maximum texts inside each other: `FILE: ERROR; HINT`."""
_LONGEST = 20_000
"""Maximum characters of a text that is translated; longer ones are from outside."""
_LONGEST_JOINED = 2_000
"""Maximum characters of a text that is tried to be two."""
_SPLITS = 8
"""Maximum places at which a text is tried to be two."""
_JOINTS = (("; ", "。"), (": ", ": "), (". ", "。"), (", ", ""), (" (", ""))
"""Where texts are put together, with the Japanese sign; "" if only a text that begins with the sign may follow."""
_PIECE = re.compile(r"(?P<brace>[{}])(?P=brace)|\{(?P<name>\w+)\}|(?P<text>[^{}]+|.)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]{2,}")
_ESCAPED = re.compile(r"(\\+)(\[[a-z#/@][^[]*?])")
"""What rich would read as a style, with the backslashes of `rich.markup.escape` before it."""
_OUTSIDE = "\0"
"""The place of a quotation."""
FROM_OUTSIDE = frozenset(
    """address answer answers aspect aspects base called came category column columns command content criterion
    data example excerpt file folder got host id identity item items key keys label labels line metric metrics
    missing model name named names near out part path people place question questions raw refused reply run said
    sample samples shown source spans spec statement strangers system systems text texts title typed unknown url
    value values where""".split()  # noqa: SIM905 - a list of words
)
"""Names of values that are never translated, also with a number: `name_2`."""


@dataclass(frozen=True, slots=True)
class Template:
    """An English text with names for its values, and the Japanese one with the same names."""

    literals: tuple[str, ...]
    """The text before, between and after the values."""
    names: tuple[tuple[str, ...], ...]
    """The values between these; several where nothing separates them, so that nobody knows where one ends."""
    japanese: str

    @classmethod
    def of(cls, english: str, japanese: str) -> "Template":
        """Read `{folder} has no sample {identity}`; braces of the text are doubled."""
        literals: list[str] = [""]
        names: list[tuple[str, ...]] = []
        for piece in _PIECE.finditer(english):
            if piece["name"] is None:
                literals[-1] += piece["brace"] or piece["text"]
            elif literals[-1] or not names:
                names.append((piece["name"],))
                literals.append("")
            else:
                names[-1] += (piece["name"],)
        return cls(tuple(literals), tuple(names), japanese)

    @property
    def weight(self) -> int:
        """The characters of the text without its values."""
        return sum(map(len, self.literals))

    def values_in(self, text: str) -> list[str] | None:
        """Return the values if the text was made of this template; the first place of each literal counts.

        One at the beginning of the text is not empty.
        """
        first, *between = self.literals
        if not text.startswith(first) or (not between and text != first):
            return None
        found: list[str] = []
        at = len(first)
        for number, literal in enumerate(between, 1):
            is_last = number == len(between)
            end = (len(text) - len(literal)) if is_last else text.find(literal, at or 1)
            if end < (at or 1) or not text.startswith(literal, end):
                return None
            found.append(text[at:end])
            at = end + len(literal)
        return found


def translated(text: str, language: Language, *, markup: bool = False) -> str:
    """Return a text of saiten in a language; one that is not in the catalogs stays English.

    Values are put in unchanged, except those that are texts of saiten themselves, such as the error in `FILE: ERROR`.
    What is quoted “like this” is from outside, and so is what follows it.

    Args:
        text: The English text.
        language: The language.
        markup: Whether the text is rich's markup, in which values are escaped.
    """
    if language == "en" or not text or len(text) > _LONGEST or _OUTSIDE in text:
        return text
    first, quote, last = _quoted(text)
    whole = _whole(f"{first}{_OUTSIDE}" if quote else text, markup=markup)
    if whole is None:
        return text if quote else "\n".join(_whole(line, markup=markup) or line for line in text.split("\n"))
    if not quote:
        return whole
    # What follows a quotation may be the judge's, so only a text that is known as a whole is translated.
    ending = _matched(f"{_OUTSIDE}{last}", _DEEPEST, markup=markup) if last else None
    last = ending.removeprefix(_OUTSIDE) if ending else _texts().get(last, last)
    return whole.replace(_OUTSIDE, f"{quote}{last}") if whole.count(_OUTSIDE) == 1 else text


def _quoted(text: str) -> tuple[str, str, str]:
    """Return what is before the first quotation, all quotations with what is between them, and the rest."""
    start = text.find("“")
    if start < 0:
        return text, "", ""
    end = text.rfind("”") + 1
    return (text[:start], text[start:end], text[end:]) if end > start else (text[:start], text[start:], "")


def exactly(text: str, language: Language) -> str:
    """Return a text without values, such as a paragraph of a help, in a language."""
    return text if language == "en" else help_texts().get(text, text)


@lru_cache(maxsize=4096)
def _whole(text: str, depth: int = 0, *, markup: bool = False) -> str | None:
    """Return the Japanese of a text that a template matches, or that is several such texts."""
    core = text.strip()
    if not core:
        return None
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    made = _matched(text, depth, markup=markup) or _matched(core, depth, markup=markup)
    if made is None and len(core) <= _LONGEST_JOINED:
        made = _split(core, depth, markup=markup)
    return None if made is None else made if made.strip() != made else f"{before}{made}{after}"


def _matched(text: str, depth: int, *, markup: bool) -> str | None:
    best: tuple[int, Template, list[str]] | None = None
    for template in _candidates(text):
        if best is not None and template.weight <= best[0]:
            continue
        values = template.values_in(text)
        if values is not None:
            best = template.weight, template, values
    if best is None:
        return None
    _, template, values = best
    filled: dict[str, str] = {}
    for names, value in zip(template.names, values, strict=True):
        filled |= dict.fromkeys(names[1:], "") | {names[0]: _value(names, value, depth, markup=markup)}
    return template.japanese.format_map(filled)


def _value(names: tuple[str, ...], value: str, depth: int, *, markup: bool) -> str:
    is_outside = all(name.rstrip("_0123456789") in FROM_OUTSIDE for name in names)
    if depth >= _DEEPEST or is_outside or value[:1] in {"'", '"'}:
        return value
    if not markup:
        return _whole(value, depth + 1) or value
    from rich.markup import escape  # noqa: PLC0415 - only where markup is printed

    made = _whole(_ESCAPED.sub(lambda found: found[1][: len(found[1]) // 2] + found[2], value), depth + 1)
    return value if made is None else escape(made)


def _split(text: str, depth: int, *, markup: bool) -> str | None:
    """Return the Japanese of two texts that were put together: `PLACE: TEXT`, `TEXT; TEXT`, `TEXT (TEXT)`."""
    if depth >= _DEEPEST:
        return None
    for sign, japanese in _JOINTS:
        for at in _places(text, sign):
            first, rest = text[:at], text[at + len(sign) :]
            with_sign = _whole(text[at:], depth + 1, markup=markup)
            last = with_sign or (japanese and _whole(rest, depth + 1, markup=markup))
            begun = _whole(first, depth + 1, markup=markup) if japanese or with_sign else None
            if last or (begun and sign == "; "):
                return f"{begun or first}{last}" if with_sign else f"{begun or first}{japanese}{last or rest}"
    return None


def _places(text: str, sign: str) -> list[int]:
    return [found.start() for found in re.finditer(re.escape(sign), text) if found.start()][:_SPLITS]


def _candidates(text: str) -> Sequence[Template]:
    """Return the templates whose rarest word is in the text."""
    by_word = _by_word()
    words = dict.fromkeys(_WORD.findall(text))
    return [template for word in words for template in by_word.get(word, ())]


@cache
def _by_word() -> Mapping[str, Sequence[Template]]:
    """Return all templates by the rarest word of their own text."""
    templates = [Template.of(*entry) for entry in _texts().items()]
    counts: dict[str, int] = defaultdict(int)
    own = [_own_words(template) for template in templates]
    for word in (word for each in own for word in each):
        counts[word] += 1
    found: dict[str, list[Template]] = defaultdict(list)
    for template, inside in zip(templates, own, strict=True):
        if inside:
            found[min(inside, key=counts.__getitem__)].append(template)
    return found


def _own_words(template: Template) -> set[str]:
    """Return the words of a template that no value can lengthen."""
    text = "\0".join(template.literals)
    return {
        found[0]
        for found in _WORD.finditer(text)
        if text[found.start() - 1 : found.start()] != "\0" and text[found.end() : found.end() + 1] != "\0"
    }


@cache
def _texts() -> Mapping[str, str]:
    """Return the Japanese of the other texts by their English."""
    return _entries("text")


@cache
def help_texts() -> Mapping[str, str]:
    """Return the Japanese of the help by its English."""
    return _entries("help")


@cache
def _entries(section: str) -> Mapping[str, str]:
    """Return Japanese by English, of all catalogs in `texts/`, without what is not translated yet."""
    from babel.messages.pofile import read_po  # noqa: PLC0415 - loaded where Japanese is shown

    found: dict[str, str] = {}
    for path in sorted((files(__package__) / "texts").iterdir(), key=lambda each: each.name):
        if path.name.endswith(".ja.po") and (path.name == "help.ja.po") is (section == "help"):
            with path.open("rb") as file:
                found |= {str(entry.id): str(entry.string) for entry in read_po(file) if entry.id and entry.string}
    return found
