"""The Python API: `evaluate` for scripts and notebooks, `aevaluate` where one awaits.

result = saiten.evaluate("answers.jsonl", metrics=["faithfulness", "token_f1"], judge="openai:gpt-4o-mini")
result.summary.overall("faithfulness").mean
result.to_pandas()
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from saiten import data
from saiten.assembly import CallSettings, JudgeSettings, assemble_judge
from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent
from saiten.execution import LocalExecutor
from saiten.journal import Journal, read_run
from saiten.metrics.catalog import make_metrics
from saiten.protocols import Judge, Metric
from saiten.records import Language, Sample, Scored
from saiten.reports.summary_tables import summary_tables
from saiten.reports.tables import as_markdown
from saiten.scoring import Ledger, Scorer, Watch, score_into, signature_of
from saiten.summary import Summary, place_of, summarise
from saiten.text.language import detect_language

Samples = str | Path | Iterable[Sample] | Iterable[Mapping[str, Any]] | Any
"""A file, samples, rows with the column names that are understood, or a pandas or Polars frame."""


@dataclass(frozen=True)
class Evaluation:
    """What came out: the samples, a score for each of them and each metric, and the summary."""

    samples: tuple[Sample, ...]
    scores: tuple[Scored, ...]
    signatures: Mapping[str, str]
    """By metric: how its figures were made."""
    bad_rows: tuple[BadRow, ...] = ()
    """Rows that could not be used, with the reason."""
    stopped: str | None = None
    """Why not everything was scored: the budget was spent. What was paid for is in `scores`."""

    @cached_property
    def summary(self) -> Summary:
        """Means with intervals, coverage, per system and group; see `summary.Summary`."""
        places = {sample.id: place_of(sample) for sample in self.samples}
        return summarise(self.scores, places, self.signatures)

    def rows(self) -> list[dict[str, Any]]:
        """One dict a sample: its fields, and for each metric `METRIC`, `METRIC:status` and `METRIC:reason`."""
        found: dict[str, dict[str, Any]] = {sample.id: asdict(sample) for sample in self.samples}
        for one in self.scores:
            found[one.sample] |= {
                one.metric: one.score.value,
                f"{one.metric}:status": one.score.status,
                f"{one.metric}:reason": one.score.reason,
            }
        return list(found.values())

    def to_pandas(self) -> Any:
        """`rows()` as a pandas DataFrame; a score without a value is missing there (NaN), with its status beside it.

        Raises:
            ImportError: pandas is not installed.
        """
        try:
            import pandas as pd  # noqa: PLC0415 - optional
        except ImportError as error:
            raise ImportError('to_pandas needs pandas; install it with `pip install "saiten[frames]"`') from error
        return pd.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """`rows()` as a Polars DataFrame; a score without a value is null there.

        Raises:
            ImportError: Polars is not installed.
        """
        try:
            import polars as pl  # noqa: PLC0415 - optional
        except ImportError as error:
            raise ImportError('to_polars needs Polars; install it with `pip install "saiten[frames]"`') from error
        rows = [{key: list(v) if isinstance(v, tuple) else v for key, v in row.items()} for row in self.rows()]
        return pl.DataFrame(rows, infer_schema_length=None)

    def __str__(self) -> str:
        """The summary as Markdown tables, and why it is not complete if it is not."""
        tables = as_markdown(summary_tables(self.summary))
        return tables if self.stopped is None else f"{tables}\n**Stopped:** {self.stopped}\n"

    def __repr__(self) -> str:
        return f"<Evaluation of {len(self.samples)} samples, {len(self.scores)} scores>\n{self}"

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return str(self)


async def aevaluate(
    samples: Samples,
    metrics: Sequence[str | Metric],
    judge: str | JudgeSettings | Judge = "offline",
    *,
    run: Path | str | None = None,
    calls: CallSettings | None = None,
    compat: str | None = None,
    columns: Mapping[str, str] | None = None,
    language: Language | None = None,
    retry_failed: bool = False,
    strict: bool = False,
    watch: Watch | None = None,
) -> Evaluation:
    """The scores of all samples with all metrics.

    Args:
        samples: A file, samples, rows with the column names that are understood, or a pandas or Polars frame.
        metrics: Names with settings in brackets, presets, or metrics of your own.
        judge: `offline`, `openai:MODEL`, `openai:MODEL@URL`, `hf:NAME_OR_FOLDER`, settings, or a judge of your own
            (which is not closed).
        run: A folder in which everything is kept the moment it is there; the same call goes on where it stopped, and
            the result holds what the folder holds. None keeps all in memory.
        calls: Concurrency, limits, budget, prices, a file for answers. With `run` and no file named there, answers are
            kept in the run's folder.
        compat: `ragas`: the edge cases of RAGAS 0.4.3.
        columns: Field → column, where names are not recognised.
        language: Of all samples; detected by default.
        retry_failed: Ask again for scores that failed or were unreadable.
        strict: Raise at the first row that cannot be used, instead of keeping it in `bad_rows`.
        watch: Is told of each score, for example to show progress.

    Raises:
        ConfigurationError, BadInput: see `saiten.errors`; with `run`, what was paid for is kept. A spent budget raises
            nothing: the result holds what was paid for, and says so in `stopped`.
    """
    chosen = _metrics(metrics, compat)
    how = calls or CallSettings()
    folder = None if run is None else Path(run)
    if folder is not None and how.store is None:
        how = replace(how, store=folder / "answers.sqlite")
    rows = _rows(samples, columns or {}, language)
    told = _Collected(watch)
    described = _assembled(judge, replace(how, store=None))
    signatures = {metric.name: str(signature_of(metric, described)) for metric in chosen}
    settings = {"judge": _settings_of(judge), "columns": dict(columns or {}), "language": language or "detected"}
    settings["currency"] = how.currency
    with _keeping(folder, settings, signatures, retry_failed=retry_failed) as ledger:
        performing = _assembled(judge, how)
        scorer = Scorer(chosen, performing, LocalExecutor(how.concurrency))
        stopped = None
        try:
            await score_into(ledger, rows, scorer, told, strict=strict)
        except BudgetSpent as error:
            stopped = str(error)
        finally:
            if performing is not judge:
                await performing.close()
    if not told.samples and told.bad_rows:
        first = told.bad_rows[0]
        raise BadInput(f"none of {len(told.bad_rows)} rows could be used; {first.where}: {first.reason}")
    if folder is None:
        return Evaluation(tuple(told.samples), tuple(told.scores), signatures, tuple(told.bad_rows), stopped)
    kept = read_run(folder)
    samples_kept, scores_kept = tuple(kept.samples()), tuple(kept.scores())
    return Evaluation(samples_kept, scores_kept, kept.manifest.signatures, tuple(told.bad_rows), stopped)


def evaluate(samples: Samples, metrics: Sequence[str | Metric], judge: Any = "offline", **settings: Any) -> Evaluation:
    """The scores of all samples with all metrics; for scripts and notebooks, a running event loop is no obstacle.

    `settings` are those of `aevaluate`, which describes them: run, calls, compat, columns, language, retry_failed,
    strict, watch.
    """
    return _run(aevaluate(samples, metrics, judge, **settings))


def read_samples(
    source: Any,
    *,
    columns: Mapping[str, str] = {},
    format: str | None = None,  # noqa: A002 - the word that `data.read_samples` has
    language: Language | None = None,
) -> Iterator[Sample | BadRow]:
    """The samples of a file or of rows, and the rows that cannot be used; see `saiten.data.read_samples`.

    The language of each is detected unless the rows or `language` name it.
    """
    return data.read_samples(source, columns=columns, format=format, detect_language=detect_language, language=language)


def _keeping(
    folder: Path | None, settings: Mapping[str, Any], signatures: Mapping[str, str], *, retry_failed: bool
) -> AbstractContextManager[Ledger]:
    if folder is None:
        return nullcontext(_Memory())
    return Journal.open(folder, settings, signatures=signatures, retry_failed=retry_failed)


T = TypeVar("T")


def _run(work: Coroutine[Any, Any, T]) -> T:
    """The one place that turns async into sync: in a thread of its own where this one has a running loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[T] = []
    errors: list[BaseException] = []
    stops: list[Callable[[], object]] = []

    async def stoppable() -> T:
        stops.append(partial(asyncio.get_running_loop().call_soon_threadsafe, _current_task().cancel))
        return await work

    def in_thread() -> None:
        try:
            outcome.append(asyncio.run(stoppable()))
        except BaseException as error:  # noqa: BLE001 - raised again below, in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=in_thread, name="saiten.evaluate")
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:  # the notebook's stop button: without this the run would go on, and on paying
        for stop in stops:
            stop()
        thread.join()
        raise
    if errors:
        raise errors[0]
    return outcome[0]


