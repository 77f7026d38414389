"""The run of `saiten converse`: a dialogue about every pair of question and reference."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from saiten.choices import Format, Retrieval
from saiten.cli.data_source import DataSource
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.progress import DialogueProgress, in_all
from saiten.cli.rehearse import SPENT, spent_cells
from saiten.cli.running import resumable
from saiten.cli.system_options import SystemOptions
from saiten.data import BadRow
from saiten.dialogue.loop import FindEvidence
from saiten.dialogue.rehearsing import rehearse
from saiten.dialogue.running import Conversations, Conversing, open_journal
from saiten.errors import BadInput, CallFailed, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.metrics.judged.with_evidence import evidence_query
from saiten.protocols import Retriever
from saiten.records import Retrieved, Sample, Usage
from saiten.redaction import redact
from saiten.runs.engine import run_all
from saiten.settings import CallSettings, JudgeSettings
from saiten.views.render import render
from saiten.views.table import Table
from saiten.views.tables.summary import usage_text
from saiten.wiring import (
    Models,
    SystemSettings,
    assemble_judge,
    assemble_system,
    knowledge_base_later,
    ready,
)
from saiten.wiring.opened_later import OpenedLater
from saiten.words import Message

_DIALOGUES_A_PLACE = 2
"""Dialogues per slot. A dialogue has one call in flight, to the system or to the judge; with only as many dialogues as
both have slots, the last ones would leave slots empty."""


@dataclass(frozen=True, slots=True)
class Talking:
    """The system under test, and the settings of the dialogues."""

    system: SystemOptions
    settings: SystemSettings
    concurrency: int
    """Concurrent questions to the system."""
    max_turns: int
    kb: str | None
    """The knowledge base of the evidence; None if the pairs include it or no evidence is used."""
    k: int
    retrieval: Retrieval


def converse_into(
    out: Path,
    source: DataSource,
    talking: Talking,
    judge: JudgeSettings,
    calls: CallSettings,
    *,
    retry_failed: bool,
    quiet: bool,
) -> int:
    """Hold the dialogues, and report the outcome.

    Returns:
        0, or the exit status of a run that can be continued.
    """
    notes = stderr()
    models = Models(calls)
    # Never cached: latencies must be real, and each dialogue needs a fresh answer.
    bare = models.without_store()
    apart = models.called(replace(calls, cache=None, concurrency=talking.concurrency))
    with redirect_stdout(sys.stderr):  # what a function prints, when it is imported and when it is asked
        tested = assemble_system(talking.system.system, talking.settings, bare if talking.system.has_models else apart)
    evidence = (
        None
        if talking.kb is None
        else knowledge_base_later(talking.kb, models, retrieval=talking.retrieval, k=talking.k)
    )
    conversations = Conversations(
        tested,
        assemble_judge(judge, models=bare),  # for signatures; the store cannot be opened before the folder is locked
        talking.max_turns,
        None if evidence is None else _finder(evidence),
        "samples" if evidence is None else evidence.name,
        talking.concurrency,
    )
    kept = source.run_settings(judge, calls, conversations.settings())
    rows = source.peeked(notifier(notes))
    with open_journal(
        out, kept, conversations.signatures(), command=sys.argv, retry_failed=retry_failed, notify=notifier(notes)
    ) as journal:
        if journal.done:
            notes.print(f"{escape_untrusted(out)} has {journal.done} scores already; going on")
        models.account.book = journal.paid
        conversations = replace(conversations, agents=assemble_judge(judge, models=models))

        async def open_all() -> None:
            await ready(tested, apart)
            if evidence is not None:
                await _open(evidence)

        progress = DialogueProgress(notes, source.count(), calls.currency, quiet=quiet)
        resuming = resumable(
            notes,
            kept="all that was said is kept",
            unfinished="what was said in dialogues that are not finished is kept and not asked for again",
        )
        with progress, redirect_stdout(sys.stderr), resuming as ending:
            asyncio.run(
                run_all(
                    Conversing(journal, conversations, progress.answered),
                    rows,
                    LocalExecutor(_DIALOGUES_A_PLACE * (calls.concurrency + talking.concurrency)),
                    progress,
                    first=open_all,
                    closing=(evidence, tested, conversations.agents),
                    strict=source.settings.strict,
                )
            )
        if not ending.status and not progress.samples:
            raise BadInput(
                f"there was no pair of question and reference in {source.path}; reasons stand in {out}/errors.jsonl"
            )
        _print_totals(progress, models.account.usage, calls.currency, out, notes)
    return ending.status


def _print_totals(progress: DialogueProgress, spent: Usage, currency: str, out: Path, notes: Console) -> None:
    notes.print(
        f"{progress.made} dialogues, {progress.turns} turns in {progress.seconds():.1f} s; "
        f"{usage_text(in_all(spent, progress.usage), currency)}",
        markup=False,
    )
    if progress.bad_rows:
        notes.print(f"{progress.bad_rows} rows could not be used; they stand in {escape_untrusted(out)}/errors.jsonl")
    if progress.failed:
        notes.print("the same command with --retry-failed goes on with the dialogues that failed")


async def _open(evidence: OpenedLater) -> None:
    try:
        await evidence.open()
    except CallFailed as error:
        raise ConfigurationError(f"the knowledge base of the evidence cannot be opened: {error}") from error


def _finder(evidence: Retriever) -> FindEvidence:
    """Return a finder of evidence by question and reference together."""

    async def find(pair: Sample) -> Retrieved:
        return await evidence.retrieve(evidence_query(pair))

    return find


def rehearse_dialogues(
    rows: Iterator[Sample | BadRow], max_turns: int, judged_by: JudgeSettings, calls: CallSettings, form: Format
) -> None:
    """Print the minimum and maximum cost of a run."""
    found = asyncio.run(rehearse(rows, max_turns, judged_by.votes))
    if not found.pairs:
        raise BadInput(f"there is no pair of question and reference ({found.bad_rows} rows cannot be used)")
    offline = judged_by.judge == "offline"
    few, many = found.questions
    ends = (("one_each", few, found.least), ("all_of_them", many, found.most))
    table = Table(
        Message("title", "dialogues_would_take", n=found.pairs, most=max_turns, judge=redact(judged_by.judge)),
        ("turns", "questions_to_system", *SPENT, Message("column", "cost", currency=calls.currency)),
        tuple(
            (Message("cell", name), questions, *spent_cells(Usage() if offline else used, judged_by, calls))
            for name, questions, used in ends
        ),
        (Message("caption", "dialogues_would_take"),),
    )
    render([table], form, stdout())
    if found.bad_rows:
        stderr().print(f"{found.bad_rows} rows cannot be used and are not counted")
