"""MLflow, saying nothing to anybody: neither to its makers nor to standard output.

MLflow reports the use of its client to its makers: it writes an installation id when it is imported, and asks the
variable MLFLOW_DISABLE_TELEMETRY at each call. It also prints a run's address, password and all, where results belong,
and its use of SQLAlchemy brings warnings, which would end a process in which warnings are errors. While our own calls
last that is switched off; afterwards all is as it was, so that what the user does with MLflow is left to the user.
"""

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

_SAYING_NO = {"MLFLOW_DISABLE_TELEMETRY": "true", "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true"}


class _Silence:
    """How many of our calls are under way; what the first of them switched off, the last switches on again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0
        self._undo = ExitStack()

    def begin(self) -> None:
        with self._lock:
            self._under_way += 1
            if self._under_way == 1:
                for name in _SAYING_NO:
                    self._undo.callback(_set, name, os.environ.get(name))
                os.environ.update(_SAYING_NO)
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
    """While this lasts MLflow is quiet; it may be entered from several threads."""
    _SILENCE.begin()
    try:
        yield
    finally:
        _SILENCE.end()
