"""Finding and reading documents: every file ends as a document or as a sentence that says why not."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from saiten.rag.knowledge.conversion import LARGEST
from saiten.rag.knowledge.documents import Document, FoundFile, Unread
from saiten.rag.knowledge.finding import digest_of, find_documents
from saiten.rag.knowledge.reading import Reader

HTML = "<p>この電池は三年ごとに交換してください。"


@pytest.fixture
def reader():
    """A reader with a short timeout."""
    with Reader(seconds=20) as reader:
        yield reader


def put(path, data=b"text\n"):
    """Write a file there, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def found(path, kind="text"):
    """The file as `find_documents` would give it."""
    return FoundFile(path, path.name, kind)


# -------------------------------------------------------------------------------------------------- finding


def test_folders_are_searched_with_all_below_them_in_order(tmp_path):
    """Sources are paths below the folder, sorted by name; files that are not read are distinguished and counted."""
    for name in (
        "b.md",
        "a/z.PDF",
        "a/b/c.html",
        "a.txt",
        "a/.hidden.txt",
        ".git/x.txt",
        "a/~$w.docx",
        "photo.png",
        "w.docx",
    ):
        put(tmp_path / name)
    everything = list(find_documents([tmp_path]))
    assert [(file.source, file.kind) for file in everything if isinstance(file, FoundFile)] == [
        ("a/b/c.html", "html"),
        ("a/z.PDF", "pdf"),
        ("a.txt", "text"),
        ("b.md", "markdown"),
        ("w.docx", "docx"),
    ]
    assert {file.source for file in everything if isinstance(file, Unread) and file.skipped} == {
        ".git",
        "a/.hidden.txt",
        "a/~$w.docx",
        "photo.png",
    }


def test_a_file_that_is_named_is_read_or_complained_of(tmp_path):
    """A file named explicitly is meant: hidden ones are read, and an unsupported type is reported, not skipped."""
    files = [put(tmp_path / name) for name in (".notes.txt", "x.png")] + [tmp_path / "gone.pdf"]
    notes, picture, gone = find_documents(files)
    assert notes == FoundFile(files[0], ".notes.txt", "text")
    assert not picture.skipped
    assert ".docx" in picture.reason
    assert gone == Unread("gone.pdf", "there is no such file or folder")


