"""Ctrl-C also ends a run where it does not interrupt the wait for calls in flight."""

import asyncio
import os
import signal
import threading
import time

import pytest
from rich.console import Console

from saiten.cli import INTERRUPTED
from saiten.cli.running import resumable
from saiten.runs.engine import awake


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks on this system")
def test_a_signal_that_comes_just_before_the_wait():
    """Another thread takes the signal, so the wait goes on, as it does for a signal that comes just before it."""
    begun, woken = threading.Event(), threading.Event()

    def interrupt():
        begun.wait()
        time.sleep(0.2)  # by then the loop is waiting
        os.kill(os.getpid(), signal.SIGINT)

    async def long():
        asyncio.get_running_loop().call_later(30, woken.set)  # otherwise the next thing to happen
        async with awake():
            begun.set()
            await asyncio.Event().wait()

    thread = threading.Thread(target=interrupt)
    thread.start()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with resumable(Console(quiet=True), kept="all") as ending:
            asyncio.run(long())
        assert ending.status == INTERRUPTED
        assert not woken.is_set()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        thread.join()
