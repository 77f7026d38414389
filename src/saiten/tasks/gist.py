"""Gist: splitting a reference into what carries the answer and what supports it, and comparing an answer with both.

The method is that of the paper on gist and supplement presented at the Japanese NLP society's meetings (ANLP), with
saiten's own prompts.
"""

import unicodedata
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator

from saiten.protocols import Reply, Task
from saiten.tasks.described import described
from saiten.tasks.gist_example import GistExample, Shot, shot_of
from saiten.tasks.gist_units import Positions, UnitNumber, read_positions, text_of_unit

_UNSEEN = ("Zs", "Zl", "Zp", "Cc", "Cf")


def can_be_seen(text: str) -> bool:
    """Return whether the text has anything but white space and invisible characters."""
    return any(unicodedata.category(sign) not in _UNSEEN for sign in text)


_Texts = Annotated[
    list[str],
    BeforeValidator(lambda value: [text_of_unit(item) for item in value] if isinstance(value, list) else value),
]


class ReferenceUnits(Reply):
    """The reference in units of meaning, each in one of two lists."""

    gist: _Texts = described(
        "units that carry the answer, copied word for word from the reference",
        "答えの核となる単位(参照回答の文言のまま)",
    )
    supplement: _Texts = described(
        "units that only support it, copied word for word from the reference",
        "答えを支えるだけの単位(参照回答の文言のまま)",
    )


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
        return tuple(shot_of(one, self.role, given, reply) for one in self.examples)

    def check(self, reply: ReferenceUnits) -> None:
        if not any(map(can_be_seen, (*reply.gist, *reply.supplement))):
            raise ValueError("both lists are empty, but every part of the reference belongs to a unit")


class MissingAndExtra(Reply):
    """What the answer lacks and adds, by class."""

    missing_gist: list[UnitNumber] = described(
        "numbers of the gist units that the answer lacks, wholly or in part",
        "回答にない、または一部しかない趣旨の単位の番号",
    )
    missing_supplement: list[UnitNumber] = described(
        "numbers of the supplement units that it lacks, wholly or in part",
        "回答にない、または一部しかない補足の単位の番号",
    )
    extra_gist: _Texts = described(
        "passages of the answer, word for word: gist that no unit contains",
        "どの単位にもない趣旨を述べている回答の箇所(文言のまま)",
    )
    extra_supplement: _Texts = described(
        "passages of the answer, word for word: supplement that no unit contains",
        "どの単位にもない補足を述べている回答の箇所(文言のまま)",
    )


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
        return tuple(shot_of(one, self.role, given, reply) for one in self.examples if one.answer is not None)

    def missing(self, reply: MissingAndExtra) -> tuple[Positions, Positions]:
        """Return the positions of the missing units of gist and of supplement, with a fault per name without a unit.

        Faults deserve a second try; a remaining one makes a single unit unreadable, not the reply.
        """
        return (
            read_positions(reply.missing_gist, self.gist, "gist unit"),
            read_positions(reply.missing_supplement, self.supplement, "supplement unit", before=len(self.gist)),
        )
