"""Keeping MLflow quiet, towards its makers and on standard output.

MLflow reports the use of its client to its makers: it writes an installation id on import, and checks the variable
MLFLOW_DISABLE_TELEMETRY at each call. It also prints a run's address, including the password, where results belong, and
its use of SQLAlchemy raises warnings, which would end a process that treats them as errors. All this is disabled during
saiten's own calls and restored afterwards, so that the user's own use of MLflow is unaffected.
"""

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_OFF = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true"}


class _Silence:
    """Counts saiten's calls in progress; the first one disables the output, and the last one restores it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0
        self._undo = ExitStack()

    def begin(self) -> None:
        with self._lock:
            self._under_way += 1
            if self._under_way == 1:
                for name in _OFF:
                    self._undo.callback(_set, name, os.environ.get(name))
                os.environ.update(_OFF)
                self._undo.enter_context(warnings.catch_warnings())
                warnings.simplefilter("ignore", DeprecationWarning)

    def end(self) -> None:
        with self._lock:
            self._under_way -= 1
            if not self._under_way:
                self._undo.close()


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


_SILENCE = _Silence()


@contextmanager
def quietly() -> Iterator[None]:
    """Keep MLflow quiet within the block; may be entered from several threads."""
    _SILENCE.begin()
    try:
        yield
    finally:
        _SILENCE.end()
