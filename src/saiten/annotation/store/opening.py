"""A database opened by its address, its tables brought up to date."""

from saiten.annotation.store.addresses import FileAddress, read_address
from saiten.annotation.store.database import Database
from saiten.annotation.store.engines import file_engine, server_engine
from saiten.annotation.store.failures import NoSuchProject
from saiten.annotation.store.migrating import migrate


def open_database(url: str, *, make: bool) -> Database:
    """The database, ready for use; with `make`, a SQLite file that is not there is made.

    Raises:
        NoSuchProject: there is no such file, and it is not to be made.
        ConfigurationError: the address cannot be read, the database cannot be used, or it is of a newer saiten.
    """
    address = read_address(url)
    if isinstance(address, FileAddress) and not make and not address.path.exists():
        raise NoSuchProject(f"there is no annotation database {address}")
    database = Database(file_engine(address) if isinstance(address, FileAddress) else server_engine(address))
    try:
        database.write(lambda connection: migrate(connection, str(address)))
    except BaseException:
        database.close()
        raise
    return database
