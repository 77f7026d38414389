"""The questions that a tuned judge learned from or that were held out, in `questions.jsonl` of its folder.

Figures on answers seen in training would be inflated, so the judge does not grade them.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from saiten.durable.whole_file import write_whole
from saiten.errors import CannotJudge, ConfigurationError
from saiten.judges.wrappers import JudgeWrapper
from saiten.protocols import Judge, R, Task
from saiten.tasks.aspects import RateAspect
from saiten.tasks.correctness import DecideCorrect, GradeAnswer

QUESTIONS_NAME = "questions.jsonl"

_GRADED = (RateAspect, GradeAnswer, DecideCorrect)
"""The tasks that a tuned judge learns."""


@dataclass(frozen=True, slots=True)
class TunedQuestion:
    """One question of the labels."""

    question: str
    held_out: bool
    """Whether it was used for measuring rather than training."""
    items: tuple[str, ...]
    """The ids of the graded answers."""
    answers: tuple[str, ...]
    """A digest per question and answer, by which the answer is recognized."""


def answer_digest(task: Task[Any]) -> str:
    """Return sixteen hexadecimal digits of question and answer, ignoring differences in white space."""
    assert isinstance(task, _GRADED)  # noqa: S101 - the tasks that people grade
    texts = (" ".join(text.split()) for text in (task.question, task.answer))
    return sha256("\n".join(texts).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def write_questions(folder: Path, questions: Iterable[TunedQuestion]) -> None:
    """Write one question per line; raises ConfigurationError if the folder is not writable."""
    lines = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in questions)
    write_whole(folder / QUESTIONS_NAME, lines, otherwise="name another folder with -o")


def read_learned(folder: Path) -> frozenset[str]:
    """Return digests of answers seen in training, if there is a file; raises ConfigurationError if it is damaged."""
    path = folder / QUESTIONS_NAME
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return frozenset(digest for row in rows if not row["held_out"] for digest in row["answers"])
    except FileNotFoundError:
        return frozenset()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"{path} is damaged: {error!r}; put it back, or make the judge again with `saiten tune judge`"
        ) from error


@dataclass(frozen=True)
class Unlearned(JudgeWrapper):
    """A judge that refuses to grade answers it learned from, but grades other answers to the same questions."""

    judge: Judge
    learned: frozenset[str]
    """Digests of the answers seen in training."""
    folder: Path

    async def perform(self, task: Task[R]) -> R:
        """Return the reply; raises CannotJudge for an answer seen in training, and what the judge raises."""
        if isinstance(task, _GRADED) and answer_digest(task) in self.learned:
            raise CannotJudge(
                "this judge learned from people's grades of this very answer, so its grade would flatter it; "
                f"{self.folder / QUESTIONS_NAME} says which questions were held out"
            )
        return await self.judge.perform(task)


def without_learned(judges: Sequence[Judge], folder: Path) -> tuple[Judge, ...]:
    """Wrap the judges of a folder so that none grades its training data; unchanged if the folder does not list it."""
    learned = read_learned(folder)
    return tuple(Unlearned(judge, learned, folder) if learned else judge for judge in judges)
