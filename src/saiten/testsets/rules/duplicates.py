"""The check of duplicates: whether a test set asks the same twice.

The nearest questions by their vectors are compared word by word. Two questions that differ in a number, a name or the
thing asked for are not duplicates, however similar: *How long is the warranty of model A?* and *… of model B?*. So
the built-in embedder, which measures letters, does; one that knows meaning also finds duplicates in other words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saiten.judges.offline.sameness import SIMILAR, AskedQuestion, are_apart, overlap
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.protocols import Embedder
from saiten.testsets.items import Checked, SetItem

SIMILAR_MEANING = 0.9
"""The cosine from which an embedder of meaning finds two questions the same, in whatever words, if nothing keeps them
apart. With all-MiniLM-L6-v2, all such pairs among 1,500 questions of Natural Questions ask the same."""

_NEAREST = 12
"""Known questions that are compared word by word: those whose vectors are nearest."""

_BLOCK = 4_096
"""Rows per block of vectors, so that adding a question copies few."""

_DIMENSIONS = 1_024
"""Of the built-in embedder's vectors, so that those of 100,000 questions take 0.4 GB."""


@dataclass(frozen=True, slots=True)
class Near:
    """The known question that is nearest to another one, and the same."""

    id: str
    similarity: float
    """0 to 1; 1 for questions that differ only in punctuation, width and case."""


class KnownQuestions:
    """The questions of a test set so far, to find out whether a new one is among them.

    For up to 100,000 questions, which take 1 GB: finding takes time in proportion to their number (13 ms of CPU time at
    100,000), adding does not.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        """Without an embedder, the built-in one measures similarity."""
        self._embedder: Embedder = embedder or BuiltinEmbedder(_DIMENSIONS)
        self._letters = embedder is None or isinstance(embedder, BuiltinEmbedder)
        self._asked: list[AskedQuestion] = []
        self._blocks: list[npt.NDArray[np.float32]] = []

    def __len__(self) -> int:
        return len(self._asked)

    async def add(self, identity: str, question: str, reference: str = "") -> None:
        """Remember a question; raises CallFailed, ConfigurationError or BudgetSpent if the embedder does."""
        self._keep([AskedQuestion.of(identity, question, reference)], (await self._embedder.embed([question])).vectors)

    async def add_all(self, questions: Sequence[tuple[str, str, str]]) -> None:
        """Remember questions, each as id, question and reference ("" if there is none), with fewer calls."""
        for start in range(0, len(questions), _BLOCK):
            some = questions[start : start + _BLOCK]
            vectors = (await self._embedder.embed([question for _, question, _ in some])).vectors
            self._keep([AskedQuestion.of(*each) for each in some], vectors)

    async def nearest(self, question: str, reference: str = "") -> Near | None:
        """Return the known question that is the same as this one, the nearest if there are several; None if none is."""
        if not self._asked:
            return None
        asked = AskedQuestion.of("", question, reference)
        cosines = self._cosines((await self._embedder.embed([question])).vectors[0])
        count = min(_NEAREST, len(cosines))
        places = np.argpartition(-cosines, count - 1)[:count]
        found = [self._compared(asked, self._asked[at], float(cosines[at])) for at in sorted(places)]
        return max((near for near in found if near is not None), key=lambda near: near.similarity, default=None)

    async def check(self, item: SetItem) -> Checked:
        """Return whether the item's question is new; it is not added.

        A follow-up question is compared together with the question before it.
        """
        near = await self.nearest(question_of(item), item.reference)
        if near is None:
            return Checked("duplicate", passed=True)
        percent, item_id = f"{near.similarity:.0%}", near.id
        return Checked(
            "duplicate",
            passed=False,
            reason=f"it asks the same as {item_id} (similarity {percent})",
            details={"id": near.id, "similarity": round(near.similarity, 3)},
        )

    async def add_item(self, item: SetItem) -> None:
        """Remember the item's question, together with the one before it if it is a follow-up question."""
        await self.add(item.id, question_of(item), item.reference)

    def _keep(self, asked: Sequence[AskedQuestion], vectors: npt.NDArray[np.float32]) -> None:
        for each, vector in zip(asked, vectors, strict=True):
            at = len(self._asked) % _BLOCK
            if at == 0:
                self._blocks.append(np.zeros((_BLOCK, len(vector)), np.float32))
            self._blocks[-1][at] = vector
            self._asked.append(each)

    def _cosines(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        last = len(self._asked) - _BLOCK * (len(self._blocks) - 1)
        return np.concatenate([*(block @ vector for block in self._blocks[:-1]), self._blocks[-1][:last] @ vector])

    def _compared(self, asked: AskedQuestion, known: AskedQuestion, cosine: float) -> Near | None:
        if are_apart(asked, known):
            return None
        same = overlap(asked, known)
        if not self._letters and cosine >= SIMILAR_MEANING:
            same = max(same, cosine)
        return Near(known.id, same) if same >= SIMILAR else None


def question_of(item: SetItem) -> str:
    """Return what identifies the item's question: for a follow-up, the previous question and itself."""
    return " ".join([turn.question for turn in item.history[-1:]] + [item.question])
