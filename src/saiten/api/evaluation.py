"""The Python API: `evaluate` for scripts and notebooks, `aevaluate` where one awaits.

result = saiten.evaluate("answers.jsonl", metrics=["faithfulness", "token_f1"], judge="openai:gpt-4o-mini")
result.summary.overall("faithfulness").mean
result.to_pandas()
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from saiten import data
from saiten.data import BadRow
from saiten.data.frames import Form, columns_of, to_arrow, to_dataset, to_pandas, to_polars
from saiten.errors import BadInput, BudgetSpent
from saiten.executor import LocalExecutor
from saiten.metrics.catalog import make_metrics
from saiten.protocols import Judge, Metric
from saiten.records import Language, Sample, Scored, Usage
from saiten.results.sides import side_from
from saiten.results.summary import place_of, summarise
from saiten.runs import Journal, Manifest, read_run
from saiten.runs.scoring import Ledger, Scorer, Watch, score_into, signature_of
from saiten.text.language import detect_language
from saiten.tracking import Tracked, Tracking, log_to_mlflow, run_on_disk
from saiten.views.notebook import Comparison, Shown, ShownSummary
from saiten.views.table import Table
from saiten.views.tables.summary import summary_tables
from saiten.wiring import CallSettings, JudgeSettings, Models, assemble_judge, run_settings

Samples = str | Path | Iterable[Sample] | Iterable[Mapping[str, Any]] | Any
"""A file, samples, rows with the column names that are understood, or a pandas or Polars frame."""


@dataclass(frozen=True, repr=False)
class Evaluation(Shown):
    """What came out: the samples, a score for each of them and each metric, and the summary."""

    samples: tuple[Sample, ...]
    scores: tuple[Scored, ...]
    signatures: Mapping[str, str]
    """By metric: how its figures were made."""
    bad_rows: tuple[BadRow, ...] = ()
    """Rows that could not be used, with the reason."""
    stopped: str | None = None
    """Why not everything was scored: the budget was spent. What was paid for is in `scores`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What all scores have in common: the judge, the columns, the language, …"""
    folder: Path | None = None
    """Where everything is kept; None where it is in memory alone."""
    paid: Usage | None = None
    """What was spent, also for what is in no score; None where a judge of your own counts for itself."""

    @cached_property
    def summary(self) -> ShownSummary:
        """Means with intervals, coverage, per system and group; see `summary.Summary`."""
        places = {sample.id: place_of(sample) for sample in self.samples}
        return ShownSummary.of(
            summarise(self.scores, places, self.signatures, bad_rows=len(self.bad_rows), paid=self.paid)
        )

    def compare(self, other: "Evaluation", names: tuple[str, str] = ("first", "second")) -> Comparison:
        """Is the difference real: what `other` gains over this one, paired by sample; see `saiten compare`.

        Raises:
            BadInput: they share no metric, or no sample.
        """
        first, second = (
            side_from(each.samples, each.scores, name) for each, name in zip((self, other), names, strict=True)
        )
        return Comparison.of(first, second, (self.summary, other.summary))

    def rows(self) -> list[dict[str, Any]]:
        """One dict a sample: its fields, and for each metric `METRIC`, `METRIC:status` and `METRIC:reason`."""
        columns = columns_of(self.samples, self.scores, metrics=self.signatures)
        return [
            dict(zip(columns, cells, strict=True))
            for cells in zip(*(column.cells for column in columns.values()), strict=True)
        ]

    def to_pandas(self, form: Form = "wide", *, texts: bool | None = None) -> Any:
        """A pandas DataFrame; a score without a value is missing there (NaN), with its status beside it.

        Args:
            form: `wide`: one row a sample, and for each metric `METRIC`, `METRIC:status` and `METRIC:reason`. `long`:
                one row a score, with `sample`, `metric`, `value`, `status`, `reason`, and `details` as JSON text. A
                metric that is called as a field of the sample stands behind `metric:` in the wide form.
            texts: Whether the sample's fields (question, answer, contexts, …) stand beside its scores. By default they
                do in the wide form, where each stands once.

        Raises:
            ConfigurationError: pandas is not installed.
            ValueError: there is no such form.
        """
        return to_pandas(columns_of(self.samples, self.scores, form, texts=texts, metrics=self.signatures))

    def to_polars(self, form: Form = "wide", *, texts: bool | None = None) -> Any:
        """A Polars DataFrame, of the forms that `to_pandas` describes; a score without a value is null there.

        Raises:
            ConfigurationError: Polars is not installed.
            ValueError: there is no such form.
        """
        return to_polars(columns_of(self.samples, self.scores, form, texts=texts, metrics=self.signatures))

    def to_arrow(self, form: Form = "wide", *, texts: bool | None = None) -> Any:
        """An Arrow table, of the forms that `to_pandas` describes; statuses are a dictionary.

        Raises:
            ConfigurationError: pyarrow is not installed.
            ValueError: there is no such form.
        """
        return to_arrow(columns_of(self.samples, self.scores, form, texts=texts, metrics=self.signatures))

    def to_dataset(self, form: Form = "wide", *, texts: bool | None = None) -> Any:
        """A Hugging Face `datasets.Dataset`, of the forms that `to_pandas` describes.

        Raises:
            ConfigurationError: datasets is not installed.
            ValueError: there is no such form.
        """
        return to_dataset(columns_of(self.samples, self.scores, form, texts=texts, metrics=self.signatures))

    def log_to_mlflow(
        self,
        to: str | None = None,
        *,
        experiment: str | None = None,
        name: str | None = None,
        texts: bool = False,
        report: Path | str | None = None,
    ) -> Tracked:
        """Track this result in MLflow, as `saiten track` does; the same result again is brought up to date there.

        Args:
            to: `sqlite:///mlflow.db`, `http://HOST:5000`, …; by default what `mlflow.get_tracking_uri()` says.
            experiment: Made if it is not there; by default that of MLFLOW_EXPERIMENT_NAME, else `saiten`.
            name: Of the run in MLflow.
            texts: Keep the samples and the details of the scores there too.
            report: A file to keep beside them.

        Raises:
            ConfigurationError: the extra `mlflow` is not installed, there is no such store, or it refuses.
            BadInput: there is nothing to track, or no such report.
        """
        file = None if report is None else Path(report)
        return log_to_mlflow(self._tracking(), to=to, experiment=experiment, name=name, texts=texts, report=file)

    def tables(self) -> list[Table]:
        return summary_tables(self.summary)

    def notes(self) -> Sequence[str]:
        """Why it is not complete, if it is not."""
        return () if self.stopped is None else (f"Stopped: {self.stopped}",)

    def __repr__(self) -> str:
        return f"<Evaluation of {len(self.samples)} samples, {len(self.scores)} scores>\n{self}"

    @cached_property
    def _identity(self) -> str:
        """Of what is in memory alone: this object, and no other that happens to be equal."""
        return uuid4().hex

    def _tracking(self) -> Tracking:
        if self.folder is not None:
            return replace(run_on_disk(read_run(self.folder)), stopped=self.stopped)
        if not self.scores:
            raise BadInput("there are no scores yet; there is nothing to track")
        return Tracking(
            self._identity,
            "saiten.evaluate",
            lambda: self.samples,
            lambda: self.scores,
            self.signatures,
            self.settings,
            Manifest.new(self.settings, self.signatures, ()).versions,
            stopped=self.stopped,
            bad_rows=len(self.bad_rows),
            paid=self.paid,
        )


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
    described = _assembled(judge, Models(replace(how, store=None)))
    signatures = {metric.name: str(signature_of(metric, described)) for metric in chosen}
    file = Path(samples).name if isinstance(samples, str | Path) else None
    settings = run_settings(_settings_of(judge), how, data=file, columns=columns or {}, language=language)
    with _keeping(folder, settings, signatures, retry_failed=retry_failed) as ledger:
        models = Models(how)
        models.account.book = ledger.paid if isinstance(ledger, Journal) else None
        performing = _assembled(judge, models)
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
        samples_told, scores_told = tuple(told.samples), tuple(told.scores)
        paid = models.account.usage if models.account.usage.calls else None
        return Evaluation(samples_told, scores_told, signatures, tuple(told.bad_rows), stopped, settings, paid=paid)
    kept = read_run(folder)
    samples_kept, scores_kept, made = tuple(kept.samples()), tuple(kept.scores()), kept.manifest
    bad = tuple(told.bad_rows)
    return Evaluation(samples_kept, scores_kept, made.signatures, bad, stopped, made.settings, folder, kept.paid())


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
    stopped, ended = threading.Event(), threading.Event()

    async def stoppable() -> T:
        stops.append(partial(asyncio.get_running_loop().call_soon_threadsafe, _current_task().cancel))
        if stopped.is_set():
            _current_task().cancel()
        return await work

    def in_thread() -> None:
        try:
            outcome.append(asyncio.run(stoppable()))
        except BaseException as error:  # noqa: BLE001 - raised again below, in the caller's thread
            errors.append(error)
        finally:
            ended.set()

    try:
        threading.Thread(target=in_thread, name="saiten.evaluate").start()
        ended.wait()
    except KeyboardInterrupt:  # the notebook's stop button: without this the run would go on, and on paying
        stopped.set()  # it may come while the thread is only beginning
        for stop in stops:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                stop()
        ended.wait()
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


def _assembled(judge: str | JudgeSettings | Judge, models: Models) -> Judge:
    if isinstance(judge, str):
        judge = JudgeSettings(judge)
    return assemble_judge(judge, models=models) if isinstance(judge, JudgeSettings) else judge


def _settings_of(judge: str | JudgeSettings | Judge) -> Mapping[str, Any]:
    if isinstance(judge, str):
        judge = JudgeSettings(judge)
    if isinstance(judge, JudgeSettings):
        return judge.kept()
    return {"judge": type(judge).__name__}


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

    def finish(self) -> None:
        """Of no consequence: there is no run to be looked at before its end."""


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