def _current_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine that asyncio runs is a task
    return task


def _metrics(metrics: Sequence[str | Metric], compat: str | None) -> tuple[Metric, ...]:
    if isinstance(metrics, str):
        metrics = [metrics]
    made: list[Metric] = []
    for metric in metrics:
        made += make_metrics([metric], compat=compat) if isinstance(metric, str) else [metric]
    return tuple({metric.name: metric for metric in made}.values())


_NOTHING: Any = object()


def _rows(samples: Samples, columns: Mapping[str, str], language: Language | None) -> Iterator[Sample | BadRow]:
    if hasattr(samples, "to_dicts"):  # Polars
        samples = samples.to_dicts()
    elif hasattr(samples, "to_dict") and hasattr(samples, "columns"):  # pandas
        samples = samples.to_dict("records")
    if not isinstance(samples, str | Path):
        rest: Iterator[Any] = iter(samples)
        first = next(rest, _NOTHING)
        if first is _NOTHING:
            return
        samples = _again(first, rest)
        if isinstance(first, Sample | BadRow):
            yield from _each_once(samples)
            return
    yield from read_samples(samples, columns=columns, language=language)


def _each_once(rows: Iterable[Sample | BadRow]) -> Iterator[Sample | BadRow]:
    """The rows; a sample whose id stood earlier is a bad row, as it is in a file."""
    seen: set[str] = set()
    for number, row in enumerate(rows, 1):
        if isinstance(row, Sample) and row.id in seen:
            yield BadRow(f"sample {number}", f"the id {row.id!r} stood earlier; every answer needs its own")
            continue
        if isinstance(row, Sample):
            seen.add(row.id)
        yield row


