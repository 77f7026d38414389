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
from saiten.dialogue.naming import name_of_run
from saiten.dialogue.recorded import RecordedSystem
from saiten.errors import BadInput, BudgetSpent
from saiten.protocols import Executor, Judge, System, Task
from saiten.records import Answer, Sample, Score, Scored, Signature, Usage
from saiten.runs import Journal
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
    evidence_from: str = "samples"
    """The knowledge base of the evidence, for signatures; `samples` where the grader sees only what the pairs bring."""
    at_once: int = 8
    """Questions that the system is asked at a time."""

    def signatures(self) -> dict[str, str]:
        """How the scores are made, by name."""
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


class Watch(Protocol):
    """Is told what happens."""

    def bad_row(self, row: BadRow) -> None:
        """A row could not be used and was kept apart."""

    def answered(self, usage: Usage) -> None:
        """The system has answered once more, in whatever dialogue."""

    def ended(self, pair: Sample, dialogue: Dialogue) -> None:
        """The dialogue about this pair has ended, and its scores are written down."""

    def done_before(self, pair: Sample) -> None:
        """It had ended in an earlier run."""


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
    run = name_of_run(journal)
    finish_scores(journal)

    def write(line: Mapping[str, Any], answer: Answer) -> None:
        journal.append(TURNS_NAME, line)
        watch.answered(answer.usage)

    system = RecordedSystem(conversations.system, _open_turns(journal), write, conversations.at_once)
    spent = _Spent()

    async def work(pair: Sample) -> None:
        try:
            dialogue = await converse(
                pair,
                system,
                conversations.agents,
                max_turns=conversations.max_turns,
                find_evidence=conversations.find_evidence,
                session=session_of(run, pair.id),
            )
        except BudgetSpent as error:
            spent.error = error
            return
        journal.append(DIALOGUES_NAME, dialogue_to_json(dialogue))
        for scored in scores_of(dialogue):
            journal.score(scored)
        watch.ended(pair, dialogue)

    pairs = _pending(journal, _usable(journal, rows, watch, strict=strict), conversations.agents, watch, spent)
    async with aclosing(conversations.executor.run(work, pairs)) as ended:
        async for _ in ended:
            pass
    if spent.error is not None:
        raise spent.error
    journal.finish()


async def _pending(
    journal: Journal, pairs: Iterable[Sample], agents: Judge, watch: Watch, spent: "_Spent"
) -> AsyncIterator[Sample]:
    """The pairs without a dialogue, until the budget is spent; the agents are tried before the first."""
    tried = False
    for pair in pairs:
        if spent.error is not None:
            return
        journal.sample(pair)
        if _is_done(journal, pair.id):
            watch.done_before(pair)
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


def session_of(run: str, pair: str) -> str:
    """The name of the conversation about a pair: two runs against one server never share one."""
    return f"{run}/{pair}"


def finish_scores(journal: Journal) -> None:
    """Write the scores of dialogues that had ended when the process was killed between dialogue and scores."""
    for line in journal.lines(DIALOGUES_NAME):
        identity = str(line.get("id"))
        if line.get("ended") == "failed" or _is_done(journal, identity) or not _is_of(journal, line):
            continue
        try:
            ended = dialogue_from_json(line)
        except ValueError:  # as if it had not been written: it is held again
            continue
        for scored in scores_of(ended):
            if not journal.is_done(identity, scored.metric):
                journal.score(scored)


def _is_of(journal: Journal, line: Mapping[str, Any]) -> bool:
    """Whether a line is of this run: one that began anew in its folder leaves older lines behind."""
    return line.get("session") == session_of(name_of_run(journal), str(line.get("id")))


def _open_turns(journal: Journal) -> Iterator[Mapping[str, Any]]:
    """The system's answers in dialogues that have not ended."""
    for line in journal.lines(TURNS_NAME):
        if _is_of(journal, line) and not _is_done(journal, str(line.get("id"))):
            yield line


def _is_done(journal: Journal, identity: str) -> bool:
    return all(journal.is_done(identity, name) for name in HIGHER_IS_BETTER)


def _usable(journal: Journal, rows: Iterable[Sample | BadRow], watch: Watch, *, strict: bool) -> Iterator[Sample]:
    """The pairs; what is none is kept apart with the reason."""
    for number, row in enumerate(rows, 1):
        bad = row if isinstance(row, BadRow) else _lacking(row, number)
        if bad is None:
            assert isinstance(row, Sample)  # noqa: S101 - what is no BadRow is a Sample
            yield _pair(row)
            continue
        if strict:
            raise BadInput(f"{bad.where}: {bad.reason} (--strict stops at the first bad row)")
        journal.bad_row(bad.where, bad.reason, bad.raw)
        watch.bad_row(bad)


def _pair(row: Sample) -> Sample:
    """Question, reference and evidence; an answer that the row may hold too is another system's."""
    return replace(row, answer=None, contexts=None, system=None)


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
