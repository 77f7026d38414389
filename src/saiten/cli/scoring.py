"""The run of `saiten score`: from the rows to a folder with their scores."""

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from saiten.cli.data_source import DataSource
from saiten.cli.evidence import retrieving
from saiten.cli.evidence_options import EvidenceOptions
from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.cli.progress import ScoreProgress, in_all
from saiten.cli.running import KEPT_SCORES, UNFINISHED_SCORES, resumable
from saiten.data import BadRow
from saiten.errors import BadInput
from saiten.executor import LocalExecutor
from saiten.protocols import Metric
from saiten.records import Sample, Usage
from saiten.runs import Journal
from saiten.runs.engine import run_all
from saiten.runs.scoring import Scoring, signature_of
from saiten.settings import CallSettings, JudgeSettings
from saiten.views.tables.summary import usage_text
from saiten.wiring import Models, assemble_judge


def score_into(
    folder: Path,
    source: DataSource,
    rows: Iterator[Sample | BadRow],
    metrics: tuple[Metric, ...],
    judge: JudgeSettings,
    calls: CallSettings,
    evidence: EvidenceOptions,
    *,
    retry_failed: bool,
    quiet: bool,
) -> int:
    """Score the rows, and report the outcome.

    Returns:
        0, or the exit status of a run that can be continued.
    """
    notes = stderr()
    models = Models(calls)
    metrics, base = retrieving(metrics, evidence, models)
    kept = source.run_settings(judge, calls)
    # Described by a judge without a store: the store may be in the folder, which is not locked yet.
    described = assemble_judge(judge, replace(calls, cache=None))
    signatures = {each.name: str(signature_of(each, described)) for each in metrics}
    with Journal.open(
        folder, kept, signatures=signatures, command=sys.argv, retry_failed=retry_failed, notify=notifier(notes)
    ) as journal:
        if journal.done:
            notes.print(f"{escape_untrusted(folder)} has {journal.done} scores already; going on")
        models.account.book = journal.paid
        scoring = Scoring(metrics, assemble_judge(judge, models=models), journal)
        with (
            ScoreProgress(notes, source.count(), calls.currency, quiet=quiet) as progress,
            resumable(notes, kept=KEPT_SCORES, unfinished=UNFINISHED_SCORES) as ending,
        ):
            executor, closing = LocalExecutor(calls.concurrency), (scoring.judge, base)
            asyncio.run(run_all(scoring, rows, executor, progress, closing=closing, strict=source.settings.strict))
        if not ending.status and not progress.samples and not journal.done:
            raise BadInput(f"there was no row that could be used; rows and reasons stand in {folder}/errors.jsonl")
        _print_totals(progress, models.account.usage, notes, folder, calls.currency)
        if progress.samples and not progress.answers and any("answer" in each.needs for each in metrics):
            data = escape_untrusted(source.path)
            notes.print(
                f"no sample of {data} has an answer; collect a system's answers with "
                f"`saiten answer {data} --system SYSTEM -o ANSWERS.jsonl`, or name their column: "
                "--column answer=COLUMN"
            )
    return ending.status


def _print_totals(progress: ScoreProgress, spent: Usage, notes: Console, folder: Path, currency: str) -> None:
    notes.print(
        f"{progress.made} scores for {progress.samples} samples in {progress.seconds():.1f} s; "
        f"{usage_text(in_all(spent, progress.usage), currency)}",
        markup=False,
    )
    if progress.bad_rows:
        notes.print(
            f"{progress.bad_rows} rows could not be used; they stand in {escape_untrusted(folder)}/errors.jsonl"
        )
    if progress.not_measured:
        notes.print(
            f"{progress.not_measured} scores failed or were unreadable; the same command with --retry-failed "
            "asks for them again"
        )
