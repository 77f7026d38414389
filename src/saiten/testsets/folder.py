"""The folder of a test set being made: what is written survives a kill, and the next run continues there.

questions.jsonl   the items that passed all checks
dropped.jsonl     those that did not, with the check and the reason
plan.jsonl        the slots: from which passages each question is written
errors.jsonl      slots without a question, with the reason
made.json         the settings; calls.jsonl, prices.jsonl: what was paid
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saiten.errors import ConfigurationError
from saiten.records import FREE, Usage
from saiten.runs.journal import refuse_foreign
from saiten.runs.lines import to_line
from saiten.runs.locked_folder import ERRORS_NAME, LockedFolder, PaidCalls
from saiten.runs.manifest import Manifest, RunSettings, read_manifest, write_manifest
from saiten.testsets.items import SetItem, item_from_json, item_to_json
from saiten.testsets.plan.slots import Slot, slot_from_json, slot_to_json
from saiten.testsets.reading import DROPPED_NAME, KB_NAME, QUESTIONS_NAME

PLAN_NAME, MADE_NAME, KIND = "plan.jsonl", "made.json", "saiten test set"


@dataclass(frozen=True, slots=True)
class NoQuestion:
    """A slot without a question."""

    slot: str
    reason: str
    final: bool
    """False for a failed call or an unreadable reply, which the next run tries again."""
    raw: str = ""
    """The model's reply, if it could not be read."""
    usage: Usage = FREE


@dataclass(frozen=True, slots=True)
class Made:
    """A new item after its checks, with its cost."""

    item: SetItem
    usage: Usage = FREE


Outcome = Made | NoQuestion
"""What becomes of a slot."""


class SetFolder(LockedFolder):
    """The folder of one test set, locked. Memory: its items."""

    @classmethod
    def open(cls, path: Path, settings: RunSettings, *, notify: Callable[[str], None]) -> "SetFolder":
        """Begin a test set, or continue the one that is there.

        Raises:
            ConfigurationError: The folder holds something else, or a test set made with another model or other prompts
                (the differences are listed); another process is writing it; it cannot be written.
        """
        there = read_manifest(path, MADE_NAME, KIND)
        refuse_foreign_folder(path)
        folder = cls(path, notify)
        try:
            folder._begin(there, settings)
        except BaseException:
            folder.close()
            raise
        return folder

    def _begin(self, there: Manifest | None, settings: RunSettings) -> None:
        if there is None:  # before any other file: a folder that has others and no manifest is refused
            write_manifest(self.path, Manifest.new(settings, {}, kind=KIND), MADE_NAME)
        self._kept, self._dropped = self.file(QUESTIONS_NAME), self.file(DROPPED_NAME)
        self._plan, self._errors = self.file(PLAN_NAME), self.file(ERRORS_NAME)
        self.slots: dict[str, Slot] = {slot.id: slot for slot in self._read(self._plan, slot_from_json)}
        """All slots, by id, in order."""
        self.items: dict[str, SetItem] = {}
        """The items of all slots that have one, kept and dropped."""
        for file in (self._kept, self._dropped):
            self.items |= {item.id: item for item in self._read(file, item_from_json)}
        faults = [value for _, value in self.lines(self._errors)]
        self._without = {str(value.get("slot")) for value in faults if value.get("final")}
        if there is not None:
            begun = bool(self.items or self._without)
            made = there.going_on(settings, {}, self.path) if begun else Manifest.new(settings, {}, kind=KIND)
            write_manifest(self.path, made, MADE_NAME)
        self.paid = PaidCalls(self)
        """The book of calls."""

    @property
    def kept(self) -> list[SetItem]:
        """The items that passed all checks."""
        return [item for item in self.items.values() if item.dropped is None]

    @property
    def without_question(self) -> frozenset[str]:
        """The slots whose passages gave no question."""
        return frozenset(self._without)

    def is_done(self, slot: str) -> bool:
        """Return whether it is known what becomes of the slot."""
        return slot in self.items or slot in self._without

    def plan(self, slots: Iterable[Slot]) -> None:
        """Write slots to the plan."""
        for slot in slots:
            self.append(self._plan, to_line(slot_to_json(slot)))
            self.slots[slot.id] = slot

    def keep(self, outcome: Outcome) -> None:
        """Write what became of a slot; once this returns, it survives the process."""
        if isinstance(outcome, NoQuestion):
            self._fault(outcome)
            return
        item = outcome.item
        self.append(self._kept if item.dropped is None else self._dropped, to_line(item_to_json(item)))
        self.items[item.id] = item

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Keep a slot that cannot be used."""
        self._fault(NoQuestion(where, reason, final=True, raw=raw))

    def _fault(self, fault: NoQuestion) -> None:
        line = {"kind": "slot", "slot": fault.slot, "reason": fault.reason, "raw": fault.raw, "final": fault.final}
        self.append(self._errors, to_line(line))
        if fault.final:
            self._without.add(fault.slot)

    def _read(self, file: Any, read: Callable[[dict[str, Any]], Any]) -> list[Any]:
        found = []
        for _, value in self.lines(file):
            try:
                found.append(read(value))
            except ValueError as error:
                raise ConfigurationError(
                    f"{file.path} has a line that saiten did not write: {error}; correct or remove it, or name another "
                    "folder"
                ) from error
        return found


def refuse_foreign_folder(path: Path) -> None:
    """Raise ConfigurationError if it is there and has neither a test set nor merely a knowledge base."""
    if read_manifest(path, MADE_NAME, KIND) is not None or not path.exists():
        return
    names = {each.name for each in path.iterdir()} if path.is_dir() else set()
    if names - {KB_NAME} or not path.is_dir():
        refuse_foreign(path, MADE_NAME)
