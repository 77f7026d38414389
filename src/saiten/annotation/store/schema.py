"""The tables of the annotation database.

What people said is only ever added (`acts`, `decisions`); an assignment's state and standing act follow from its acts
and are kept beside them, so that nothing has to be replayed to show a page. JSON is kept as text: PostgreSQL's own type
refuses characters that an answer may hold.
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
    """A time in UTC, on databases with time zones and on those without."""

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
"""Constraints have names, so that a later migration can speak of them; tables a prefix, since a PostgreSQL database may
hold other programs' tables."""

projects = Table(
    "saiten_projects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("identity", Text, nullable=False),  # drawn at random: another one for each project ever made
    Column("settings", Text, nullable=False),
    Column("size", Integer, nullable=False),  # how many items there are
    Column("overlapping", Integer, nullable=False),  # how many of them several annotators answer
    Column("places", Integer, nullable=False),  # the sum of `room` over items with room
    Column("made_at", Moment, nullable=False),
)
"""Whoever gives out items, or gives them back, holds this row's lock: the sums and `workloads` change under it only."""

people = Table(
    "saiten_people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", ForeignKey(projects.c.id), nullable=False),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False),  # the name without regard to case
    Column("role", Text, nullable=False),
    Column("active", Boolean(create_constraint=False), nullable=False),
    Column("token_hash", LargeBinary(32), nullable=False, unique=True),
    Column("seen_at", Moment, nullable=False),  # when they last asked for an item or said something
    UniqueConstraint("project_id", "folded"),
    CheckConstraint("role IN ('admin', 'annotator')", name="role"),
)
"""Whoever writes down what a person said holds this row's lock, so that one person's acts come one after the other."""

workloads = Table(
    "saiten_workloads",
    metadata,
    Column("person_id", ForeignKey(people.c.id), primary_key=True, autoincrement=False),
    Column("had", Integer, nullable=False),  # items that they got, but for released ones
    Column("last_number", Integer, nullable=False),
    Column("bin_rank", Integer, nullable=False),  # how far in their order of bins they are
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
    Column("key_hash", LargeBinary(32), nullable=False),  # a key may be longer than an index takes
    Column("content", Text, nullable=False),
    Column("content_hash", LargeBinary(32), nullable=False),
    Column("needed", Integer, nullable=False),
    Column("room", Integer, nullable=False),  # needed less those who have it; below 0 where somebody came back to it
    Column("bin", SmallInteger, nullable=False),  # see order.py
    Column("topic", BigInteger, nullable=False),  # the same for items of the same question
    Column("drawn", BigInteger, nullable=False),  # by this number the overlap is drawn
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
    Column("revision", Integer, nullable=False),  # of the last save or skip, standing or not
    Column("standing_id", Integer),  # the save that counts; None where none does
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
    Column("assignment_id", ForeignKey(assignments.c.id)),  # None: an undo that found nothing to take back
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
