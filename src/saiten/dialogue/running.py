"""Dialogues over a data set: run concurrently, each written when it ends, and resumable.

A run of dialogues is a run like any other: its scores are `wscore`, `lscore`, `mscore` and `leak`, so that `show`,
`compare` and `meta-evaluate` understand it. The folder also has `dialogues.jsonl`, one line per dialogue with every
step, and `turns.jsonl`, the system's answers in order of arrival.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from saiten.data import BadRow
from saiten.dialogue.conversations import Conversations
from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.lines import dialogue_to_json, scores_of
from saiten.dialogue.loop import converse
from saiten.dialogue.pairs import pair_of
from saiten.dialogue.recorded import RecordedSystem
from saiten.dialogue.session import DIALOGUES_NAME, has_all_scores, is_of, name_of_run, session_of
from saiten.protocols import Judge
from saiten.records import Answer, Sample
from saiten.runs import Journal
from saiten.runs.engine import Stop
from saiten.runs.lines import to_line

TURNS_NAME = "turns.jsonl"


@dataclass(frozen=True)
class Conversing:
    """A run of dialogues: one per pair of question and reference."""

    journal: Journal
    conversations: Conversations
    on_answer: Callable[[Answer], None] = lambda _: None
    """Called after each answer of the system is written."""
    tried: bool = False
    """Whether the agents were tried before."""

    def usable(self, sample: Sample, number: int) -> Sample | BadRow:
        return pair_of(sample, number, recorded=self.conversations.system is None)

    def is_done(self, sample: Sample) -> bool:
        self.journal.sample(sample)
        return has_all_scores(self.journal, sample.id)

    def judge_for(self, sample: Sample) -> Judge | None:
        return None if self.tried else self.conversations.agents

    async def make(self, sample: Sample, keep: Callable[[Dialogue], None], stop: Stop) -> None:
        how = self.conversations
        name = session_of(name_of_run(self.journal), sample.id)
        dialogue = await converse(
            sample,
            self._recorded,
            how.agents,
            max_turns=how.max_turns,
            questioning=how.questioning,
            last_grade=how.last_grade,
            find_evidence=how.find_evidence,
            session=name,
        )
        if how.system is None:
            for turn in dialogue.history:
                self.on_answer(Answer(turn.answer))
        keep(dialogue)

    def write(self, sample: Sample, result: Dialogue) -> Dialogue:
        self.journal.append(self.journal.file(DIALOGUES_NAME), to_line(dialogue_to_json(result)))
        for scored in scores_of(result):
            self.journal.score(scored)
        return result

    def sign(self) -> None:
        self.journal.sign(self.conversations.signatures())

    def finish(self) -> None:
        self.journal.finish()

    @cached_property
    def _recorded(self) -> RecordedSystem | None:
        """Return the system with its answers in interrupted dialogues, which are not asked again; None for replays."""
        system = self.conversations.system
        if system is None:
            return None

        def write(line: Mapping[str, Any], answer: Answer) -> None:
            self.journal.append(self.journal.file(TURNS_NAME), to_line(line))
            self.on_answer(answer)

        lines = (line for _, line in self.journal.lines(self.journal.file(TURNS_NAME)) if is_of(self.journal, line))
        unfinished = (line for line in lines if not has_all_scores(self.journal, str(line.get("id"))))
        return RecordedSystem(system, unfinished, write, self.conversations.at_once)
