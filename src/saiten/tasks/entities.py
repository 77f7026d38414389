"""Entities: the named things of a text."""

from dataclasses import dataclass

from pydantic import Field

from saiten.protocols import Reply, Task


class Entities(Reply):
    """Named things, each once."""

    entities: list[str] = Field(description="names, dates, numbers with units, …, as they stand in the text")


@dataclass(frozen=True, slots=True)
class ListEntities(Task[Entities]):
    """List the unique entities of a text: people, places, organisations, products, dates, amounts."""

    reply = Entities
    text: str
