"""Checks of a store's address before MLflow, which would try for minutes, uses it."""

import os
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

from saiten.durable.whole_file import writing_to
from saiten.errors import ConfigurationError
from saiten.models.networks import require

_SECONDS = 10
"""Time-out of the check for a server; MLflow itself would try for minutes."""
_SQLITE = b"SQLite format 3\0"
_FOLDERS = "MLFLOW_ALLOW_FILE_STORE"
_EXAMPLES = "sqlite:///mlflow.db, or http://HOST:5000 for a tracking server"


def check_address(address: str, shown: str) -> None:
    """Raise ConfigurationError if there is no such store; `shown` is the redacted address."""
    scheme = urlsplit(address).scheme
    folder = scheme in {"", "file"} and not address.startswith("databricks")
    if folder and not (address and os.environ.get(_FOLDERS, "").strip().lower() in {"true", "1"}):
        raise ConfigurationError(
            f"MLflow 3 does not store runs in plain folders such as {shown or 'an empty address'} unless "
            f"{_FOLDERS}=true is set; name {_EXAMPLES}"
        )
    if scheme == "sqlite":
        require("a tracking database", "mlflow", "sqlalchemy", "alembic")
        _check_sqlite(address, shown)
    elif scheme in {"http", "https"}:
        _check_server(address, shown)


def _check_sqlite(address: str, shown: str) -> None:
    """Check that the file can be a database, since MLflow would try ten times, for minutes."""
    name = unquote(address.partition(":///")[2].partition("?")[0])
    if not name:
        raise ConfigurationError(f"{shown} does not name a file; name one, for example sqlite:///mlflow.db")
    path = Path(name)
    with writing_to(path, "name another file"):
        if path.is_dir():
            raise ConfigurationError(f"{path} is a folder; name a file in it, for example sqlite:///{path}/mlflow.db")
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            return
        with path.open("r+b") as file:
            start = file.read(len(_SQLITE))
    if start not in {b"", _SQLITE}:
        raise ConfigurationError(f"{path} is not a SQLite database; name another file, which will be created")


def _check_server(address: str, shown: str) -> None:
    """Check that a server answers, whatever the answer."""
    requests = import_module("requests")
    try:
        requests.get(f"{address.rstrip('/')}/health", timeout=_SECONDS, allow_redirects=False, stream=True).close()
    except requests.exceptions.SSLError:
        return  # a server is there; MLflow's own settings decide whether to trust it
    except requests.exceptions.RequestException as error:
        raise ConfigurationError(
            f"no MLflow server answers at {shown}; is the address right, and is it started?"
        ) from error
