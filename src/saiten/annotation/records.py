"""What travels between the forms, the database and the page: frozen, slotted, a sentence under each field."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Json = Mapping[str, Any]
"""An object that can be written as JSON."""

Role = Literal["admin", "annotator"]
State = Literal["given", "done", "skipped"]
"""Of an item in one annotator's hands: not answered yet · answered · passed over, to be given to somebody else."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """What is to be graded, as a form makes it of samples."""

    key: str
    """Unique within a project: the sample's id, or the ids of the answers compared. Never shown to annotators."""
    content: Json
    """What the page shows and what the form's check needs: question, reference, contexts, answers. No system's name."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item in the database."""

    id: int
    key: str
    content: Json
    needed: int
    """How many annotators are to answer it."""


@dataclass(frozen=True, slots=True)
class Person:
    """An annotator or an admin."""

    id: int
    name: str
    """As it stands in the exported labels."""
    role: Role
    active: bool = True
    """Who is not gets in no more; what they said stays."""


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is logged in."""

    person: Person
    csrf: str
    """What every request that changes something must bring in a header."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What an annotator said about an item: the latest revision."""

    payload: Json
    """As the form's check gave it back."""
    revision: int
    """From 1; each save is one more."""
    saved_at: datetime
    """In UTC."""
    unclear: bool = False
    """The annotator flagged the item as unclear."""
    seconds: float | None = None
    """How long the item was before the annotator's eyes, as the page says; None where it does not."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """An item in one annotator's hands."""

    number: int
    """From 1, in the order in which this annotator got them: how the page and its addresses name the item."""
    item: Item
    state: State
    answered: Answered | None
    """None where nothing was said yet, or it was taken back."""
    prelabel: Json | None = None
    """What a judge said beforehand, where the project shows it; None where it is hidden or there is none."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A save is in the database."""

    revision: int
    again: bool
    """This very save was there already: it was sent twice, and stored once."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one annotator is."""

    person: Person
    done: int
    skipped: int
    unclear: int
    given: int
    """In their hands and not answered."""
    last_saved: datetime | None


@dataclass(frozen=True, slots=True)
class Decision:
    """The third decision about an item on which annotators differ."""

    payload: Json
    note: str
    by: str
    """The admin's name."""
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Settled:
    """All that was said about one item: for the admin, the agreement and the export."""

    item: Item
    said: tuple[tuple[Person, Answered], ...]
    """By annotator, in the order of their ids; withdrawn and skipped ones apart."""
    decision: Decision | None = None
    prelabel: tuple[str, Json, bool] | None = None
    """Who made it (a judge's name), what it said, and whether annotators were shown it."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What is set when a project is made, and held to when it is opened again."""

    form: str
    """`grade`, `correct`, `aspects`, `gist` or `preference`."""
    options: Json = field(default_factory=dict)
    """The form's: the text of the rubric, whether a reason is required, … ready for JSON."""
    per_item: int = 2
    """How many annotators answer an item of the overlap."""
    overlap: float = 1.0
    """The share of items, drawn with the seed, that `per_item` annotators answer; the others one."""
    seed: int = 0
    """Of the overlap, of each annotator's order of items, and of the order of answers within an item."""
    prelabels: Literal["shown", "hidden"] = "hidden"
    """Whether annotators see what a judge said beforehand; recorded with every label."""
    whole_questions: bool = False
    """Whether whoever gets one answer to a question gets all answers to it, one after the other."""
