"""Progress of `saiten converse`: dialogues, turns, failures, what it cost so far, time left."""

from collections import Counter

from rich.console import Console

from saiten.cli.drawn_line import DrawnLine
from saiten.data import BadRow
from saiten.dialogue.dialogue import Dialogue
from saiten.records import Sample, Usage
from saiten.views.tables.summary import spent_text


class DialogueProgress(DrawnLine):
    """A `dialogue.running.Watch` that draws one line."""

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        """`total`: how many pairs there are, None where that cannot be known beforehand."""
        super().__init__(console, "dialogues", total, quiet=quiet)
        self.pairs = 0
        self.dialogues = 0
        self.turns = 0
        self.failed: Counter[str] = Counter()
        self.bad_rows = 0
        self.usage = Usage()
        self._currency = currency

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows += 1
        self.name(self.bad_rows, "kept apart", row.where, row.reason)

    def answered(self, usage: Usage) -> None:
        self.turns += 1
        self.draw(self.pairs, self.text)

    def ended(self, pair: Sample, dialogue: Dialogue) -> None:
        self.pairs += 1
        self.dialogues += 1
        self.usage += dialogue.usage
        if dialogue.fault is not None:
            self.failed[f"failed by the {dialogue.fault}"] += 1
            self.name(self.failed.total(), "failed", pair.id, dialogue.reason or "")
        self.draw(self.pairs, self.text)

    def done_before(self, pair: Sample) -> None:
        self.pairs += 1

    def text(self) -> str:
        """Turns, failures and what was spent, in a few words."""
        rate = self.turns / max(self.seconds(), 1e-9)
        spent = spent_text(self.usage, self._currency)
        failed = [f"{n} {what}" for what, n in sorted(self.failed.items())]
        return ", ".join([f"{self.turns} turns, {rate:.1f}/s", *failed, *([spent] if spent else [])])

    def measured(self, done: int) -> int:
        return self.dialogues
