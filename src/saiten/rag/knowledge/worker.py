"""The process in which files are converted, so that a library that hangs, crashes or eats memory takes down only this.

Protocol, one JSON object per line: in comes {"path", "kind"}; out go {"piece": text} …, and finally {"digest", "note"},
{"unread": reason} or {"missing": what to install}. It ends as soon as its standard input ends.
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
from saiten.rag.knowledge.conversion import MEMORY, convert
from saiten.rag.knowledge.documents import NoText

_PIECE = 1 << 20  # characters sent at once


def main() -> None:
    """Answer requests until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # keep a library's output out of the replies
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
    os._exit(0)  # the parent is gone


def _answer(request: dict[str, Any], replies: IO[str]) -> dict[str, Any]:
    def give(text: str) -> None:
        for start in range(0, len(text) or 1, _PIECE):  # an empty piece signals progress
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
        limit = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


if __name__ == "__main__":
    main()
