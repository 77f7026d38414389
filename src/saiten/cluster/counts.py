"""What a worker has done since it last said so: numbers that add up to one progress line."""

from collections import Counter
from dataclasses import dataclass, field

from saiten.data import BadRow
from saiten.dialogue.dialogue import Dialogue
from saiten.errors import SystemFailed
from saiten.records import FREE, Answer, Language, Sample, Scored, Usage
from saiten.runs.chunks import ChunkScores

_NAMED = 6
"""Bad rows and failures that are passed on by name at a time; the progress line prints five."""


@dataclass(slots=True)
class Counts:
    """Numbers of a shard or of a moment. Not frozen: they are counted up."""

    samples: int = 0
    """Finished samples, also those that were finished in an earlier run."""
    measured: int = 0
    """Samples with a result of this run."""
    made: int = 0
    """Results."""
    answers: int = 0
    """Samples with an answer."""
    turns: int = 0
    not_measured: int = 0
    bad_rows: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    usage: Usage = FREE
    languages: set[Language] = field(default_factory=set)
    bad: list[BadRow] = field(default_factory=list)
    """The first of the bad rows."""
    faults: list[tuple[str, str]] = field(default_factory=list)
    """The first samples without a result, each with the reason."""
    notes: list[str] = field(default_factory=list)


class Counting:
    """A watch that counts scores, answers or dialogues."""

    def __init__(self) -> None:
        self._counts = Counts()
        self._under_way: set[str] = set()

    def taken(self) -> Counts | None:
        """Return what was counted since the last call; None for nothing."""
        counts, self._counts = self._counts, Counts()
        return None if counts == Counts() else counts

    def note(self, text: str) -> None:
        """Pass on a note for the user."""
        self._counts.notes.append(text)

    def sample_read(self, sample: Sample) -> None:
        self._counts.answers += sample.answer is not None
        self._counts.languages.add(sample.language)

    def bad_row(self, row: BadRow) -> None:
        self._counts.bad_rows += 1
        if len(self._counts.bad) < _NAMED:
            self._counts.bad.append(row)

    def result(self, sample: Sample, result: Scored | Answer | SystemFailed | Dialogue) -> None:
        counts = self._counts
        counts.made += 1
        self._under_way.add(sample.id)
        if isinstance(result, Scored):
            counts.usage += result.score.usage
            counts.not_measured += result.score.status in {"failed", "unreadable"}
            return
        counts.usage += result.usage
        if isinstance(result, SystemFailed):
            self._failed(result.kind, sample.id, str(result))
        elif isinstance(result, Dialogue) and result.fault is not None:
            self._failed(f"failed by the {result.fault}", sample.id, result.reason or "")

    def answered(self, answer: Answer) -> None:
        """Count an answer of the system in any dialogue."""
        self._counts.turns += 1

    def sample_done(self, sample: Sample) -> None:
        self._counts.samples += 1
        if sample.id in self._under_way:
            self._under_way.discard(sample.id)
            self._counts.measured += 1

    def counted(self, samples: int, scores: ChunkScores) -> None:
        """Count the scores of this many samples."""
        counts = self._counts
        counts.samples += samples
        counts.measured += samples
        counts.made += scores.count
        counts.usage += scores.usage
        counts.not_measured += scores.not_measured

    def _failed(self, kind: str, where: str, reason: str) -> None:
        self._counts.failed[kind] += 1
        if len(self._counts.faults) < _NAMED:
            self._counts.faults.append((where, reason))
