"""`saiten probe`: score samples before and after changes with a known effect."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import PROBE_NAMES
from saiten.cli.shared_options import DryRunOption, FormatOption, RunOptions
from saiten.cli.unfold import Omit, unfold
from saiten.options import Config, option
from saiten.records import Language
from saiten.settings import CallSettings, DataSettings, JudgeSettings, MetricSettings

app = typer.Typer(add_completion=False)


@dataclass(frozen=True, slots=True)
class ProbedMetrics(MetricSettings):
    """The metrics to probe."""

    metrics: tuple[str, ...] = option(
        ("accuracy", "correctness"),
        "Metric to probe, or FILE.py:NAME, whose code is run. Repeatable. Default: accuracy and correctness.",
        "--metric",
        "-m",
        toml=True,
    )


@dataclass(frozen=True, slots=True)
class ProbedData(DataSettings):
    """How the samples are read."""

    column: tuple[str, ...] = option((), "Map a field to a column: FIELD=COLUMN. Repeatable.", toml=True)
    language: Language | None = option(None, "Language of all samples. Default: detected per sample.", toml=True)
    limit: int = option(50, "Number of samples to change.", min=1)


@app.command()
@unfold
def probe(
    data: Annotated[
        Path | None, typer.Argument(help="Samples, as for `saiten score`. Default: built-in samples.")
    ] = None,
    *,
    judge: JudgeSettings,
    chosen: ProbedMetrics,
    probes: Annotated[
        str | None, typer.Option(help=f"Comma-separated probes: {', '.join(PROBE_NAMES)}. Default: all.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Run folder. Default: runs/probe-NAME-OF-DATA.")
    ] = None,
    dry_run: DryRunOption = False,
    allowed: Annotated[
        float, typer.Option(min=0.0, max=0.99, help="Share of items that may break an expectation.")
    ] = 0.05,
    fail: Annotated[bool, typer.Option("--fail", help="Exit with status 4 if an expectation is violated.")] = False,
    rows: Annotated[ProbedData, Omit({"data_format", "strict"})],
    calls: CallSettings,
    config: Config,
    how: RunOptions,
    form: FormatOption = "table",
) -> None:
    r"""Probe a judge: score samples before and after changes with a known effect.

    The changes: the answer padded, with a planted verdict or instruction, in the other language, empty, or swapped; the
    reference as the answer; a wrong reference; the contexts reversed; the metric's other form; the rubric reversed; and
    two answers in both orders, where the judge is asked which is better, regardless of the metric. The report compares
    the judge with a sound judge and, with --votes, with itself.

    Examples:
      saiten probe --judge offline
      saiten probe --judge openai:gpt-4o-mini -m correctness --dry-run
      saiten probe answers.jsonl -m "accuracy\[grounded]" --probes padded,planted_verdict
      saiten probe --judge openai:gpt-4o-mini -m correctness --probes order_swapped,rubric_turned --limit 100
      saiten probe --judge openai:qwen3@http://localhost:8000/v1 --votes 3 --fail

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 4 expectation violated (with --fail), 6
    no score has a value, 130 interrupted by Ctrl-C.
    """
    from saiten.cli.data_source import DataSource
    from saiten.cli.probing import BUILT_IN, Probing, show_probes
    from saiten.cli.scoring import score_into

    source = DataSource(BUILT_IN if data is None else str(data), rows)
    probing = Probing.of(source, chosen.metrics, (probes or "").split(","))
    folder = out or Path("runs") / f"probe-{'demo' if data is None else source.run_name}"
    calls = calls.kept_in(folder)
    samples, wanted = probing.plan.samples.values(), probing.plan.wanted
    if dry_run:
        from saiten.cli.rehearse import rehearse  # loads the offline judge, which counts the calls

        rehearse(samples, probing.metrics, judge, calls, form, wanted)
        return
    status = score_into(
        folder, source, [*probing.bad_rows, *samples], probing.metrics, judge, calls, how, wanted=wanted
    )
    if status:
        raise typer.Exit(status)
    show_probes(probing, folder, form, allowed=allowed, fail=fail)
