"""Where MLflow keeps runs: an address, whether somebody is there, and its errors as ours."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from saiten.errors import ConfigurationError, SaitenError
from saiten.models.networks import require
from saiten.redaction import redact

_SECONDS = 10
"""How long we wait to see whether a server is there; MLflow itself would try for minutes."""
_SQLITE = b"SQLite format 3\0"
_FOLDERS = "MLFLOW_ALLOW_FILE_STORE"
_EXAMPLES = "sqlite:///mlflow.db, or http://HOST:5000 for a tracking server"


@contextmanager
def opened_store(uri: str | None) -> Iterator[tuple[Any, str]]:
    """A client for the store, and its address without a password; what fails inside is told as a fault of the store.

    No address means the one that MLflow would take: of `mlflow.set_tracking_uri`, of MLFLOW_TRACKING_URI, or the
    database `mlflow.db` in this folder. MLflow's own settings are read, never written.

    Raises:
        ConfigurationError: MLflow is not installed, there is no such store, or it cannot be used.
    """
    require("tracking in MLflow", "mlflow", "mlflow")
    mlflow = _loaded("mlflow")
    address = str(mlflow.get_tracking_uri()) if uri is None else uri.strip()
    shown = redact(address)
    scheme = urlsplit(address).scheme
    folder = scheme in {"", "file"} and not address.startswith("databricks")
    if folder and not (address and _true(os.environ.get(_FOLDERS, ""))):
        raise ConfigurationError(
            f"MLflow 3 keeps no runs in plain folders, as {shown or 'an empty address'} would be, unless "
            f"{_FOLDERS}=true is set; name {_EXAMPLES}"
        )
    if scheme == "sqlite":
        require("a tracking database", "mlflow", "sqlalchemy", "alembic")
        _check_sqlite(address, shown)
    elif scheme in {"http", "https"}:
        _check_server(address, shown)
    try:
        yield mlflow.MlflowClient(tracking_uri=address), shown
    except SaitenError:
        raise
    except Exception as error:  # of MLflow, of its database, of whatever keeps its files: each has its own
        said = str(error).strip().splitlines() or [type(error).__name__]
        reason = said[0].replace(address, shown)
        raise ConfigurationError(f"MLflow at {shown} cannot take the run: {reason}") from error


def _true(text: str) -> bool:
    return text.strip().lower() in {"true", "1"}


def _loaded(module: str) -> Any:
    try:
        return import_module(module)
    except Exception as error:  # another package that it does not agree with
        raise ConfigurationError(
            f'MLflow cannot be loaded: {error}; mend it with pip install "saiten[mlflow]"'
        ) from error


def _check_sqlite(address: str, shown: str) -> None:
    """Whether the file can be a database; MLflow would try ten times, for minutes."""
    name = unquote(address.partition(":///")[2].partition("?")[0])
    if not name:
        raise ConfigurationError(f"{shown} names no file; name one, for example sqlite:///mlflow.db")
    path = Path(name)
    try:
        if path.is_dir():
            raise ConfigurationError(f"{path} is a folder; name a file in it, for example sqlite:///{path}/mlflow.db")
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            return
        with path.open("r+b") as file:
            start = file.read(len(_SQLITE))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}; name another file") from error
    if start not in {b"", _SQLITE}:
        raise ConfigurationError(f"{path} is no SQLite database; name another file, and it is made")


def _check_server(address: str, shown: str) -> None:
    """Whether anybody answers there, whatever the answer."""
    requests = import_module("requests")
    try:
        requests.get(f"{address.rstrip('/')}/health", timeout=_SECONDS, allow_redirects=False, stream=True).close()
    except requests.exceptions.SSLError:
        return  # somebody is there; MLflow's own settings say whom it trusts
    except requests.exceptions.RequestException as error:
        raise ConfigurationError(
            f"no MLflow server answers at {shown}; is the address right, and is it started?"
        ) from error
