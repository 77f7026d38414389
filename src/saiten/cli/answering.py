"""The run of `saiten answer`: from questions to a file with a system's answers."""

import asyncio
import sys
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path

import typer

from saiten.choices import Format
from saiten.cli import NOTHING
from saiten.cli.data_source import DataSource
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.progress import AnswerProgress
from saiten.cli.running import resumable
from saiten.cli.shared_options import RunOptions
from saiten.cli.system_options import SystemOptions
from saiten.data import BadRow
from saiten.errors import BadInput
from saiten.executor import LocalExecutor
from saiten.protocols import System
from saiten.runs import RunSettings
from saiten.runs.answers import AnswersFile, Collecting, summarize_answers
from saiten.runs.answers.answers_file import KIND, MADE_NAME, folder_of
from saiten.runs.engine import run_all
from saiten.runs.manifest import read_manifest
from saiten.settings import CallSettings
from saiten.views.render import render
from saiten.views.table import Cell, Heading, Table
from saiten.views.tables.answer import answer_tables
from saiten.wiring import Models, SystemSettings, ready
from saiten.wiring.systems import assemble_system
from saiten.words import Message


def settings_kept(source: DataSource, described: System, called: str) -> RunSettings:
    """Return what all answers of a run share."""
    return RunSettings(
        language=source.settings.language,
        more={**source.sample_settings(), **described.describe(), "system": described.name, "name": called},
    )


def described_system(system: SystemOptions, settings: SystemSettings, calls: CallSettings) -> System:
    """Return the system without a store: it may be in the answers' folder, which is not locked yet."""
    with redirect_stdout(sys.stderr):  # what a function prints when it is imported
        return assemble_system(system.system, settings, Models(replace(calls, cache=None)))


def answer_into(
    out: Path,
    source: DataSource,
    system: SystemOptions,
    settings: SystemSettings,
    calls: CallSettings,
    name: str | None,
    how: RunOptions,
) -> int:
    """Ask every question, and report the outcome.

    Returns:
        0, or the exit status of a run that can be resumed.
    """
    notes = stderr()
    calls = calls.kept_in(folder_of(out))
    described = described_system(system, settings, calls)
    called = name or described.name
    kept = settings_kept(source, described, called)
    rows = source.peeked(notifier(notes), questions=True)
    with AnswersFile.open(out, kept, called, retry_failed=how.retry_failed, notify=notifier(notes)) as answers:
        if answers.before:
            notes.print(f"{escape_untrusted(out)} already has {answers.before} of the answers; resuming")
        wide = wide_enough(calls, settings)
        models = Models(wide)
        models.account.book = answers.paid
        performing = assemble_system(system.system, settings, models) if system.has_models else described
        progress = AnswerProgress(notes, source.count(), calls.currency, quiet=how.quiet)
        resuming = resumable(notes, kept="all answers so far are kept")
        with progress, redirect_stdout(sys.stderr), resuming as ending:
            asyncio.run(
                run_all(
                    Collecting(performing, answers),
                    rows,
                    LocalExecutor(calls.concurrency),
                    progress,
                    first=partial(ready, performing, models),
                    closing=(performing,),
                    strict=source.settings.strict,
                )
            )
        if not ending.status and not progress.samples:
            raise BadInput(f"{source.path} has no question; for the reasons see {answers.path}/errors.jsonl")
        report_answers(out, progress)
        if answers.outdated:
            notes.print(
                f"{answers.outdated} answers still have the reference, group or other fields that their questions had "
                "when they were asked; to join the answers with the current questions: "
                f"--system file:{escape_untrusted(out)} -o NEW.jsonl"
            )
    return ending.status


def wide_enough(calls: CallSettings, settings: SystemSettings) -> CallSettings:
    """Return settings with as many calls in flight as the questions in work may make."""
    return replace(calls, concurrency=calls.concurrency * settings.rag.calls_at_once)


def report_answers(out: Path, progress: AnswerProgress) -> None:
    """Print how the run ended."""
    progress.print_totals(folder_of(out), Message("progress", "done_answers", n=progress.answers))
    if progress.failed.total():
        stderr().print("--retry-failed retries the questions without an answer")


def show_answers(out: Path, currency: str, form: Format, status: int) -> None:
    """Print the summary of the answers; raise typer.Exit if the run is unfinished or has no answer."""
    found = summarize_answers(out)
    render(answer_tables(found, currency), form, stdout())
    if form == "table":
        stdout().print(
            f"grade them: saiten score {escape_untrusted(out)} -m METRIC; `saiten metrics` lists the metrics",
            soft_wrap=True,
        )
    if status:
        raise typer.Exit(status)
    if not found.answered:
        stderr().print("[bold red]nothing was answered:[/] every question failed; see the reasons in the table")
        raise typer.Exit(NOTHING)


def rehearse_answers(
    source: DataSource,
    system: SystemOptions,
    settings: SystemSettings,
    calls: CallSettings,
    out: Path,
    name: str | None,
    form: Format,
) -> None:
    """Print a table of the questions to ask."""
    called = name or described_system(system, settings, calls).name
    rows = source.rows(notifier(stderr()))
    kinds = Counter("unusable" if isinstance(row, BadRow) or not row.question.strip() else row.language for row in rows)
    there = summarize_answers(out) if out.is_file() and read_manifest(folder_of(out), MADE_NAME, KIND) else None
    cells: dict[Heading, Cell] = {
        "system": called,
        "questions": kinds["ja"] + kinds["en"],
        "in_ja": kinds["ja"],
        "in_en": kinds["en"],
        "unusable_rows": kinds["unusable"],
        Message("column", "answered_in", file=out.name): there.answered if there else 0,
        "failed_there": sum(there.failures.values()) if there else 0,
    }
    render([Table(Message("title", "to_ask"), tuple(cells), (tuple(cells.values()),))], form, stdout())
