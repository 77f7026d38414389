"""Planning a test set: which question is to be written from which passages of a knowledge base."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import lcm
from typing import Self

import numpy as np
import numpy.typing as npt

from saiten.choices import DIFFICULTIES, Difficulty, QuestionKind
from saiten.rag.knowledge.base import KnowledgeBase
from saiten.records import Language
from saiten.testsets.plan.askable import notes_on
from saiten.testsets.plan.companions import Companions
from saiten.testsets.plan.coverage import Coverage
from saiten.testsets.plan.passages import BasePassages, read_passages
from saiten.testsets.plan.slots import Slot
from saiten.testsets.plan.vocabulary import Ties

_NEAREST: Mapping[QuestionKind, int] = {"unanswerable": 4, "false_premise": 2}
"""Near passages shown to the writer of an unanswerable question, and of one with a false premise."""
_FRUITLESS = 200
"""Passages tried in a row without finding one that goes with them, after which a kind is given up for now."""
_CHOICES = 3
"""Passages that may go with the first one, of which the writer takes what it needs."""
_JOINT: frozenset[QuestionKind] = frozenset({"several", "across", "comparison", "follow_up"})
"""Kinds whose question is about several of its passages; that of the others is about the first."""


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """The wishes for a test set that concern its plan."""

    kinds: tuple[QuestionKind, ...]
    """The kinds of the set; `take` serves any."""
    personas: tuple[str, ...] = ()
    """Who asks, in turn."""
    difficulties: tuple[Difficulty, ...] = DIFFICULTIES
    """How difficult the questions are, in turn; at least one."""
    language: Language | None = None
    """The language of the questions; None for that of the document."""
    seed: int = 0


@dataclass(slots=True, eq=False)
class Planner:
    """Chooses passages so that questions cover the base. Not frozen, since it counts what it has given out.

    Equal bases, settings and earlier slots give equal slots.
    """

    settings: PlanSettings
    read: BasePassages
    companions: Companions
    coverage: Coverage
    _tried: dict[QuestionKind, npt.NDArray[np.bool_]] = field(default_factory=dict, init=False)
    _pairs: dict[QuestionKind, set[frozenset[int]]] = field(default_factory=dict, init=False)
    _last: Counter[QuestionKind] = field(default_factory=Counter, init=False)
    _planned: Counter[QuestionKind] = field(default_factory=Counter, init=False)
    _short: dict[QuestionKind, str] = field(default_factory=dict, init=False)
    _languages: dict[str, Language] = field(default_factory=dict, init=False)

    @classmethod
    async def open(cls, base: KnowledgeBase, settings: PlanSettings, taken: Iterable[Slot] = ()) -> Self:
        """Read the base, and count the slots of an interrupted run.

        Raises:
            ConfigurationError: the base is unreadable.
            CallFailed: its server failed.
        """
        read = await read_passages(base)
        companions = Companions(base, read, Ties(read.words, read.vocabulary))
        planner = cls(settings, read, companions, Coverage(read.passages, read.clusters, settings.seed))
        for slot in taken:
            planner._count(slot)
        return planner

    @property
    def notes(self) -> list[str]:
        """Sentences that say how many passages are not asked about, and why."""
        return notes_on(self.read.left_out)

    async def take(self, kind: QuestionKind, n: int) -> list[Slot]:
        """Return n further slots, or fewer if the base has no more to offer for this kind; `why_not` says why.

        Raises:
            ConfigurationError: the base is unreadable.
            CallFailed: the server or the embedder failed. Plan anew from the slots returned so far: those of this call
                are counted, but lost.
        """
        slots: list[Slot] = []
        tried = self._tried_for(kind)
        fruitless = 0
        while len(slots) < n and fruitless < _FRUITLESS and not self._impossible(kind):
            first = self.coverage.next(~tried)
            if first is None:
                break
            tried[first] = True
            others = await self._others(kind, first)
            if others is None:
                fruitless += 1
                continue
            fruitless = 0
            slots.append(self._slot(kind, first, others))
            self._use(kind, [first, *others])
        if len(slots) < n:
            self._short[kind] = self._explained(kind)
        return slots

    def why_not(self, kind: QuestionKind) -> str | None:
        """Return why the base offers no question of a kind, or why the last `take` gave too few, as a sentence.

        None if nothing is known to be in the way.
        """
        return self._short.get(kind) or self._impossible(kind)

    # ------------------------------------------------------------------------------------------ choosing

    async def _others(self, kind: QuestionKind, first: int) -> list[int] | None:
        """Return the other passages of a slot; None if there must be some and none belongs to this one."""
        if kind == "single":
            return []
        if kind in _NEAREST:
            return await self.companions.nearest(first, _NEAREST[kind])
        new = partial(_is_new, self._pairs.setdefault(kind, set()), first)
        if kind == "follow_up":
            return self.companions.following(first, new=new)
        if kind == "several":
            found = self.companions.several(first, _CHOICES, new=new)
        else:
            fitting = self.companions.across if kind == "across" else self.companions.comparison
            found = await fitting(first, _CHOICES, new=new)
        return found or None

    def _slot(self, kind: QuestionKind, first: int, others: list[int]) -> Slot:
        passages = [self.read.passages[each] for each in (first, *others)]
        at, personas, difficulties = self._planned[kind], self.settings.personas, self.settings.difficulties
        # shifted after each common round, so that every persona meets every difficulty
        shift = at // lcm(len(personas), len(difficulties)) if personas else 0
        persona = personas[(at + shift) % len(personas)] if personas else ""
        language = self.settings.language or self._language_of(passages[0].passage.source)
        self._last[kind] += 1
        name = f"{kind}-{self._last[kind]}"
        shown = tuple(replace(each.passage, section=each.section) for each in passages)
        return Slot(name, kind, shown, language, self._difficulty(kind), persona)

    def _language_of(self, source: str) -> Language:
        """Return the language of most passages of a document, in which a passage in another one is asked about, too."""
        if not self._languages:
            counts: dict[str, Counter[Language]] = {}
            for each in self.read.passages:
                counts.setdefault(each.passage.source, Counter())[each.language] += 1
            self._languages.update({name: count.most_common(1)[0][0] for name, count in counts.items()})
        return self._languages[source]

    def _difficulty(self, kind: QuestionKind) -> Difficulty:
        return self.settings.difficulties[self._planned[kind] % len(self.settings.difficulties)]

    # ------------------------------------------------------------------------------------------ counting

    def _tried_for(self, kind: QuestionKind) -> npt.NDArray[np.bool_]:
        return self._tried.setdefault(kind, np.zeros(len(self.read.passages), bool))

    def _count(self, slot: Slot) -> None:
        """Count a slot of an earlier run; its passages may have gone."""
        number = slot.id.rpartition("-")[2]
        self._last[slot.kind] = max(self._last[slot.kind], int(number) if number.isdecimal() else 0)
        found = [self.companions.number(each.source, each.start, each.end) for each in slot.passages]
        if found and found[0] is not None:
            self._tried_for(slot.kind)[found[0]] = True
        self._use(slot.kind, [each for each in found if each is not None])

    def _use(self, kind: QuestionKind, numbers: list[int]) -> None:
        self._planned[kind] += 1
        pairs = self._pairs.setdefault(kind, set())
        if kind in _JOINT:
            pairs.update(frozenset((numbers[0], other)) for other in numbers[1:])
        for each in numbers if kind == "follow_up" else numbers[:1]:
            self.coverage.use(each)

    # ------------------------------------------------------------------------------------------ explaining

    def _impossible(self, kind: QuestionKind) -> str | None:
        passages, documents = len(self.read.passages), self.read.documents
        if not passages:
            return "the knowledge base has no passage that a question could be written from"
        if kind == "across" and documents < 2:
            return "it takes two documents, and the knowledge base has only one that questions could be written from"
        if kind == "several" and documents == passages:
            return "it takes several passages of one document, and each document has only one"
        if kind == "comparison" and passages < 2:
            return "it takes two passages, and the knowledge base has only one"
        return None

    def _explained(self, kind: QuestionKind) -> str:
        passages = len(self.read.passages)
        if impossible := self._impossible(kind):
            return impossible
        if kind in {"single", "unanswerable", "false_premise", "follow_up"}:
            return f"every passage of the knowledge base, of {passages:,}, has been used for a question of this kind"
        if self._planned[kind]:
            return "no more passages were found that belong together in such a question"
        return "no passages were found that belong together in such a question"


def _is_new(pairs: set[frozenset[int]], one: int, other: int) -> bool:
    return frozenset((one, other)) not in pairs
