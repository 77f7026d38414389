"""The progress of a run in one line: count, rate, failures, cost so far, time left."""

from collections import Counter
from dataclasses import replace

from rich.console import Console

from saiten.cli.drawn_line import DrawnLine
from saiten.data import BadRow
from saiten.dialogue.dialogue import Dialogue
from saiten.errors import SystemFailed
from saiten.records import Answer, Sample, Scored, Usage
from saiten.runs.answers.rows import Outcome
from saiten.views.tables.summary import spent_text


def in_all(spent: Usage, counted: Usage) -> Usage:
    """Return a command's spending: as booked by its models, else as counted with the results."""
    return replace(spent, reused=counted.reused) if spent.calls else counted


class _Progress(DrawnLine):
    """A `runs.engine.Watch` that draws one line. One instance per run."""

    what = ""
    """The unit of the count."""

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        """`total`: the number of samples, None if unknown in advance."""
        super().__init__(console, self.what, total, quiet=quiet)
        self.samples = 0
        """Finished samples, from this run or an earlier one."""
        self.made = 0
        """Results of this run."""
        self.bad_rows = 0
        self.failed: Counter[str] = Counter()
        self.usage = Usage()
        self._currency = currency

    def sample_read(self, sample: Sample) -> None:
        """Nothing to show yet."""

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows += 1
        self.name(self.bad_rows, "kept apart", row.where, row.reason)

    def sample_done(self, sample: Sample) -> None:
        self.samples += 1
        self.draw(self.samples, self.text)

    def measured(self, done: int) -> int:
        return self.made

    def text(self) -> str:
        """Return a short text with rate, failures and cost."""
        failed = [f"{n} {what}" for what, n in sorted(self.failed.items())]
        return ", ".join(filter(None, [self._rate(), *failed, self._spent()]))

    def _rate(self) -> str:
        return f"{self.measured(self.samples) / max(self.seconds(), 1e-9):.1f}/s"

    def _spent(self) -> str:
        return spent_text(self.usage, self._currency)


class ScoreProgress(_Progress):
    """The progress of scores, by samples."""

    what = "samples"

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        super().__init__(console, total, currency, quiet=quiet)
        self.answers = 0
        """Samples with an answer."""
        self.not_measured = 0
        self._under_way: set[str] = set()
        self._measured = 0

    def sample_read(self, sample: Sample) -> None:
        self.answers += sample.answer is not None

    def result(self, sample: Sample, result: Scored) -> None:
        self.made += 1
        self.usage += result.score.usage
        self.not_measured += result.score.status in {"failed", "unreadable"}
        self._under_way.add(sample.id)
        self.draw(self.samples, self.text)

    def sample_done(self, sample: Sample) -> None:
        if sample.id in self._under_way:  # else it was scored in an earlier run, which says nothing about the rate
            self._under_way.discard(sample.id)
            self._measured += 1
        super().sample_done(sample)

    def measured(self, done: int) -> int:
        return self._measured


class AnswerProgress(_Progress):
    """The progress of answers, by questions."""

    what = "questions"

    @property
    def answers(self) -> int:
        """Questions that were answered in this run."""
        return self.made - self.failed.total()

    def result(self, sample: Sample, result: Outcome) -> None:
        self.made += 1
        self.usage += result.usage
        if isinstance(result, SystemFailed):
            self.failed[result.kind] += 1
            self.name(self.failed.total(), "no answer", sample.id, str(result))

    def _spent(self) -> str:
        tokens = self.usage.prompt_tokens + self.usage.completion_tokens
        cost = f"{self.usage.cost:.4f} {self._currency}" if self.usage.cost else ""
        return ", ".join(filter(None, [f"{tokens:,} tokens" if tokens else "", cost]))


class DialogueProgress(_Progress):
    """The progress of dialogues; their turns make the rate."""

    what = "dialogues"
    turns = 0

    def answered(self, answer: Answer) -> None:
        """Count an answer of the system in any dialogue."""
        self.turns += 1
        self.draw(self.samples, self.text)

    def result(self, sample: Sample, result: Dialogue) -> None:
        self.made += 1
        self.usage += result.usage
        if result.fault is not None:
            self.failed[f"failed by the {result.fault}"] += 1
            self.name(self.failed.total(), "failed", sample.id, result.reason or "")

    def _rate(self) -> str:
        return f"{self.turns} turns, {self.turns / max(self.seconds(), 1e-9):.1f}/s"
