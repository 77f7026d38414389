"""Database addresses: a file path, `sqlite:///file.db`, or `postgresql://user:password@host/database`."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, exc, make_url

from saiten.errors import ConfigurationError

_TAKEN = "give the path of a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE"


@dataclass(frozen=True, slots=True)
class FileAddress:
    """A SQLite file."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A database on a PostgreSQL server; its text omits password and parameters."""

    url: URL

    def __str__(self) -> str:
        user = f"{self.url.username}@" if self.url.username else ""
        port = f":{self.url.port}" if self.url.port else ""
        return f"postgresql://{user}{self.url.host or ''}{port}/{self.url.database or ''}"


def read_address(text: str) -> FileAddress | ServerAddress:
    """Parse an address.

    Raises:
        ConfigurationError: it is invalid or of another kind; the message contains no password.
    """
    if "://" not in text:
        return _file(text)
    scheme, _, rest = text.partition("://")
    if scheme.lower() == "sqlite":
        if "?" in rest:
            raise ConfigurationError(f"sqlite:// takes no parameters after a question mark; {_TAKEN}")
        return _file(rest.removeprefix("/"))
    if scheme.lower() in {"postgresql", "postgres", "postgresql+psycopg"}:
        try:
            url = make_url(f"postgresql+psycopg://{rest}")
        except (exc.ArgumentError, ValueError):
            raise ConfigurationError(f"the address of the PostgreSQL database cannot be read; {_TAKEN}") from None
        if "@" in (url.host or ""):
            raise ConfigurationError("write an @ in the user name or password of the database as %40")
        return ServerAddress(url)
    raise ConfigurationError(f"{scheme[:40]!r} databases are not supported for labels; {_TAKEN}")


def _file(text: str) -> FileAddress:
    if not text or text == ":memory:":
        raise ConfigurationError(f"an in-memory database would lose all labels; {_TAKEN}")
    if "\0" in text:
        raise ConfigurationError(f"the path of the database contains a NUL character; {_TAKEN}")
    return FileAddress(Path(text).expanduser())
