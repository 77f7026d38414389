"""The run of `saiten experiment`, and its tables."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

from saiten.choices import Format
from saiten.cli import NOTHING
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout
from saiten.cli.progress import AnswerProgress, IndexProgress, ScoreProgress
from saiten.cli.reading import read_some_labels
from saiten.cli.running import LEFT_OUT, resumable
from saiten.cli.shared_options import RunOptions
from saiten.cli.subject import JudgeFiles
from saiten.durable.private import private_folder
from saiten.errors import BadInput, CallFailed
from saiten.experiments.cells import scores_folder
from saiten.experiments.plan import ExperimentPlan, read_plan
from saiten.experiments.results import read_results
from saiten.experiments.running import Experiment
from saiten.experiments.tables import experiment_tables
from saiten.results.meta_evaluation import Settings
from saiten.runs.engine import awake
from saiten.settings import CallSettings
from saiten.trust.inputs.pairing import pair
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate
from saiten.views.render import render
from saiten.views.table import Table
from saiten.views.tables.meta_evaluation import meta_tables
from saiten.views.tables.summary import usage_text


def run_experiment(
    file: Path,
    folder: Path,
    calls: CallSettings,
    form: Format,
    how: RunOptions,
    *,
    only_results: bool,
) -> None:
    """Run the cells and print the results; raises typer.Exit with the command's status if it is not 0."""
    notes = stderr()
    plan = read_plan(file)
    status = 0
    if not only_results:
        work = Experiment(plan, folder, calls, notifier(notes), how.retry_failed)
        work.check()
        private_folder(folder)
        stages = _Stages(notes, calls.currency, how.quiet)

        async def run() -> None:
            async with awake():
                await work.run(stages)

        try:
            with resumable(notes, kept="all results so far are kept") as ending:
                asyncio.run(run())
        except CallFailed as error:
            raise BadInput(f"cannot make or read a knowledge base: {error}") from error
        status = ending.status or (LEFT_OUT if stages.omissions else 0)
    tables = result_tables(plan, folder, calls.currency, notes, glance=form == "table")
    render(tables, form, stdout(), plan.title or file.stem)
    if status:
        raise typer.Exit(status)
    if not only_results and not read_results(plan, folder, lambda _: None).measured:
        notes.print("[bold red]nothing was measured:[/] no cell has an answer with a value")
        raise typer.Exit(NOTHING)


def result_tables(plan: ExperimentPlan, folder: Path, currency: str, notes: Console, *, glance: bool) -> list[Table]:
    """Return the tables of results, and of each labeled data set's agreement with people."""
    found = read_results(plan, folder, notifier(notes))
    tables = experiment_tables(found, currency, glance=glance)
    for data in plan.data:
        run = scores_folder(folder, data)
        if data.labels is None or not run.is_dir() or not data.labels.is_file():
            continue
        try:
            aspects = pair(*JudgeFiles().read(run), read_some_labels(data.labels))
            tables += meta_tables(meta_evaluate(aspects, Settings()), glance=glance)
        except BadInput as error:  # no labels yet, or in another form; show the rest
            notes.print(f"[yellow]without labels:[/] {escape_untrusted(data.name)}: {escape_untrusted(error)}")
    notes.print(usage_text(found.usage, currency), markup=False)
    return tables


@dataclass
class _Stages:
    """Draws one line per stage. Not frozen: it counts what is left out."""

    notes: Console
    currency: str
    quiet: bool
    omissions: int = 0

    def indexing(self, data: str) -> IndexProgress:
        self._say(f"{data}: indexing the documents")
        return IndexProgress(self.notes, quiet=self.quiet)

    def answering(self, data: str, system: str, total: int) -> AnswerProgress:
        self._say(f"{data}: {system} answers {total} questions")
        return AnswerProgress(self.notes, total, self.currency, quiet=self.quiet)

    def scoring(self, data: str, total: int) -> ScoreProgress:
        self._say(f"{data}: scoring {total} answers")
        return ScoreProgress(self.notes, total, self.currency, quiet=self.quiet)

    def left_out(self, data: str, what: str, reason: str) -> None:
        self.omissions += 1
        self.notes.print(
            f"[yellow]left out[/] {escape_untrusted(data)}: {escape_untrusted(what)}: {escape_untrusted(reason)}"
        )

    def _say(self, text: str) -> None:
        if not self.quiet:
            self.notes.print(text, markup=False)
