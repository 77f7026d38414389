"""Progress of a run: samples, rate, what it cost so far, time left."""

from dataclasses import replace

from rich.console import Console

from saiten.cli.drawn_line import DrawnLine
from saiten.data import BadRow
from saiten.records import Sample, Scored, Usage
from saiten.views.tables.summary import spent_text


def in_all(spent: Usage, counted: Usage) -> Usage:
    """What a command spent: what its models booked; where they booked nothing, what was counted with the results."""
    return replace(spent, reused=counted.reused) if spent.calls else counted


class RunProgress(DrawnLine):
    """A `scoring.Watch` that draws one line. It counts; one is made for a run and closed after it."""

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        """`total`: how many samples there are, None where that cannot be known beforehand."""
        super().__init__(console, "samples", total, quiet=quiet)
        self.usage = Usage()
        self.samples = 0
        self.answers = 0
        self.scores = 0
        self.bad_rows = 0
        self.not_measured = 0
        self._currency = currency
        self._under_way: set[str] = set()
        self._measured = 0

    def sample_read(self, sample: Sample) -> None:
        """Nothing to show yet; whether anything was answered is told in the end."""
        self.answers += sample.answer is not None

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows += 1
        self.name(self.bad_rows, "kept apart", row.where, row.reason)

    def scored(self, sample: Sample, scored: Scored) -> None:
        self.scores += 1
        self.usage += scored.score.usage
        self.not_measured += scored.score.status in {"failed", "unreadable"}
        self._under_way.add(sample.id)
        self.draw(self.samples, self._text)

    def sample_done(self, sample: Sample) -> None:
        self.samples += 1
        if sample.id in self._under_way:  # else it was scored in an earlier run, which says nothing about the rate
            self._under_way.discard(sample.id)
            self._measured += 1
        self.draw(self.samples, self._text)

    def measured(self, done: int) -> int:
        return self._measured

    def _text(self) -> str:
        rate = f"{self._measured / max(self.seconds(), 1e-9):.1f}/s"
        spent = spent_text(self.usage, self._currency)
        return f"{rate}, {spent}" if spent else rate
