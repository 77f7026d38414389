"""The process in which files are converted: a library that hangs, crashes or eats memory takes only this one down.

Lines of JSON: in comes {"path", "kind"}; out go {"piece": text} …, and in the end {"digest", "note"}, {"unread":
why} or {"missing": what to install}. It ends with its standard input, at once, whatever a library is busy with.
"""

import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import IO, Any

from saiten.errors import ConfigurationError
from saiten.rag.knowledge.conversion import convert
from saiten.rag.knowledge.documents import NoText

_MEMORY = 4 << 30
"""Bytes of address space, where the system can hold a process to it."""
_PIECE = 1 << 20
"""Characters that go through the pipe at once."""


def main() -> None:
    """Answer requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what a library prints is no reply
    _limit_memory()
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        try:
            _send(replies, _answer(json.loads(requests.get()), replies))
        except BrokenPipeError:
            os._exit(0)


def _listen(requests: queue.Queue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)  # the parent is gone, however it went


def _answer(request: dict[str, Any], replies: IO[str]) -> dict[str, Any]:
    def give(text: str) -> None:
        for start in range(0, len(text) or 1, _PIECE):  # an empty piece says that there is progress
            _send(replies, {"piece": text[start : start + _PIECE]})

    try:
        digest, note = convert(Path(request["path"]), request["kind"], give)
    except NoText as error:
        return {"unread": str(error)}
    except ConfigurationError as error:
        return {"missing": str(error)}
    return {"digest": digest, "note": note}


def _send(replies: IO[str], reply: dict[str, Any]) -> None:
    replies.write(json.dumps(reply) + "\n")
    replies.flush()


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - not on every system

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


if __name__ == "__main__":
    main()
