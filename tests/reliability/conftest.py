import signal

import pytest

from commands import data, kept, once, process, saiten, somewhere

__all__ = ["data", "kept", "once", "process", "saiten", "somewhere"]


@pytest.fixture(autouse=True)
def default_hangup():
    """Let SIGHUP end the processes that tests start, as it does by itself: under `nohup` they would inherit to ignore it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)
