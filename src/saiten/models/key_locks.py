"""Locks on keys, seen by all processes of one machine: whoever asks for an answer holds the lock on its key.

Each lock is on a byte of an otherwise almost empty file, and the operating system releases it when its process ends,
however it ends. A process that hangs keeps its locks. Therefore a holder writes a sign of life from time to time, and
whoever waits and sees none for a minute takes the next lock of the same key, of which there are a few.
"""

import asyncio
import os
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

_SIGNS = 15.0
"""Seconds between two signs of life."""
_HUNG = 60.0
"""Seconds without a sign after which a holder counts as hung."""
_LOOK = 1.0
"""At most so many of them per look: a process that was itself stopped has seen nothing meanwhile."""
_TURNS = 8
"""Locks per key, each for when the holder of the one before hangs."""
_SLOTS = 1 << 26
"""Places of keys; two keys with one place only wait for each other."""
_BASE = 1 << 30
"""The first locked byte, far from the signs, and the last below 2**31, all that Windows can lock."""
_ROOM = 4096
"""Places of signs, 8 bytes each."""

if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int, offset: int, *, held: bool) -> None:
        os.lseek(fd, offset, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK if held else msvcrt.LK_UNLCK, 1)
        except PermissionError as error:
            raise BlockingIOError from error

    def _write(fd: int, text: bytes, offset: int) -> None:
        os.lseek(fd, offset, os.SEEK_SET)
        os.write(fd, text)

    def _read(fd: int, offset: int) -> bytes:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, 8)

else:
    import fcntl

    _SET = getattr(fcntl, "F_OFD_SETLK", None) if sys.platform == "linux" else None

    def _lock(fd: int, offset: int, *, held: bool) -> None:
        """Lock or unlock a byte; raises BlockingIOError if another process, or another open file, holds it."""
        if _SET is not None:  # belongs to the open file, so that two stores of one process exclude each other, too
            kind = fcntl.F_WRLCK if held else fcntl.F_UNLCK
            fcntl.fcntl(fd, _SET, struct.pack("hhqqi", kind, os.SEEK_SET, offset, 1, 0))
        else:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB if held else fcntl.LOCK_UN, 1, offset)

    def _write(fd: int, text: bytes, offset: int) -> None:
        os.pwrite(fd, text, offset)

    def _read(fd: int, offset: int) -> bytes:
        return os.pread(fd, 8, offset)


class KeyLocks:
    """The locks that one store holds. On file systems without locks, every key is free."""

    def __init__(self, path: Path, beside: Path) -> None:
        """`path`: the file, made with the first lock and never removed; `beside`: a file with its permissions."""
        self._path = path
        self._beside = beside
        self._fd: int | None = None
        self._held: dict[bytes, int] = {}
        """Key → the byte that is locked for it."""
        self._bytes: set[int] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        """The event loop in which signs of life are due."""

    def take(self, key: bytes, turn: int = 0) -> bool:
        """Return whether the key's lock is the caller's now; `turn` counts the holders that hang."""
        offset = _BASE + _slot(key) * _TURNS + turn
        if turn == _TURNS:
            return True
        if offset in self._bytes or key in self._held:
            return False
        try:
            _lock(self._opened(), offset, held=True)
        except BlockingIOError:
            return False
        except OSError:  # no locks here, as on some network drives: two processes may then ask for the same
            return True
        self._held[key] = offset
        self._bytes.add(offset)
        self._live()
        return True

    def end(self, key: bytes) -> None:
        """Release the key's lock, if it is held."""
        offset = self._held.pop(key, None)
        if offset is not None and self._fd is not None:
            self._bytes.discard(offset)
            with suppress(OSError):
                _lock(self._fd, offset, held=False)

    def sign(self, key: bytes) -> bytes:
        """Return the last sign of life of the key's holder."""
        try:
            return _read(self._opened(), _place(key))
        except OSError:
            return b""

    def close(self) -> None:
        """Release all locks. The file stays: if it were removed, two processes could lock two files of one name."""
        fd, self._fd = self._fd, None
        self._held.clear()
        self._bytes.clear()
        if fd is not None:
            os.close(fd)

    def _opened(self) -> int:
        if self._fd is None:
            mode = self._beside.stat().st_mode & 0o777
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), mode)
        return self._fd

    def _live(self) -> None:
        """See to it that signs of life are written in the running event loop: if it hangs, they end."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            loop.call_later(_SIGNS, self._give_sign, loop)

    def _give_sign(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._loop is not loop:
            return
        if self._fd is None or not self._held:
            self._loop = None
            return
        for key in self._held:
            with suppress(OSError):
                _write(self._fd, struct.pack("q", time.time_ns()), _place(key))
        loop.call_later(_SIGNS, self._give_sign, loop)


class Waiting:
    """One caller's wait for a key. Not frozen: it remembers what it has seen."""

    def __init__(self, locks: KeyLocks, key: bytes) -> None:
        self._locks = locks
        self._key = key
        self._turn = 0
        self._sign = b""
        self._looked = time.monotonic()
        self._silent = 0.0

    def over(self) -> bool:
        """Return whether the key's lock is the caller's now."""
        if self._locks.take(self._key, self._turn):
            return True
        now, sign = time.monotonic(), self._locks.sign(self._key)
        self._silent = 0.0 if sign != self._sign else self._silent + min(now - self._looked, _LOOK)
        self._looked, self._sign = now, sign
        if self._silent <= _HUNG:
            return False
        self._turn, self._silent = self._turn + 1, 0.0
        return self._locks.take(self._key, self._turn)


def _slot(key: bytes) -> int:
    return int.from_bytes(key[:8]) % _SLOTS


def _place(key: bytes) -> int:
    return _slot(key) % _ROOM * 8
