"""`saiten.evaluate` on a Ray cluster."""

import logging
from pathlib import Path
from tempfile import TemporaryDirectory

from saiten.api.result import Evaluation
from saiten.api.rows import Samples, rows_of
from saiten.cluster.counts import Counts
from saiten.cluster.divided_run import DividedRun
from saiten.cluster.input import FilesInput, Input, RowsInput
from saiten.cluster.jobs import ScoringJob
from saiten.cluster.ray_workers import connected
from saiten.cluster.running import Clustered, run_connected
from saiten.data import BadRow
from saiten.errors import BadInput, BudgetSpent
from saiten.records import Language, Scored
from saiten.runs import read_run
from saiten.runs.engine import Watch
from saiten.settings import ExecutorSettings

_LOG = logging.getLogger(__name__)


async def evaluate_in_shards(
    samples: Samples,
    language: Language | None,
    job: ScoringJob,
    executor: ExecutorSettings,
    *,
    folder: Path | None,
    watch: Watch[Scored] | None,
) -> Evaluation:
    """Score the samples on a cluster; in a temporary folder if none is given. The watch sees them at the end.

    Raises:
        ConfigurationError, BadInput: As `aevaluate`; with a folder, paid results are kept.
    """
    settings = job.settings
    source: Input
    if isinstance(samples, str | Path):
        source = FilesInput(str(samples), settings.columns, None, language)
    else:
        source = RowsInput(tuple(rows_of(samples, settings.columns, language)))
    with TemporaryDirectory(prefix="saiten-") as temporary:
        path = folder or Path(temporary) / "run"
        stopped = None
        with DividedRun.open(path, settings, job.signatures, notify=_LOG.warning) as run:
            what = Clustered(run, job, source, executor, _Logged(), _LOG.info)
            try:
                with connected(executor.ray_address, executor.workers) as cluster:
                    await run_connected(what, cluster)
            except BudgetSpent as error:
                stopped = str(error)
        return _read(path, folder, stopped, watch)


def _read(path: Path, folder: Path | None, stopped: str | None, watch: Watch[Scored] | None) -> Evaluation:
    reader = read_run(path)
    samples, scores = tuple(reader.samples()), tuple(reader.scores())
    rows = (error for error in reader.errors() if error.get("kind") == "row")
    bad = tuple(BadRow(str(row["where"]), str(row["reason"]), str(row.get("raw", ""))) for row in rows)
    if bad and not samples:
        raise BadInput(f"none of {len(bad)} rows could be used; {bad[0].where}: {bad[0].reason}")
    if watch is not None:
        by_id = {sample.id: sample for sample in samples}
        for row in bad:
            watch.bad_row(row)
        for sample in samples:
            watch.sample_read(sample)
        for scored in scores:
            watch.result(by_id[scored.sample], scored)
        for sample in samples:
            watch.sample_done(sample)
    made = reader.manifest
    return Evaluation(samples, scores, made.signatures, bad, stopped, made.settings, folder, reader.paid())


class _Logged:
    """Shows notes of workers in the log."""

    def divided(self, rows: int | None, shards: int) -> None:
        _LOG.info("%s shards with %s rows", shards, "an unknown number of" if rows is None else rows)

    def added(self, counts: Counts) -> None:
        for note in counts.notes:
            _LOG.warning(note)
