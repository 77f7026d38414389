"""The run of `saiten converse`: a dialogue about every pair of question and reference."""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from saiten.choices import RECORDED, Format
from saiten.cli.data_source import DataSource
from saiten.cli.dialogue_options import DialogueOptions
from saiten.cli.evidence import evidence_source
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.progress import DialogueProgress
from saiten.cli.rehearse import SPENT, counting_agents, price_captions, spent_cells
from saiten.cli.running import resumable
from saiten.cli.shared_options import RunOptions
from saiten.cli.system_options import SystemOptions
from saiten.cluster.jobs import Participants
from saiten.data import BadRow
from saiten.dialogue.conversations import ROLES, Conversations
from saiten.dialogue.rehearsing import rehearse
from saiten.dialogue.running import Conversing
from saiten.dialogue.session import open_journal
from saiten.errors import BadInput, CallFailed, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.metrics.judged.with_evidence import evidence_query
from saiten.protocols import Retriever, System
from saiten.records import Sample, Usage
from saiten.redaction import redact
from saiten.runs import RunSettings
from saiten.runs.engine import run_all
from saiten.settings import CallSettings, JudgeSettings
from saiten.views.render import render
from saiten.views.table import Table
from saiten.wiring import (
    Models,
    RagSettings,
    SystemSettings,
    assemble_agents,
    assemble_system,
    quote_of,
    ready,
)
from saiten.wiring.opened_later import OpenedLater
from saiten.words import Message

_RAG = RagSettings()
_DIALOGUES_A_PLACE = 2
"""Dialogues per slot. A dialogue has one call in flight, to the system or to the judge; with only as many dialogues as
both have slots, the last ones would leave slots empty."""


def converse_into(
    out: Path,
    source: DataSource,
    system: SystemOptions,
    settings: SystemSettings,
    dialogue: DialogueOptions,
    judge: JudgeSettings,
    others: Mapping[str, JudgeSettings],
    calls: CallSettings,
    how: RunOptions,
) -> int:
    """Hold the dialogues, and report the outcome; `others`: the judges of roles with a model of their own.

    Returns:
        0, or the exit status of a run that can be resumed.
    """
    notes = stderr()
    models = Models(calls)
    parties = Parties(system.system, settings, system.has_models, dialogue, judge, others)
    conversations, evidence, apart = parties.described(models)
    tested = conversations.system
    kept = parties.settings_kept(source, calls, conversations)
    rows = source.peeked(notifier(notes))
    with open_journal(
        out, kept, conversations.signatures(), command=sys.argv, retry_failed=how.retry_failed, notify=notifier(notes)
    ) as journal:
        if journal.done:
            notes.print(f"{escape_untrusted(out)} already has {journal.done} scores; resuming")
        models.account.book = journal.paid
        conversations = replace(conversations, agents=assemble_agents(judge, others, ROLES, models=models))

        progress = DialogueProgress(notes, source.count(), calls.currency, quiet=how.quiet)
        resuming = resumable(
            notes,
            kept="all turns so far are kept",
            unfinished="turns of unfinished dialogues are kept and will not be requested again",
        )
        with progress, redirect_stdout(sys.stderr), resuming as ending:
            asyncio.run(
                run_all(
                    Conversing(journal, conversations, progress.answered),
                    rows,
                    LocalExecutor(dialogues_at_once(calls, dialogue)),
                    progress,
                    first=partial(open_all, tested, apart, evidence),
                    closing=(evidence, tested, conversations.agents),
                    strict=source.settings.strict,
                )
            )
        if not ending.status and not progress.samples:
            raise BadInput(
                f"{source.path} has no pair of question and reference; for the reasons see {out}/errors.jsonl"
            )
        report_dialogues(out, progress, models.account.usage)
    return ending.status


def dialogues_at_once(calls: CallSettings, dialogue: DialogueOptions) -> int:
    """Return how many dialogues are held at a time."""
    return _DIALOGUES_A_PLACE * (calls.concurrency + dialogue.system_concurrency)


def report_dialogues(out: Path, progress: DialogueProgress, spent: Usage) -> None:
    """Print how the run ended."""
    progress.print_totals(out, Message("progress", "done_dialogues", n=progress.made, turns=progress.turns), spent)
    if progress.failed:
        stderr().print("--retry-failed resumes the failed dialogues")


