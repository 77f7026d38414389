"""Migration of a database to this version's tables, when it is opened."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, exc, text

from saiten.annotation.store.failures import worth_another_try
from saiten.errors import ConfigurationError

VERSION_TABLE = "saiten_version"
_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x5341495445  # of PostgreSQL's advisory locks: "SAITE"


def migrate(connection: Connection, name: str, *, target: str = "head") -> None:
    """Migrate the tables to the newest revision within the connection's transaction: completely or not at all.

    Several processes may do this at once: the first one works, the others wait.

    Args:
        connection: of the database.
        name: of the database in error messages.
        target: revision to migrate to, for tests.

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
    current = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
    head = scripts.get_current_head()
    if current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
        raise ConfigurationError(
            f"the annotation database {name} was made by a newer saiten (its tables have revision {current}, this "
            f"saiten supports up to {head}); update saiten, or give another database"
        )
    if current != (head if target == "head" else target):
        try:
            command.upgrade(config, target)
        except exc.DBAPIError as error:
            if error.connection_invalidated or worth_another_try(error):
                raise
            reason = str(error.orig).splitlines()[0]
            raise ConfigurationError(
                f"the tables of the annotation database {name} cannot be migrated: {reason}; nothing was changed"
            ) from error
