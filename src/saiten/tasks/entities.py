"""Entities: the named things in a text."""

from dataclasses import dataclass

from pydantic import Field

from saiten.protocols import Reply, Task


class Entities(Reply):
    """Named things, without repetition."""

    entities: list[str] = Field(description="names, dates, numbers with units, …, as they stand in the text")


@dataclass(frozen=True, slots=True)
class ListEntities(Task[Entities]):
    """List the unique entities of a text: people, places, organizations, products, dates, amounts."""

    reply = Entities
    text: str
