"""The Python API: `evaluate` for scripts and notebooks, `aevaluate` for async code.

result = saiten.evaluate("answers.jsonl", metrics=["faithfulness", "token_f1"], judge="openai:gpt-4o-mini")
result.summary.overall("faithfulness").mean
result.to_pandas()
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from saiten.api.blocking import blocking
from saiten.api.choosing import assembled_judge, check_keywords, chosen_judge, chosen_metrics
from saiten.api.keywords import Keywords, with_keywords
from saiten.api.result import Evaluation
from saiten.api.rows import Samples, rows_of
from saiten.choices import ExecutorName
from saiten.config_file import read_config
from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent
from saiten.options import read_columns
from saiten.protocols import Judge, Metric
from saiten.records import Language, Sample, Scored
from saiten.runs import Journal, RunSettings, read_run
from saiten.runs.batches import BatchFolder
from saiten.runs.engine import Watch
from saiten.runs.journal import InMemory
from saiten.runs.local import plan_local, run_planned
from saiten.runs.scoring import Scoring
from saiten.runs.signatures import signatures_of
from saiten.settings import (
    CallSettings,
    DataSettings,
    ExecutorSettings,
    JudgeSettings,
)
from saiten.wiring import Models


@with_keywords
async def aevaluate(
    samples: Samples,
    metrics: str | Sequence[str | Metric] | None = None,
    judge: str | Judge | None = None,
    *,
    run: Path | str | None = None,
    config: Path | str | None = None,
    compat: str | None = None,
    columns: Mapping[str, str] | None = None,
    language: Language | None = None,
    retry_failed: bool = False,
    strict: bool = False,
    watch: Watch[Scored] | None = None,
    executor: ExecutorName | None = None,
    ray_address: str | None = None,
    workers: int | None = None,
    gpus_per_worker: float | None = None,
    **settings: Unpack[Keywords],
) -> Evaluation:
    """Score all samples with all metrics.

    Arguments that are not given are read from `saiten.toml` in the current folder, as on the command line; otherwise
    they have their defaults.

    Args:
        samples: A file, samples, rows with recognized column names, or a pandas or Polars frame.
        metrics: Names with settings in brackets, presets, or your own metrics.
        judge: `offline` (the default), `PROVIDER:MODEL`, `PROVIDER:MODEL@URL`, `hf:NAME_OR_FOLDER`,
            `nli:NAME_OR_FOLDER`, or your own judge (which is not closed).
        run: A folder to which every result is written as soon as it exists. Repeat the call to resume the run; the
            result holds everything in the folder. None keeps results in memory only.
        config: A file to read instead of `saiten.toml`.
        compat: `ragas`: the edge cases of RAGAS 0.4.3.
        columns: Field → column, for names that are not recognized. Those of `saiten.toml` are for files.
        language: The language of all samples; detected by default.
        retry_failed: Retry scores that failed or were unreadable.
        strict: Raise at the first row that cannot be used, instead of keeping it in `bad_rows`.
        watch: Receives each score, for example to show progress.
        executor: `local` (the default), or `ray`: workers of a Ray cluster, which read files in shards themselves. The
            watch then sees all scores at the end.
        ray_address: Ray cluster, such as `ray://HEAD:10001`; by default `$RAY_ADDRESS`, or Ray is started here.
        workers: Processes for work without calls of models. Default: one per core, 1 for metrics of your own. With
            `ray`, the number of its workers; default: one per core of the cluster.
        gpus_per_worker: GPUs of each Ray worker. Default: 1 if a network runs in it and the cluster has GPUs.
        settings: The fields of `saiten.JudgeSettings` and `saiten.CallSettings`:

    Raises:
        ConfigurationError, BadInput: See `saiten.errors`; with `run`, paid results are kept. A spent budget does not
            raise: the result holds what was paid for, and gives the reason in `stopped`.
    """
    check_keywords(settings, aevaluate, "evaluate")
    file = read_config(None if config is None else Path(config))
    chosen = chosen_metrics(metrics, file, compat)
    reading = file.settings(DataSettings, {"language": language})
    language = reading.language
    if columns is None and isinstance(samples, str | Path):
        columns = read_columns(reading.column)
    folder = None if run is None else Path(run)
    calls = file.settings(CallSettings, settings).kept_in(folder)
    judged_by = chosen_judge(judge, settings, file)
    placed = {"ray_address": ray_address, "workers": workers, "gpus_per_worker": gpus_per_worker}
    where = file.settings(ExecutorSettings, {"executor": executor, **placed})
    models = Models(calls)
    described = assembled_judge(judged_by, models.called(replace(calls, cache=None)))
    name = Path(samples).name if isinstance(samples, str | Path) else None
    kept_judge = judged_by.kept() if isinstance(judged_by, JudgeSettings) else {"judge": type(judged_by).__name__}
    kept = RunSettings(data=name, judge=kept_judge, columns=columns or {}, language=language, currency=calls.currency)
    how = _Evaluating(chosen, judged_by, described, models, kept, where, folder)
    outcome = {"retry_failed": retry_failed, "strict": strict}
    if where.executor == "ray":
        return await how.on_cluster(samples, language, watch, **outcome)
    return await how.here(rows_of(samples, columns or {}, language), watch, **outcome)


evaluate = blocking(aevaluate, "evaluate", str(aevaluate.__doc__).replace("metrics.", "metrics, and wait.", 1))


@dataclass(frozen=True)
class _Evaluating:
    """What is evaluated, and how."""

    metrics: tuple[Metric, ...]
    judge: JudgeSettings | Judge
    described: Judge
    """The judge without a store, which may be in the folder of the run."""
    models: Models
    settings: RunSettings
    executor: ExecutorSettings
    folder: Path | None

    async def on_cluster(
        self,
        samples: Samples,
        language: Language | None,
        watch: Watch[Scored] | None,
        *,
        retry_failed: bool,
        strict: bool,
    ) -> Evaluation:
        """Score the samples with the workers of a cluster; raises as `aevaluate`."""
        from saiten.api.clustering import evaluate_in_shards  # noqa: PLC0415 - half as many modules again
        from saiten.cluster.jobs import ScoringJob  # noqa: PLC0415 - the same
        from saiten.cluster.running import calls_of_workers  # noqa: PLC0415 - the same

        calls = calls_of_workers(self.models.calls, self.folder, self.executor)
        signatures = signatures_of(self.metrics, self.described)
        job = ScoringJob(self.metrics, self.judge, calls, self.settings, signatures, retry_failed, strict)
        return await evaluate_in_shards(samples, language, job, self.executor, folder=self.folder, watch=watch)

    async def here(
        self, rows: Iterable[Sample | BadRow], watch: Watch[Scored] | None, *, retry_failed: bool, strict: bool
    ) -> Evaluation:
        """Score the rows on this machine; raises as `aevaluate`."""
        collected, models = _Collected(watch), self.models
        signatures, concurrency = signatures_of(self.metrics, self.described), models.calls.concurrency
        plan = plan_local(self.metrics, self.described, self.executor.workers, concurrency=concurrency)
        with ExitStack() as stack:
            journal: Journal | InMemory = InMemory()
            if self.folder is not None:
                opened = Journal.open(self.folder, self.settings, signatures=signatures, retry_failed=retry_failed)
                journal = stack.enter_context(opened)
                models.account.book, models.shelf = journal.paid, BatchFolder(self.folder)
            performing, stopped = assembled_judge(self.judge, models), None
            try:
                scoring = Scoring(self.metrics, performing, journal)
                closing = () if performing is self.judge else (performing,)
                limit = models.calls.at_once(len(self.metrics))
                await run_planned(scoring, rows, collected, plan, limit, closing=closing, strict=strict)
            except BudgetSpent as error:
                stopped = str(error)
        bad = collected.unusable()
        if self.folder is not None:
            return _kept_in(self.folder, bad, stopped)
        # with what was found out; see `Journal.sign`
        signatures = signatures_of(self.metrics, performing, with_history=journal.with_history)
        paid = models.account.usage if models.account.usage.calls else None
        samples, scores, settings = tuple(collected.samples), tuple(collected.scores), self.settings.to_json()
        return Evaluation(samples, scores, signatures, bad, stopped, settings, paid=paid)


def _kept_in(folder: Path, bad: tuple[BadRow, ...], stopped: str | None) -> Evaluation:
    """Return everything that a run's folder holds."""
    there = read_run(folder)
    samples, scores, made = tuple(there.samples()), tuple(there.scores()), there.manifest
    return Evaluation(samples, scores, made.signatures, bad, stopped, made.settings, folder, there.paid())


class _Collected:
    """A watch that keeps every result and passes it on."""

    def __init__(self, watch: Watch[Scored] | None) -> None:
        self.samples: list[Sample] = []
        self.scores: list[Scored] = []
        self.bad_rows: list[BadRow] = []
        self._watch = watch

    def unusable(self) -> tuple[BadRow, ...]:
        """Return the bad rows; raises BadInput if there are no others."""
        if self.bad_rows and not self.samples:
            bad = self.bad_rows[0]
            raise BadInput(f"none of {len(self.bad_rows)} rows could be used; {bad.where}: {bad.reason}")
        return tuple(self.bad_rows)

    def sample_read(self, sample: Sample) -> None:
        self.samples.append(sample)
        if self._watch is not None:
            self._watch.sample_read(sample)

    def bad_row(self, row: BadRow) -> None:
        self.bad_rows.append(row)
        if self._watch is not None:
            self._watch.bad_row(row)

    def result(self, sample: Sample, result: Scored) -> None:
        self.scores.append(result)
        if self._watch is not None:
            self._watch.result(sample, result)

    def sample_done(self, sample: Sample) -> None:
        if self._watch is not None:
            self._watch.sample_done(sample)
