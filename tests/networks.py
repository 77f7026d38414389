"""Marks for tests of networks: skipped without PyTorch, and run by one process of pytest.

pytestmark = networks.marks()           # of a module
pytestmark = networks.marks("peft")     # of one that needs more than torch and transformers
with_networks = networks.needed()       # a decorator for single tests

Nothing is imported to find that out, so collecting tests costs nothing; tests import what they use.
Importing torch and transformers takes ten CPU seconds, which one process for all of them pays once.
"""

from collections.abc import Callable
from functools import reduce
from importlib.util import find_spec

import pytest


def marks(*more: str) -> list[pytest.MarkDecorator]:
    """For a module's `pytestmark`."""
    missing = [name for name in ("torch", "transformers", *more) if find_spec(name) is None]
    return [
        pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} not installed: make neural"),
        pytest.mark.xdist_group("networks"),
        pytest.mark.slow,  # one test per kind of network is a witness and runs in `make test`
        pytest.mark.timeout(600),  # the first one imports everything, perhaps on a busy machine
        # of the libraries themselves
        pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
    ]


def needed(*more: str) -> Callable:
    """A decorator with these marks, for single tests of a module whose others need no network."""

    def marked(test):
        return reduce(lambda test, mark: mark(test), marks(*more), test)

    return marked
