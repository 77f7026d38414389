"""Tests with the real packages of other tools; `make interop` installs these and runs the tests."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Let other people's packages warn of what they will."""
    for item in items:
        if "interop" in item.path.parts:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
