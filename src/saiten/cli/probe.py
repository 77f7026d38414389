"""`saiten probe`: does a judge do what a sound judge would, on samples changed for the purpose?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import PROBE_NAMES
from saiten.cli.output import FormatOption, QuietOption
from saiten.cli.unfold import Omit, unfold
from saiten.options import Config, option
from saiten.records import Language
from saiten.settings import CALLS, CallSettings, DataSettings, JudgeSettings, MetricSettings

app = typer.Typer(add_completion=False)


@dataclass(frozen=True, slots=True)
class ProbedMetrics(MetricSettings):
    """The metrics to probe."""

    metrics: tuple[str, ...] = option(
        ("accuracy", "correctness"),
        "The metric to probe. Repeatable. Default: accuracy and correctness.",
        "--metric",
        "-m",
        toml=True,
    )


@dataclass(frozen=True, slots=True)
class ProbedData(DataSettings):
    """How the samples are read."""

    column: tuple[str, ...] = option((), "FIELD=COLUMN of the data. Repeatable.")
    language: Language | None = option(None, "Of all samples; else detected.", toml=True)
    limit: int = option(50, "How many samples are changed.", min=1)


@app.command()
@unfold
def probe(
    data: Annotated[
        Path | None, typer.Argument(help="A file of samples, as for `saiten score`. Default: built-in samples.")
    ] = None,
    *,
    judge: JudgeSettings,
    chosen: ProbedMetrics,
    probes: Annotated[
        str | None, typer.Option(help=f"Names separated by commas: {', '.join(PROBE_NAMES)}. Default: all.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run's folder. Default: runs/probe-NAME-OF-DATA.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell calls, tokens and cost; ask nobody.")] = False,
    allowed: Annotated[float, typer.Option(min=0.0, max=0.99, help="The share that may break an expectation.")] = 0.05,
    fail: Annotated[bool, typer.Option("--fail", help="Exit status 4 if an expectation is violated.")] = False,
    rows: Annotated[ProbedData, Omit({"data_format", "strict"})],
    calls: CallSettings,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again for failed and unreadable.", rich_help_panel=CALLS)
    ] = False,
    config: Config,
    quiet: QuietOption = False,
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
    from saiten.cli.data_source import DataSource
    from saiten.cli.output import notifier, stderr
    from saiten.cli.probing import Probing, show_probes
    from saiten.cli.rehearse import rehearse

    source = None if data is None else DataSource(str(data), rows)
    probing = Probing.of(source, rows, chosen.metrics, (probes or "").split(","), notifier(stderr()))
    folder = out or Path("runs") / f"probe-{'demo' if data is None else data.name.partition('.')[0]}"
    calls = calls.kept_in(folder)
    if dry_run:
        rehearse(probing.plan.samples.values(), probing.metrics, judge, calls, form, probing.plan.wanted)
        return
    status = probing.score_into(folder, judge, calls, retry_failed=retry_failed, quiet=quiet)
    show_probes(probing, folder, form, status, allowed=allowed, fail=fail)
