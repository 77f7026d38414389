"""Dialogues over a data set: many at once, each written down the moment it has ended, and resumed where it stopped.

A run of dialogues is a run like any other: its scores are `wscore`, `lscore`, `mscore` and `leak`, so that `show`,
`compare` and `meta-evaluate` understand it. Beside them stand `dialogues.jsonl`, a line a dialogue with everything that
was said, and `turns.jsonl`, the system's answers as they came.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from saiten.data import BadRow
from saiten.dialogue.dialogue import Dialogue
from saiten.dialogue.lines import dialogue_from_json, dialogue_to_json
from saiten.dialogue.loop import MAX_TURNS, FindEvidence, converse
from saiten.dialogue.recorded import RecordedSystem
from saiten.errors import BadInput, BudgetSpent
from saiten.journal import Journal
from saiten.protocols import Executor, Judge, System, Task
from saiten.records import Sample, Score, Scored, Signature
from saiten.tasks.correctness import GradeAnswer
from saiten.tasks.dialogue import AskNext, ComposeAnswer, DecideNext, ReviseAnswer
from saiten.version import __version__

DIALOGUES_NAME, TURNS_NAME = "dialogues.jsonl", "turns.jsonl"

HIGHER_IS_BETTER: Mapping[str, bool] = {"wscore": True, "lscore": False, "mscore": True, "leak": False}
"""The scores of a dialogue, and which way is better."""

TASKS: tuple[type[Task[Any]], ...] = (ComposeAnswer, GradeAnswer, DecideNext, AskNext, ReviseAnswer)
"""What the three agents are asked."""


@dataclass(frozen=True)
class Conversations:
    """Who talks with whom, and how long."""

    system: System
    agents: Judge
    executor: Executor
    max_turns: int = MAX_TURNS
    find_evidence: FindEvidence | None = None
    evidence_from: str = "none"
    """The knowledge base of the evidence, for signatures."""

    def signatures(self) -> dict[str, str]:
        """How the scores are made, by name."""
        parts = {
            **self.agents.describe(TASKS),
            **{f"system.{key}": value for key, value in self.system.describe().items()},
            "system": self.system.name,
            "max_turns": str(self.max_turns),
            "evidence_from": self.evidence_from,
            "saiten": __version__,
        }
        return {name: str(Signature(name, tuple(parts.items()))) for name in HIGHER_IS_BETTER}


class Watch(Protocol):
    """Is told what happens: a `scoring.Watch` does."""

    def sample_read(self, sample: Sample) -> None:
        """A pair came out of the source."""

    def bad_row(self, row: BadRow) -> None:
        """A row could not be used and was kept apart."""

    def scored(self, sample: Sample, scored: Scored) -> None:
        """A score is there, and written down."""

    def sample_done(self, sample: Sample) -> None:
        """The dialogue about this pair has ended."""


async def converse_into(
    journal: Journal,
    rows: Iterable[Sample | BadRow],
    conversations: Conversations,
    watch: Watch,
    *,
    strict: bool = False,
) -> None:
    """Hold a dialogue about every pair that is not in the journal yet, and write each down when it has ended.

    Raises:
        BadInput: a pair differs from the one that the journal has under its id; with `strict`, any bad row.
        BudgetSpent: the dialogues under way are left off; what was said in them is kept and not asked again.
        ConfigurationError: at once.
    """
    finish_scores(journal)
    lines = journal.lines(TURNS_NAME)
    system = RecordedSystem(conversations.system, lines, lambda line: journal.append(TURNS_NAME, line))
    spent = _Spent()

    async def work(pair: Sample) -> None:
        try:
            dialogue = await converse(
                pair,
                system,
                conversations.agents,
                max_turns=conversations.max_turns,
                find_evidence=conversations.find_evidence,
            )
        except BudgetSpent as error:
            spent.error = error
            return
        journal.append(DIALOGUES_NAME, dialogue_to_json(dialogue))
        for scored in scores_of(dialogue):
            journal.score(scored)
            watch.scored(pair, scored)
        watch.sample_done(pair)

    pairs = _pending(journal, _usable(journal, rows, watch, strict=strict), conversations.agents, watch, spent)
    async with aclosing(conversations.executor.run(work, pairs)) as ended:
        async for _ in ended:
            pass
    if spent.error is not None:
        raise spent.error


async def _pending(
    journal: Journal, pairs: Iterable[Sample], agents: Judge, watch: Watch, spent: "_Spent"
) -> AsyncIterator[Sample]:
    """The pairs without a dialogue, until the budget is spent; the agents are tried before the first."""
    tried = False
    for pair in pairs:
        if spent.error is not None:
            return
        watch.sample_read(pair)
        journal.sample(pair)
        if all(journal.is_done(pair.id, name) for name in HIGHER_IS_BETTER):
            watch.sample_done(pair)
            continue
        if not tried:
            await agents.preflight()
            tried = True
        yield pair


def scores_of(dialogue: Dialogue) -> Iterator[Scored]:
    """The scores as a run keeps them; those of a failed dialogue have no value, and say why."""
    told = {"grades": list(dialogue.grades), "ended": dialogue.ended, "turns": len(dialogue.history)}
    failed = dialogue.ended == "failed"
    for name, value in dialogue.scores.items():
        score = Score(value, "failed" if failed else "ok", dialogue.reason or dialogue.ended, told)
        if name == "wscore":  # the dialogue is paid for once
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


def finish_scores(journal: Journal) -> None:
    """Write the scores of dialogues that had ended when the process was killed between dialogue and scores."""
    for line in journal.lines(DIALOGUES_NAME):
        identity = str(line.get("id"))
        if line.get("ended") == "failed" or all(journal.is_done(identity, name) for name in HIGHER_IS_BETTER):
            continue
        for scored in scores_of(dialogue_from_json(line)):
            if not journal.is_done(identity, scored.metric):
                journal.score(scored)


def _usable(journal: Journal, rows: Iterable[Sample | BadRow], watch: Watch, *, strict: bool) -> Iterator[Sample]:
    """The pairs; what is none is kept apart with the reason."""
    for number, row in enumerate(rows, 1):
        bad = row if isinstance(row, BadRow) else _lacking(row, number)
        if bad is None:
            assert isinstance(row, Sample)  # noqa: S101 - what is no BadRow is a Sample
            yield row
            continue
        if strict:
            raise BadInput(f"{bad.where}: {bad.reason} (--strict stops at the first bad row)")
        journal.bad_row(bad.where, bad.reason, bad.raw)
        watch.bad_row(bad)


def _lacking(pair: Sample, number: int) -> BadRow | None:
    lacking = [
        name for name, text in (("question", pair.question), ("reference", pair.reference)) if not (text or "").strip()
    ]
    if not lacking:
        return None
    return BadRow(f"pair {pair.id!r} (number {number})", f"a dialogue needs a {' and a '.join(lacking)}")


@dataclass
class _Spent:
    """Remembers that the budget is spent, so that no further dialogue is begun."""

    error: BudgetSpent | None = field(default=None)
