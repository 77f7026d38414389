"""The tables of a database brought to what this version of saiten knows, when it is opened."""

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
    """Bring the tables to the newest revision, inside the transaction of this connection: wholly or not at all.

    Several processes may do so at once: the first one works, the others wait and find it done. `name` is what an error
    calls the database; `target` another revision than the newest, for tests.

    Raises:
        ConfigurationError: the tables are of a newer saiten than this one, or cannot be made.
    """
    if connection.dialect.name == "postgresql":  # the transaction of a SQLite file is alone already
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
            f"the annotation database {name} was made by a newer saiten (its tables are of revision {current}, this "
            f"saiten knows them up to {head}); update saiten, or give another database"
        )
    if current != (head if target == "head" else target):
        try:
            command.upgrade(config, target)
        except exc.DBAPIError as error:
            if error.connection_invalidated or worth_another_try(error):
                raise
            reason = str(error.orig).splitlines()[0]
            raise ConfigurationError(
                f"the tables of the annotation database {name} cannot be made: {reason}; nothing was changed"
            ) from error
