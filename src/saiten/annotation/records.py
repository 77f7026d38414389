"""Records passed between the forms, the database and the web pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Json = Mapping[str, Any]
"""An object that can be written as JSON."""

Role = Literal["admin", "annotator"]
State = Literal["given", "done", "skipped"]
"""State of an assigned item: not answered yet · answered · skipped, to be reassigned to another annotator."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to annotate, as a form builds it from samples."""

    key: str
    """Unique within a project: the sample's id, or the ids of the answers compared. Never shown to annotators."""
    content: Json
    """Everything the page shows and the form's check needs: question, reference, contexts, answers. No system names."""


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item in the database."""

    id: int
    key: str
    content: Json
    needed: int
    """Number of annotators required."""


@dataclass(frozen=True, slots=True)
class Participant:
    """An annotator or an admin."""

    id: int
    name: str
    """Appears in the exported labels."""
    role: Role
    active: bool = True
    """False locks the person out; their annotations are kept."""


@dataclass(frozen=True, slots=True)
class Login:
    """The session of a logged-in participant."""

    person: Participant
    csrf: str
    """Required in a header of every request that changes something."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """The latest revision of one annotator's response to an item."""

    payload: Json
    """In the normal form that the form's check returns."""
    revision: int
    """Counts saves from 1."""
    saved_at: datetime
    """In UTC."""
    unclear: bool = False
    """The annotator flagged the item as unclear."""
    seconds: float | None = None
    """Time on the item as measured by the page; None if not reported."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """An item assigned to one annotator."""

    number: int
    """Counts from 1 in order of assignment; pages and URLs identify the item by it."""
    item: StoredItem
    state: State
    annotation: Annotation | None
    """None if not answered yet, or undone."""
    prelabel: Json | None = None
    """The judge's pre-label where the project shows it; None if hidden or missing."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Confirmation that a save is in the database."""

    revision: int
    again: bool
    """The same save had been stored before: sent twice, stored once."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of one annotator."""

    person: Participant
    done: int
    skipped: int
    unclear: int
    given: int
    """Assigned and not answered."""
    last_saved: datetime | None


@dataclass(frozen=True, slots=True)
class Adjudication:
    """An admin's decision on an item on which annotators disagree."""

    payload: Json
    note: str
    by: str
    """The admin's name."""
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class AnnotatedItem:
    """An item with all its annotations: for the admin pages, live agreement and the export."""

    item: StoredItem
    annotations: tuple[tuple[Participant, Annotation], ...]
    """In order of annotator id, without undone and skipped ones."""
    decision: Adjudication | None = None
    prelabel: tuple[str, Json, bool] | None = None
    """Name of the judge, its payload, and whether annotators saw it."""

    @property
    def is_finished(self) -> bool:
        """Whether as many annotators as needed have answered."""
        return len(self.annotations) >= self.item.needed


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """Settings fixed when a project is created; opening it with others is an error."""

    form: str
    """`grade`, `correct`, `aspects`, `gist`, `preference` or `approve`."""
    options: Json = field(default_factory=dict)
    """Options of the form, ready for JSON: text of the rubric, whether a reason is required, …"""
    per_item: int = 2
    """Annotators per item of the overlap."""
    overlap: float = 1.0
    """Share of items, drawn with the seed, that `per_item` annotators answer; the others get one."""
    seed: int = 0
    """Seeds the overlap, each annotator's order of items, and the order of answers within an item."""
    prelabels: Literal["shown", "hidden"] = "hidden"
    """Whether annotators see pre-labels; recorded with every label."""
    whole_questions: bool = False
    """Whether an annotator who gets one answer to a question gets all answers to it, one after the other."""
