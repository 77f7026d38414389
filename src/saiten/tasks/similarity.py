"""Questions that an answer answers, and the similarity of texts."""

from dataclasses import dataclass

from saiten.protocols import Reply, Task
from saiten.tasks.verdicts import YesNo


class Questions(Reply):
    """Questions written from the answer alone."""

    questions: list[str]
    noncommittal: YesNo


@dataclass(frozen=True, slots=True)
class WriteQuestions(Task[Questions]):
    """Write `count` questions that the answer answers, and decide whether it is non-committal."""

    reply = Questions
    answer: str
    count: int = 3
    draw: int = 0
    """Distinguishes equal tasks that are to be performed repeatedly, as RAGAS does."""

    def check(self, reply: Questions) -> None:
        if not reply.questions:  # one more or less than requested does no harm to their mean similarity
            raise ValueError(f"expected {self.count} questions, got none")


class Similarities(Reply):
    """Cosines in [-1, 1], one per other text."""

    values: list[float]


@dataclass(frozen=True, slots=True)
class MeasureSimilarity(Task[Similarities]):
    """Measure the cosine similarity of the embedding of `text` with those of the others.

    White space is embedded as it is; an empty text has cosine 0 with any other.
    """

    reply = Similarities
    text: str
    others: tuple[str, ...]
