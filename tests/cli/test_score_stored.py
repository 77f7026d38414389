"""`saiten score` and `saiten answer` on patterns of files and on a real S3-compatible server."""

import gzip
import json
from pathlib import Path

import boto3
import fsspec
import pandas as pd
import pytest
from moto.server import ThreadedMotoServer

from saiten.runs import read_run

ROWS = [{"question": f"Q{n}?", "answer": f"It is {n}.", "reference": f"{n}", "contexts": [f"{n}."]} for n in range(6)]
SECRET = "never-shown-anywhere"

BOT = """
def answer(question, id):
    return question.lower()
"""


@pytest.fixture
def bucket(monkeypatch):
    """A bucket `logs` on loopback, found and opened by the usual variables."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    client = boto3.client("s3")
    client.create_bucket(Bucket="logs")
    yield lambda key, body: client.put_object(Bucket="logs", Key=key, Body=body)
    client.close()
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    server.stop()


def lines(rows):
    """The rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_a_pattern_on_this_machine_is_scored(saiten, somewhere):
    """Into a folder named after the pattern's, with the file in front of ids and places; the same again does nothing."""
    Path("logs/2024").mkdir(parents=True)
    Path("logs/2024/a.jsonl").write_bytes(lines(ROWS[:4]))
    Path("logs/2024/b.jsonl").write_bytes(lines(ROWS[4:]) + b"{}\n")
    said = saiten("score", "logs/*/*.jsonl", "-m", "token_f1", "-m", "faithfulness")
    assert said.status == 0, said
    assert "12 scores for 6 samples" in said.err
    run = read_run("runs/logs")
    assert run.manifest.settings["data"] == "*.jsonl"
    assert [sample.id for sample in run.samples()][3:5] == ["2024/a.jsonl:row-4", "2024/b.jsonl:row-1"]
    assert json.loads(Path("runs/logs/errors.jsonl").read_text())["where"] == "2024/b.jsonl:3"
    again = saiten("score", "logs/*/*.jsonl", "-m", "token_f1", "-m", "faithfulness")
    assert "already has 12 scores" in again.err
    limited = saiten("score", f"file://{somewhere}/logs/*/*.jsonl", "-m", "token_f1", "--limit", "5", "-o", "few")
    assert "5 scores for 5 samples" in limited.err


def test_a_pattern_in_a_bucket_is_scored(saiten, bucket):
    """As on this machine; no secret is printed or kept."""
    bucket("day/1.jsonl", lines(ROWS[:3]))
    pd.DataFrame(ROWS[3:]).to_parquet("2.parquet")
    bucket("day/2.parquet", Path("2.parquet").read_bytes())
    bucket("day/_SUCCESS", b"")
    said = saiten("score", "s3://logs/day/*", "-m", "token_f1", "-m", "faithfulness")
    assert said.status == 0, said
    assert "12 scores for 6 samples" in said.err
    assert [sample.id for sample in read_run("runs/day").samples()][2:4] == ["1.jsonl:row-3", "2.parquet:row-1"]
    written = b"".join(path.read_bytes() for path in Path("runs/day").rglob("*") if path.is_file())
    assert SECRET not in said.out + said.err + written.decode()
    single = saiten("score", "s3://logs/day/2.parquet", "-m", "token_f1")
    assert [sample.id for sample in read_run("runs/2").samples()] == ["row-1", "row-2", "row-3"], single


def test_the_questions_of_a_bucket_are_asked(saiten, bucket):
    """One after another, into a file whose answers can be scored."""
    Path("bot.py").write_text(BOT)
    bucket("q/a.csv", b"question,reference\nWhere?,where\n")
    bucket("q/b.jsonl.gz", gzip.compress(b'{"question": "Who?", "reference": "who"}\n'))
    said = saiten("answer", "s3://logs/q/*", "--system", "bot.py:answer", "-o", "a.jsonl")
    assert said.status == 0, said
    answers = {row["id"]: row["answer"] for row in map(json.loads, Path("a.jsonl").read_text().splitlines())}
    assert answers == {"a.csv:row-2": "where?", "b.jsonl.gz:row-1": "who?"}
    assert saiten("score", "a.jsonl", "-m", "token_f1").status == 0


def test_probes_read_a_bucket_too(saiten, bucket):
    """Their file is an address as well."""
    bucket("x.jsonl", lines(ROWS))
    said = saiten("probe", "s3://logs/x.jsonl", "-m", "faithfulness")
    assert "no such file" not in said.err, said
    assert Path("runs/probe-x/manifest.json").is_file(), said


def test_what_cannot_be_read_is_said(saiten, bucket, monkeypatch):
    """A bucket that is not there, a key, a pattern, a folder, and credentials that are refused; no run folder is made."""
    bucket("day/1.jsonl", lines(ROWS))
    for address, message in {
        "s3://none/x.jsonl": "there is no file s3://none/x.jsonl",
        "s3://logs/none.jsonl": "there is no file s3://logs/none.jsonl",
        "s3://logs/none/*.jsonl": "no file matches s3://logs/none/*.jsonl",
        "s3://logs/day": "s3://logs/day is a folder; name its files",
        "none/*.jsonl": "no file matches none/*.jsonl",
    }.items():
        said = saiten("score", address, "-m", "token_f1")
        assert said.status == 2, said
        assert message in said.err, said
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    said = saiten("score", "s3://logs/day/*.jsonl", "-m", "token_f1")
    assert said.status == 2, said
    assert "s3://logs/day/*.jsonl cannot be read: EndpointConnectionError" in said.err, said
    assert SECRET not in said.out + said.err
    assert not Path("runs").exists()
