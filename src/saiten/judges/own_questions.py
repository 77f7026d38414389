"""`questions.jsonl`: which questions a judge of one's own learned from, which were held out, and their answers.

It is in the folder that `saiten tune judge` writes. Figures on answers that the judge learned from would flatter it, so
it does not grade them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from saiten.durable.whole_file import write_whole
from saiten.errors import CannotJudge, ConfigurationError
from saiten.protocols import Judge, R, Task
from saiten.tasks.aspects import RateAspect
from saiten.tasks.correctness import DecideCorrect, GradeAnswer

NAME = "questions.jsonl"

_GRADED = (RateAspect, GradeAnswer, DecideCorrect)
"""The tasks that such a judge learns."""


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """One question of the labels."""

    question: str
    held_out: bool
    """Measured on; else learned from."""
    items: tuple[str, ...]
    """The ids of the graded answers."""
    answers: tuple[str, ...]
    """A digest of each question and answer, by which the answer is known again."""


def answer_digest(task: Task[Any]) -> str:
    """Sixteen hexadecimal digits of question and answer, however they are spaced."""
    assert isinstance(task, _GRADED)  # noqa: S101 - what people grade
    texts = (" ".join(text.split()) for text in (task.question, task.answer))
    return sha256("\n".join(texts).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def write_questions(folder: Path, questions: Iterable[OwnQuestion]) -> None:
    """One question per line; raises ConfigurationError where the folder cannot be written."""
    lines = [
        json.dumps(
            {"question": one.question, "held_out": one.held_out, "items": one.items, "answers": one.answers},
            ensure_ascii=False,
        )
        for one in questions
    ]
    write_whole(folder / NAME, "".join(f"{line}\n" for line in lines), otherwise="name another folder with -o")


def read_learned(folder: Path) -> frozenset[str]:
    """The digests of the answers that the judge in the folder learned from; none where the folder does not say.

    Raises:
        ConfigurationError: the file is damaged.
    """
    path = folder / NAME
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return frozenset(digest for row in rows if not row["held_out"] for digest in row["answers"])
    except FileNotFoundError:
        return frozenset()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path} is damaged: {error!r}; put it back, or make the judge again with `saiten tune judge`"
        ) from error


@dataclass(frozen=True, slots=True)
class Unlearned:
    """A judge that does not grade the answers it learned from; other answers to the same questions it does."""

    judge: Judge
    learned: frozenset[str]
    """Digests of these answers."""
    folder: Path

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        return self.judge.describe(tasks)

    async def perform(self, task: Task[R]) -> R:
        """The reply; raises CannotJudge for an answer that the judge learned from, and all that the judge raises."""
        if isinstance(task, _GRADED) and answer_digest(task) in self.learned:
            raise CannotJudge(
                "this judge learned from people's grades of this very answer, so its grade would flatter it; "
                f"{self.folder / NAME} says which questions were held out"
            )
        return await self.judge.perform(task)

    async def preflight(self) -> None:
        await self.judge.preflight()

    async def close(self) -> None:
        await self.judge.close()


def without_learned(judges: Sequence[Judge], folder: Path) -> tuple[Judge, ...]:
    """The judges of a folder, so that none grades what it learned from; unchanged where the folder does not say."""
    learned = read_learned(folder)
    return tuple(Unlearned(judge, learned, folder) if learned else judge for judge in judges)
