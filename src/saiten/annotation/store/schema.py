"""The tables of the annotation database.

Annotations are append-only (`acts`, `decisions`); an assignment's state and standing act follow from its acts and are
stored as well, so that no page has to replay them. JSON is stored as text, since PostgreSQL's own type refuses
characters that an answer may contain.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)


class Moment(TypeDecorator[datetime]):
    """A time in UTC, on databases with and without time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        assert isinstance(value, datetime)  # noqa: S101 - for the type checker
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Constraints are named for later migrations; tables have a prefix, since a PostgreSQL database may hold others."""

projects = Table(
    "saiten_projects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("identity", Text, nullable=False),  # random and unique
    Column("settings", Text, nullable=False),
    Column("size", Integer, nullable=False),  # number of items
    Column("overlapping", Integer, nullable=False),  # items that several annotators answer
    Column("places", Integer, nullable=False),  # the sum of `room` over items with room
    Column("made_at", Moment, nullable=False),
)
"""Assigning and releasing items locks this row: the totals and `workloads` change under that lock only."""

people = Table(
    "saiten_people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", ForeignKey(projects.c.id), nullable=False),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False),  # case-folded name
    Column("role", Text, nullable=False),
    Column("active", Boolean(create_constraint=False), nullable=False),
    Column("token_hash", LargeBinary(32), nullable=False, unique=True),
    Column("seen_at", Moment, nullable=False),  # last request for an item, or last act
    UniqueConstraint("project_id", "folded"),
    CheckConstraint("role IN ('admin', 'annotator')", name="role"),
)
"""Every act locks its person's row, so that one person's acts are sequential."""

workloads = Table(
    "saiten_workloads",
    metadata,
    Column("person_id", ForeignKey(people.c.id), primary_key=True, autoincrement=False),
    Column("had", Integer, nullable=False),  # items assigned, without released ones
    Column("last_number", Integer, nullable=False),
    Column("bin_rank", Integer, nullable=False),  # position in their order of bins
)

sessions = Table(
    "saiten_sessions",
    metadata,
    Column("secret_hash", LargeBinary(32), primary_key=True),
    Column("person_id", ForeignKey(people.c.id), nullable=False, index=True),
    Column("seen_at", Moment, nullable=False, index=True),
)

items = Table(
    "saiten_items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", ForeignKey(projects.c.id), nullable=False),
    Column("key", Text, nullable=False),
    Column("key_hash", LargeBinary(32), nullable=False),  # a key may exceed an index's limit
    Column("content", Text, nullable=False),
    Column("content_hash", LargeBinary(32), nullable=False),
    Column("needed", Integer, nullable=False),
    Column("room", Integer, nullable=False),  # `needed` minus assigned; negative after somebody came back to it
    Column("bin", SmallInteger, nullable=False),  # see order.py
    Column("topic", BigInteger, nullable=False),  # equal for items of the same question
    Column("drawn", BigInteger, nullable=False),  # the smallest belong to the overlap
    UniqueConstraint("project_id", "key_hash"),
    CheckConstraint("needed >= 1", name="needed"),
    CheckConstraint("room <= needed", name="room"),
    Index(None, "project_id", "topic"),
)
Index(
    "ix_saiten_items_open",
    items.c.project_id,
    items.c.bin,
    sqlite_where=items.c.room > 0,
    postgresql_where=items.c.room > 0,
)

assignments = Table(
    "saiten_assignments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey(people.c.id), nullable=False),
    Column("item_id", ForeignKey(items.c.id), nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("given_at", Moment, nullable=False),
    Column("revision", Integer, nullable=False),  # of the last save or skip, even if undone
    Column("standing_id", Integer),  # the save that counts, if any
    UniqueConstraint("person_id", "item_id"),
    UniqueConstraint("person_id", "number"),
    Index(None, "person_id", "state", "number"),
    CheckConstraint("state IN ('given', 'done', 'skipped', 'released')", name="state"),
    CheckConstraint("(state = 'done') = (standing_id IS NOT NULL)", name="standing"),
)
Index(
    "ix_saiten_assignments_given",
    assignments.c.given_at,
    sqlite_where=assignments.c.state == "given",
    postgresql_where=assignments.c.state == "given",
)

acts = Table(
    "saiten_acts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey(people.c.id), nullable=False),
    Column("save_id", Text, nullable=False),
    Column("assignment_id", ForeignKey(assignments.c.id)),  # None: an undo with nothing to undo
    Column("kind", Text, nullable=False),
    Column("revision", Integer),  # of saves and skips
    Column("undoes_id", ForeignKey("saiten_acts.id"), unique=True),  # of an undo
    Column("payload", Text),
    Column("unclear", Boolean(create_constraint=False), nullable=False),
    Column("seconds", Float),
    Column("at", Moment, nullable=False),
    UniqueConstraint("person_id", "save_id"),
    UniqueConstraint("assignment_id", "revision"),
    CheckConstraint("kind IN ('save', 'skip', 'undo')", name="kind"),
    CheckConstraint("(kind = 'save') = (payload IS NOT NULL)", name="payload"),
)

decisions = Table(
    "saiten_decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("item_id", ForeignKey(items.c.id), nullable=False, index=True),
    Column("person_id", ForeignKey(people.c.id), nullable=False),
    Column("payload", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

prelabels = Table(
    "saiten_prelabels",
    metadata,
    Column("item_id", ForeignKey(items.c.id), primary_key=True, autoincrement=False),
    Column("source", Text, nullable=False),
    Column("payload", Text, nullable=False),
)
