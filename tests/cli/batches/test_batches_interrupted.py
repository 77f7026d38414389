"""`saiten score --batch` killed, interrupted or disconnected at any moment: nothing is sent twice, nothing is lost."""

import signal
from collections import Counter

import pytest


@pytest.mark.parametrize("stuck", ["upload", "create", "wait"])
def test_a_killed_run_finds_its_batch_again(process, batched, server, scores, stuck):
    """Killed while the batch is created or awaited, nothing is submitted twice; killed before, nothing is lost. The
    spending of both commands is that of one.
    """
    looks, server.looks = server.looks, None
    at = {"upload": ("POST", "/v1/files"), "create": ("POST", "/v1/batches"), "wait": None}[stuck]
    server.stuck = lambda method, path: (method, path) == at
    with process(*batched.arguments(4)) as first:
        batched.reached(
            {"upload": lambda: server.files, "create": lambda: server.batches, "wait": batched.looked}[stuck]
        )
        first.send_signal(signal.SIGKILL)
    server.looks, server.stuck = looks, lambda *_: False
    said = batched(4)
    assert said.status == 0, said
    assert batched.sent() == Counter(dict.fromkeys(batched.sent(), 1))
    assert [len(batch.lines) for batch in server.batches] == [8, 4]
    assert {score.status for score in scores().values()} == {"ok"}
    assert batched.spent() == (14, 14)  # of them two first small calls


def test_a_killed_run_whose_server_lists_nothing(process, batched, server, caplog):
    """It is unknown whether the batch was created: a note says so, and the requests are sent again."""
    server.lists, server.stuck = False, lambda method, path: (method, path) == ("POST", "/v1/batches")
    with process(*batched.arguments(2)) as first:
        batched.reached(lambda: server.batches)
        first.send_signal(signal.SIGKILL)
    server.stuck = lambda *_: False
    said = batched(2)
    assert said.status == 0, said
    assert "does not list its batches" in caplog.text
    assert batched.spent() == (8, 8)


def test_ctrl_c_says_what_becomes_of_the_batch(process, batched, server):
    """The batch goes on: its name, how to collect it, how to cancel it; the same command collects it."""
    server.looks = None
    with process(*batched.arguments(2)) as first:
        batched.reached(batched.looked)
        first.send_signal(signal.SIGINT)
        said = first.communicate()[1].decode()
    assert first.returncode == 130
    assert "batch batch_1 with 4 requests goes on" in said
    assert f"curl -X POST {server.base_url}/batches/batch_1/cancel" in said
    assert "Traceback" not in said
    server.looks = 2
    assert batched(2).status == 0
    assert [len(b.lines) for b in server.batches] == [4, 2], [b.keys for b in server.batches]


@pytest.mark.parametrize(
    "at",
    [
        ("POST", "/v1/files"),
        ("POST", "/v1/batches"),
        ("GET", "/v1/batches/batch_1"),
        ("GET", "/v1/files/file-1-o/content"),
    ],
)
def test_connections_that_break_off_lose_and_double_nothing(batched, server, at):
    """Whichever request breaks off after it was carried out, there is one batch per wave."""
    server.lost = lambda method, path, number: (method, path) == at and number == 1
    said = batched(2)
    assert said.status == 0, said
    assert len(server.batches) == 2
    assert max(batched.sent().values()) == 1
    assert batched.spent() == (7, 7)


def test_a_run_that_goes_on_without_its_open_batch(process, batched, server):
    """Before anything is sent again, a note says that it will be paid for twice; the batch is named until it is
    collected.
    """
    server.looks = None
    with process(*batched.arguments(2)) as first:
        batched.reached(batched.looked)
        first.send_signal(signal.SIGKILL)
    said = batched(2, batch=())
    assert said.status == 0, said
    assert "batch batch_1 of an earlier command is still open; without --batch" in " ".join(said.err.split())
    assert "re-run the command with --batch to collect its replies" in said.err
