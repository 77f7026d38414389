"""A file as a whole or not at all."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from saiten.errors import ConfigurationError
from saiten.journal.whole_file import whole_file, write_whole

KILLED = """
import os, signal, sys
from pathlib import Path
from saiten.journal.whole_file import whole_file
with whole_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_there_stands_until_the_end(tmp_path):
    """The new content is seen at once and in full, with the permissions of the old file."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with whole_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("old", [b"old", None])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_nothing_has_changed(tmp_path, old, error):
    """Neither the file nor its folder."""
    path = tmp_path / "x.txt"
    if old:
        path.write_bytes(old)

    def fail():
        with whole_file(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert [each.read_bytes() for each in tmp_path.iterdir()] == ([old] if old else [])


@pytest.mark.skipif(os.name == "nt", reason="has no SIGKILL")
def test_killed_in_the_middle(tmp_path):
    """The old content is there; the next attempt goes over what was left beside it."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    with whole_file(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"new", [path])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_pipe_is_written_to(tmp_path):
    """And is a pipe still."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    came = []
    reading = threading.Thread(target=lambda: came.append(pipe.read_bytes()))
    reading.start()
    with whole_file(pipe) as file:
        file.write(b"through")
    reading.join()
    assert came == [b"through"]
    assert pipe.is_fifo()


def test_where_nothing_can_be_written_it_says_what_to_do(tmp_path):
    """A folder that is not there, here."""
    with pytest.raises(ConfigurationError, match="none cannot be written: No such file or directory; name another"):
        write_whole(tmp_path / "none" / "x.txt", "x", otherwise="name another")
