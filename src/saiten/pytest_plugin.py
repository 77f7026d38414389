"""The pytest plugin: `assert_score` as a fixture, and one judge, cache and event loop per session.

Loaded at every start of pytest, so it imports only pytest and small modules.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from saiten import testing
from saiten.records import Score
from saiten.testing.session import Session, begin, end

_SESSION = pytest.StashKey[Session]()
_JUDGE = "the judge of assert_score: offline, PROVIDER:MODEL[@URL], hf: or nli:NAME_OR_FOLDER"
_CACHE = "a file that keeps the judge's answers between sessions; workers of pytest-xdist share it"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options on the command line and in the ini-file."""
    group = parser.getgroup("saiten", "saiten: scores as assertions")
    group.addoption("--saiten-judge", metavar="JUDGE", help=_JUDGE)
    group.addoption("--saiten-cache", metavar="FILE", help=_CACHE)
    parser.addini("saiten_judge", _JUDGE)
    parser.addini("saiten_cache", f"{_CACHE}; relative to the folder of the ini-file")


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


def _cache(config: pytest.Config) -> Path | None:
    """Return the cache file: relative to the current folder if typed, to the ini-file's folder if set there."""
    typed: str | None = config.getoption("--saiten-cache")
    if typed:
        return (config.invocation_params.dir / typed).absolute()
    folder = config.inipath.parent if config.inipath else config.rootpath
    named: str = config.getini("saiten_cache")
    return folder / named if named else None


@pytest.fixture(scope="session")
def assert_score() -> Callable[..., Score]:
    """Return `saiten.testing.assert_score`."""
    return testing.assert_score


@pytest.fixture(scope="session")
def aassert_score() -> Callable[..., Awaitable[Score]]:
    """Return `saiten.testing.aassert_score`, for async tests."""
    return testing.aassert_score
