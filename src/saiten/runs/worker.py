"""The process that scores chunks of samples for another one; see `runs/workers.py`.

Frames, each after its length in 8 bytes. In comes the work, and then one chunk after another: the lines of its samples,
and the metrics wanted of each. Each frame has an answer; all are pickled. It ends as soon as its standard input ends.
"""

import asyncio
import os
import pickle
import signal
import traceback
from collections.abc import Sequence
from typing import IO, Any

from saiten.errors import ConfigurationError
from saiten.executor import fewer_collections
from saiten.runs.chunks import ChunkScores, ChunkWork
from saiten.runs.lines import from_line, sample_from_json

LENGTH = 8
"""Bytes of a frame's length."""

Answer = tuple[str, Any]
"""`ready`, `scores` with `ChunkScores`, or `unusable`, `wrong` or `broken` with a text."""


def frame(content: bytes) -> bytes:
    """Return the content with its length."""
    return len(content).to_bytes(LENGTH, "big") + content


def main() -> None:
    """Answer frames until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    answers, questions = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # keeps what a metric prints out of the answers
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        _serve(questions, answers)
    except BrokenPipeError:
        os._exit(0)  # the parent is gone


def _serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    setup = _read(questions)
    if setup is None:
        return
    work, answer = _set_up(setup)
    _send(answers, answer)
    if work is None:
        return
    with fewer_collections(), asyncio.Runner() as runner:
        while (chunk := _read(questions)) is not None:
            _send(answers, runner.run(_scored(work, *pickle.loads(chunk))))  # noqa: S301 - from our own parent


def _set_up(setup: bytes) -> tuple[ChunkWork | None, Answer]:
    try:
        work = pickle.loads(setup)  # noqa: S301 - from our own parent
    except ConfigurationError as error:
        return None, ("wrong", str(error))
    except Exception as error:  # noqa: BLE001 - whatever a metric's own code raises
        return None, ("unusable", f"{type(error).__name__}: {error}")
    return work, ("ready", "")


async def _scored(work: ChunkWork, lines: Sequence[bytes], wanted: Sequence[Sequence[int]] | None) -> Answer:
    samples = [sample_from_json(from_line(line)) for line in lines]
    try:
        scores: ChunkScores = await work.score(samples, wanted)
    except ConfigurationError as error:
        return "wrong", str(error)
    except Exception:  # noqa: BLE001 - shown by the parent
        return "broken", traceback.format_exc()
    return "scores", scores


def _read(questions: IO[bytes]) -> bytes | None:
    length = questions.read(LENGTH)
    content = questions.read(int.from_bytes(length, "big")) if len(length) == LENGTH else b""
    return content or None


def _send(answers: IO[bytes], answer: Answer) -> None:
    try:
        content = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - details of a metric's own that cannot be passed on
        content = pickle.dumps(("wrong", f"a score cannot be passed to another process: {error}; say --workers 1"))
    answers.write(frame(content))
    answers.flush()
