"""The outcomes of a run of dialogues apart from scores: endings, leaks, the system's latency."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from saiten.dialogue.dialogue import Dialogue, Ended
from saiten.records import Usage
from saiten.stats.latency import Latency, latency_of


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes of a run of dialogues."""

    dialogues: int
    ended: Mapping[Ended, int]
    failures: Mapping[tuple[str, str], int]
    """(Side that failed, kind) → count."""
    with_evidence: int
    """Dialogues whose grader saw passages in addition to the reference."""
    leak: float | None
    """The mean share over the dialogues that have one; None if none has."""
    measured: int
    """Dialogues with a share."""
    leaking: int
    """The number of them in which any word leaked."""
    worst: str
    """The id of the dialogue with the highest share; empty if nothing leaked."""
    asked: int
    """Questions that the questioner put to the system."""
    stating: int
    """The number of them that state content found only in the reference."""
    refused: int
    """Proposed questions that were not put to the system."""
    turns: int
    """Answers of the system."""
    latency: Latency | None
    """None if not measured."""
    of_system: Usage
    of_agents: Usage
    """Usage of grader, composer and questioner, and of retrieving the evidence."""


def outcomes_of(dialogues: Iterable[Dialogue]) -> Outcomes:
    """Summarize the dialogues as a stream; memory: 8 bytes per turn and per dialogue."""
    ended: Counter[Ended] = Counter()
    failures: Counter[tuple[str, str]] = Counter()
    leaks, seconds = array("d"), array("d")
    of_system, of_agents = Usage(), Usage()
    with_evidence = asked = stating = refused = turns = 0
    worst, highest = "", 0.0
    for dialogue in dialogues:
        ended[dialogue.ended] += 1
        if dialogue.fault is not None:
            failures[dialogue.fault, dialogue.kind or "failed"] += 1
        with_evidence += bool(dialogue.evidence.passages)
        asked += 0 if dialogue.recorded else max(0, len(dialogue.history) - 1)
        stating += len(dialogue.leak.questions)
        refused += sum(step.name == "T5" and not step.text for step in dialogue.steps)
        share = dialogue.leak.share
        if share is not None and dialogue.ended != "failed":
            leaks.append(share)
            if share > highest:
                worst, highest = dialogue.id, share
        answers = [step for step in dialogue.steps if step.agent == "system"]
        turns += len(answers)
        seconds.extend(step.seconds for step in answers if step.seconds is not None)
        of_system += sum((step.usage for step in answers), dialogue.lost if dialogue.fault == "system" else Usage())
        agents = (step.usage for step in dialogue.steps if step.agent != "system")
        of_agents += sum(agents, dialogue.evidence.usage + (dialogue.lost if dialogue.fault == "judge" else Usage()))
    shares = np.frombuffer(leaks) if leaks else None
    return Outcomes(
        dialogues=ended.total(),
        ended=dict(ended),
        failures=dict(failures),
        with_evidence=with_evidence,
        leak=None if shares is None else float(shares.mean()),
        measured=len(leaks),
        leaking=0 if shares is None else int((shares > 0).sum()),
        worst=worst,
        asked=asked,
        stating=stating,
        refused=refused,
        turns=turns,
        latency=latency_of(seconds),
        of_system=of_system,
        of_agents=of_agents,
    )
