"""An open annotation project, and the transactions in which the other modules of this package work on it.

The functions of this package take a `Project`; they are synchronous and thread-safe, and several processes may open the
same database. Once a call returns, its changes are on disk; if it raises, nothing was written. The exception is
`StoreUnavailable`, after which the outcome is unknown: send the same again, it is stored once.
"""

import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, insert, select

from saiten.annotation.records import ProjectSettings
from saiten.annotation.store.database import Database, NoSuchProject
from saiten.annotation.store.engines import engine_of, is_missing, named, read_address
from saiten.annotation.store.json_text import from_text, plain, to_text
from saiten.annotation.store.migrating import migrate
from saiten.annotation.store.schema import projects
from saiten.errors import BadInput

P = ParamSpec("P")
T = TypeVar("T")

_now = partial(datetime.now, UTC)


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction on one project."""

    connection: Connection
    project: int
    settings: ProjectSettings
    release_after: timedelta
    now: datetime


@dataclass(frozen=True, slots=True)
class Project:
    """One project of an annotation database, opened by `open_project`."""

    database: Database
    number: int
    identity: str
    """Drawn at random when the project was created, so unique across databases."""
    settings: ProjectSettings
    release_after: timedelta
    """Items unanswered for this long are reassigned; annotators unseen for this long lose their share of the rest."""
    clock: Callable[[], datetime]
    """Returns the current time in UTC."""

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction that only reads."""
        return self.database.read(lambda connection: work(self._transaction(connection)))

    def write(self, work: Callable[[Transaction], T], **options: int) -> T:
        """Run `work` in a transaction that writes; `options` are those of `Database.write`."""
        return self.database.write(lambda connection: work(self._transaction(connection)), **options)

    def close(self) -> None:
        """Close the database; later calls raise StoreUnavailable."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def _transaction(self, connection: Connection) -> Transaction:
        return Transaction(connection, self.number, self.settings, self.release_after, self.clock())


def reads(work: Callable[Concatenate[Transaction, P], T]) -> Callable[Concatenate[Project, P], T]:
    """Make a function of a transaction one of a project, run in a transaction that only reads."""

    @wraps(work)
    def run(project: Project, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return project.read(lambda tx: work(tx, *args, **kwargs))

    return run


def writes(work: Callable[Concatenate[Transaction, P], T]) -> Callable[Concatenate[Project, P], T]:
    """Make a function of a transaction one of a project, run in a transaction that writes."""

    @wraps(work)
    def run(project: Project, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return project.write(lambda tx: work(tx, *args, **kwargs))

    return run


def open_project(
    url: str,
    settings: ProjectSettings | None = None,
    *,
    name: str = "default",
    release_after: timedelta = timedelta(hours=24),
    clock: Callable[[], datetime] = _now,
) -> Project:
    """Open a project, creating it if needed, and migrate the database to this version's tables.

    Args:
        url: path of a SQLite file, `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST/DATABASE`.
        settings: settings of the project; None to open an existing one.
        name: name of the project; a database may hold several.
        release_after: time after which an unanswered item may be reassigned when nothing else is left, and after which
            an absent annotator's share goes to the others.
        clock: returns the current time in UTC.

    Raises:
        BadInput: the project was created with other settings, which the message lists.
        NoSuchProject: there is no such project or file, and no settings to create it with.
        ConfigurationError: the database cannot be used, or was written by a newer saiten.
    """
    address = read_address(url)
    if settings is None and is_missing(address):
        raise NoSuchProject(f"there is no annotation database {named(address)}")
    database = Database(engine_of(address))
    try:
        database.write(lambda connection: migrate(connection, named(address)))
        number, identity, text = database.write(
            lambda connection: _find_or_create(connection, named(address), name, settings, clock())
        )
        stored = ProjectSettings(**from_text(text))
        if settings is not None:
            _require_equal(name, stored, settings)
    except BaseException:
        database.close()
        raise
    return Project(database, number, identity, stored, release_after, clock)


def _find_or_create(
    connection: Connection, where: str, name: str, settings: ProjectSettings | None, now: datetime
) -> Sequence[Any]:
    columns = projects.c.id, projects.c.identity, projects.c.settings
    row = connection.execute(select(*columns).where(projects.c.name == name)).one_or_none()
    if row is not None:
        return row
    if settings is None:
        names = connection.scalars(select(projects.c.name).order_by(projects.c.name)).all()
        existing = f"it has {', '.join(map(repr, names))}" if names else "it has none yet"
        raise NoSuchProject(f"there is no project {name!r} in the annotation database {where}; {existing}")
    _check(settings)
    created = insert(projects).values(
        name=plain(name, "a project's name", 100),
        identity=secrets.token_hex(16),
        settings=to_text(asdict(settings), "the settings of the project"),
        made_at=now,
    )
    return connection.execute(created.returning(*columns)).one()


def _check(settings: ProjectSettings) -> None:
    if settings.per_item < 1:
        raise BadInput(f"an item needs at least one annotator, not {settings.per_item}")
    if not (math.isfinite(settings.overlap) and 0 <= settings.overlap <= 1):
        raise BadInput(f"the overlap is a share between 0 and 1, not {settings.overlap}")
    if settings.prelabels not in {"shown", "hidden"}:
        raise BadInput(f"pre-labels are shown or hidden, not {settings.prelabels!r}")


def _require_equal(name: str, stored: ProjectSettings, given: ProjectSettings) -> None:
    read_back = ProjectSettings(**from_text(to_text(asdict(given), "the settings of the project")))
    old, new = _flat(stored), _flat(read_back)
    differing = [key for key in old | new if old.get(key) != new.get(key)]
    if differing:
        listed = "; ".join(f"{key} is {_short(old.get(key))}, not {_short(new.get(key))}" for key in differing[:5])
        raise BadInput(
            f"the project {name!r} was created with other settings: {listed}; use those, or another project or database"
        )


def _flat(settings: ProjectSettings) -> dict[str, object]:
    fields = asdict(settings)
    options = fields.pop("options")
    return fields | {f"options.{key}": value for key, value in options.items()}


def _short(value: object) -> str:
    text = "not set" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
