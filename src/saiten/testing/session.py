"""What the tests of one session share. The one place with a state of the process: a test names neither judge nor store.

pytest's plugin begins a session and ends it; without it (a notebook, another runner) there is one as long as the
process lives. Light: the plugin loads it at every start of pytest.
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
    """What was said about judge and store; the grader is made for the first score."""

    def __init__(
        self,
        judge: str | None = None,
        cache: Path | None = None,
        config: Path | None = None,
        tell: Callable[[str], None] = _LOG.warning,
        ini_file: Path | None = None,
    ) -> None:
        """What is None is as saiten.toml has it: `config`, or the one in the current folder.

        `tell` hears which servers a file chose, before the first is asked: saiten.toml, or `ini_file` for the judge.
        """
        self._judge, self._cache, self._config, self._tell, self._ini_file = judge, cache, config, tell, ini_file
        self._lock = Lock()
        self._grader: Grader | None = None

    def grader(self) -> "Grader":
        """The grader of the session.

        Raises:
            ConfigurationError: saiten.toml cannot be read.
        """
        from saiten.testing.grader import Grader  # noqa: PLC0415 - everything that scoring needs

        with self._lock:
            if self._grader is None:
                self._grader = Grader.of(self._judge, self._cache, self._config, self._tell, self._ini_file)
            return self._grader

    def close(self) -> None:
        """Let go of connections, files and the thread, if there are any."""
        with self._lock:
            grader, self._grader = self._grader, None
        if grader is not None:
            grader.close()


_SESSIONS: list[Session] = []
"""The innermost last: a test of tests runs a session within a session."""
_LOCK = Lock()


def begin(session: Session) -> None:
    """From now on scores are asked in this session."""
    with _LOCK:
        _SESSIONS.append(session)


def end(session: Session) -> None:
    """The session is over; the one before it counts again."""
    with _LOCK:
        if session in _SESSIONS:
            _SESSIONS.remove(session)
    session.close()


def current() -> Session:
    """The session that counts; one for the life of the process where nobody has begun one."""
    with _LOCK:
        if not _SESSIONS:
            _SESSIONS.append(Session())
            atexit.register(_SESSIONS[0].close)
        return _SESSIONS[-1]
