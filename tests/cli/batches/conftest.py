import time
from collections import Counter

import pytest

from databases import postgres_server
from saiten.runs import read_run
from stand_ins.batches import BatchesServer

__all__ = ["postgres_server"]

METRICS = ("-m", "faithfulness", "-m", "accuracy")


class Batched:
    """Runs of `saiten score` with a server that has batches."""

    provider = "openai"

    def __init__(self, server, saiten, data):
        self.server, self.saiten, self.data = server, saiten, data

    def arguments(self, rows, *more, out="run", batch=("--batch", "--batch-poll", "0.02")):
        """The command line for the first rows of the questions."""
        judge = f"{self.provider}:m@{self.server.base_url}"
        return ("score", self.data(rows), *METRICS, "--judge", judge, "-o", out, *batch, *more)

    def __call__(self, rows, *more, **settings):
        """Run it in this process."""
        return self.saiten(*self.arguments(rows, *more, **settings))

    def sent(self):
        """How often each request was in a batch."""
        return Counter(key for batch in self.server.batches for key in batch.keys)

    def looked(self):
        """Whether the first batch was looked at twice, so that its name is written down."""
        return self.server.batches and self.server.batches[0].looks > 1

    def spent(self, folder="run"):
        """Calls, and those with an unknown cost."""
        paid = read_run(folder).paid()
        return paid.calls, paid.unpriced

    def reached(self, condition):
        """Wait until it is true, however long that takes."""
        while not condition():
            time.sleep(0.01)


@pytest.fixture
def server():
    """A server with OpenAI's endpoints for batches."""
    with BatchesServer() as server:
        yield server


@pytest.fixture
def batched(server, saiten, data):
    """`batched(rows, *options)`: a run in batches, into `run`."""
    return Batched(server, saiten, data)
