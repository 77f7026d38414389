"""`saiten probe`: does a judge do what a sound judge would, on samples changed for the purpose?"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args, get_type_hints

import typer
from rich.console import Console

from saiten.cli import ALARM, NOTHING
from saiten.cli import judge_options as typed
from saiten.cli.data_options import read_columns
from saiten.cli.output import FormatOption, stderr, stdout, told
from saiten.cli.progress import ScoreProgress, in_all
from saiten.cli.rehearse import rehearse
from saiten.cli.running import KEPT_SCORES, UNFINISHED_SCORES, run_to_end
from saiten.data import BadRow, read_samples
from saiten.demo import load_demo
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.catalog import make_metrics
from saiten.protocols import Metric
from saiten.records import Sample
from saiten.runs import Journal, RunSettings, read_run
from saiten.runs.scoring import Scoring, signature_of
from saiten.text.language import detect_language
from saiten.trust.probes import (
    PROBES,
    Field,
    PreferenceMetric,
    Probe,
    ProbedMetric,
    ProbeLimits,
    ProbePlan,
    Setting,
    chosen_probes,
    load_translations,
    make_plan,
    probe_report,
)
from saiten.views.table import render
from saiten.views.tables.probe import probe_tables
from saiten.views.tables.summary import signatures_table, usage_text
from saiten.wiring import Models, assemble_judge

app = typer.Typer(add_completion=False)

METRICS = ("accuracy", "correctness")
_BUILT_IN = "the built-in samples of saiten"


@app.command()
def probe(
    data: Annotated[
        Path | None, typer.Argument(help="A file of samples, as for `saiten score`. Default: built-in samples.")
    ] = None,
    judge: typed.JudgeOption = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="The metric to probe. Repeatable. Default: accuracy and correctness."),
    ] = None,
    probes: Annotated[
        str | None, typer.Option(help=f"Names separated by commas: {', '.join(PROBES)}. Default: all.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many samples are changed.")] = 50,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run's folder. Default: runs/probe-NAME-OF-DATA.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell calls, tokens and cost; ask nobody.")] = False,
    allowed: Annotated[float, typer.Option(min=0.0, max=0.99, help="The share that may break an expectation.")] = 0.05,
    fail: Annotated[bool, typer.Option("--fail", help="Exit status 4 if an expectation is violated.")] = False,
    column: Annotated[list[str] | None, typer.Option(help="FIELD=COLUMN of the data. Repeatable.")] = None,
    language: Annotated[Literal["ja", "en"] | None, typer.Option(help="Of all samples; else detected.")] = None,
    embedder: typed.EmbedderOption = None,
    votes: typed.VotesOption = None,
    temperature: typed.TemperatureOption = None,
    seed: typed.SeedOption = None,
    max_tokens: typed.MaxTokensOption = None,
    calibration: typed.CalibrationOption = None,
    max_calls: typed.MaxCallsOption = None,
    max_cost: typed.MaxCostOption = None,
    concurrency: typed.ConcurrencyOption = None,
    requests_per_minute: typed.RpmOption = None,
    tokens_per_minute: typed.TpmOption = None,
    timeout: typed.TimeoutOption = None,
    retries: typed.RetriesOption = None,
    retry_failed: typed.RetryFailedOption = False,
    cache: typed.CacheOption = None,
    no_cache: typed.NoCacheOption = False,
    config: typed.ConfigOption = None,
    quiet: typed.QuietOption = False,
    form: FormatOption = "table",
) -> None:
    r"""Probe a judge: score samples before and after changes whose effect is known beforehand.

    Answers padded, with a planted verdict or instruction, in the other language, empty, swapped; the reference itself,
    a wrong reference; contexts reversed; the metric's other form; the rubric from worst to best; two answers in the
    other order, which asks the judge which is better, whatever the metric. Each is held against what a sound judge
    does. With --votes also: how far the judge agrees with itself.

    Examples:
      saiten probe --judge offline
      saiten probe --judge openai:gpt-4o-mini -m correctness --dry-run
      saiten probe answers.jsonl -m "accuracy\[grounded]" --probes padded,planted_verdict
      saiten probe --judge openai:gpt-4o-mini -m correctness --probes order_swapped,rubric_turned --limit 100
      saiten probe --judge openai:qwen3@http://localhost:8000/v1 --votes 3 --fail

    Exit status: 0 done, 2 wrong set-up or input, 3 stopped by the budget, 4 violated (with --fail), 6 no score has a
    value, 130 by Ctrl-C.
    """
    defaults = typed.configured(config, judge=judge, embedder=embedder)
    settings = typed.JudgeOptions(
        judge=judge,
        embedder=embedder,
        votes=votes,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        calibration=tuple(calibration or ()),
    ).settings(defaults)
    folder = out or Path("runs") / f"probe-{'demo' if data is None else data.name.partition('.')[0]}"
    calls = typed.CallOptions(
        max_calls=max_calls,
        max_cost=max_cost,
        concurrency=concurrency,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        timeout=timeout,
        retries=retries,
        cache=cache,
        no_cache=no_cache,
    ).settings(defaults, folder)
    wanted = chosen_probes((probes or "").split(","))
    notes = stderr()
    columns = read_columns(column or [])
    rows = list(_rows(data, limit, columns, language or defaults.values.get("language"), notes))
    samples = [row for row in rows if isinstance(row, Sample)]
    bad_rows = [row for row in rows if isinstance(row, BadRow)]
    if not samples:
        raise BadInput(f"there is no row that could be used ({len(bad_rows)} cannot)")
    names = metric or defaults.values.get("metrics", ()) or METRICS
    work = _work(make_metrics(names), samples, wanted, built_in=data is None)
    if dry_run:
        rehearse(work.plan.samples.values(), work.metrics, settings, calls, form, work.plan.wanted)
        return
    kept = RunSettings(
        data=_BUILT_IN if data is None else data.name,
        judge=settings.kept(),
        columns=columns,
        language=language or defaults.values.get("language"),
        currency=calls.currency,
        more={"probed": limit},
    )
    described = assemble_judge(settings, replace(calls, cache=None))
    signatures = {each.name: str(signature_of(each, described)) for each in work.metrics}
    with Journal.open(
        folder, kept, signatures=signatures, command=sys.argv, retry_failed=retry_failed, tell=told(notes)
    ) as journal:
        models = Models(calls)
        models.account.book = journal.paid
        scoring = Scoring(work.metrics, assemble_judge(settings, models=models), journal, work.plan.wanted)
        with ScoreProgress(notes, len(work.plan.samples), calls.currency, quiet=quiet) as progress:
            status = run_to_end(
                scoring,
                [*bad_rows, *work.plan.samples.values()],
                progress,
                notes,
                at_once=calls.concurrency,
                closing=(scoring.judge,),
                kept=KEPT_SCORES,
                unfinished=UNFINISHED_SCORES,
            )
        spent = usage_text(in_all(models.account.usage, progress.usage), calls.currency)
        notes.print(f"{progress.made} scores for {progress.samples} samples; {spent}", markup=False)
    if status:
        raise typer.Exit(status)
    scores = {(one.sample, one.metric): one.score for one in read_run(folder, tell=told(notes)).scores()}
    report = probe_report(work.plan, scores, ProbeLimits(allowed=allowed))
    tables = [*probe_tables(report, glance=form == "table"), signatures_table(signatures.values())]
    render(tables, form, stdout(), f"Probes of a judge: {kept.data}")
    if fail and report.violated:
        raise typer.Exit(ALARM)
    if all(score.status in {"failed", "unreadable", "undefined"} for score in scores.values()):
        notes.print("[bold red]nothing was measured:[/] no score has a value; the reasons stand in the run")
        raise typer.Exit(NOTHING)


def _rows(
    data: Path | None, limit: int, columns: Mapping[str, str], language: Literal["ja", "en"] | None, notes: Console
) -> Iterator[Sample | BadRow]:
    if data is None:
        return iter(built_in(limit))
    found = read_samples(data, columns=columns, detect_language=detect_language, language=language, tell=told(notes))
    return islice(found, limit)


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


@dataclass(frozen=True, slots=True)
class _Work:
    plan: ProbePlan
    metrics: tuple[Metric, ...]
    """Those that are probed, and their other forms."""


def _work(metrics: Sequence[Metric], samples: Sequence[Sample], probes: Sequence[Probe], *, built_in: bool) -> _Work:
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
        plan = make_plan(samples, probed, probes, translated=load_translations() if built_in else ())
    except ValueError as error:
        raise BadInput(str(error)) from error
    others = [other for of_one in turned.values() for other in of_one.values()]
    asked = {metric for _, metric in plan.wanted}
    every = (*metrics, *(other for other in (*others, PreferenceMetric(plan.seconds)) if other.name in asked))
    return _Work(plan, tuple({each.name: each for each in every}.values()))


def _rises(metric: Metric) -> bool:
    if not metric.higher_is_better:
        raise ConfigurationError(f"{metric.name} has no better and worse, so nothing is expected of it; probe another")
    return True


def fields_read(metric: Metric) -> frozenset[Field]:
    """What the metric reads of a sample: what it needs, and the evidence that it may be given."""
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
