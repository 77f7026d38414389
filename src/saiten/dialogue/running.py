"""Dialogues over a data set: run concurrently, each written when it ends, and resumable.

A run of dialogues is a run like any other: its scores are `wscore`, `lscore`, `mscore` and `leak`, so that `show`,
`compare` and `meta-evaluate` understand it. The folder also has `dialogues.jsonl`, one line per dialogue with every
step, and `turns.jsonl`, the system's answers in order of arrival.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any

from saiten.choices import MAX_TURNS
from saiten.data import BadRow
from saiten.dialogue.dialogue import Dialogue, dialogue_from_json, dialogue_to_json
from saiten.dialogue.loop import FindEvidence, converse
from saiten.dialogue.recorded import RecordedSystem
from saiten.protocols import Judge, System, Task
from saiten.records import Answer, Sample, Score, Scored, Signature
from saiten.runs import Journal
from saiten.runs.engine import Stop
from saiten.runs.journal import has_scores
from saiten.runs.lines import to_line
from saiten.runs.manifest import RunSettings, read_manifest
from saiten.tasks.correctness import GradeAnswer
from saiten.tasks.dialogue import AskNext, ComposeAnswer, DecideNext, ReviseAnswer
from saiten.version import __version__

DIALOGUES_NAME, TURNS_NAME = "dialogues.jsonl", "turns.jsonl"
SESSION = "session"
"""The setting with the name of a run of dialogues."""

HIGHER_IS_BETTER: Mapping[str, bool] = {"wscore": True, "lscore": False, "mscore": True, "leak": False}
"""Score of a dialogue → whether higher is better."""
TASKS: tuple[type[Task[Any]], ...] = (ComposeAnswer, GradeAnswer, DecideNext, AskNext, ReviseAnswer)
"""The tasks of the three agents."""


@dataclass(frozen=True)
class Conversations:
    """The participants and limits of the dialogues."""

    system: System
    agents: Judge
    max_turns: int = MAX_TURNS
    find_evidence: FindEvidence | None = None
    evidence_from: str = "samples"
    """The knowledge base of the evidence, for signatures; `samples` if the grader sees only the pairs' evidence."""
    at_once: int = 8
    """Concurrent questions to the system."""

    def settings(self) -> dict[str, Any]:
        """Return the settings of a run of dialogues, except judge and data."""
        return {
            "system": {"name": self.system.name, **self.system.describe()},
            "max_turns": self.max_turns,
            "evidence_from": self.evidence_from,
        }

    def signatures(self) -> dict[str, str]:
        """Return score → its signature."""
        parts = {
            **self.agents.describe(TASKS),
            **{f"system.{key}": value for key, value in self.system.describe().items()},
            "system": self.system.name,
            "max_turns": str(self.max_turns),
            "grades": "one per turn",
            "evidence_from": self.evidence_from,
            "saiten": __version__,
        }
        return {name: str(Signature(name, tuple(parts.items()))) for name in HIGHER_IS_BETTER}


def open_journal(folder: Path, settings: RunSettings, signatures: Mapping[str, str], **more: Any) -> Journal:
    """Open the journal of a run of dialogues, whose settings include a unique name; see `name_of_run`.

    First write the scores that are missing because the process was killed between dialogue and scores.
    """
    named = replace(settings, more={**settings.more, SESSION: _session(folder, settings, signatures)})
    journal = Journal.open(folder, named, signatures=signatures, **more)
    _finish_scores(journal)
    return journal


def _session(folder: Path, settings: RunSettings, signatures: Mapping[str, str]) -> str:
    """Return the name of the run in the folder if these settings resume it, else a new one.

    A run without scores starts over under other settings (`Journal.open`). It gets a new name then, so that answers
    of an earlier system are not mistaken for this one's.
    """
    there = read_manifest(folder)
    name = there.settings.get(SESSION) if there is not None else None
    if there is None or not isinstance(name, str):
        return token_hex(6)
    named = replace(settings, more={**settings.more, SESSION: name})
    return name if has_scores(folder) or not there.differing(named, signatures) else token_hex(6)


def name_of_run(journal: Journal) -> str:
    """Return the run's unique name, which stays the same when the run is resumed."""
    return str(journal.manifest.settings[SESSION])


