"""The plan and the report of `saiten probe`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Self, cast, get_args, get_type_hints

import typer

from saiten.choices import Format
from saiten.cli import ALARM, NOTHING
from saiten.cli.data_source import DataSource
from saiten.cli.output import notifier, stderr, stdout
from saiten.data import BadRow
from saiten.demo import load_demo
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.catalog import make_metrics
from saiten.protocols import Metric
from saiten.records import Sample
from saiten.runs import read_run
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
from saiten.views.tables.summary import signatures_table

BUILT_IN = "the built-in samples of saiten"


@dataclass(frozen=True, slots=True)
class Probing:
    """The metrics, samples and changes of a probe."""

    name: str
    """The name of the data."""
    plan: ProbePlan
    metrics: tuple[Metric, ...]
    """The probed metrics and their other forms."""
    bad_rows: tuple[BadRow, ...]

    @classmethod
    def of(cls, source: DataSource, names: Sequence[str], probes: Sequence[str]) -> Self:
        """Read the samples and plan their changes.

        Raises:
            BadInput: No row can be used, or there is nothing to change.
            ConfigurationError: There is no such metric or probe.
        """
        chosen = chosen_probes(probes)
        notify = notifier(stderr())
        ours = source.path == BUILT_IN
        if ours:
            rows = list(source.drawn(iter(built_in(source.settings.limit or 0)), notify))
        else:
            rows = list(source.rows(notify))
        samples = [row for row in rows if isinstance(row, Sample)]
        bad_rows = tuple(row for row in rows if isinstance(row, BadRow))
        if not samples:
            raise BadInput(f"no row could be used ({len(bad_rows)} bad rows)")
        metrics = make_metrics(names)
        for metric in metrics:
            if not metric.higher_is_better:
                raise ConfigurationError(f"{metric.name} has no better or worse values, so it cannot be probed")
        turned = {metric.name: _turned(metric) for metric in metrics}
        probed = [
            ProbedMetric(
                metric.name,
                _fields_read(metric),
                metric.bounds,
                {setting: other.name for setting, other in turned[metric.name].items()},
                ranks=metric.name.partition("[")[0] == "context_precision",
            )
            for metric in metrics
        ]
        try:
            plan = make_plan(samples, probed, chosen, translated=load_translations() if ours else ())
        except ValueError as error:
            raise BadInput(str(error)) from error
        others = [other for of_one in turned.values() for other in of_one.values()]
        wanted = {metric for _, metric in plan.wanted}
        every = (*metrics, *(other for other in (*others, PreferenceMetric(plan.seconds)) if other.name in wanted))
        return cls(Path(source.path).name, plan, tuple({each.name: each for each in every}.values()), bad_rows)


def show_probes(probing: Probing, folder: Path, form: Format, *, allowed: float, fail: bool) -> None:
    """Print which expectations hold; raises typer.Exit with the command's status if it is not 0."""
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
        notes.print("[bold red]nothing was measured:[/] no score has a value; the run has the reasons")
        raise typer.Exit(NOTHING)


def built_in(limit: int) -> list[Sample]:
    """Return the demo's samples, ordered so that the first 48 cover 48 questions, both languages and all systems."""
    by_question: dict[str, list[Sample]] = {}
    for one in load_demo():
        by_question.setdefault(one.sample.question, []).append(one.sample)
    questions = list(by_question.values())
    half = len(questions) // 2
    mixed = [each for pair in zip(questions[:half], questions[half:], strict=True) for each in pair]
    turned = [each[place // 2 % len(each) :] + each[: place // 2 % len(each)] for place, each in enumerate(mixed)]
    return [sample for round_ in zip(*turned, strict=True) for sample in round_][:limit]


def _fields_read(metric: Metric) -> frozenset[Field]:
    """Return the fields that the metric reads: those it needs, and optional evidence."""
    evidence: Mapping[Any, tuple[Field, ...]] = {"answer": ("contexts",), "reference": ("evidence",)}
    return frozenset((*metric.needs, *evidence.get(getattr(metric, "evidence", None), ())))


def _turned(metric: Metric) -> dict[Setting, Metric]:
    """Return the metric with another choice for each setting that probes turn and that it has."""
    settings: Any = metric  # a frozen dataclass by the protocol, which does not know its fields
    found: dict[Setting, Metric] = {}
    for setting in get_args(Setting):
        if is_dataclass(settings) and setting in {each.name for each in fields(settings)}:
            choices = get_args(get_type_hints(type(metric))[setting])
            other = next((choice for choice in choices if choice != getattr(metric, setting)), None)
            if other is not None:
                found[setting] = replace(cast("Any", metric), **{setting: other})
    return found
