"""Servers that count what they are asked, and the moments at which a command that pays is killed."""

import asyncio
import signal
import threading
import time
from collections import Counter
from contextlib import contextmanager

from servers import OpenAIServer

AT_ONCE = 4
"""Calls in flight at most."""


@contextmanager
def held(server, after):
    """The server holds all requests from number `after` on."""
    go_on, reply = threading.Event(), server.reply

    async def waits(asked):
        while asked.number >= after and not go_on.is_set():  # noqa: ASYNC110 - set in another thread
            await asyncio.sleep(0.005)
        return reply(asked)

    server.reply = waits
    yield
    go_on.set()
    server.reply = reply


def until_nothing_moves(server, running, after):
    """Wait until the server has this many requests and as many waiting as possible: then none is in transit."""
    seen, since = -1, time.monotonic()
    while len(server.requests) < after or time.monotonic() - since < 0.4:
        assert running.poll() is None, running.communicate()
        if len(server.requests) != seen:
            seen, since = len(server.requests), time.monotonic()
        time.sleep(0.01)


def kill_at_rest(server, running, after, paid):
    """Kill the run while it is stopped and no call is between its account and the server; on a busy disk one may be."""
    until = time.monotonic() + 20
    while True:
        until_nothing_moves(server, running, after)
        running.send_signal(signal.SIGSTOP)
        time.sleep(0.1)  # for what is on its way
        if paid() == len(server.requests) or time.monotonic() > until:
            break
        running.send_signal(signal.SIGCONT)
    running.send_signal(signal.SIGKILL)
    running.communicate()


def until_all_left(server):
    """Wait until the server has noticed that nobody waits for its replies."""
    while server.in_flight:
        time.sleep(0.01)


class CountingServer(OpenAIServer):
    """A server that adds up what it sends by model, as its operator's bill does."""

    def __init__(self):
        super().__init__()
        self.prompt, self.completion = Counter(), 0

    def _completion(self, asked, text):
        made = super()._completion(asked, text)
        self.prompt["m"] += made["usage"]["prompt_tokens"]
        self.completion += made["usage"]["completion_tokens"]
        return made

    def _vectors(self, asked, made):
        made["usage"]["prompt_tokens"] += 1  # none would mean that the server does not say
        self.prompt["e"] += made["usage"]["prompt_tokens"]
        return made
