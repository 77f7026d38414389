"""Progress in one line, with count, rate, failures, cost so far and time left: a bar, or a line every 30 seconds."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from saiten.cli.output import escape_untrusted, notifier, verbatim
from saiten.cluster.counts import Counts
from saiten.data import BadRow
from saiten.dialogue.dialogue import Dialogue
from saiten.errors import SystemFailed
from saiten.rag.knowledge.indexing import Indexed
from saiten.records import Answer, Language, Sample, Scored, Usage
from saiten.runs.answers.answers_file import Outcome
from saiten.runs.chunks import ChunkScores
from saiten.runs.shards import errors_of
from saiten.testsets.folder import NoQuestion
from saiten.testsets.folder import Outcome as SlotOutcome
from saiten.views.tables.summary import spent_text, usage_text
from saiten.words import Composed, Message, joined
from saiten.words.terminal import in_terminal_language

_LINE_EVERY = 30.0
"""Seconds between lines if the output is not a terminal."""
_DRAW_EVERY = 0.1
"""Seconds between changes of the bar; a run without a model has thousands of scores per second."""
_NAMED = 5
"""Maximum failures and bad rows per kind that are printed."""
_REASON = 300
"""Maximum characters of a printed reason."""


class DrawnLine:
    """The common part of every command's progress. Not frozen: it remembers when it drew."""

    def __init__(self, console: Console, what: Message, total: int | None, *, before: int = 0, quiet: bool) -> None:
        """`what`: the unit, such as samples; `total`: their number, None if unknown; `before`: those done earlier."""
        self._console, self.what, self._total, self._before, self._quiet = console, what, total, before, quiet
        self._since = self._last = time.monotonic()
        self._bar: Progress | None = None
        if console.is_terminal and not quiet:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TextColumn("{task.fields[more]}"),
                TimeRemainingColumn(elapsed_when_finished=True),
                console=console,
                transient=True,
            )
            self._bar.add_task(in_terminal_language(what), total=total, more="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._since

    def draw(self, done: int, more: Callable[[], Message | None], total: int | None = None) -> None:
        """Draw the progress unless it was drawn a moment ago; `total` if it has become known."""
        now = time.monotonic()
        if self._quiet or now - self._last < (_LINE_EVERY if self._bar is None else _DRAW_EVERY):
            return
        self._last = now
        self._total = self._total if total is None else total
        if self._bar is not None:
            self._bar.update(
                self._bar.task_ids[0], total=self._total, completed=done, more=escape_untrusted(more() or "")
            )
            return
        left = joined([more(), self._left(done)], "listed")
        if self._total is None:
            line = Message("progress", "line", done=done, what=self.what, more=left)
        else:
            line = Message("progress", "line_of", done=done, total=self._total, what=self.what, more=left)
        self._console.print(Text(in_terminal_language(line)))

    def name(self, number: int, what: Message, where: str, reason: str) -> None:
        """Print the first few failures or bad rows; the files have all of them."""
        mark = Text(verbatim(what), "yellow")
        if number <= _NAMED:
            shown = verbatim(in_terminal_language(reason))[:_REASON]
            self._console.print(Text.assemble(mark, f" {verbatim(where)}: {shown}"))
        elif number == _NAMED + 1:
            self._console.print(Text.assemble(mark, f" {verbatim(Message('progress', 'reports_all'))}"))

    def measured(self, done: int) -> int:
        """Return how many items were finished in this run, from which the time left is estimated."""
        return done - self._before

    def _left(self, done: int) -> Message | None:
        measured = self.measured(done)
        if self._total is None or not measured:
            return None
        left = self.seconds() / measured * max(self._total - done, 0)
        return (
            Message("progress", "minutes_left", n=left / 60)
            if left > 90
            else Message("progress", "seconds_left", n=left)
        )


class IndexProgress(DrawnLine):
    """The progress of indexing: files, chunks, rate."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        super().__init__(console, Message("progress", "files"), None, quiet=quiet)
        self.done = Indexed()
        """The progress so far, also after a stop."""

    def __call__(self, done: Indexed) -> None:
        """Show the current progress."""
        self.done = done
        rate = done.chunks / max(self.seconds(), 1e-9)
        chunks = Message("progress", "chunks", n=done.chunks)
        self.draw(done.files, lambda: joined([chunks, Message("progress", "rate", rate=rate)], "listed"), done.total)


class RunProgress(DrawnLine):
    """A `runs.engine.Watch` that draws one line. One instance per run."""

    what: Message
    """The unit of the count."""
    failing: Message
    """What is printed before the name of a sample without a result."""

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
        self._batches = ""
        self._noted: set[str] = set()

    def waits(self, batches: str) -> None:
        """Show how far the open batches are; "" for none."""
        self._batches = batches
        self.draw(self.samples, self._text)

    def sample_read(self, sample: Sample) -> None:
        """Nothing to show yet."""

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows += 1
        self.name(self.bad_rows, Message("progress", "kept_apart"), row.where, row.reason)

    def sample_done(self, sample: Sample) -> None:
        self.samples += 1
        self.draw(self.samples, self._text)

    def measured(self, done: int) -> int:
        return self.made

    def divided(self, rows: int | None, shards: int) -> None:
        """Know the number of rows, of an input in shards."""
        self._total = rows
        if not self._quiet:
            key = "shards_found" if rows is None else "shards_with_rows"
            self._console.print(Text(in_terminal_language(Message("progress", key, n=shards, rows=rows))))

    def added(self, counts: Counts) -> None:
        """Add what workers have done."""
        self.samples += counts.samples
        self.made += counts.made
        self.usage += counts.usage
        for note in counts.notes:
            if note not in self._noted:
                self._noted.add(note)
                notifier(self._console)(note)
        for row in counts.bad:
            self.bad_row(row)
        self.bad_rows += counts.bad_rows - len(counts.bad)
        for at, (where, reason) in enumerate(counts.faults, self.failed.total() + 1):
            self.name(at, self.failing, where, reason)
        self.failed += counts.failed
        self.draw(self.samples, self._text)

    def print_totals(self, folder: Path, done: Message, spent: Usage | None = None) -> None:
        """Print the outcome of the run; `spent`: as booked by its models, if they were asked through them."""
        text = self._text()
        if spent is not None:
            text = usage_text(replace(spent, reused=self.usage.reused) if spent.calls else self.usage, self._currency)
        line = Message("progress", "done", done=done, seconds=self.seconds(), more=text)
        self._console.print(Text(in_terminal_language(line)))
        if self.bad_rows:
            self._console.print(f"{self.bad_rows} rows could not be used; see {escape_untrusted(errors_of(folder))}")

    def _text(self) -> Message:
        """Return a short text with rate, failures and cost."""
        failed = [
            Message("progress", "failed_count", n=n, what=Message("progress", what))
            for what, n in sorted(self.failed.items())
        ]
        return joined([self._rate(), *failed, self._spent(), Composed(self._batches)], "listed")

    def _rate(self) -> Message:
        return Message("progress", "rate", rate=self.measured(self.samples) / max(self.seconds(), 1e-9))

    def _spent(self) -> Message | None:
        return spent_text(self.usage, self._currency)


class ScoreProgress(RunProgress):
    """The progress of scores, by samples."""

    what = Message("progress", "samples")
    failing = Message("progress", "failed")

    def __init__(self, console: Console, total: int | None, currency: str, *, quiet: bool = False) -> None:
        super().__init__(console, total, currency, quiet=quiet)
        self.answers = 0
        """Samples with an answer."""
        self.languages: set[Language] = set()
        self.not_measured = 0
        self._under_way: set[str] = set()
        self._measured = 0

    def sample_read(self, sample: Sample) -> None:
        self.answers += sample.answer is not None
        self.languages.add(sample.language)

    def result(self, sample: Sample, result: Scored) -> None:
        self.made += 1
        self.usage += result.score.usage
        self.not_measured += result.score.status in {"failed", "unreadable"}
        self._under_way.add(sample.id)
        self.draw(self.samples, self._text)

    def sample_done(self, sample: Sample) -> None:
        if sample.id in self._under_way:  # else it was scored in an earlier run, which says nothing about the rate
            self._under_way.discard(sample.id)
            self._measured += 1
        super().sample_done(sample)

    def counted(self, samples: int, scores: ChunkScores) -> None:
        """Count the scores of this many samples."""
        self.made += scores.count
        self.usage += scores.usage
        self.not_measured += scores.not_measured
        self.samples += samples
        self._measured += samples
        self.draw(self.samples, self._text)

    def added(self, counts: Counts) -> None:
        self.answers += counts.answers
        self.languages |= counts.languages
        self.not_measured += counts.not_measured
        self._measured += counts.measured
        super().added(counts)

    def measured(self, done: int) -> int:
        return self._measured


class AnswerProgress(RunProgress):
    """The progress of answers, by questions."""

    what, failing = Message("progress", "questions"), Message("progress", "no_answer")

    @property
    def answers(self) -> int:
        """Questions that were answered in this run."""
        return self.made - self.failed.total()

    def result(self, sample: Sample, result: Outcome) -> None:
        self.made += 1
        self.usage += result.usage
        if isinstance(result, SystemFailed):
            self.failed[result.kind] += 1
            self.name(self.failed.total(), self.failing, sample.id, str(result))

    def _spent(self) -> Message:
        tokens = self.usage.prompt_tokens + self.usage.completion_tokens
        cost = Message("spent", "cost", cost=self.usage.cost, currency=self._currency) if self.usage.cost else None
        return joined([Message("spent", "some_tokens", n=tokens) if tokens else None, cost], "listed")


class QuestionProgress(RunProgress):
    """The progress of a test set, by the questions that passed all checks."""

    what, failing = Message("progress", "questions"), Message("progress", "no_question")

    def __init__(self, console: Console, total: int, currency: str, *, before: int, quiet: bool) -> None:
        super().__init__(console, total, currency, quiet=quiet)
        self._before = self.kept = before
        """Questions kept, in this run and before."""
        self.dropped = 0
        self.documents = 0
        """Documents in the knowledge base, once it is open."""

    def sample_done(self, sample: Sample) -> None:
        """Nothing to count: a slot may have no question."""

    def result(self, sample: Sample, result: SlotOutcome) -> None:
        self.made += 1
        self.usage += result.usage
        if isinstance(result, NoQuestion):
            if not result.final:
                self.failed["failed_call"] += 1
                self.name(self.failed.total(), self.failing, sample.id, result.reason)
        elif result.item.dropped is None:
            self.kept += 1
        else:
            self.dropped += 1
        self.draw(self.kept, self._text)

    def measured(self, done: int) -> int:
        return self.kept - self._before

    def _rate(self) -> Message:
        return Message("progress", "tried_and_dropped", tried=self.made, dropped=self.dropped)


class DialogueProgress(RunProgress):
    """The progress of dialogues; their turns make the rate."""

    what, failing = Message("progress", "dialogues"), Message("progress", "failed")
    turns = 0

    def answered(self, answer: Answer) -> None:
        """Count an answer of the system in any dialogue."""
        self.turns += 1
        self.draw(self.samples, self._text)

    def result(self, sample: Sample, result: Dialogue) -> None:
        self.made += 1
        self.usage += result.usage
        if result.fault is not None:
            self.failed[f"failed_{result.fault}"] += 1
            self.name(self.failed.total(), self.failing, sample.id, result.reason or "")

    def added(self, counts: Counts) -> None:
        self.turns += counts.turns
        super().added(counts)

    def _rate(self) -> Message:
        rate = Message("progress", "rate", rate=self.turns / max(self.seconds(), 1e-9))
        return joined([Message("progress", "turns", n=self.turns), rate], "listed")
