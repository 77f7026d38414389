"""MLflow's stores: clients, and conversion of errors; and keeping MLflow quiet.

MLflow reports the use of its client to its makers: it writes an installation id on import, and checks the variable
MLFLOW_DISABLE_TELEMETRY at each call. It also prints a run's address, including the password, where results belong, and
its use of SQLAlchemy raises warnings, which would end a process that treats them as errors. All this is disabled during
saiten's own calls and restored afterwards, so that the user's own use of MLflow is unaffected.
"""

import os
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError, SaitenError
from saiten.models.networks import require
from saiten.redaction import redact
from saiten.tracking.addresses import check_address

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
    try:
        mlflow = import_module("mlflow")
    except Exception as error:  # an incompatible package
        raise ConfigurationError(
            f'MLflow cannot be loaded: {error}; repair it with pip install "saiten[mlflow]"'
        ) from error
    address = str(mlflow.get_tracking_uri()) if uri is None else uri.strip()
    shown = redact(address)
    check_address(address, shown)
    try:
        with _whole_or_none(address):
            client = mlflow.MlflowClient(tracking_uri=address)
        yield client, shown
    except SaitenError:
        raise
    except Exception as error:  # MLflow, its database and its file stores raise their own types
        said = str(error).strip().splitlines() or [type(error).__name__]
        reason = said[0].replace(address, shown)
        if re.search(r"disk|Errno 28|Errno 27", reason):  # SQLite's words, and those of the system
            reason += "; free some space, and re-run the command"
        raise ConfigurationError(f"MLflow at {shown} cannot store the run: {reason}") from error


@contextmanager
def _whole_or_none(address: str) -> Iterator[None]:
    """Remove a new SQLite file in which MLflow could not make its tables: it would not finish them the next time."""
    file = Path(address.removeprefix("sqlite:///").partition("?")[0])
    new = address.startswith("sqlite:///") and not file.exists()
    try:
        yield
    except Exception:
        if new:
            file.unlink(missing_ok=True)
        raise
