"""The runs of `saiten score`, `answer` and `converse` on a Ray cluster, as the command line starts them."""

import logging
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from saiten.cli.answering import described_system, report_answers, settings_kept, wide_enough
from saiten.cli.conversing import Parties, dialogues_at_once, report_dialogues
from saiten.cli.data_source import DataSource
from saiten.cli.dialogue_options import DialogueOptions
from saiten.cli.evidence import retrieving
from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.cli.progress import AnswerProgress, DialogueProgress, RunProgress, ScoreProgress
from saiten.cli.running import resumable
from saiten.cli.scoring import no_row_used, report_scores
from saiten.cli.shared_options import EvidenceOptions, RunOptions
from saiten.cli.system_options import SystemOptions
from saiten.cluster.divided_run import DividedRun
from saiten.cluster.input import Input
from saiten.cluster.jobs import AnsweringJob, ConversingJob, Job, ScoringJob, judged_here, variables_in, variables_of
from saiten.cluster.running import Clustered, calls_of_workers, run_on_cluster
from saiten.data import BadRow
from saiten.dialogue.session import named_settings
from saiten.errors import BadInput
from saiten.protocols import Metric, System
from saiten.records import Sample
from saiten.runs.answers.answers_file import KIND, MADE_NAME, folder_of, refuse_other_answers
from saiten.runs.answers.joined import join_answers
from saiten.runs.shards import errors_of
from saiten.runs.signatures import signatures_of
from saiten.settings import CallSettings, ExecutorSettings, JudgeSettings
from saiten.wiring import Models, SystemSettings, assemble_judge, assemble_system, embeds_here, runs_here

_LOG = logging.getLogger(__name__)


def score_in_shards(
    folder: Path,
    source: DataSource,
    rows: Iterator[Sample | BadRow],
    metrics: tuple[Metric, ...],
    judge: JudgeSettings,
    calls: CallSettings,
    how: RunOptions,
    evidence: EvidenceOptions,
    executor: ExecutorSettings,
) -> int:
    """Score the rows on a cluster, and report the outcome; `rows`: as `source.peeked` returned them.

    Returns:
        0, or the exit status of a run that can be resumed.
    """
    notes = stderr()
    models = Models(replace(calls, cache=None))
    described, base = retrieving(evidence, metrics, models)
    signatures = signatures_of(described, assemble_judge(judge, models=models))
    kept = source.run_settings(judge, calls)
    shared = calls_of_workers(calls, folder, executor)
    connect = partial(retrieving, evidence)
    embeds = base is not None and embeds_here(base.name)
    strict = source.settings.strict
    more = variables_in(evidence.retriever_headers)
    job = ScoringJob(metrics, judge, shared, kept, signatures, how.retry_failed, strict, connect, embeds, more)
    progress = ScoreProgress(notes, None, calls.currency, quiet=how.quiet)
    with DividedRun.open(folder, kept, signatures, command=sys.argv, notify=notifier(notes)) as run:
        status = run_noted(run, source.input(rows), job, executor, progress)
    if not status and not progress.samples:
        raise no_row_used(folder)
    report_scores(folder, source, metrics, judge, progress, progress.usage, hint=not how.quiet)
    return status


def answer_in_shards(
    out: Path,
    source: DataSource,
    system: SystemOptions,
    settings: SystemSettings,
    calls: CallSettings,
    name: str | None,
    how: RunOptions,
    executor: ExecutorSettings,
) -> int:
    """Ask every question on a cluster, and report the outcome; returns as `score_in_shards`."""
    notes = stderr()
    folder = folder_of(out)
    described = described_system(system, settings, calls)
    called = name or described.name
    kept = settings_kept(source, described, called)
    wide = calls_of_workers(wide_enough(calls.kept_in(folder), settings), folder, executor)
    make = partial(assemble_system, system.system, replace(settings, notify=_LOG.warning))
    network = answered_here(system.system, settings, described)
    variables, limit, strict = variables_in(settings.headers), calls.concurrency, source.settings.strict
    job = AnsweringJob(make, called, wide, kept, limit, how.retry_failed, strict, network, variables)
    rows = source.peeked(notifier(notes), questions=True)
    progress = AnswerProgress(notes, None, calls.currency, quiet=how.quiet)
    refuse_other_answers(out)
    with DividedRun.open(folder, kept, {}, command=sys.argv, notify=notifier(notes), name=MADE_NAME, kind=KIND) as run:
        try:
            status = run_noted(run, source.input(rows), job, executor, progress)
        finally:
            join_answers(folder, out)
    if not status and not progress.samples:
        raise BadInput(f"{source.path} has no question; for the reasons see {errors_of(folder)}")
    report_answers(out, progress)
    return status


def converse_in_shards(
    out: Path,
    source: DataSource,
    system: SystemOptions,
    settings: SystemSettings,
    dialogue: DialogueOptions,
    judge: JudgeSettings,
    others: Mapping[str, JudgeSettings],
    calls: CallSettings,
    how: RunOptions,
    executor: ExecutorSettings,
) -> int:
    """Hold the dialogues on a cluster, and report the outcome; returns as `score_in_shards`."""
    notes = stderr()
    settings = replace(settings, notify=_LOG.warning)
    parties = Parties(system.system, settings, system.has_models, dialogue, judge, others)
    conversations, _, _ = parties.described(Models(replace(calls, cache=None)))
    signatures = conversations.signatures()
    kept = named_settings(out, parties.settings_kept(source, calls, conversations), signatures)
    shared = calls_of_workers(calls, out, executor)
    limit = dialogues_at_once(calls, dialogue)
    network = (
        judged_here(judge, *others.values())
        or embeds_here(conversations.evidence_from)
        or answered_here(system.system, settings, conversations.system)
    )
    variables = variables_of(judge, *others.values()) | variables_in(settings.headers, dialogue.retriever_headers)
    strict = source.settings.strict
    make = parties.participants
    job = ConversingJob(make, shared, kept, signatures, limit, how.retry_failed, strict, network, variables)
    rows = source.peeked(notifier(notes))
    progress = DialogueProgress(notes, None, calls.currency, quiet=how.quiet)
    with DividedRun.open(out, kept, signatures, command=sys.argv, notify=notifier(notes)) as run:
        status = run_noted(run, source.input(rows), job, executor, progress)
    if not status and not progress.samples:
        raise BadInput(f"{source.path} has no pair of question and reference; for the reasons see {errors_of(out)}")
    report_dialogues(out, progress, progress.usage)
    return status


def answered_here(spec: str, settings: SystemSettings, described: System | None) -> bool:
    """Return whether the system runs a network in this process: as the model, the generator or the embedder."""
    if described is None or not spec.strip().startswith("rag:"):
        return runs_here(spec)
    return runs_here(settings.rag.generator) or embeds_here(described.describe()["knowledge_base"])


def run_noted(run: DividedRun, source: Input, job: Job, executor: ExecutorSettings, progress: RunProgress) -> int:
    """Run the job with one progress line; return 0, or the exit status of a run that can be resumed."""
    notes = stderr()
    if run.division is not None:
        notes.print(f"{escape_untrusted(run.path)} was begun before; resuming")
    what = Clustered(run, job, source, executor, progress, notifier(notes))
    unfinished = "replies for unfinished results are kept and will not be requested again"
    with progress, resumable(notes, kept="everything so far is kept", unfinished=unfinished) as ending:
        run_on_cluster(what)
    return ending.status
