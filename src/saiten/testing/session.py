"""The judge and cache shared by the tests of a session; the only process-wide state, so that tests need name neither.

The pytest plugin begins and ends a session; without it (a notebook, another runner) one lasts as long as the process.
Keep imports light: the plugin loads this module at every start of pytest.
"""

import atexit
import logging
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saiten.testing.grader import Grader

_LOG = logging.getLogger(__name__)


class Session:
    """The configured judge and cache; the grader is created for the first score."""

    def __init__(
        self,
        judge: str | None = None,
        cache: str | None = None,
        config: Path | None = None,
        notify: Callable[[str], None] = _LOG.warning,
        ini_file: Path | None = None,
    ) -> None:
        """Arguments that are None are read from saiten.toml: `config`, or the one in the current folder.

        `notify` is called with each server chosen by a file (saiten.toml, or `ini_file` for the judge) before its use.
        """
        self._settings = (judge, cache, config, notify, ini_file)
        self._lock = Lock()
        self._grader: Grader | None = None

    def grader(self) -> "Grader":
        """Return the grader of the session.

        Raises:
            ConfigurationError: saiten.toml cannot be read.
        """
        from saiten.testing.grader import Grader  # noqa: PLC0415 - everything that scoring needs

        with self._lock:
            if self._grader is None:
                self._grader = Grader(*self._settings)
            return self._grader

    def close(self) -> None:
        """Close connections and files, and end the thread."""
        with self._lock:
            grader, self._grader = self._grader, None
        if grader is not None:
            grader.close()


_SESSIONS: list[Session] = []
"""Nested sessions, innermost last: a test of the plugin runs a session within a session."""
_LOCK = Lock()


def begin(session: Session) -> None:
    """Make this the current session."""
    with _LOCK:
        _SESSIONS.append(session)


def end(session: Session) -> None:
    """End the session; the previous one becomes current again."""
    with _LOCK:
        if session in _SESSIONS:
            _SESSIONS.remove(session)
    session.close()


def current() -> Session:
    """Return the current session; begin one for the life of the process if there is none."""
    with _LOCK:
        if not _SESSIONS:
            _SESSIONS.append(Session())
            atexit.register(_SESSIONS[0].close)
        return _SESSIONS[-1]
