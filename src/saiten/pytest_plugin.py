"""The pytest plugin: `assert_score` as a fixture, and one judge, cache and event loop per session.

Loaded at every start of pytest, so it imports only pytest and small modules.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from saiten import testing
from saiten.models.answer_store import is_on_server
from saiten.records import Score
from saiten.testing.session import Session, begin, end

_SESSION = pytest.StashKey[Session]()
_JUDGE = "the judge of assert_score: offline, PROVIDER:MODEL[@URL], hf: or nli:NAME_OR_FOLDER"
_CACHE = (
    "a file or PostgreSQL database that keeps the judge's answers between sessions; workers of pytest-xdist share it"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options on the command line and in the ini-file."""
    group = parser.getgroup("saiten", "saiten: scores as assertions")
    group.addoption("--saiten-judge", metavar="JUDGE", help=_JUDGE)
    group.addoption("--saiten-cache", metavar="FILE", help=_CACHE)
    parser.addini("saiten_judge", _JUDGE)
    parser.addini("saiten_cache", f"{_CACHE}; a file is relative to the folder of the ini-file")


def pytest_configure(config: pytest.Config) -> None:
    """Begin the session: keep the options, load nothing."""
    toml = config.rootpath / "saiten.toml"
    session = Session(
        config.getoption("--saiten-judge") or config.getini("saiten_judge") or None,
        _cache(config),
        toml if toml.is_file() else None,
        partial(_notify, config),
        None if config.getoption("--saiten-judge") or not config.getini("saiten_judge") else config.inipath,
    )
    config.stash[_SESSION] = session
    begin(session)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the session: close the judge, end the thread."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        end(session)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Return the header line that names the configuration file."""
    toml = config.rootpath / "saiten.toml"
    return [f"saiten: settings are from {toml}"] if toml.is_file() else []


def _notify(config: pytest.Config, text: str) -> None:
    """Print a line at once, separate from the captured output of tests."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None:  # a worker of pytest-xdist
        logging.getLogger(__name__).warning(text)
        return
    reporter.ensure_newline()
    reporter.write_line(f"saiten: {text}", yellow=True)


def _cache(config: pytest.Config) -> str | None:
    """Return the cache; a file is relative to the current folder if typed, to the ini-file's folder if set there."""
    typed: str | None = config.getoption("--saiten-cache")
    named: str = typed or config.getini("saiten_cache")
    if not named or is_on_server(named):
        return named or None
    ini_folder = config.inipath.parent if config.inipath else config.rootpath
    return str(((config.invocation_params.dir if typed else ini_folder) / named).absolute())


@pytest.fixture(scope="session")
def assert_score() -> Callable[..., Score]:
    """Return `saiten.testing.assert_score`."""
    return testing.assert_score


@pytest.fixture(scope="session")
def aassert_score() -> Callable[..., Awaitable[Score]]:
    """Return `saiten.testing.aassert_score`, for async tests."""
    return testing.aassert_score
