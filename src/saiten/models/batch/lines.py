"""The lines of OpenAI's batch files: requests, replies and errors."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saiten.models.http_client import HttpReply
from saiten.models.wire import dump, load

URL = "/v1/chat/completions"
"""The endpoint of every request, wherever the server is."""

_EXPIRED = ("batch_expired", "batch_cancelled", "batch_canceled")
"""Codes of requests that the server did not come to."""


def request_line(key: str, body: Mapping[str, Any]) -> bytes:
    """Return a request as a line, including the line end."""
    return dump({"custom_id": key, "method": "POST", "url": URL, "body": body}) + b"\n"


def lines_of(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file."""
    with file.open("rb") as lines:
        yield from lines


def keys_in(file: Path) -> Iterator[str]:
    """Yield the keys of the requests in a file."""
    for line in lines_of(file):
        value = load(line)
        if isinstance(value, dict) and isinstance(value.get("custom_id"), str):
            yield value["custom_id"]


@dataclass(frozen=True, slots=True)
class Line:
    """What a file says of one request."""

    key: str
    reply: HttpReply | None
    """None if the server did not come to it."""


def results_in(file: Path, notify: Callable[[str], None]) -> Iterator[Line]:
    """Yield the result of each line; those that cannot be read are reported and skipped."""
    unread = 0
    for line in filter(bytes.strip, lines_of(file)):
        found = _read(load(line))
        if found is not None:
            yield found
        unread += found is None
    if unread:
        notify(f"{unread} lines of {file} cannot be read; their requests count as not answered")


class ResultLines:
    """Writes a file of results that comes in pieces; lines about errors lose what the server repeats of secrets."""

    def __init__(self, write: Callable[[bytes], object], hide: Callable[[str], str]) -> None:
        """`hide` returns a text without secrets."""
        self._write = write
        self._hide = hide
        self._begun: list[bytes] = []

    def add(self, piece: bytes) -> None:
        """Write the lines that end in this piece."""
        first, *more = piece.split(b"\n")
        self._begun.append(first)
        for each in more:
            self._write(self._shown(b"".join(self._begun)) + b"\n")
            self._begun = [each]

    def end(self) -> None:
        """Write what follows the last line end."""
        self._write(self._shown(b"".join(self._begun)))

    def _shown(self, line: bytes) -> bytes:
        value = load(line)
        if (found := _read(value)) is None:
            return self._hide(line.decode("utf-8", "replace")).encode()
        if found.reply is not None and found.reply.status == 200:
            return line
        return dump(_each_text(value, self._hide) | {"custom_id": found.key})


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with its texts changed."""
    if isinstance(value, dict):
        return {key: _each_text(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_each_text(item, change) for item in value]
    return change(value) if isinstance(value, str) else value


def _read(value: Any) -> Line | None:
    if not isinstance(value, dict) or not isinstance(value.get("custom_id"), str):
        return None
    response, error = value.get("response"), value.get("error")
    if isinstance(response, dict) and (status := _status(response)):
        said = response.get("body") if response.get("body") is not None else {"error": error}
        return Line(value["custom_id"], HttpReply(status, {}, dump(said)))
    if error is None:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    reply = None if code in _EXPIRED else HttpReply(500, {}, dump({"error": error}))
    return Line(value["custom_id"], reply)


def _status(response: Mapping[str, Any]) -> int:
    """Return the HTTP status; 0 without one."""
    status = response.get("status_code")
    return status if type(status) is int and 100 <= status < 600 else 0
