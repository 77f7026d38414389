"""A file is written completely or not at all."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from saiten.durable.whole_file import whole_file, write_whole
from saiten.errors import ConfigurationError

KILLED = """
import os, signal, sys
from pathlib import Path
from saiten.durable.whole_file import whole_file
with whole_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_old_content_stays_until_the_end(tmp_path):
    """The new content appears at once and in full, with the permissions of the old file."""
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
    """Neither in the file nor in its folder."""
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
    """The old content is there; the leftover next to it is hidden and harmless."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    with whole_file(path) as file:
        file.write(b"new")
    (left,) = set(tmp_path.iterdir()) - {path}
    assert path.read_bytes() == b"new"
    assert left.name.startswith(".x.txt.")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_pipe_is_written_to(tmp_path):
    """It remains a pipe."""
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


def test_through_a_link_what_it_leads_to_is_written(tmp_path):
    """The link stays a link."""
    (tmp_path / "real.html").write_bytes(b"old")
    link = tmp_path / "link.html"
    link.symlink_to("real.html")
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert (tmp_path / "real.html").read_bytes() == b"new"


def test_nothing_of_somebody_elses_is_in_the_way(tmp_path):
    """A file named like our temporary file, or a link in its place, is left alone."""
    (tmp_path / "x.txt.new").write_bytes(b"mine")
    with whole_file(tmp_path / "x.txt") as file:
        file.write(b"new")
    assert (tmp_path / "x.txt.new").read_bytes() == b"mine"


def test_what_only_one_may_read_is_never_read_by_others(tmp_path):
    """This holds during writing, too."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with whole_file(path) as file:
        file.write(b"new")
        assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o600}


def test_several_writers_at_once_leave_one_whole_file(tmp_path):
    """At each moment it is that of one writer."""
    path = tmp_path / "x.txt"
    contents = [bytes([65 + n]) * 300_000 for n in range(4)]

    def write(content):
        for _ in range(20):
            with whole_file(path) as file:
                file.write(content[:1000])
                file.write(content[1000:])
            assert path.read_bytes() in contents

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, contents))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="has no /dev/stdout")
def test_standard_output_by_its_name(tmp_path):
    """It is written to, and no file with that name is made."""
    code = "from pathlib import Path\nfrom saiten.durable.whole_file import whole_file\nwith whole_file(Path('/dev/stdout')) as f: f.write(b'x')"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], check=True, stdout=out)
    assert (tmp_path / "out").read_bytes() == b"x"
    assert not Path("/dev/stdout").is_file() or Path("/dev/stdout").is_symlink()


def test_where_nothing_can_be_written_it_says_what_to_do(tmp_path):
    """Here, a folder that does not exist."""
    with pytest.raises(ConfigurationError, match="none cannot be written: No such file or directory; name another"):
        write_whole(tmp_path / "none" / "x.txt", "x", otherwise="name another")
