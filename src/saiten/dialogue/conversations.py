"""The participants and limits of dialogues."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saiten.choices import MAX_TURNS, RECORDED, LastGrade, Questioning
from saiten.dialogue.lines import HIGHER_IS_BETTER
from saiten.dialogue.loop import FindEvidence
from saiten.protocols import Judge, System, Task
from saiten.records import Signature
from saiten.tasks.correctness import GradeAnswer
from saiten.tasks.dialogue import AskIfNeeded, AskNext, ComposeAnswer, DecideNext, ReviseAnswer
from saiten.version import __version__

TASKS: Mapping[Questioning, tuple[type[Task[Any]], ...]] = {
    "merged": (ComposeAnswer, GradeAnswer, AskIfNeeded, ReviseAnswer),
    "published": (ComposeAnswer, GradeAnswer, DecideNext, AskNext, ReviseAnswer),
}
"""The tasks of the three agents."""
REPLAYED: tuple[type[Task[Any]], ...] = (ComposeAnswer, GradeAnswer)
"""The tasks if a recorded conversation is replayed."""

ROLES: Mapping[str, tuple[type[Task[Any]], ...]] = {
    "composer": (ComposeAnswer, ReviseAnswer),
    "questioner": (AskIfNeeded, DecideNext, AskNext),
}
"""The tasks of the agents that may be other models than the grader."""


@dataclass(frozen=True)
class Conversations:
    """The participants and limits of the dialogues."""

    system: System | None
    """None: conversations on record are replayed."""
    agents: Judge
    max_turns: int = MAX_TURNS
    find_evidence: FindEvidence | None = None
    evidence_from: str = "samples"
    """The knowledge base of the evidence, for signatures; `samples` if the grader sees only the pairs' evidence."""
    at_once: int = 8
    """Concurrent questions to the system."""
    questioning: Questioning = "merged"
    last_grade: LastGrade = "replaces"

    def settings(self) -> dict[str, Any]:
        """Return the settings of a run of dialogues, except judge and data."""
        return {
            "system": {"name": self._name, **self._described},
            "max_turns": self.max_turns,
            **self._asked(),
            **({"last_grade": self.last_grade} if self._appends else {}),
            "evidence_from": self.evidence_from,
        }

    def signatures(self) -> dict[str, str]:
        """Return score → its signature."""
        parts = {
            **self.agents.describe(REPLAYED if self.system is None else TASKS[self.questioning]),
            **{f"system.{key}": value for key, value in self._described.items()},
            "system": self._name,
            "max_turns": str(self.max_turns),
            **self._asked(),
            "grades": "one per turn, last appended" if self._appends else "one per turn",
            "evidence_from": self.evidence_from,
            "saiten": __version__,
        }
        return {name: str(Signature(name, tuple(parts.items()))) for name in HIGHER_IS_BETTER}

    def _asked(self) -> dict[str, str]:
        """Return how questions come about, unless a single turn leaves none to ask, as in runs of earlier versions."""
        questioning = RECORDED if self.system is None else self.questioning
        return {"questioning": questioning} if self.max_turns > 1 else {}

    @property
    def _appends(self) -> bool:
        """Return whether σ may have one grade more than turns; else nothing is recorded, as in earlier versions."""
        return self.last_grade == "appended" and self.system is not None and self.max_turns > 1

    @property
    def _name(self) -> str:
        return RECORDED if self.system is None else self.system.name

    @property
    def _described(self) -> Mapping[str, str]:
        return {} if self.system is None else self.system.describe()
