"""A run to export: its answers in any order, and what is known about it; from a folder or from memory."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from saiten.choices import FrameLayout
from saiten.data.feedback.graded import Graded
from saiten.data.rows import BadRow
from saiten.dialogue.reading import has_dialogues
from saiten.errors import BadInput
from saiten.models.prices import Quote
from saiten.records import Language
from saiten.results.summary import Summary
from saiten.results.worst_first import Values, worst_by, worst_first
from saiten.runs import RunReader
from saiten.runs.answer_index import AnswerIndex
from saiten.views.tables.run import currency_of, summary_of


class Answers(Protocol):
    """The answers of a run, by their places from 0; `AnswerIndex` reads them from a run on disk."""

    def __len__(self) -> int: ...

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics in the order of the run."""

    @property
    def expected(self) -> Collection[str]:
        """Metrics with expected values."""

    @property
    def fields(self) -> Collection[str]:
        """The fields that any sample has."""

    @property
    def japanese(self) -> int:
        """Number of Japanese samples."""

    @property
    def missing(self) -> int:
        """Number of pairs of an answer and a metric without a score."""

    @property
    def values(self) -> Values:
        """Metric → the value of each answer; NaN for none."""

    def read(self, rows: Iterable[int]) -> Iterator[Graded]:
        """Yield the answers in these places."""


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """How a run is exported."""

    layout: FrameLayout = "wide"
    order: str = "worst"
    """`worst`: see `results.worst_first` · `data`: as in the data · a metric: its worst values first."""
    bom: bool = False
    """For CSV and TSV: begin with a byte order mark, and prefix an apostrophe to formulas, for Excel."""
    language: Language | None = None
    """The language of a workbook's words; by default that of most samples."""
    progress: Callable[[int], None] = lambda _: None
    """Called with the number of answers written so far."""


@dataclass(frozen=True, slots=True)
class Export:
    """A run to export."""

    name: str
    answers: Answers
    signatures: Mapping[str, str]
    """Metric → how its figures were made."""
    summary: Callable[[], Summary]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings shared by all scores: the data, the judge, …"""
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    """When the run began, in UTC."""
    unfinished: bool = False
    bad_rows: int = 0
    """Number of unusable rows in the data."""
    read_bad_rows: Callable[[], Iterable[BadRow]] = tuple
    prices: Sequence[Quote] = ()
    currency: str = "USD"
    notes: tuple[str, ...] = ()
    """What the export lacks."""

    def graded(self, settings: ExportSettings) -> Iterator[Graded]:
        """Yield the answers in the order of the settings, and report the progress.

        Raises:
            BadInput: The order is by a metric that the run lacks.
        """
        for done, each in enumerate(self.answers.read(self.places(settings.order)), 1):
            yield each
            if not done % 100:
                settings.progress(done)

    def places(self, order: str) -> Iterable[int]:
        """Return the places of the answers in this order; raise BadInput if it is by a metric that the run lacks."""
        values = self.answers.values
        if order == "data":
            return range(len(self.answers))
        if order == "worst":
            return map(int, worst_first(values, self.signatures))
        if order in values:
            return map(int, worst_by(order, values, self.signatures))
        raise BadInput(f"{self.name} has no metric {order!r} to order by; use worst, data, or {', '.join(values)}")

    def language_of(self, settings: ExportSettings) -> Language:
        """Return the language of the words: as set, else that of most samples."""
        return settings.language or ("ja" if 2 * self.answers.japanese > len(self.answers) else "en")


@contextmanager
def export_of_run(reader: RunReader, progress: Callable[[int], None] = lambda _: None) -> Iterator[Export]:
    """Open a run on disk; its files are read once here, and again in the order of the export.

    Args:
        reader: The run. Its unreadable lines are reported once.
        progress: Called with the number of lines read so far.

    Raises:
        BadInput: It has no answers yet.
    """
    silent = replace(reader, notify=lambda _: None)
    with AnswerIndex(reader, progress) as answers:
        if not len(answers):
            raise BadInput(f"{reader.folder} has no answers yet; there is nothing to export")
        yield Export(
            str(reader.folder),
            answers,
            reader.manifest.signatures,
            lambda: summary_of(silent),
            reader.manifest.settings,
            reader.manifest.versions,
            reader.manifest.created,
            reader.unfinished,
            reader.bad_rows(),
            lambda: (row for row in map(_bad_row, silent.errors()) if row is not None),
            reader.prices(),
            currency_of(reader),
            tuple(_notes(reader, answers)),
        )


def _notes(reader: RunReader, answers: AnswerIndex) -> Iterator[str]:
    if answers.orphans and not reader.unfinished:  # a run in progress may have just written them
        yield f"{answers.orphans} scores are left out, since the run has no samples with their ids"
    if has_dialogues(reader):
        yield (
            "a run of dialogues has no answers, so that column is empty; what was said is in dialogues.jsonl, and "
            "`saiten show RUN --dialogue ID` shows it"
        )


def _bad_row(error: Mapping[str, Any]) -> BadRow | None:
    """Return the unusable row in a line of `errors.jsonl`; None for a failed score."""
    if error.get("kind") != "row":
        return None
    return BadRow(*(str(error.get(name) or "") for name in ("where", "reason", "raw")))
