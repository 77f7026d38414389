"""Gist: splitting a reference into what carries the answer and what supports it, and comparing an answer with both.

The method is that of the paper on gist and supplement presented at the Japanese NLP society's meetings (ANLP), with
saiten's own prompts.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from saiten.protocols import Reply, Task
from saiten.records import Language

_NUMBER = re.compile(
    r"[\[(#]*(?:(?:the|missing|gist|supplement|units?|no\.|趣旨|補足|ユニット|単位|番号|第)[ :#_-]*){0,4}#?"
    r"(\d{1,6})(?:番目?)?[\])\].:,]*",
    re.IGNORECASE,
)
_MARK = re.compile(r"\s*[\[(#]*\d{1,6}[\]).:、]+\s*")
_TEXT_KEYS = ("text", "unit", "content", "quote", "passage", "span")
_NUMBER_KEYS = ("number", "index", "id", "unit")
_UNSEEN = ("Zs", "Zl", "Zp", "Cc", "Cf")
_DISTINCTIVE = 4  # minimum letters of a part of a unit that identifies the unit


def text_of_unit(value: Any) -> Any:
    """Return the text in `{"text": "…"}`, or the value; lone surrogates, which no file can hold, are replaced."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)), value)
    if isinstance(value, str) and not value.isprintable():
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def can_be_seen(text: str) -> bool:
    """Return whether the text has anything but white space and invisible characters."""
    return any(unicodedata.category(sign) not in _UNSEEN for sign in text)


def read_number(value: Any) -> Any:
    """Return the number if one is meant, else the text; anything else is left for pydantic to refuse."""
    if isinstance(value, Mapping):
        numbers = (value[key] for key in _NUMBER_KEYS if isinstance(value.get(key), int))
        value = next(numbers, text_of_unit(value))
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        plain = _NUMBER.fullmatch(unicodedata.normalize("NFKC", value).strip())
        return int(plain[1]) if plain else value
    return value


UnitNumber = Annotated[int | str, BeforeValidator(read_number), WithJsonSchema({"type": "integer"})]
"""The number of a unit, which is all that the schema allows."""


Positions = tuple[tuple[int, ...], tuple[str, ...]]
"""Positions of units, and a fault for each name that matches none."""


def read_positions(named: Sequence[int | str], units: Sequence[str], what: str, *, before: int = 0) -> Positions:
    """Return the positions of the named units from 0, in order without repetition, and a fault per unknown name.

    Args:
        named: Numbers counted from 1, or texts. 0 is a fault, since it may mean the first, or none.
        units: The units that can be named.
        what: The word for a unit.
        before: The size of another list, after which a model may have continued counting.
    """
    numbers: list[int] = []
    faults: list[str] = []
    for name in named:
        try:
            numbers.append(name if isinstance(name, int) else _number_of(name, units, what))
        except ValueError as error:
            faults.append(str(error))
    if any(number > len(units) for number in numbers) and all(
        before < number <= before + len(units) for number in numbers
    ):
        numbers = [number - before for number in numbers]
    there = f"there are {what}s 1 to {len(units)}" if units else f"there is no {what}"
    outside = [number for number in numbers if not 1 <= number <= len(units)]
    faults += [f"{there}, but number {number} was named; a list may be empty" for number in outside]
    positions = {number - 1 for number in numbers if number not in outside}
    return tuple(sorted(positions)), tuple(dict.fromkeys(faults))


def _number_of(text: str, units: Sequence[str], what: str) -> int:
    """Return the number of the unit with this text, or of the only one that contains it."""
    known = [_letters(unit) for unit in units]
    for wanted in (_letters(text), _letters(_MARK.sub("", text, count=1))):
        if wanted in known:
            return known.index(wanted) + 1
        near = [n for n, unit in enumerate(known, 1) if unit and (wanted in unit or unit in wanted)]
        if len(near) == 1 and len(wanted) >= _DISTINCTIVE:
            return near[0]
    raise ValueError(f"{text[:60]!r} is no {what}; name each by its number, 1 to {len(units)}")


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


