"""The tables of the annotation database.

Annotations are append-only (`acts`, `decisions`); an assignment's state and standing act follow from its acts and are
stored as well, so that no page has to replay them. JSON is stored as text, since PostgreSQL's own type refuses
characters that an answer may contain.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa


class Moment(sa.TypeDecorator[datetime]):
    """A time in UTC, on databases with and without time zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        return value and value.astimezone(UTC)  # SQLite drops the zone

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> datetime | None:
        found: datetime | None = value
        return found and found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)


metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Constraints are named for later migrations; tables have a prefix, since a PostgreSQL database may hold others."""


def _table(name: str, *parts: sa.schema.SchemaItem) -> sa.Table:
    """Build a table whose rows are numbered by `id`."""
    return sa.Table(name, metadata, sa.Column("id", sa.Integer, primary_key=True), *parts)


def _partial_index(name: str, *columns: sa.Column[Any], where: sa.ColumnElement[bool]) -> None:
    """Index only the rows that meet a condition, on both databases."""
    sa.Index(name, *columns, sqlite_where=where, postgresql_where=where)


projects = _table(
    "saiten_projects",
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("identity", sa.Text, nullable=False),  # random and unique
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("size", sa.Integer, nullable=False, default=0),  # number of items
    sa.Column("overlapping", sa.Integer, nullable=False, default=0),  # items that several annotators answer
    sa.Column("places", sa.Integer, nullable=False, default=0),  # the sum of `room` over items with room
    sa.Column("made_at", Moment, nullable=False),
)
"""Assigning and releasing items locks this row: the totals and `workloads` change under that lock only."""

people = _table(
    "saiten_people",
    sa.Column("project_id", sa.ForeignKey(projects.c.id), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("folded", sa.Text, nullable=False),  # case-folded name
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("active", sa.Boolean(create_constraint=False), nullable=False, default=True),
    sa.Column("token_hash", sa.LargeBinary(32), nullable=False, unique=True),
    sa.Column("seen_at", Moment, nullable=False),  # last request for an item, or last act
    sa.UniqueConstraint("project_id", "folded"),
    sa.CheckConstraint("role IN ('admin', 'annotator')", name="role"),
)
"""Every act locks its person's row, so that one person's acts are sequential."""
PERSON = people.c.id, people.c.name, people.c.role, people.c.active
"""Columns of a `Participant`."""

workloads = sa.Table(
    "saiten_workloads",
    metadata,
    sa.Column("person_id", sa.ForeignKey(people.c.id), primary_key=True, autoincrement=False),
    sa.Column("had", sa.Integer, nullable=False, default=0),  # items assigned, without released ones
    sa.Column("last_number", sa.Integer, nullable=False, default=0),
    sa.Column("bin_rank", sa.Integer, nullable=False, default=0),  # position in their order of bins
)

sessions = sa.Table(
    "saiten_sessions",
    metadata,
    sa.Column("secret_hash", sa.LargeBinary(32), primary_key=True),
    sa.Column("person_id", sa.ForeignKey(people.c.id), nullable=False, index=True),
    sa.Column("seen_at", Moment, nullable=False, index=True),
)

items = _table(
    "saiten_items",
    sa.Column("project_id", sa.ForeignKey(projects.c.id), nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("key_hash", sa.LargeBinary(32), nullable=False),  # a key may exceed an index's limit
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("content_hash", sa.LargeBinary(32), nullable=False),
    sa.Column("needed", sa.Integer, nullable=False),
    sa.Column("room", sa.Integer, nullable=False),  # `needed` minus assigned; negative after somebody came back to it
    sa.Column("bin", sa.SmallInteger, nullable=False),  # see order.py
    sa.Column("topic", sa.BigInteger, nullable=False),  # equal for items of the same question
    sa.Column("drawn", sa.BigInteger, nullable=False),  # the smallest belong to the overlap
    sa.UniqueConstraint("project_id", "key_hash"),
    sa.CheckConstraint("needed >= 1", name="needed"),
    sa.CheckConstraint("room <= needed", name="room"),
    sa.Index(None, "project_id", "topic"),
)
ITEM = items.c.id, items.c.key, items.c.content, items.c.needed
"""Columns of a `StoredItem`."""
_partial_index("ix_saiten_items_open", items.c.project_id, items.c.bin, where=items.c.room > 0)

assignments = _table(
    "saiten_assignments",
    sa.Column("person_id", sa.ForeignKey(people.c.id), nullable=False),
    sa.Column("item_id", sa.ForeignKey(items.c.id), nullable=False, index=True),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False, default="given"),
    sa.Column("given_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False, default=0),  # of the last save or skip, even if undone
    sa.Column("standing_id", sa.Integer),  # the save that counts, if any
    sa.UniqueConstraint("person_id", "item_id"),
    sa.UniqueConstraint("person_id", "number"),
    sa.Index(None, "person_id", "state", "number"),
    sa.CheckConstraint("state IN ('given', 'done', 'skipped', 'released')", name="state"),
    sa.CheckConstraint("(state = 'done') = (standing_id IS NOT NULL)", name="standing"),
)
_partial_index("ix_saiten_assignments_given", assignments.c.given_at, where=assignments.c.state == "given")

acts = _table(
    "saiten_acts",
    sa.Column("person_id", sa.ForeignKey(people.c.id), nullable=False),
    sa.Column("save_id", sa.Text, nullable=False),
    sa.Column("assignment_id", sa.ForeignKey(assignments.c.id)),  # None: an undo with nothing to undo
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("revision", sa.Integer),  # of saves and skips
    sa.Column("undoes_id", sa.ForeignKey("saiten_acts.id"), unique=True),  # of an undo
    sa.Column("payload", sa.Text),
    sa.Column("unclear", sa.Boolean(create_constraint=False), nullable=False, default=False),
    sa.Column("seconds", sa.Float),
    sa.Column("at", Moment, nullable=False),
    sa.UniqueConstraint("person_id", "save_id"),
    sa.UniqueConstraint("assignment_id", "revision"),
    sa.CheckConstraint("kind IN ('save', 'skip', 'undo')", name="kind"),
    sa.CheckConstraint("(kind = 'save') = (payload IS NOT NULL)", name="payload"),
)

ANNOTATION = acts.c.payload, acts.c.revision, acts.c.at, acts.c.unclear, acts.c.seconds
"""Columns of an `Annotation`."""

decisions = _table(
    "saiten_decisions",
    sa.Column("item_id", sa.ForeignKey(items.c.id), nullable=False, index=True),
    sa.Column("person_id", sa.ForeignKey(people.c.id), nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("at", Moment, nullable=False),
)

prelabels = sa.Table(
    "saiten_prelabels",
    metadata,
    sa.Column("item_id", sa.ForeignKey(items.c.id), primary_key=True, autoincrement=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
)
