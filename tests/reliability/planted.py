"""Secrets that are unlike all other text, and the search for them in everything that was written or shown.

planted = Planted()
saiten("score", …, "--judge-header", f"X-Key={planted('judge header')}")
assert planted.found_in(folder) == {}
"""

import io
import zipfile
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import numpy as np

PART = 8
"""Characters of a secret that must not be seen on their own."""


class Planted:
    """The secrets of one test, by name."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """Secret → its name."""
        self._parts: dict[int, str] = {}
        """Part of a secret, as a number → the secret's name."""

    def __call__(self, name: str) -> str:
        """The secret with this name: 24 letters and digits."""
        digest = b64encode(sha256(name.encode()).digest() * 2).decode()
        secret = "".join(sign for sign in digest if sign.isalnum())[:24]
        self.names[secret] = name
        for form in (secret, *_in_base64(secret)):
            self._parts |= dict.fromkeys(map(int, _windows(form.encode())), name)
        return secret

    def found(self, content: bytes) -> set[str]:
        """The names of the secrets of which the content has a part, as it is or in base64; also in what it packs.

        Each has only letters and digits, which are the same in percent-encoding, JSON and HTML.
        """
        windows = _windows(content)
        known = np.fromiter(self._parts, np.uint64, len(self._parts))
        found = {self._parts[int(each)] for each in windows[np.isin(windows, known)]}
        if content.startswith(b"PK\3\4"):
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                found = found.union(*(self.found(packed.read(name)) for name in packed.namelist()))
        return found

    def found_in(self, folder: Path) -> dict[str, set[str]]:
        """File → the names of the secrets in it or in its path."""
        files = {
            str(path.relative_to(folder)): self.found(path.read_bytes()) | self.found(str(path).encode())
            for path in folder.rglob("*")
            if path.is_file()
        }
        return {name: found for name, found in files.items() if found}


def _windows(content: bytes) -> np.ndarray:
    """Every 8 bytes in a row, as a number."""
    signs = np.frombuffer(content, np.uint8).astype(np.uint64)
    count = max(0, len(signs) - PART + 1)
    return sum((signs[at : at + count] << np.uint64(8 * at) for at in range(PART)), np.zeros(count, np.uint64))


def _in_base64(secret: str) -> list[str]:
    """The text in base64, for each place in a group of three bytes; without the signs that its neighbors change."""
    return [
        b64encode(bytes(before) + secret.encode()).decode()[4 if before else 0 : (before + len(secret)) * 8 // 6]
        for before in range(3)
    ]
