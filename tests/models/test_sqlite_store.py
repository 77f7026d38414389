"""The store: safe for several processes, for kills at any moment, and for files that are not its own."""

import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from saiten.errors import ConfigurationError
from saiten.models.sqlite_store import SQLiteStore

WRITER = """
import asyncio, sys
from saiten.models.sqlite_store import SQLiteStore
store, who = SQLiteStore(sys.argv[1]), sys.argv[2]
for number in range(int(sys.argv[3])):
    key = f"{who} {number}".encode()
    asyncio.run(store.put(who, {key: key * 50}))
    print(number, flush=True)
"""


def writer(path, who: str, count: int) -> subprocess.Popen:
    """A process that writes this many values and reports each one after it is written."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), who, str(count)], stdout=subprocess.PIPE, text=True
    )


async def test_two_processes(tmp_path):
    """Two processes that open and write one new file at the same time lose nothing."""
    path = tmp_path / "answers.sqlite"
    writers = [writer(path, who, 300) for who in ("a", "b")]
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    store = SQLiteStore(path)
    assert len(store) == 600
    assert await store.get(b"b 299") == b"b 299" * 50
    await store.close()


def test_one_new_file_is_opened_by_several_at_once(tmp_path):
    """Opening the file while another process creates its table recognizes it as a store."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(5) as pool:
            for number in range(20):
                list(pool.map(lambda path: asyncio.run(SQLiteStore(path).close()), [tmp_path / f"{number}.sqlite"] * 5))
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.slow
async def test_kill(tmp_path):
    """What was written before the kill is there, and the file stays usable."""
    path = tmp_path / "answers.sqlite"
    rng = random.Random(5)
    for round_ in range(3):
        process = writer(path, f"w{round_}", 100_000)
        written = int(process.stdout.readline())
        for _ in range(rng.randrange(200)):
            written = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        written = max([written, *(int(line) for line in process.stdout.read().split("\n")[:-1])])
        process.wait()
        process.stdout.close()
        store = SQLiteStore(path)
        for number in range(written + 1):
            key = f"w{round_} {number}".encode()
            assert await store.get(key) == key * 50
        assert store._open().execute("PRAGMA integrity_check").fetchone() == ("ok",)
        await store.close()


@pytest.mark.slow
async def test_kill_while_it_is_made(tmp_path):
    """A process killed at any moment of creating the file leaves one that can be opened."""
    path = tmp_path / "answers.sqlite"
    for round_ in range(4):
        process = writer(path, "w", 5)
        await asyncio.sleep(0.05 * round_)
        process.kill()
        process.communicate()
        store = SQLiteStore(path)
        await store.put("m", {b"k": b"v"})
        assert await store.get(b"k") == b"v"
        await store.close()
        path.unlink()


async def test_many_at_once(tmp_path):
    """Many values are written and read in one step."""
    store = SQLiteStore(tmp_path / "deep" / "folder" / "answers.sqlite")
    values = {bytes([number % 256, number // 256]): b"v%d" % number for number in range(1200)}
    await store.put("m", values)
    assert await store.get_many([*values, b"lacking"]) == values
    await store.put("m", {})
    store.drop(b"\x01\x00")
    assert await store.get(b"\x01\x00") is None
    await store.close()
    assert len(store) == 1199  # reopened on use
    await store.close()


def another_program(path) -> None:
    """A database of another program."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url)")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "make", [lambda path: path.write_text("{}\n" * 100), lambda path: path.write_bytes(b"\0" * 5000), another_program]
)
def test_foreign_files_are_left_alone(tmp_path, make):
    """Another program's file is refused and not changed by a single byte."""
    path = tmp_path / "file"
    make(path)
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match="not a saiten answer store"):
        SQLiteStore(path)
    assert path.read_bytes() == before


async def test_damaged_file(tmp_path):
    """A damaged file is named, with a way to save what is readable."""
    path = tmp_path / "answers.sqlite"
    store = SQLiteStore(path)
    await store.put("m", {number.to_bytes(4): b"v" * 500 for number in range(500)})
    await store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = bytes(reversed(content[4096:]))
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="recover"):
        await SQLiteStore(path).get((3).to_bytes(4))


async def test_newer_layout(tmp_path):
    """A file of a later saiten is refused rather than misread."""
    path = tmp_path / "answers.sqlite"
    store = SQLiteStore(path)
    store._open().execute("PRAGMA user_version = 9")
    await store.close()
    with pytest.raises(ConfigurationError, match="layout 9"):
        SQLiteStore(path)


@pytest.mark.parametrize("path", ["", "file/below"])
def test_no_place_for_a_file(tmp_path, path):
    """A folder, or a path below a file, cannot be a store, and the error has the path."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigurationError, match=str(tmp_path)):
        SQLiteStore(tmp_path / path)
