"""The run of `saiten score` and `saiten probe`, from the rows to a folder with their scores, and its evidence."""

import asyncio
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import tee
from pathlib import Path

from saiten.cli.alternatives import print_alternatives
from saiten.cli.batching import batching
from saiten.cli.data_source import DataSource
from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.cli.progress import ScoreProgress
from saiten.cli.rehearse import Placeholder
from saiten.cli.running import resumable
from saiten.cli.shared_options import EvidenceOptions, RunOptions
from saiten.data import BadRow
from saiten.errors import BadInput, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.metrics.judged.with_evidence import with_evidence
from saiten.protocols import Metric, Retriever
from saiten.records import Sample
from saiten.runs import Journal
from saiten.runs.engine import run_all
from saiten.runs.scoring import Scoring, signature_of
from saiten.settings import CallSettings, JudgeSettings
from saiten.wiring import Models, assemble_judge, knowledge_base_later


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
) -> int:
    """Score the rows, and report the outcome.

    `wanted`: for a probe, the sample's id and the metric's name of each score; by default all.

    Returns:
        0, or the exit status of a run that can be resumed.
    """
    notes = stderr()
    models = Models(calls)
    metrics, base = retrieving(metrics, evidence, models)
    kept = source.run_settings(judge, calls, None if wanted is None else {"probed": source.settings.limit})
    # Described by a judge without a store: the store may be in the folder, which is not locked yet.
    described = assemble_judge(judge, models=models.called(replace(calls, cache=None)))
    signatures = {each.name: str(signature_of(each, described)) for each in metrics}
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
        with progress, resuming as ending, batching(models, folder, progress, notes):
            executor, closing = LocalExecutor(calls.at_once(len(metrics))), (scoring.judge, base)
            asyncio.run(run_all(scoring, rows, executor, progress, closing=closing, strict=source.settings.strict))
        if not ending.status and not progress.samples and not journal.done:
            raise BadInput(f"no row could be used; for the rows and reasons see {folder}/errors.jsonl")
        progress.print_totals(folder, f"{progress.made} scores for {progress.samples} samples", models.account.usage)
        if judge.judge == "offline" and wanted is None and not how.quiet:
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
    return ending.status


def planned(metrics: tuple[Metric, ...], options: EvidenceOptions) -> tuple[Metric, ...]:
    """Return the metrics for a dry run, with placeholders instead of retrieved passages."""
    return (
        metrics
        if options.kb is None
        else tuple(with_evidence(metric, Placeholder(options.k), options.k) for metric in metrics)
    )


def retrieving(
    metrics: tuple[Metric, ...], options: EvidenceOptions, models: Models
) -> tuple[tuple[Metric, ...], Retriever | None]:
    """Return the metrics, connected to the knowledge base if they use it, and the base, which the caller closes.

    Raises:
        ConfigurationError: the base does not exist, or no metric uses it.
    """
    if options.kb is None:
        return metrics, None
    base = knowledge_base_later(options.kb, models, retrieval=options.retrieval, k=options.k)
    found = tuple(with_evidence(metric, base, options.k) for metric in metrics)
    if found == metrics:
        raise ConfigurationError(
            "--kb is for correctness graded with evidence=reference, and there is no such metric; add -m correctness, "
            "or leave out --kb"
        )
    return found, base


def check_evidence(rows: Iterator[Sample | BadRow], options: EvidenceOptions, data: str) -> Iterator[Sample | BadRow]:
    """Return the rows; for evidence by reference without a base, check that the first sample includes it.

    Raises:
        ConfigurationError: it does not; raised before anything is spent.
    """
    if options.evidence != "reference" or options.kb is not None:
        return rows
    ahead, rows = tee(rows)
    first = next((row for row in ahead if isinstance(row, Sample)), None)
    if first is not None and first.evidence is None:
        raise ConfigurationError(
            f"--evidence reference needs a knowledge base, and {data} has no column `evidence` instead: say --kb KB "
            "(make one with `saiten index DOCUMENTS --kb KB`), or --evidence answer for what the system saw"
        )
    return rows
