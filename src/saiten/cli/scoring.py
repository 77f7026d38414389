"""The run of `saiten score` and `saiten probe`, from the rows to a folder with their scores."""

import asyncio
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

from saiten.cli.batching import batching
from saiten.cli.data_source import DataSource
from saiten.cli.evidence import retrieving
from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.cli.progress import ScoreProgress
from saiten.cli.running import resumable
from saiten.cli.shared_options import EvidenceOptions, RunOptions
from saiten.data import BadRow
from saiten.errors import BadInput
from saiten.executor import LocalExecutor
from saiten.protocols import Metric
from saiten.records import Sample, Usage
from saiten.runs import Journal
from saiten.runs.engine import run_all
from saiten.runs.local import plan_local, run_local
from saiten.runs.scoring import Scoring
from saiten.runs.shards import errors_of
from saiten.runs.signatures import signatures_of
from saiten.settings import CallSettings, JudgeSettings
from saiten.wiring import Models, assemble_judge
from saiten.words import Message


def score_into(
    folder: Path,
    source: DataSource,
    rows: Iterable[Sample | BadRow],
    metrics: tuple[Metric, ...],
    judge: JudgeSettings,
    calls: CallSettings,
    how: RunOptions,
    evidence: EvidenceOptions = EvidenceOptions(),
    *,
    wanted: frozenset[tuple[str, str]] | None = None,
    workers: int | None = None,
) -> int:
    """Score the rows on this machine, and report the outcome.

    `wanted`: for a probe, the sample's id and the metric's name of each score; by default all. `workers`: the number of
    processes as asked for.

    Returns:
        0, or the exit status of a run that can be resumed.
    """
    notes = stderr()
    models = Models(calls)
    metrics, base = retrieving(evidence, metrics, models)
    kept = source.run_settings(judge, calls, None if wanted is None else {"probed": source.settings.limit})
    # Described by a judge without a store: the store may be in the folder, which is not locked yet.
    described = assemble_judge(judge, models=models.called(replace(calls, cache=None)))
    signatures = signatures_of(metrics, described)
    plan = plan_local(metrics, described, workers, concurrency=calls.concurrency)
    with Journal.open(
        folder, kept, signatures=signatures, command=sys.argv, retry_failed=how.retry_failed, notify=notifier(notes)
    ) as journal:
        if journal.done:
            notes.print(f"{escape_untrusted(folder)} already has {journal.done} scores; resuming")
        models.account.book = journal.paid
        scoring = Scoring(metrics, assemble_judge(judge, models=models), journal, wanted)
        total = source.count() if wanted is None else len({sample for sample, _ in wanted})
        progress = ScoreProgress(notes, total, calls.currency, quiet=how.quiet)
        unfinished = "replies for unfinished scores are kept and will not be requested again"
        resuming = resumable(notes, kept="all scores so far are kept", unfinished=unfinished)
        printing = redirect_stdout(sys.stderr)  # what a retriever prints when it is asked
        with progress, printing, resuming as ending, batching(models, folder, progress, notes):
            closing, strict = (scoring.judge, base), source.settings.strict
            if plan is None:
                executor = LocalExecutor(calls.at_once(len(metrics)))
                asyncio.run(run_all(scoring, rows, executor, progress, closing=closing, strict=strict))
            else:
                local = run_local(scoring, rows, progress, plan, notify=notifier(notes), closing=closing, strict=strict)
                asyncio.run(local)
        if not ending.status and not progress.samples and not journal.done:
            raise no_row_used(folder)
        report_scores(
            folder, source, metrics, judge, progress, models.account.usage, hint=wanted is None and not how.quiet
        )
    return ending.status


def no_row_used(folder: Path) -> BadInput:
    """Return the error of a run without a sample."""
    return BadInput(f"no row could be used; for the rows and reasons see {errors_of(folder)}")


def report_scores(
    folder: Path,
    source: DataSource,
    metrics: tuple[Metric, ...],
    judge: JudgeSettings,
    progress: ScoreProgress,
    spent: Usage,
    *,
    hint: bool,
) -> None:
    """Print how the run ended, and with `hint`, which better judges there are."""
    notes = stderr()
    progress.print_totals(folder, Message("progress", "done_scores", n=progress.made, samples=progress.samples), spent)
    if judge.judge == "offline" and hint:
        from saiten.cli.alternatives import print_alternatives

        print_alternatives([each.name for each in metrics], progress.languages, notes)
    if progress.not_measured:
        notes.print(f"{progress.not_measured} scores failed or were unreadable; --retry-failed retries them")
    if progress.samples and not progress.answers and any("answer" in each.needs for each in metrics):
        data = escape_untrusted(source.path)
        notes.print(
            f"no sample of {data} has an answer; collect a system's answers with "
            f"`saiten answer {data} --system SYSTEM -o ANSWERS.jsonl`, or name their column: "
            "--column answer=COLUMN"
        )
