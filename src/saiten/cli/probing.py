"""The run of `saiten probe`: samples before and after changes whose effect is known beforehand."""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Self, cast, get_args, get_type_hints

import typer

from saiten.choices import Format
from saiten.cli import ALARM, NOTHING
from saiten.cli.data_source import DataSource
from saiten.cli.output import notifier, stderr, stdout
from saiten.cli.progress import ScoreProgress, in_all
from saiten.cli.running import KEPT_SCORES, UNFINISHED_SCORES, resumable
from saiten.data import BadRow
from saiten.demo import load_demo
from saiten.errors import BadInput, ConfigurationError
from saiten.executor import LocalExecutor
from saiten.metrics.catalog import make_metrics
from saiten.protocols import Metric
from saiten.records import Sample
from saiten.runs import Journal, RunSettings, read_run
from saiten.runs.engine import run_all
from saiten.runs.scoring import Scoring, signature_of
from saiten.settings import CallSettings, DataSettings, JudgeSettings
from saiten.trust.probes import (
    Field,
    PreferenceMetric,
    ProbedMetric,
    ProbeLimits,
    ProbePlan,
    Setting,
    chosen_probes,
    load_translations,
    make_plan,
    probe_report,
)
from saiten.views.render import render
from saiten.views.tables.probe import probe_tables
from saiten.views.tables.summary import signatures_table, usage_text
from saiten.wiring import Models, assemble_judge

_BUILT_IN = "the built-in samples of saiten"


@dataclass(frozen=True, slots=True)
class Probing:
    """The metrics, samples and changes of a probe."""

    plan: ProbePlan
    metrics: tuple[Metric, ...]
    """Those that are probed, and their other forms."""
    bad_rows: tuple[BadRow, ...]
    source: DataSource | None
    """None for the built-in samples."""
    settings: DataSettings

    @classmethod
    def of(
        cls,
        source: DataSource | None,
        settings: DataSettings,
        names: Sequence[str],
        probes: Sequence[str],
        notify: Callable[[str], None],
    ) -> Self:
        """Read the samples and plan their changes.

        Raises:
            BadInput: No row can be used, or there is nothing to change.
            ConfigurationError: There is no such metric or probe.
        """
        chosen = chosen_probes(probes)
        read = built_in(settings.limit or 0) if source is None else source.rows(notify)
        samples: list[Sample] = []
        bad_rows: list[BadRow] = []
        for row in read:
            (samples if isinstance(row, Sample) else bad_rows).append(row)  # type: ignore[arg-type]
        if not samples:
            raise BadInput(f"there is no row that could be used ({len(bad_rows)} cannot)")
        metrics = make_metrics(names)
        turned = {metric.name: _turned(metric) for metric in metrics}
        probed = [
            ProbedMetric(
                metric.name,
                fields_read(metric),
                metric.bounds,
                {setting: other.name for setting, other in turned[metric.name].items()},
                ranks=metric.name.partition("[")[0] == "context_precision",
            )
            for metric in metrics
            if _rises(metric)
        ]
        try:
            plan = make_plan(samples, probed, chosen, translated=load_translations() if source is None else ())
        except ValueError as error:
            raise BadInput(str(error)) from error
        others = [other for of_one in turned.values() for other in of_one.values()]
        wanted = {metric for _, metric in plan.wanted}
        every = (*metrics, *(other for other in (*others, PreferenceMetric(plan.seconds)) if other.name in wanted))
        return cls(plan, tuple({each.name: each for each in every}.values()), tuple(bad_rows), source, settings)

    @property
    def name(self) -> str:
        """The name of the data."""
        return _BUILT_IN if self.source is None else Path(self.source.path).name

    def score_into(
        self, folder: Path, judge: JudgeSettings, calls: CallSettings, *, retry_failed: bool, quiet: bool
    ) -> int:
        """Score the planned samples, and report the outcome.

        Returns:
            0, or the exit status of a run that can be continued.
        """
        notes = stderr()
        kept = RunSettings(
            data=self.name,
            judge=judge.kept(),
            columns={} if self.source is None else self.source.columns,
            language=self.settings.language,
            currency=calls.currency,
            more={"probed": self.settings.limit},
        )
        described = assemble_judge(judge, replace(calls, cache=None))
        signatures = {each.name: str(signature_of(each, described)) for each in self.metrics}
        with Journal.open(
            folder, kept, signatures=signatures, command=sys.argv, retry_failed=retry_failed, notify=notifier(notes)
        ) as journal:
            models = Models(calls)
            models.account.book = journal.paid
            scoring = Scoring(self.metrics, assemble_judge(judge, models=models), journal, self.plan.wanted)
            with (
                ScoreProgress(notes, len(self.plan.samples), calls.currency, quiet=quiet) as progress,
                resumable(notes, kept=KEPT_SCORES, unfinished=UNFINISHED_SCORES) as ending,
            ):
                rows: list[Sample | BadRow] = [*self.bad_rows, *self.plan.samples.values()]
                executor = LocalExecutor(calls.concurrency)
                asyncio.run(run_all(scoring, rows, executor, progress, closing=(scoring.judge,)))
            spent = usage_text(in_all(models.account.usage, progress.usage), calls.currency)
            notes.print(f"{progress.made} scores for {progress.samples} samples; {spent}", markup=False)
        return ending.status