@dataclass(frozen=True)
class Conversing:
    """A run of dialogues: one per pair of question and reference."""

    journal: Journal
    conversations: Conversations
    on_answer: Callable[[Answer], None] = lambda _: None
    """Called after each answer of the system is written."""

    def usable(self, sample: Sample, number: int) -> Sample | BadRow:
        lacking = [name for name in ("question", "reference") if not (getattr(sample, name) or "").strip()]
        if lacking:
            where = f"pair {sample.id!r} (number {number})"
            return BadRow(where, f"a dialogue needs a {' and a '.join(lacking)}")
        return replace(sample, answer=None, contexts=None, system=None)  # an answer in the row is from another system

    def is_done(self, sample: Sample) -> bool:
        self.journal.sample(sample)
        return _is_done(self.journal, sample.id)

    def judge_for(self, sample: Sample) -> Judge:
        return self.conversations.agents

    async def make(self, sample: Sample, keep: Callable[[Dialogue], None], stop: Stop) -> None:
        how = self.conversations
        session = session_of(name_of_run(self.journal), sample.id)
        keep(
            await converse(
                sample,
                self._recorded,
                how.agents,
                max_turns=how.max_turns,
                find_evidence=how.find_evidence,
                session=session,
            )
        )

    def write(self, sample: Sample, result: Dialogue) -> Dialogue:
        self.journal.append(self.journal.file(DIALOGUES_NAME), to_line(dialogue_to_json(result)))
        for scored in scores_of(result):
            self.journal.score(scored)
        return result

    def finish(self) -> None:
        self.journal.finish()

    @cached_property
    def _recorded(self) -> RecordedSystem:
        """Return the system with its answers in interrupted dialogues, which are not asked again."""

        def write(line: Mapping[str, Any], answer: Answer) -> None:
            self.journal.append(self.journal.file(TURNS_NAME), to_line(line))
            self.on_answer(answer)

        turns = _open_turns(self.journal)
        return RecordedSystem(self.conversations.system, turns, write, self.conversations.at_once)


def scores_of(dialogue: Dialogue) -> Iterator[Scored]:
    """Yield the scores of a dialogue; those of a failed one have a reason instead of a value."""
    details = {"grades": list(dialogue.grades), "ended": dialogue.ended, "turns": len(dialogue.history)}
    failed = dialogue.ended == "failed"
    for name, value in dialogue.scores.items():
        score = Score(value, "failed" if failed else "ok", dialogue.reason or dialogue.ended, details)
        if name == "wscore":  # count the cost of the dialogue once
            score = replace(score, usage=dialogue.usage)
        yield Scored(dialogue.id, name, score)
    yield Scored(dialogue.id, "leak", _leak(dialogue))


def _leak(dialogue: Dialogue) -> Score:
    leak = dialogue.leak
    details = {"words": list(leak.words), "questions": list(leak.questions)}
    if dialogue.ended == "failed":
        return Score(None, "failed", dialogue.reason, details)
    if leak.share is None:
        return Score.undefined("the answer has no content words", **details)
    return Score(leak.share, reason=", ".join(leak.words) or None, details=details)


def session_of(run: str, pair: str) -> str:
    """Return the name of the conversation about a pair, unique per run even on the same server."""
    return f"{run}/{pair}"


def _finish_scores(journal: Journal) -> None:
    """Write scores that are missing because the process was killed between dialogue and scores."""
    for _, line in journal.lines(journal.file(DIALOGUES_NAME)):
        identity = str(line.get("id"))
        if line.get("ended") == "failed" or _is_done(journal, identity) or not _is_of(journal, line):
            continue
        try:
            ended = dialogue_from_json(line)
        except ValueError:  # unreadable: hold the dialogue again
            continue
        for scored in scores_of(ended):
            if not journal.is_done(identity, scored.metric):
                journal.score(scored)


def _is_of(journal: Journal, line: Mapping[str, Any]) -> bool:
    """Return whether a line is from this run; a run that started over leaves older lines in the folder."""
    return line.get("session") == session_of(name_of_run(journal), str(line.get("id")))


def _open_turns(journal: Journal) -> Iterator[Mapping[str, Any]]:
    """Yield the system's answers in unfinished dialogues."""
    for _, line in journal.lines(journal.file(TURNS_NAME)):
        if _is_of(journal, line) and not _is_done(journal, str(line.get("id"))):
            yield line


def _is_done(journal: Journal, identity: str) -> bool:
    return all(journal.is_done(identity, name) for name in HIGHER_IS_BETTER)
