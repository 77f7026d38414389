import functools
import importlib.metadata
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

from servers import OpenAIServer

STEADY = settings(derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("full", STEADY, max_examples=200)
settings.register_profile("quick", STEADY, max_examples=25)  # `make test`
settings.load_profile("full")

# The tests are about the English texts, whatever the locale of this machine; those of Japanese set it themselves.
os.environ["SAITEN_LANG"] = "en"

# A shell's background jobs, and the processes that they start, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Each run's manifest names the versions of a dozen packages; reading them takes longer than many of the small runs here.
importlib.metadata.version = functools.cache(importlib.metadata.version)


def pytest_runtest_setup():
    """Begin each test in English, also after one that called `saiten --lang ja` in this process."""
    os.environ["SAITEN_LANG"] = "en"


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A server on loopback that speaks OpenAI's protocol; see `servers.py` for its settings."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def toured(tmp_path_factory):
    """`saiten demo --all`, run once for all tests of the group `demo`: its folder, and its output, 160 columns wide."""
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-c", "from saiten.cli import main; main()", "demo", "--all"]
    ran = subprocess.run(command, cwd=folder, env=os.environ | {"COLUMNS": "160"}, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    return folder, ran.stdout.decode()


class GroupsForXdist:
    """Give xdist the group of each test, at the end of its node ID, while the IDs are sent.

    xdist 3.8 does so itself, in an attribute that pytest 9.2 no longer reads.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session):
        self.kept = []
        for item in session.items:
            groups = "_".join(sorted({mark.args[0] for mark in item.iter_markers("xdist_group")}))
            if groups and not item.nodeid.endswith(f"@{groups}"):
                self.kept.append((item, item._id))
                item._id = type(item._id).parse(f"{item.nodeid}@{groups}")

    def give_back(self):
        """Restore the IDs, for reports, `--last-failed` and plugins called after xdist."""
        for item, node_id in self.kept:
            item._id = node_id


def pytest_configure(config):
    """Register the groups in a process of xdist, whose own plugin is registered by then; collect without snapshots."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(GroupsForXdist(), "groups for xdist")
    if config.option.collectonly:  # syrupy would fail, since no test uses its snapshots
        config.option.disable_unused_snapshots = True


def pytest_collection_finish(session):
    """Runs after xdist's own, which is registered later, and before syrupy's, which is registered earlier."""
    if groups := session.config.pluginmanager.get_plugin("groups for xdist"):
        groups.give_back()