@dataclass(frozen=True, slots=True)
class Parties:
    """Who takes part in the dialogues, as typed."""

    system: str
    settings: SystemSettings
    system_has_models: bool
    dialogue: DialogueOptions
    judge: JudgeSettings
    others: Mapping[str, JudgeSettings]
    """The judges of roles with a model of their own."""

    def described(self, models: Models) -> tuple[Conversations, Retriever | None, Models]:
        """Return the dialogues with agents that have no store, the evidence, and the models of a system apart."""
        dialogue = self.dialogue
        # Never cached: latencies must be real, and each dialogue needs a fresh answer.
        bare = models.without_store()
        apart = models.called(replace(models.calls, cache=None, concurrency=dialogue.system_concurrency))
        tested = None
        if self.system.strip() != RECORDED:
            with redirect_stdout(sys.stderr):  # what a function prints, when it is imported and when it is asked
                tested = assemble_system(self.system, self.settings, bare if self.system_has_models else apart)
        k = dialogue.k or _RAG.k
        evidence = evidence_source(dialogue, dialogue.kb, models, retrieval=dialogue.retrieval or _RAG.retrieval, k=k)
        conversations = Conversations(
            tested,
            # for signatures; the store cannot be opened before the folder is locked
            assemble_agents(self.judge, self.others, ROLES, models=bare),
            dialogue.max_turns,
            None if evidence is None else lambda pair: evidence.retrieve(evidence_query(pair)),
            "samples" if evidence is None else evidence.name,
            dialogue.system_concurrency,
            dialogue.questioning,
            dialogue.last_grade,
        )
        return conversations, evidence, apart

    def settings_kept(self, source: DataSource, calls: CallSettings, conversations: Conversations) -> RunSettings:
        """Return what all dialogues of a run share."""
        roles = {role: one.kept() for role, one in self.others.items()}
        return source.run_settings(self.judge, calls, {**conversations.settings(), **roles})

    def participants(self, models: Models) -> Participants:
        """Return the participants of one worker."""
        conversations, evidence, apart = self.described(models)
        agents = assemble_agents(self.judge, self.others, ROLES, models=models)
        return Participants(
            replace(conversations, agents=agents),
            partial(open_all, conversations.system, apart, evidence),
            (evidence, conversations.system, agents),
        )


async def open_all(system: System | None, models: Models, evidence: Retriever | None) -> None:
    """Open what the dialogues need before the first of them; raises ConfigurationError."""
    if system is not None:
        await ready(system, models)
    try:
        if isinstance(evidence, OpenedLater):
            await evidence.open()
    except CallFailed as error:
        raise ConfigurationError(f"the knowledge base of the evidence cannot be opened: {error}") from error


def rehearse_dialogues(
    rows: Iterator[Sample | BadRow],
    dialogue: DialogueOptions,
    judged_by: JudgeSettings,
    others: Mapping[str, JudgeSettings],
    calls: CallSettings,
    form: Format,
    *,
    recorded: bool,
) -> None:
    """Print the minimum and maximum cost of a run; `others`: the judges of roles with a model of their own."""
    counting, most = partial(counting_agents, judged_by, others, ROLES, calls), dialogue.max_turns
    found = asyncio.run(rehearse(rows, most, dialogue.questioning, judged_by.votes, counting, recorded=recorded))
    if not found.pairs:
        raise BadInput(f"the data has no pair of question and reference ({found.bad_rows} bad rows)")
    few, many = found.questions
    prices = [price_captions(each, quote_of(each.judge, calls)) for each in (judged_by, *others.values())]
    ends = (("one_each", few, found.least), ("all_of_them", many, found.most))
    table = Table(
        Message("title", "dialogues_would_take", n=found.pairs, most=dialogue.max_turns, judge=redact(judged_by.judge)),
        ("turns", "questions_to_system", *SPENT, Message("column", "cost", currency=calls.currency)),
        tuple((Message("cell", name), n, *spent_cells(used)) for name, n, used in ends),
        (Message("caption", "dialogues_would_take"), *dict.fromkeys(chain.from_iterable(prices))),
    )
    render([table], form, stdout())
    if found.bad_rows:
        stderr().print(f"{found.bad_rows} rows cannot be used and are not counted")
