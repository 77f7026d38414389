"""Making a test set: slots are planned, written, checked and kept, until there are as many questions as wanted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from saiten.choices import QuestionKind
from saiten.data import BadRow
from saiten.errors import JudgeError, Unreadable
from saiten.protocols import Executor, Judge
from saiten.records import Sample
from saiten.runs.engine import Stop, Watch, run_all
from saiten.testsets.checking import Checks
from saiten.testsets.drafting import NothingToAsk, Writer
from saiten.testsets.folder import Made, NoQuestion, Outcome, SetFolder
from saiten.testsets.plan.slots import Slot

TRIES = 3
"""Slots per wanted question of a kind, at most; and at least `MORE` more than are wanted."""
MORE = 5


def most_tries(wanted: int) -> int:
    """Return how many slots of a kind are tried at most for this many questions."""
    return max(TRIES * wanted, wanted + MORE)


class Plans(Protocol):
    """Chooses passages: `testsets/plan/planning.py`."""

    async def take(self, kind: QuestionKind, n: int) -> list[Slot]:
        """Return the next slots of a kind; fewer if the knowledge base has no more to offer."""

    def why_not(self, kind: QuestionKind) -> str | None:
        """Return why the base offers no more slots of a kind; None if nothing is in the way."""


@dataclass(frozen=True)
class Making:
    """A run over slots: `runs.engine` sees each as a sample with the passages as its contexts."""

    journal: SetFolder
    writer: Writer
    checks: Checks
    judge: Judge | None = None
    """Tried before the first slot; None if no model is asked."""

    def usable(self, sample: Sample, number: int) -> Sample | BadRow:
        return sample

    def is_done(self, sample: Sample) -> bool:
        return self.journal.is_done(sample.id)

    def judge_for(self, sample: Sample) -> None:
        """Return None: the models are tried before the first round."""

    async def make(self, sample: Sample, keep: Callable[[Outcome], None], stop: Stop) -> None:
        """Write and check the question of a slot; what fails is an outcome, not an exception."""
        try:
            written = await self.writer.write(self.journal.slots[sample.id])
            item, usage = await self.checks.check(written.item)
        except NothingToAsk as error:
            keep(NoQuestion(sample.id, str(error), final=True, usage=error.usage))
        except Unreadable as error:
            keep(NoQuestion(sample.id, str(error), final=False, raw=error.raw, usage=error.usage))
        except JudgeError as error:
            keep(NoQuestion(sample.id, str(error), final=False, usage=error.usage))
        else:
            keep(Made(item, written.usage + usage))

    def write(self, sample: Sample, result: Outcome) -> Outcome:
        self.journal.keep(result)
        return result

    def sign(self) -> None:
        """Do nothing: the settings say how items are made."""

    def finish(self) -> None:
        """Do nothing: a test set may always get more questions."""


def sample_of(slot: Slot) -> Sample:
    """Return the slot as a sample without a question."""
    texts = tuple(passage.text for passage in slot.passages)
    return Sample(slot.id, contexts=texts, group=slot.kind, language=slot.language)


@dataclass(slots=True)
class Rounds:
    """The rounds in which slots are taken: each as many as questions are still missing. Not frozen: it counts."""

    folder: SetFolder
    plans: Plans
    wanted: dict[QuestionKind, int]
    """Questions of each kind."""
    shared: bool = False
    """Whether other kinds take the share of one that the documents do not offer."""
    exhausted: set[QuestionKind] = field(default_factory=set, init=False)
    """Kinds for which the knowledge base has no more passages, or whose tries are used up."""
    failed: set[str] = field(default_factory=set, init=False)
    """Slots whose call failed in this run."""

    def missing(self, kind: QuestionKind) -> int:
        """Return how many questions of the kind are still missing."""
        return max(self.wanted[kind] - sum(item.kind == kind for item in self.folder.kept), 0)

    async def next(self) -> list[Slot]:
        """Return the slots of the next round, those of an interrupted run first; [] if nothing is left to do."""
        found = await self._taken()
        return found or (await self._taken() if self._passed_on() else [])

    def _passed_on(self) -> bool:
        """Give what exhausted kinds lack to the others, by turns; return whether there was anything to give."""
        left = sum(self.wanted.values()) - len(self.folder.kept) if self.shared else 0
        takers = [kind for kind in self.wanted if kind not in self.exhausted]
        lacking = {kind: self.missing(kind) for kind in self.exhausted if self.missing(kind)}
        if left < 1 or not takers or not lacking:
            return False
        for kind, n in lacking.items():
            self.wanted[kind] -= n
        for at in range(min(left, sum(lacking.values()))):
            self.wanted[takers[at % len(takers)]] += 1
        return True

    async def _taken(self) -> list[Slot]:
        found: list[Slot] = []
        for kind in self.wanted:
            missing = self.missing(kind)
            begun = [slot for slot in self.folder.slots.values() if slot.kind == kind]
            open_ones = [slot for slot in begun if not self.folder.is_done(slot.id) and slot.id not in self.failed]
            taken = open_ones[:missing]
            room = most_tries(self.wanted[kind]) - len(begun)
            if len(taken) < missing and kind not in self.exhausted:
                asked = min(missing - len(taken), room)
                new = await self.plans.take(kind, asked) if asked > 0 else []
                self.folder.plan(new)
                taken += new
                if len(new) < max(asked, 1):
                    self.exhausted.add(kind)
            found += taken
        return found


async def make_set(making: Making, rounds: Rounds, executor: Executor, watch: Watch[Outcome]) -> None:
    """Write and check questions until there are as many as wanted, or nothing is left to write them from.

    Ends, too, after rounds in which every call failed, of five slots or more: the next would fail as well.

    Raises as `run_all`.
    """
    first = None if making.judge is None else making.judge.preflight
    in_vain = 0
    while in_vain < MORE and (slots := await rounds.next()):
        await run_all(making, map(sample_of, slots), executor, watch, first=first)
        first = None
        failed = {slot.id for slot in slots if not making.journal.is_done(slot.id)}
        rounds.failed |= failed
        in_vain = in_vain + len(slots) if len(failed) == len(slots) else 0
