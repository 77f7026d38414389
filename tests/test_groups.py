"""Tests of one group run in one process of xdist, with the project's own settings, and are found again if they fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MANY = """
import os
import pytest

@pytest.fixture(scope="session")
def built():
    with open("built", "a") as file:
        print(os.environ.get("PYTEST_XDIST_WORKER"), file=file)

@pytest.mark.parametrize("number", [pytest.param(n, marks=pytest.mark.xdist_group(["odd", "a@b"][n % 2])) for n in range(8)])
def test_grouped(built, number):
    with open(f"group {number % 2}", "a") as file:
        print(os.environ.get("PYTEST_XDIST_WORKER"), file=file)
    assert number != 5

@pytest.mark.parametrize("number", range(8))
def test_alone(number):
    pass
"""


@pytest.fixture
def run(tmp_path):
    """`run(ARGUMENTS)`: pytest with the project's settings and conftest, on a file of tests; its output."""
    (tmp_path / "test_many.py").write_text(MANY)

    def call(*arguments):
        settings = ["-c", TESTS.parent / "pyproject.toml", "--rootdir", tmp_path]
        settings += ["-o", f"cache_dir={tmp_path / 'cache'}", "-W", "ignore", "-W", "error:syrupy"]
        # In pytest's own loading order: installed plugins, then the conftest.
        plugins = ("xdist.plugin", "pytest_asyncio.plugin", "pytest_timeout", "syrupy", "conftest")
        settings += [word for plugin in plugins for word in ("-p", plugin)]
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the others take seconds to load
        env["PYTHONPATH"] = os.pathsep.join([str(TESTS), *filter(None, [env.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "pytest", *map(str, settings), *arguments, "test_many.py"]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False).stdout

    return call


@pytest.mark.slow
def test_a_group_runs_in_one_process(run, tmp_path):
    """Each group runs in one process, `--last-failed` runs the failed test alone, and syrupy finds the tests by their names."""
    said = run("-n", "2")
    assert "1 failed, 15 passed" in said, said
    workers = [set((tmp_path / f"group {n}").read_text().split()) for n in range(2)]
    assert [len(each) for each in workers] == [1, 1]
    assert len((tmp_path / "built").read_text().split()) == len(set.union(*workers))
    assert "FAILED test_many.py::test_grouped[5] - " in said
    assert "1 failed, 15 deselected" in run("-n", "0", "--last-failed")
