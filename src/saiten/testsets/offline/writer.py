"""The offline writer: cloze, definition and heading questions out of single sentences, without a model.

It knows neither meaning nor grammar, only patterns. What it writes is good for a first look at a system, and as a
baseline for questions that a model wrote; not as the only test of a system that people rely on.
"""

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest

from saiten.choices import QuestionKind
from saiten.records import Language
from saiten.testsets.drafting import Drafted, NothingToAsk
from saiten.testsets.items import SetItem, SetPassage
from saiten.testsets.offline import english, japanese
from saiten.testsets.offline.cloze import clozes_of
from saiten.testsets.offline.posed import Posed
from saiten.testsets.offline.statements import Statement, answered_headings, statements_in
from saiten.testsets.plan.slots import Slot
from saiten.testsets.rules.leak import check_leak
from saiten.testsets.rules.wording import check_wording
from saiten.text.language import detect_language

OFFLINE_KINDS: tuple[QuestionKind, ...] = ("single",)
"""The kinds of questions that can be made without a model."""

_PER_SENTENCE = 3
"""Maximum number of questions about one sentence."""


@dataclass(slots=True)
class OfflineWriter:
    """Writes questions by rules. Deterministic: equal plans give equal items, also after an interruption."""

    plan: Mapping[str, Slot] = field(default_factory=dict)
    """All slots so far by id, in order, so that a passage that several share is asked about differently each time; it
    may grow, as `SetFolder.slots` does."""
    kinds: tuple[QuestionKind, ...] = OFFLINE_KINDS
    name: str = "offline"
    _turns: dict[str, int] = field(default_factory=dict, init=False)
    _taken: Counter[tuple[object, ...]] = field(default_factory=Counter, init=False)

    async def write(self, slot: Slot) -> Drafted:
        """Return the item for a slot: the first question about its passage that no earlier slot of the plan takes.

        Persona and difficulty are not considered.

        Raises:
            NothingToAsk: the kind needs a model, or the passage has no further sentence to make a question of.
        """
        turn, found = self._turn(slot), self.candidates(slot)
        if turn < len(found):
            return Drafted(found[turn])
        kind = slot.kind
        if kind not in OFFLINE_KINDS:
            raise NothingToAsk(f"questions of the kind {kind} need a model; without one there are only single ones")
        if slot.passages and detect_language(slot.passages[0].text) != slot.language:
            raise NothingToAsk("the passage is in another language than the question; translating it needs a model")
        if found:
            n = len(found)
            raise NothingToAsk(f"the passage gives {n} questions, which earlier slots take")
        raise NothingToAsk(
            "no rule makes a question of the passage: it takes a complete sentence that says enough alone"
        )

    def _turn(self, slot: Slot) -> int:
        """Return how many slots before this one have the same passage."""
        for each in islice(self.plan.values(), len(self._turns), None):
            self._turns[each.id] = self._taken[_place(each)]
            self._taken[_place(each)] += 1
        return self._turns.get(slot.id, 0)

    def candidates(self, slot: Slot) -> list[SetItem]:
        """Return all items that can be made for a slot, the best first; each has the slot's id.

        They pass the checks of wording and leaks. Which sentence comes first depends on the passage, so that a set is
        not only about the first sentences; cloze texts come last.
        """
        if slot.kind not in OFFLINE_KINDS or not slot.passages:
            return []
        passage = slot.passages[0]
        if detect_language(passage.text) != slot.language:
            return []
        items = (_item(slot, passage, statement, posed) for statement, posed in _posed(passage, slot.language))
        unique = {item.question: item for item in items}
        return [item for item in unique.values() if check_wording(item).passed and check_leak(item).passed]


def _place(slot: Slot) -> tuple[object, ...]:
    passage = slot.passages[0] if slot.passages else SetPassage("")
    return passage.source, passage.start, passage.text, slot.language


def _posed(passage: SetPassage, language: Language) -> Iterator[tuple[Statement, Posed]]:
    """Yield headings that are questions, the first question about each sentence, the second, …; cloze texts last."""
    statements = list(statements_in(passage.text, language))
    first = zlib.crc32(passage.text.encode("utf-8", "replace")) % len(statements) if statements else 0
    yield from ((below, Posed(title, "heading")) for title, below in answered_headings(passage.text, language))
    clozes: list[list[tuple[Statement, Posed]]] = []
    asked: list[list[tuple[Statement, Posed]]] = []
    for statement in (*statements[first:], *statements[:first]):
        made = japanese.questions_of(statement) if language == "ja" else english.questions_of(statement, passage.text)
        found = [(statement, posed) for posed in made][:_PER_SENTENCE]
        asked.append(found)
        if not found:
            clozes.append(
                [(statement, posed) for posed in clozes_of(statement, passage.source, language)][:_PER_SENTENCE]
            )
    for rows in (asked, clozes):
        yield from (each for turn in zip_longest(*rows) for each in turn if each is not None)


def _item(slot: Slot, passage: SetPassage, statement: Statement, posed: Posed) -> SetItem:
    quoted = replace(passage, quotes=((statement.start, statement.end),))
    made = {"by": "offline", "form": posed.form}
    return SetItem(slot.id, posed.question, statement.text, slot.kind, slot.language, (quoted,), made=made)
