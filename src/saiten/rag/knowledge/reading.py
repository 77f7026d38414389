"""Reading of a file into its document or the reason why it cannot be read, if need be in a separate process."""

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Self

from saiten.errors import ConfigurationError
from saiten.rag.knowledge.conversion import LIBRARIES, MEMORY, convert, missing_library
from saiten.rag.knowledge.documents import Document, FoundFile, Kind, NoText, Unread

_READ_HERE = frozenset[Kind](("text", "markdown"))
"""Kinds that are merely decoded, in bounded time and memory; others go to the converter's process."""
_WAITING = 64  # maximum number of pieces in the queue; the process waits when it is full
_ALL_IN_ALL = 20  # maximum time per file, as a multiple of the pause allowed between two pieces
_LONGEST = 32 << 20  # maximum characters per text, since a small file can unpack to any length


class Reader:
    """Reads documents, one at a time: `with Reader() as reader: reader.read(file)`. It blocks; call it in a thread.

    HTML, PDF and DOCX are converted in a separate process, so that a file that makes a library hang, crash or run out
    of memory only becomes an Unread. The process is started for the first such file, and restarted after a failure.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        """`seconds`: how long to wait for the next piece (of a PDF, a page) before giving up."""
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.Queue[bytes | None] = queue.Queue()
        self._pump: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def read(self, file: FoundFile) -> Document | Unread:
        """Return the document, or the fault of the file; raises ConfigurationError if a library is missing."""
        pieces: list[str] = []
        work = convert if file.kind in _READ_HERE else self._convert
        try:
            digest, note = work(file.path, file.kind, pieces.append)
        except NoText as error:
            return Unread(file.source, str(error))
        text = "".join(pieces)
        if not text or text.isspace():
            return Unread(file.source, "has no text in it")
        return Document(text, file.source, digest, note)

    def close(self) -> None:
        """End the converter's process, if any, and any `read` in another thread; the next file starts a new one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        while self._pump is not None and self._pump.is_alive():
            with suppress(queue.Empty):
                self._replies.get(timeout=0.05)  # make room, in case the pump is waiting for it
        process.wait()
        with suppress(queue.Full):
            self._replies.put_nowait(None)  # wake a waiting `read`
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):  # it may have been killed in the middle of a request
                if stream is not None:
                    stream.close()

    def _convert(self, path: Path, kind: Kind, take: Callable[[str], None]) -> tuple[str, str | None]:
        """Convert as `conversion.convert` does, with the same errors, but in the other process."""
        try:
            self._ask(path, kind)
            return self._take_all(take)
        except BaseException as error:
            if not isinstance(error, ConfigurationError):
                self.close()  # what made one document fail, such as used-up memory, must not fail the next one
            raise

    def _ask(self, path: Path, kind: Kind) -> None:
        request = json.dumps({"path": str(path.absolute()), "kind": kind}).encode() + b"\n"
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            self._start()
        stream = self._process.stdin if self._process else None
        if stream is None:
            raise NoText("could not be converted: the converter did not start")
        try:
            stream.write(request)
            stream.flush()
        except OSError as error:
            raise NoText(f"could not be converted: the converter is gone ({error})") from error

    def _start(self) -> None:
        # -P: a file in the working folder must not shadow saiten's modules
        here = str(Path(__file__).parents[2])
        known = os.environ.get("PYTHONPATH")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "saiten.rag.knowledge.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([here, *([known] if known else [])])},
        )
        self._replies = queue.Queue(_WAITING)
        self._pump = threading.Thread(target=_pump, args=(self._process.stdout, self._replies), daemon=True)
        self._pump.start()

    def _take_all(self, take: Callable[[str], None]) -> tuple[str, str | None]:
        begun, length = time.monotonic(), 0
        while True:
            reply = self._next_reply()
            if "digest" in reply:
                return reply["digest"], reply["note"]
            if "unread" in reply:
                raise NoText(reply["unread"])
            if "missing" in reply:
                raise ConfigurationError(reply["missing"])
            length += len(reply["piece"])
            if length > _LONGEST:
                raise NoText(f"has more than {_LONGEST >> 20} Mi characters of text; split it")
            if time.monotonic() - begun > _ALL_IN_ALL * self._seconds:
                raise NoText(f"was given up after {_ALL_IN_ALL * self._seconds:g} seconds; split it")
            take(reply["piece"])

    def _next_reply(self) -> dict[str, Any]:
        try:
            line = self._replies.get(timeout=self._seconds)
        except queue.Empty:
            raise NoText(f"was given up after {self._seconds:g} seconds without text") from None
        if line is None:
            if self._process is None:
                raise NoText("was not read completely: the reader was closed")
            code = self._process.wait()
            raise NoText(
                f"is damaged, or needs more than {MEMORY >> 20:,} MiB of memory: the process that converts it ended "
                f"with status {code}; save it anew, or split it"
            )
        reply: dict[str, Any] = json.loads(line)
        return reply


def check_readers(kinds: Iterable[Kind]) -> None:
    """Raise ConfigurationError, saying what to install, if a library for one of the kinds is missing."""
    for kind in sorted(set(kinds)):
        library = LIBRARIES.get(kind)
        if library and find_spec(library) is None:
            raise ConfigurationError(missing_library(kind))


def _pump(stream: IO[bytes], replies: queue.Queue[bytes | None]) -> None:
    for line in stream:
        replies.put(line)
    replies.put(None)
