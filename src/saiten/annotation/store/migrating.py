"""Creation of the tables, and their migration to this version's, when a database is opened."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, exc, text

from saiten.annotation.store.database import worth_another_try
from saiten.annotation.store.schema import metadata
from saiten.errors import ConfigurationError

VERSION_TABLE = "saiten_version"
_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x5341495445  # of PostgreSQL's advisory locks: "SAITE"


def migrate(connection: Connection, name: str) -> None:
    """Create the tables, or migrate them to the newest revision, completely or not at all.

    Several processes may do this at once: the first one works, the others wait.

    Args:
        connection: of the database, in a transaction.
        name: of the database in error messages.

    Raises:
        ConfigurationError: the tables were created by a newer saiten, or cannot be migrated.
    """
    if connection.dialect.name == "postgresql":  # a SQLite transaction excludes others already
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    scripts = ScriptDirectory.from_config(config)
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    current, head = context.get_current_revision(), scripts.get_current_head()
    if current == head:
        return
    if current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
        raise ConfigurationError(
            f"the annotation database {name} was created by a newer saiten (its tables have revision {current}, this "
            f"saiten supports up to {head}); update saiten, or give another database"
        )
    try:
        if current is None:
            metadata.create_all(connection)
            context.stamp(scripts, "head")
        else:
            command.upgrade(config, "head")
    except exc.DBAPIError as error:
        if error.connection_invalidated or worth_another_try(error):
            raise
        reason = str(error.orig).splitlines()[0]
        raise ConfigurationError(
            f"the tables of the annotation database {name} cannot be migrated: {reason}; nothing was changed"
        ) from error
