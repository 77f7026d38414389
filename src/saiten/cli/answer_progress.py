"""Progress of `saiten answer`: questions, rate, failures, what it cost so far, time left."""

from collections import Counter

from rich.console import Console

from saiten.cli.drawn_line import DrawnLine
from saiten.data import BadRow
from saiten.errors import SystemFailed
from saiten.records import Sample, Usage
from saiten.runs.answers.collecting import Outcome


class AnswerProgress(DrawnLine):
    """An `answering.collecting.Watch` that draws one line."""

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        """`total`: how many questions there are, None where that cannot be known beforehand."""
        super().__init__(console, "questions", total, quiet=quiet)
        self.questions = 0
        self.answers = 0
        self.failures: Counter[str] = Counter()
        self.bad_rows = 0
        self.usage = Usage()
        self._currency = currency
        self._asked = 0

    def done_before(self, sample: Sample) -> None:
        self.questions += 1

    def answered(self, sample: Sample, outcome: Outcome) -> None:
        self.questions += 1
        self._asked += 1
        self.usage += outcome.usage
        if isinstance(outcome, SystemFailed):
            self.failures[outcome.kind] += 1
            self.name(sum(self.failures.values()), "no answer", sample.id, str(outcome))
        else:
            self.answers += 1
        self.draw(self.questions, self.text)

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows += 1
        self.name(self.bad_rows, "kept apart", row.where, row.reason)

    def text(self) -> str:
        """Rate, failures and what was spent, in a few words."""
        parts = [f"{self._asked / max(self.seconds(), 1e-9):.1f}/s"]
        parts += [f"{n} {kind}" for kind, n in sorted(self.failures.items())]
        tokens = self.usage.prompt_tokens + self.usage.completion_tokens
        parts += [f"{tokens:,} tokens"] if tokens else []
        parts += [f"{self.usage.cost:.4f} {self._currency}"] if self.usage.cost else []
        return ", ".join(parts)

    def measured(self, done: int) -> int:
        return self._asked
