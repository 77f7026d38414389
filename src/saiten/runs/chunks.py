"""Many samples scored at once without an event per score: the unit of work on this machine.

What a chunk gives are lines, ready to be written, so that a process that scores chunks passes bytes and no objects.
"""

import asyncio
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from saiten.executor import LocalExecutor
from saiten.judges.memo import Memo
from saiten.protocols import Judge, Metric
from saiten.records import FREE, Sample, Scored, Usage
from saiten.runs.journal import fault_line
from saiten.runs.lines import score_key, scored_to_json, to_line
from saiten.runs.scoring import score_once, unwritable

_BREATH = 64
"""Samples after which the event loop has a turn, so that it notices Ctrl-C."""

_UNMEASURED = ("failed", "unreadable")


@dataclass(frozen=True, slots=True)
class ChunkWork:
    """What is done with each sample of a chunk. A process gets it once."""

    metrics: tuple[Metric, ...]
    judge: Judge | None
    """The offline judge; None if no metric asks one."""
    limit: int = 1
    """Samples in work at a time: 1 for saiten's own metrics, which wait for nothing."""
    lines: bool = True
    """Whether lines are wanted, to be written."""
    objects: bool = False
    """Whether the scores themselves are wanted, to be passed on."""

    async def score(self, samples: Sequence[Sample], wanted: Sequence[Sequence[int]] | None) -> "ChunkScores":
        """Return the scores of all samples, in order; `wanted` are the indexes of each one's metrics, None for all.

        Raises:
            ConfigurationError: The error concerns the whole run.
        """
        names = [metric.name for metric in self.metrics]
        every = range(len(names))
        made = _Made(self)

        async def one(number: int) -> tuple[int, list[Scored]]:
            sample = samples[number]
            # No judge is asked where there is none.
            judge: Judge = None if self.judge is None else Memo(self.judge)  # type: ignore[assignment]
            indexes = every if wanted is None else wanted[number]
            return number, [
                Scored(sample.id, names[index], await score_once(sample, self.metrics[index], judge))
                for index in indexes
            ]

        if self.limit == 1:
            for number in range(len(samples)):
                made.add((await one(number))[1])
                if not number % _BREATH:
                    await asyncio.sleep(0)
        else:
            done = dict([each async for each in LocalExecutor(self.limit).run(one, range(len(samples)))])
            for number in range(len(samples)):
                made.add(done[number])
        return made.scores()


@dataclass(frozen=True, slots=True)
class ChunkScores:
    """The scores of a chunk, in the order of its samples and of the metrics."""

    lines: bytes
    """Those of `scores.jsonl`."""
    keys: "array[int]"
    """The `score_key` of each line."""
    faults: bytes
    """The lines of `errors.jsonl`."""
    count: int
    not_measured: int
    """How many failed or were unreadable."""
    usage: Usage
    scored: tuple[Scored, ...] = ()
    """The scores themselves, if they were wanted."""


@dataclass(slots=True)
class _Made:
    """What was made so far."""

    work: ChunkWork
    lines: list[bytes] = field(default_factory=list)
    keys: "array[int]" = field(default_factory=lambda: array("Q"))
    faults: list[bytes] = field(default_factory=list)
    count: int = 0
    not_measured: int = 0
    usage: Usage = FREE
    objects: list[Scored] = field(default_factory=list)

    def add(self, results: Sequence[Scored]) -> None:
        for each in results:
            scored = self._written(each) if self.work.lines else each
            score = scored.score
            self.count += 1
            self.not_measured += score.status in _UNMEASURED
            if score.usage != FREE:
                self.usage += score.usage
            if self.work.objects:
                self.objects.append(scored)

    def _written(self, scored: Scored) -> Scored:
        try:
            line = to_line(scored_to_json(scored))
        except (TypeError, ValueError) as error:
            scored = unwritable(scored, error)
            line = to_line(scored_to_json(scored))
        self.lines.append(line)
        self.keys.append(score_key(scored.sample, scored.metric))
        if fault := fault_line(scored):
            self.faults.append(fault)
        return scored

    def scores(self) -> ChunkScores:
        lines, faults = b"".join(self.lines), b"".join(self.faults)
        counts = self.count, self.not_measured, self.usage
        return ChunkScores(lines, self.keys, faults, *counts, tuple(self.objects))
