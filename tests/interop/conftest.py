"""Tests with the real packages of other tools; `make interop` installs these and runs the tests."""

import os

import pytest

os.environ |= {  # before their import: no reports on use
    "DEEPEVAL_TELEMETRY_OPT_OUT": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "RAGAS_DO_NOT_TRACK": "true",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Let other people's packages warn of what they will."""
    for item in items:
        if "interop" in item.path.parts:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
