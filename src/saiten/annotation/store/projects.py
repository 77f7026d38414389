"""A project: what was set when it was made, and held to when it is opened again."""

import math
import secrets
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection, insert, select

from saiten.annotation.records import ProjectSettings
from saiten.annotation.store.failures import NoSuchProject
from saiten.annotation.store.json_text import from_text, plain, to_text
from saiten.annotation.store.schema import projects
from saiten.errors import BadInput


def find_or_make(connection: Connection, name: str, settings: ProjectSettings | None, now: datetime) -> int:
    """The number of the project of this name, made if it is not there.

    Raises:
        BadInput: it is there with other settings, which are named; or the settings make no sense.
        NoSuchProject: it is not there, and there are no settings to make it with.
    """
    row = connection.execute(select(projects.c.id, projects.c.settings).where(projects.c.name == name)).one_or_none()
    if row is not None:
        if settings is not None:
            _hold_to(name, _read(row.settings), settings)
        return int(row.id)
    if settings is None:
        names = connection.scalars(select(projects.c.name).order_by(projects.c.name)).all()
        there = f"those there: {', '.join(map(repr, names))}" if names else "there is none yet"
        raise NoSuchProject(f"there is no project {name!r} in this annotation database; {there}")
    _check(settings)
    made = insert(projects).values(
        name=plain(name, "a project's name", 100),
        identity=secrets.token_hex(16),
        settings=to_text(asdict(settings), "the settings of the project"),
        size=0,
        overlapping=0,
        places=0,
        made_at=now,
    )
    return int(connection.execute(made.returning(projects.c.id)).scalar_one())


def facts_of(connection: Connection, project: int) -> tuple[str, ProjectSettings]:
    """Its identity, and what was set when it was made."""
    chosen = select(projects.c.identity, projects.c.settings).where(projects.c.id == project)
    row = connection.execute(chosen).one()
    return row.identity, _read(row.settings)


def _read(text: str) -> ProjectSettings:
    return ProjectSettings(**from_text(text))


def _check(settings: ProjectSettings) -> None:
    if settings.per_item < 1:
        raise BadInput(f"an item needs one annotator or more, not {settings.per_item}")
    if not (math.isfinite(settings.overlap) and 0 <= settings.overlap <= 1):
        raise BadInput(f"the overlap is a share between 0 and 1, not {settings.overlap}")
    if settings.prelabels not in {"shown", "hidden"}:
        raise BadInput(f"pre-labels are shown or hidden, not {settings.prelabels!r}")


def _hold_to(name: str, there: ProjectSettings, wanted: ProjectSettings) -> None:
    """Raise BadInput if they differ."""
    wanted = _read(to_text(asdict(wanted), "the settings of the project"))  # as they would be read back
    old, new = _flat(there), _flat(wanted)
    differing = [key for key in old | new if old.get(key) != new.get(key)]
    if differing:
        told = "; ".join(f"{key} is {_short(old.get(key))}, not {_short(new.get(key))}" for key in differing[:5])
        raise BadInput(
            f"the project {name!r} was begun with other settings: {told}; give those again, or another project"
        )


def _flat(settings: ProjectSettings) -> dict[str, object]:
    fields = asdict(settings)
    options = fields.pop("options")
    return fields | {f"options.{key}": value for key, value in options.items()}


def _short(value: object) -> str:
    text = "not set" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
