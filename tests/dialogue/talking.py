"""A pair, a system and a script for dialogues."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from saiten.records import Answer, Inquiry, Sample, Usage

UNION = Sample(
    "union",
    question="What is the difference between UNION and UNION ALL?",
    reference="UNION eliminates duplicate rows from the result, UNION ALL keeps them.",
    group="Db2",
)


@dataclass
class ScriptedSystem:
    """Gives these answers in turn and records its inquiries; an exception among them is raised."""

    answers: Sequence[str | Exception]
    asked: list[Inquiry] = field(default_factory=list)
    name: str = "scripted"

    def describe(self):
        return {"system": self.name}

    async def answer(self, inquiry: Inquiry) -> Answer:
        self.asked.append(inquiry)
        said = self.answers[len(self.asked) - 1]
        if isinstance(said, Exception):
            raise said
        return Answer(said, seconds=0.5, usage=Usage(calls=1))

    async def close(self):
        """Nothing is open."""


def in_turn(*replies):
    """A line of a script that gives one reply after another."""
    rest: Iterator = iter(replies)

    def line(task):
        said = next(rest)
        if isinstance(said, Exception):
            raise said
        return said

    return line