def _again(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _assembled(judge: str | JudgeSettings | Judge, how: CallSettings) -> Judge:
    if isinstance(judge, str):
        judge = JudgeSettings(judge)
    return assemble_judge(judge, how) if isinstance(judge, JudgeSettings) else judge


def _settings_of(judge: str | JudgeSettings | Judge) -> Any:
    if isinstance(judge, str):
        judge = JudgeSettings(judge)
    if isinstance(judge, JudgeSettings):
        return judge.kept()
    return type(judge).__name__


class _Memory:
    """What `score_into` needs of a journal, for results that are kept in memory alone."""

    def is_done(self, sample: str, metric: str) -> bool:
        return False

    def sample(self, sample: Sample) -> None:
        """Kept by the watch."""

    def score(self, scored: Scored) -> None:
        """Kept by the watch."""

    def bad_row(self, where: str, reason: str, raw: str = "") -> None:
        """Kept by the watch."""


class _Collected:
    """A watch that keeps everything and passes it on."""

    def __init__(self, watch: Watch | None) -> None:
        self.samples: list[Sample] = []
        self.scores: list[Scored] = []
        self.bad_rows: list[BadRow] = []
        self._watch = watch

    def sample_read(self, sample: Sample) -> None:
        self.samples.append(sample)
        if self._watch is not None:
            self._watch.sample_read(sample)

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows.append(row)
        if self._watch is not None:
            self._watch.bad_row(row)

    def scored(self, sample: Sample, scored: Scored) -> None:
        self.scores.append(scored)
        if self._watch is not None:
            self._watch.scored(sample, scored)

    def sample_done(self, sample: Sample) -> None:
        if self._watch is not None:
            self._watch.sample_done(sample)
