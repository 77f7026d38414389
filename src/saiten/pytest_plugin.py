"""pytest's plugin: `assert_score` as a fixture, and one judge, store and event loop for all tests of a session.

Loaded at every start of pytest, so nothing is imported here but pytest and what is small.
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
_JUDGE = "the judge of assert_score: offline, openai:MODEL, openai:MODEL@URL or hf:NAME_OR_FOLDER"
_CACHE = "a file that keeps the judge's answers between sessions; workers of pytest-xdist share it"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, and the same in the ini-file."""
    group = parser.getgroup("saiten", "saiten: scores as assertions")
    group.addoption("--saiten-judge", metavar="JUDGE", help=_JUDGE)
    group.addoption("--saiten-cache", metavar="FILE", help=_CACHE)
    parser.addini("saiten_judge", _JUDGE)
    parser.addini("saiten_cache", f"{_CACHE}; beside the ini-file")


def pytest_configure(config: pytest.Config) -> None:
    """Begin the session: what was said is kept, nothing is loaded."""
    toml = config.rootpath / "saiten.toml"
    session = Session(
        config.getoption("--saiten-judge") or config.getini("saiten_judge") or None,
        _cache(config),
        toml if toml.is_file() else None,
        partial(_tell, config),
        None if config.getoption("--saiten-judge") or not config.getini("saiten_judge") else config.inipath,
    )
    config.stash[_SESSION] = session
    begin(session)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End it: the judge is closed, the thread ends."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        end(session)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say which file the settings are from."""
    toml = config.rootpath / "saiten.toml"
    return [f"saiten: settings are from {toml}"] if toml.is_file() else []


def _tell(config: pytest.Config, text: str) -> None:
    """Write a line where it is seen at once, not with what a test printed."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None:  # a worker of pytest-xdist
        logging.getLogger(__name__).warning(text)
        return
    reporter.ensure_newline()
    reporter.write_line(f"saiten: {text}", yellow=True)


def _cache(config: pytest.Config) -> Path | None:
    """What is typed is meant from where it is typed; what stands in the ini-file, from there."""
    typed: str | None = config.getoption("--saiten-cache")
    if typed:
        return (config.invocation_params.dir / typed).absolute()
    beside = config.inipath.parent if config.inipath else config.rootpath
    named: str = config.getini("saiten_cache")
    return beside / named if named else None


@pytest.fixture(scope="session")
def assert_score() -> Callable[..., Score]:
    """`saiten.testing.assert_score`: the score of a sample, if it is good enough."""
    return testing.assert_score


@pytest.fixture(scope="session")
def aassert_score() -> Callable[..., Awaitable[Score]]:
    """`saiten.testing.aassert_score`: the same, awaited."""
    return testing.aassert_score