def test_circular_links_end_and_dangling_links_are_reported(tmp_path):
    """A folder is entered once, by whatever path; a dangling link is named."""
    put(tmp_path / "docs/a.txt")
    (tmp_path / "docs/again").symlink_to(tmp_path / "docs")
    (tmp_path / "docs/lost.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "docs/self.txt").symlink_to(tmp_path / "docs/self.txt")
    sources = [(file.source, type(file)) for file in find_documents([tmp_path / "docs"])]
    assert sources == [("a.txt", FoundFile), ("lost.txt", Unread), ("self.txt", Unread)]


def test_names_that_are_no_text_are_made_storable(tmp_path):
    """File names may contain any bytes, and accents in two forms; a source is valid text in one form."""
    put(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")))
    put(tmp_path / "か\u3099.txt")
    files = list(find_documents([tmp_path]))
    assert sorted(file.source for file in files) == ["が.txt", "\ufffd.txt"]
    with Reader() as reader:
        assert all(isinstance(reader.read(file), Document) for file in files)


def test_a_pipe_is_no_document(tmp_path):
    """Files that might block are not opened."""
    os.mkfifo(tmp_path / "pipe.txt")
    assert [file.skipped for file in find_documents([tmp_path])] == [True]
    assert [file.reason for file in find_documents([tmp_path / "pipe.txt"])] == ["is neither a file nor a folder"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_reported(tmp_path, reader):
    """A file and a folder without permission are named; the others are read."""
    put(tmp_path / "a/x.txt").parent.chmod(0)
    put(tmp_path / "b.txt").chmod(0)
    folder, file = find_documents([tmp_path])
    assert "Permission denied" in folder.reason
    assert "Permission denied" in reader.read(file).reason
    folder_path = tmp_path / "a"
    folder_path.chmod(0o700)


# -------------------------------------------------------------------------------------------------- reading


def test_a_document_knows_the_digest_of_what_was_read(tmp_path, reader):
    """The digest is the same before and after reading, in any process, and changes with the bytes."""
    text, page = found(put(tmp_path / "a.txt", "本文")), found(put(tmp_path / "a.html", HTML), "html")
    assert reader.read(text) == Document("本文", "a.txt", digest_of(text))
    assert reader.read(page) == Document(HTML[3:], "a.html", digest_of(page))
    before = digest_of(text)
    put(text.path, "本文。")
    assert digest_of(text) != before


@pytest.mark.parametrize("kind", ["text", "markdown", "html", "pdf", "docx"])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n\t\n", r"no text|not a PDF|not a DOCX"),
        (b"\x89PNG\0\0\r\n" * 99, r"binary|not a PDF|not a DOCX"),
        (None, "no longer there"),
    ],
)
def test_a_bad_file_is_an_unread_of_its_own_kind(tmp_path, reader, kind, data, reason):
    """Empty, blank, junk, missing: each gives a sentence, whatever the file pretends to be."""
    path = tmp_path / "a"
    if data is not None:
        path.write_bytes(data)
    unread = reader.read(found(path, kind))
    assert isinstance(unread, Unread)
    assert unread.source == "a"
    assert re.search(reason, unread.reason)


def test_a_file_beyond_the_limit_is_not_held(tmp_path, reader):
    """A file that is too large is refused by its size, with what to do."""
    path = tmp_path / "a.txt"
    with path.open("wb") as stream:
        stream.truncate(LARGEST + 1)  # a hole: it takes no disk space
    assert "split it" in reader.read(found(path)).reason


def test_a_file_that_hangs_a_library_is_given_up_and_the_next_is_read(tmp_path):
    """A converter that is silent for the allowed time is killed; a new one takes the next file."""
    page = found(put(tmp_path / "a.html", HTML), "html")
    with Reader() as reader:
        assert isinstance(reader.read(page), Document)
        reader._seconds = 0.5
        os.kill(reader._process.pid, signal.SIGSTOP)  # as unresponsive as a library in an endless loop
        assert reader.read(page) == Unread("a.html", "was given up after 0.5 seconds without text")
        reader._seconds = 60
        assert isinstance(reader.read(page), Document)


def waits_for_a_reply(reader):
    """Returns once the reader has sent its request; the stopped converter never replies."""
    while not reader._replies.not_empty._waiters:
        time.sleep(0.005)


def test_a_file_that_crashes_a_library_is_reported_and_the_next_is_read(tmp_path, reader):
    """A converter that dies in the middle of a file affects only that file."""
    page = found(put(tmp_path / "a.html", HTML), "html")
    assert isinstance(reader.read(page), Document)
    converter = reader._process.pid
    os.kill(converter, signal.SIGSTOP)
    crash = Thread(target=lambda: (waits_for_a_reply(reader), os.kill(converter, signal.SIGKILL)))
    crash.start()
    assert "the process that converts it ended" in reader.read(page).reason
    crash.join()
    assert isinstance(reader.read(page), Document)


def test_a_converter_that_died_between_two_files_is_replaced(tmp_path, reader):
    """No file is lost because something else killed the process before it."""
    page = found(put(tmp_path / "a.html", HTML), "html")
    reader.read(page)
    process = reader._process
    process.kill()
    process.wait()
    assert isinstance(reader.read(page), Document)


def test_closing_ends_a_reading_that_is_under_way(tmp_path):
    """Stopping the run does not wait for a file that hangs."""
    page = found(put(tmp_path / "a.html", HTML), "html")
    reader = Reader(seconds=100)
    reader.read(page)
    os.kill(reader._process.pid, signal.SIGSTOP)
    results = []
    thread = Thread(target=lambda: results.append(reader.read(page)))
    thread.start()
    waits_for_a_reply(reader)
    reader.close()
    thread.join(timeout=100)
    assert isinstance(results[0], Unread)


def test_the_converter_ends_with_its_parent(tmp_path):
    """A run that is killed leaves no process behind."""
    put(tmp_path / "a.html", HTML)
    program = (
        "import sys; from pathlib import Path; from saiten.rag.knowledge.documents import FoundFile\n"
        "from saiten.rag.knowledge.reading import Reader\n"
        "reader = Reader(); reader.read(FoundFile(Path(sys.argv[1]), 'a', 'html'))\n"
        "print(reader._process.pid, flush=True); sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "a.html")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with parent:
        converter = int(parent.stdout.readline())
        os.kill(converter, 0)
        parent.kill()
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and Path(f"/proc/{converter}/cmdline").exists():
        if not Path(f"/proc/{converter}/cmdline").read_bytes():  # a zombie that nobody has collected yet
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{converter}/cmdline").exists()


def test_a_module_in_the_working_folder_is_not_taken_for_a_library(tmp_path, monkeypatch):
    """Documents may be in a folder that somebody else filled: nothing in it is executed."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "json.py", "raise SystemExit(7)")
    put(tmp_path / "selectolax.py", "raise SystemExit(7)")
    with Reader() as reader:
        assert isinstance(reader.read(found(put(tmp_path / "a.html", HTML), "html")), Document)


def test_a_missing_library_is_reported_before_anything_is_read():
    """Without the extra, PDF and DOCX give an error that says what to install; text and HTML need nothing."""
    program = (
        "import sys; from importlib.machinery import PathFinder\n"
        "class Absent(PathFinder):\n"
        "    find_spec = classmethod(lambda c, name, *a: None if name in ('pypdfium2', 'mammoth') else PathFinder.find_spec(name, *a))\n"
        "sys.meta_path = [Absent if finder is PathFinder else finder for finder in sys.meta_path]\n"
        "from saiten.errors import ConfigurationError; from saiten.rag.knowledge.reading import check_readers\n"
        "check_readers(['text', 'markdown', 'html'])\n"
        "for kind in ('pdf', 'docx'):\n"
        "    try: check_readers(['text', kind])\n"
        "    except ConfigurationError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        'to read PDF, saiten needs pypdfium2; install it with `pip install "saiten[documents]"`',
        'to read DOCX, saiten needs mammoth; install it with `pip install "saiten[documents]"`',
    ]


def test_text_and_html_are_read_without_the_libraries_of_the_others(tmp_path):
    """A run over text files loads neither the HTML parser nor PDFium nor the Word library."""
    put(tmp_path / "a.txt", "text")
    program = (
        "import sys; from pathlib import Path; from saiten.rag.knowledge.documents import FoundFile\n"
        "from saiten.rag.knowledge.reading import Reader\n"
        "with Reader() as reader: reader.read(FoundFile(Path(sys.argv[1]), 'a', 'text'))\n"
        "print([name for name in ('selectolax', 'pypdfium2', 'mammoth') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.txt")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
