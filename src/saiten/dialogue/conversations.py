"""The participants and limits of dialogues."""

from dataclasses import dataclass
from typing import Any

from saiten.choices import MAX_TURNS
from saiten.dialogue.lines import HIGHER_IS_BETTER
from saiten.dialogue.loop import FindEvidence
from saiten.protocols import Judge, System, Task
from saiten.records import Signature
from saiten.tasks.correctness import GradeAnswer
from saiten.tasks.dialogue import AskNext, ComposeAnswer, DecideNext, ReviseAnswer
from saiten.version import __version__

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
