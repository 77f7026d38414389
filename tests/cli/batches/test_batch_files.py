"""`saiten score --batch-files`: the user runs the batches."""

from pathlib import Path

from orjson import dumps, loads

from stand_ins.batches import Made

FILES = ("--batch-files", "--batch-poll", "0.02")
"""A short time between looks also shortens the wait for further requests of a wave."""


def test_files_for_an_offline_runner(batched, server, scores):
    """Each step is written to a file and the command stops, naming it; with the results next to it, the same command
    goes on. The model is never called.
    """
    batch = FILES
    for number, requests in ((1, 4), (2, 2)):
        said = batched(2, batch=batch)
        assert said.status == 3, said
        file = Path(f"run/batches/00{number}.requests.jsonl")
        assert f"vllm run-batch -i {file} -o run/batches/00{number}.output.jsonl --model m" in said.err
        again = batched(2, batch=batch)
        assert again.status == 3
        assert not Path(f"run/batches/00{number + 1}.requests.jsonl").exists()
        lines = [loads(line) for line in file.read_bytes().splitlines()]
        assert len(lines) == requests
        made = Made(1, server, "", {}, lines)
        Path(f"run/batches/00{number}.output.jsonl").write_bytes(
            b"".join(dumps(made.said(at)) + b"\n" for at in range(requests))
        )
    assert batched(2, batch=batch).status == 0
    assert {score.status for score in scores().values()} == {"ok"}
    assert server.requests == []
    assert batched.spent() == (6, 6)
    live = batched(2, out="live", batch=())
    assert live.status == 0
    assert {key: score.value for key, score in scores().items()} == {
        key: score.value for key, score in scores("live").items()
    }


def test_a_file_that_a_runner_is_still_writing(batched, server, scores):
    """Fewer replies than requests are not read, since the others may be on their way; a file of errors says that
    they are not.
    """
    batch = FILES
    assert batched(2, batch=batch).status == 3
    lines = [loads(line) for line in Path("run/batches/001.requests.jsonl").read_bytes().splitlines()]
    made = Made(1, server, "", {}, lines)
    said = [dumps(made.said(at)) + b"\n" for at in range(3)]
    Path("run/batches/001.output.jsonl").write_bytes(b"".join(said) + b'{"custom_id": "half a li')
    found = batched(2, batch=batch)
    assert found.status == 3
    assert "run/batches/001.output.jsonl has 3 of 4 replies" in found.err
    Path("run/batches/001.errors.jsonl").touch()
    assert batched(2, batch=batch).status == 3
    written = Path("run/batches/002.requests.jsonl").read_bytes().splitlines()
    assert lines[3]["custom_id"] in {loads(line)["custom_id"] for line in written}


def test_files_go_on_as_batches(batched, server, scores):
    """What was not run by hand is sent, and what was submitted is waited for, whichever option comes next."""
    assert batched(2, batch=FILES).status == 3
    said = batched(2)
    assert said.status == 0, said
    assert [len(batch.lines) for batch in server.batches] == [4, 2]
    assert {score.status for score in scores().values()} == {"ok"}
    assert batched.spent() == (7, 7)


def test_files_for_a_provider_without_batches(saiten, data, monkeypatch):
    """A file can be written for any model on a server; nothing is sent."""
    monkeypatch.setenv("DEEPSEEK_API_KEY", "k")
    said = saiten("score", data(2), "-m", "accuracy", "--judge", "deepseek:x", "-o", "run", "--batch-files")
    assert said.status == 3, said
    assert len(Path("run/batches/001.requests.jsonl").read_bytes().splitlines()) == 2