@dataclass(frozen=True, slots=True)
class GistExample:
    """A question, its reference in units and, if there is an answer, what that answer lacks and adds."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    language: Language
    question: str
    reference: str
    gist: tuple[str, ...]
    """Units of the reference, word for word."""
    supplement: tuple[str, ...]
    answer: str | None = None
    """None: an example of the first step only."""
    missing_gist: tuple[int, ...] = ()
    """Numbers of units, counted from 1."""
    missing_supplement: tuple[int, ...] = ()
    extra_gist: tuple[str, ...] = ()
    """Passages of the answer, word for word."""
    extra_supplement: tuple[str, ...] = ()


Shot = tuple[Mapping[str, Any], str]
"""The inputs by name, and the reply as a model should write it."""


def _shot(example: GistExample, role: str, given: Sequence[str], reply: Sequence[str]) -> Shot:
    """Return one step of an example, from the fields that are given and those of the reply."""
    inputs = {"role": role} | {name: getattr(example, name) for name in given}
    return inputs, json.dumps({name: list(getattr(example, name)) for name in reply}, ensure_ascii=False)


_Texts = Annotated[
    list[str],
    BeforeValidator(lambda value: [text_of_unit(item) for item in value] if isinstance(value, list) else value),
]


class ReferenceUnits(Reply):
    """The reference in units of meaning, each in one of two lists."""

    gist: _Texts = Field(description="units that carry the answer, copied word for word from the reference")
    supplement: _Texts = Field(description="units that only support it, copied word for word from the reference")


@dataclass(frozen=True, slots=True)
class SplitGist(Task[ReferenceUnits]):
    """Split the reference into units of meaning, each gist or supplement."""

    reply = ReferenceUnits
    question: str
    reference: str
    role: str = ""
    """The judge's role, for example *a professional accountant*; empty: an expert on the question's subject."""
    examples: tuple[GistExample, ...] = ()

    @property
    def shots(self) -> tuple[Shot, ...]:
        given, reply = ("question", "reference"), ("gist", "supplement")
        return tuple(_shot(one, self.role, given, reply) for one in self.examples)

    def check(self, reply: ReferenceUnits) -> None:
        if not any(map(can_be_seen, (*reply.gist, *reply.supplement))):
            raise ValueError("no unit came, but the reference has text, all of which belongs to some unit")


class MissingAndExtra(Reply):
    """What the answer lacks and adds, by class."""

    missing_gist: list[UnitNumber] = Field(description="numbers of the gist units that the answer does not contain")
    missing_supplement: list[UnitNumber] = Field(description="numbers of the supplement units that it does not contain")
    extra_gist: _Texts = Field(description="passages of the answer, word for word: gist that no unit contains")
    extra_supplement: _Texts = Field(description="passages of the answer: supplement that no unit contains")


@dataclass(frozen=True, slots=True)
class FindMissingAndExtra(Task[MissingAndExtra]):
    """Find the units of the reference that the answer lacks, and the passages of the answer that no unit contains."""

    reply = MissingAndExtra
    question: str
    answer: str
    gist: tuple[str, ...]
    supplement: tuple[str, ...]
    role: str = ""
    examples: tuple[GistExample, ...] = ()

    @property
    def shots(self) -> tuple[Shot, ...]:
        given = ("question", "gist", "supplement", "answer")
        reply = ("missing_gist", "missing_supplement", "extra_gist", "extra_supplement")
        return tuple(_shot(one, self.role, given, reply) for one in self.examples if one.answer is not None)

    def missing(self, reply: MissingAndExtra) -> tuple[Positions, Positions]:
        """Return the positions of the missing units of gist and of supplement, with a fault per name without a unit.

        Faults deserve a second try; a remaining one makes a single unit unreadable, not the reply.
        """
        return (
            read_positions(reply.missing_gist, self.gist, "gist unit"),
            read_positions(reply.missing_supplement, self.supplement, "supplement unit", before=len(self.gist)),
        )