def show_probes(probing: Probing, folder: Path, form: Format, status: int, *, allowed: float, fail: bool) -> None:
    """Print which expectations hold; raises typer.Exit with the command's status if it is not 0."""
    if status:
        raise typer.Exit(status)
    notes = stderr()
    reader = read_run(folder, notify=notifier(notes))
    scores = {(one.sample, one.metric): one.score for one in reader.scores()}
    report = probe_report(probing.plan, scores, ProbeLimits(allowed=allowed))
    signatures = [reader.manifest.signatures[each.name] for each in probing.metrics]
    tables = [*probe_tables(report, glance=form == "table"), signatures_table(signatures)]
    render(tables, form, stdout(), f"Probes of a judge: {probing.name}")
    if fail and report.violated:
        raise typer.Exit(ALARM)
    if all(score.status in {"failed", "unreadable", "undefined"} for score in scores.values()):
        notes.print("[bold red]nothing was measured:[/] no score has a value; the reasons stand in the run")
        raise typer.Exit(NOTHING)


def built_in(limit: int) -> list[Sample]:
    """The demo's samples in an order in which the first 48 have 48 questions, both languages and all systems."""
    by_question: dict[str, list[Sample]] = {}
    for one in load_demo():
        by_question.setdefault(one.sample.question, []).append(one.sample)
    questions = list(by_question.values())
    half = len(questions) // 2
    mixed = [each for pair in zip(questions[:half], questions[half:], strict=True) for each in pair]
    turned = [each[place // 2 % len(each) :] + each[: place // 2 % len(each)] for place, each in enumerate(mixed)]
    return [sample for round_ in zip(*turned, strict=True) for sample in round_][:limit]


def _rises(metric: Metric) -> bool:
    if not metric.higher_is_better:
        raise ConfigurationError(f"{metric.name} has no better and worse, so nothing is expected of it; probe another")
    return True


def fields_read(metric: Metric) -> frozenset[Field]:
    """Return the fields that the metric reads: those it needs, and optional evidence."""
    evidence: Mapping[Any, tuple[Field, ...]] = {"answer": ("contexts",), "reference": ("evidence",)}
    return frozenset((*metric.needs, *evidence.get(getattr(metric, "evidence", None), ())))


def _turned(metric: Metric) -> dict[Setting, Metric]:
    found = {setting: turned(metric, setting) for setting in get_args(Setting)}
    return {setting: other for setting, other in found.items() if other is not None}


def turned(metric: Metric, setting: Setting) -> Metric | None:
    """The same metric with another choice for the setting; None if it has no such setting."""
    settings: Any = metric  # a frozen dataclass, as the seam has it; what its fields are the seam does not say
    if not is_dataclass(settings) or setting not in {each.name for each in fields(settings)}:
        return None
    choices = get_args(get_type_hints(type(metric))[setting])
    other = next((choice for choice in choices if choice != getattr(metric, setting)), None)
    changed: Metric | None = None if other is None else replace(cast("Any", metric), **{setting: other})
    return changed
