"""MLflow's stores: addresses, checks, and conversion of errors; and keeping MLflow quiet.

MLflow reports the use of its client to its makers: it writes an installation id on import, and checks the variable
MLFLOW_DISABLE_TELEMETRY at each call. It also prints a run's address, including the password, where results belong, and
its use of SQLAlchemy raises warnings, which would end a process that treats them as errors. All this is disabled during
saiten's own calls and restored afterwards, so that the user's own use of MLflow is unaffected.
"""

import os
import threading
import warnings
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
"""Time-out of the check for a server; MLflow itself would try for minutes."""
_SQLITE = b"SQLite format 3\0"
_FOLDERS = "MLFLOW_ALLOW_FILE_STORE"
_EXAMPLES = "sqlite:///mlflow.db, or http://HOST:5000 for a tracking server"
_QUIET = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true"}
_ONE_AT_A_TIME = threading.RLock()


@contextmanager
def quietly() -> Iterator[None]:
    """Keep MLflow quiet within the block; other threads wait, since the environment is the process's."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        before = {name: os.environ.get(name) for name in _QUIET}
        os.environ.update(_QUIET)
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


@contextmanager
def opened_store(uri: str | None) -> Iterator[tuple[Any, str]]:
    """Yield a client for the store, and its redacted address; errors inside become faults of the store.

    Without an address MLflow's own default is used: `mlflow.set_tracking_uri`, MLFLOW_TRACKING_URI, or the database
    `mlflow.db` in this folder. MLflow's settings are read, never written.

    Raises:
        ConfigurationError: MLflow is not installed, there is no such store, or it is unusable.
    """
    require("tracking in MLflow", "mlflow", "mlflow")
    mlflow = _loaded("mlflow")
    address = str(mlflow.get_tracking_uri()) if uri is None else uri.strip()
    shown = redact(address)
    scheme = urlsplit(address).scheme
    folder = scheme in {"", "file"} and not address.startswith("databricks")
    if folder and not (address and _true(os.environ.get(_FOLDERS, ""))):
        raise ConfigurationError(
            f"MLflow 3 does not store runs in plain folders such as {shown or 'an empty address'} unless "
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
    except Exception as error:  # MLflow, its database and its file stores raise their own types
        said = str(error).strip().splitlines() or [type(error).__name__]
        reason = said[0].replace(address, shown)
        raise ConfigurationError(f"MLflow at {shown} cannot store the run: {reason}") from error


def _true(text: str) -> bool:
    return text.strip().lower() in {"true", "1"}


def _loaded(module: str) -> Any:
    try:
        return import_module(module)
    except Exception as error:  # an incompatible package
        raise ConfigurationError(
            f'MLflow cannot be loaded: {error}; repair it with pip install "saiten[mlflow]"'
        ) from error


def _check_sqlite(address: str, shown: str) -> None:
    """Check that the file can be a database, since MLflow would try ten times, for minutes."""
    name = unquote(address.partition(":///")[2].partition("?")[0])
    if not name:
        raise ConfigurationError(f"{shown} does not name a file; name one, for example sqlite:///mlflow.db")
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
