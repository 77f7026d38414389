"""The file of a page: written as a whole, and never over something else."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO

from saiten.durable.whole_file import check_place, whole_file, writing_to
from saiten.errors import BadInput

_OURS = b'<meta name="generator" content="saiten">'
_HEAD = 16_000
"""Bytes at the beginning of a page that name its generator."""


@contextmanager
def page_file(path: Path, example: str) -> Iterator[IO[str]]:
    """Open a stream whose content replaces the page once the block ends without an error, so that it is never partial.

    Raises:
        BadInput: The existing file is not a page of saiten's; or as `check_page_place`.
        ConfigurationError: The file cannot be written.
    """
    check_page_place(path, example)
    with writing_to(path, "name another file"), whole_file(path, shared=True) as file:
        out = TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield out
        finally:
            out.detach()  # flushed, and left open for its owner


def check_page_place(path: Path, example: str) -> None:
    """Check before the work whether a page may be written there; `example` is a name for it; raise like `page_file`."""
    check_place(path, example)
    if path.exists():
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if head and _OURS not in head:
            raise BadInput(f"{path} exists and is not a page written by saiten; name another file, or remove it")
