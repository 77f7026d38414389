"""What a path, a pattern or an address means, with real object stores where they can run here."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import fsspec
import pytest

from saiten.data import BadRow, read_samples
from saiten.data.files import files_at
from saiten.data.shards import count_rows, cut, numbered, read_shard
from saiten.errors import BadInput, ConfigurationError


def lines(name, count):
    """JSON lines of samples."""
    rows = ({"question": f"{name} {n}?", "answer": f"答え {n}", "reference": f"答え {n % 3}"} for n in range(count))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def read(source):
    """The samples of a source."""
    return list(read_samples(source, detect_language=lambda *_: "ja", notify=print))


def in_shards(source, size):
    """The same, in shards."""
    shards = cut(source, None, size)
    shards = numbered(shards, [count_rows(shard) for shard in shards], None)
    assert len(shards) > 1
    return [
        row
        for shard in shards
        for row in read_shard(shard, columns={}, detect_language=lambda *_: "ja", language=None, notify=print)
    ]


def test_a_pattern_means_its_files_in_order_and_a_file_of_that_name_wins(tmp_path):
    """`[1].jsonl` is a file if there is one; folders that match are left out."""
    for name in ("b.jsonl", "a.jsonl", "1.jsonl", "[1].jsonl"):
        (tmp_path / name).write_bytes(lines(name, 1))
    (tmp_path / "c.jsonl").mkdir()
    assert [file.name for file in files_at(f"{tmp_path}/*.jsonl")] == ["1.jsonl", "[1].jsonl", "a.jsonl", "b.jsonl"]
    assert [file.name for file in files_at(tmp_path / "[1].jsonl")] == ["[1].jsonl"]
    (tmp_path / "[1].jsonl").unlink()
    assert [file.name for file in files_at(tmp_path / "[1].jsonl")] == ["1.jsonl"]
    with pytest.raises(BadInput, match=r"no file matches .*\*\.csv"):
        files_at(f"{tmp_path}/*.csv")


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_an_address_is_read_like_a_file(tmp_path, scheme):
    """JSON lines, gzip, CSV and Parquet through fsspec, one file or several, whole or in shards."""
    pandas = pytest.importorskip("pandas")
    base = "memory://bucket" if scheme == "memory" else f"file://{tmp_path}"
    files = {
        "a.jsonl": lines("a", 20),
        "b.jsonl.gz": gzip.compress(lines("b", 3)),
        "c.csv": b"question,answer\nc 0?,x\n",
    }
    for name, content in files.items():
        with fsspec.open(f"{base}/day/{name}", "wb", auto_mkdir=True) as file:
            file.write(content)
    with fsspec.open(f"{base}/day/d.parquet", "wb") as file:
        pandas.DataFrame([json.loads(line) for line in lines("d", 50).splitlines()]).to_parquet(file)
    rows = read(f"{base}/day/*")
    assert not [row for row in rows if isinstance(row, BadRow)]
    ids = ["a.jsonl:row-1", "b.jsonl.gz:row-1", "c.csv:row-2", "d.parquet:row-1"]
    assert [row.id for row in rows if row.question.endswith(" 0?")] == ids
    assert in_shards(f"{base}/day/*", 300) == rows
    assert [row.id for row in read(f"{base}/day/a.jsonl")] == [f"row-{n}" for n in range(1, 21)]
    with pytest.raises(BadInput, match=r"no file matches|there is no file"):
        read(f"{base}/gone/*.jsonl")
    with pytest.raises(BadInput, match="there is no file"):
        read(f"{base}/gone.jsonl")


@pytest.fixture
def bucket(monkeypatch):
    """The address of a bucket on a real S3-compatible server on this machine."""
    pytest.importorskip("s3fs")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "planted-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    system = fsspec.filesystem("s3", skip_instance_cache=True, endpoint_url=f"http://{host}:{port}")
    system.mkdir("bucket")
    for name in ("a", "b"):
        system.pipe(f"bucket/day/{name}.jsonl", lines(name, 60))
    yield "s3://bucket/day"
    server.stop()


@pytest.mark.slow
@pytest.mark.witness
def test_a_bucket_is_scored_here_and_on_a_cluster_alike(tmp_path, bucket):
    """`saiten score 's3://…/*.jsonl'`: each worker fetches its own shards; names, no keys, are in the manifest."""
    pytest.importorskip("ray")
    rows = read(f"{bucket}/*.jsonl")
    assert len(rows) == 120
    assert in_shards(f"{bucket}/*.jsonl", 1000) == rows
    command = [Path(sys.executable).with_name("saiten"), "score", f"{bucket}/*.jsonl", "-m", "token_f1"]
    outs = []
    for name, more in (("here", []), ("there", ["--executor", "ray", "--workers", "2"])):
        ended = subprocess.run(
            [*command, "-o", str(tmp_path / name), "--format", "csv", *more],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        outs.append(ended.stdout)
    assert outs[0] == outs[1]
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"planted-secret" not in path.read_bytes()
    assert '"data": "*.jsonl"' in (tmp_path / "there" / "manifest.json").read_text("utf-8")


@pytest.mark.slow
def test_a_bucket_that_is_not_there_is_an_error_with_its_address(bucket):
    """The store's own words are passed on, without a traceback."""
    with pytest.raises(BadInput, match=r"s3://nowhere|there is no file|no file matches"):
        read("s3://nowhere/a.jsonl")
    with pytest.raises(BadInput, match=r"no file matches s3://nowhere/\*\.jsonl"):
        files_at("s3://nowhere/*.jsonl")


@pytest.mark.parametrize(
    ("address", "extra"), [("s3://b/a.jsonl", "s3"), ("gs://b/a.jsonl", "gcs"), ("abfs://b/a.jsonl", "azure")]
)
def test_without_the_package_an_address_says_what_to_install(monkeypatch, address, extra):
    """Neither fsspec itself nor the package for the scheme is needed for anything else."""
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ConfigurationError, match=re.escape(f'pip install "saiten[{extra}]"')):
        files_at(address)


def test_a_plain_path_never_loads_fsspec():
    """Reading a file on this machine imports no package for object stores."""
    code = "import sys; from saiten.data.files import files_at, open_file; files_at(sys.executable); "
    code += "\nwith open_file(sys.executable): pass\nsys.exit('fsspec' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
