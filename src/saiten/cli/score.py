"""`saiten score`: score samples with metrics and a judge."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from saiten.cli.shared_options import (
    DataArgument,
    DryRunOption,
    EvidenceOptions,
    FormatOption,
    RunOptions,
    ThresholdOptions,
)
from saiten.cli.unfold import unfold
from saiten.options import Config
from saiten.settings import JUDGE, CallSettings, DataSettings, ExecutorSettings, JudgeSettings, MetricSettings

app = typer.Typer(add_completion=False)


@app.command()
@unfold
def score(
    data: DataArgument,
    *,
    chosen: MetricSettings,
    judge: JudgeSettings,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Run folder. Default: runs/NAME-OF-DATA.")] = None,
    dry_run: DryRunOption = False,
    rows: DataSettings,
    compat: Annotated[
        Literal["ragas"] | None, typer.Option(help="Treat edge cases as RAGAS 0.4.3 does.", rich_help_panel=JUDGE)
    ] = None,
    evidence: EvidenceOptions,
    calls: CallSettings,
    config: Config,
    how: RunOptions,
    executor: ExecutorSettings,
    thresholds: ThresholdOptions,
    form: FormatOption = "table",
) -> None:
    r"""Score samples with metrics and a judge.

    Each score is written to RUN/scores.jsonl as soon as it is available, with its status, reason and intermediate
    results. Re-run the command to resume an interrupted run; finished calls are not repeated.

    Column names used by RAGAS, DeepEval, MLflow, LangSmith, RAGChecker and GroUSE, and common ones in English and
    Japanese, are recognized. Several answer columns (回答A, 回答B) are the answers of several systems.
    A judge's key is read from its provider's variable, such as OPENAI_API_KEY or ANTHROPIC_API_KEY.

    Examples:
      saiten score answers.jsonl -m overlap
      saiten score answers.jsonl -m ragas --judge openai:gpt-4o-mini --dry-run
      saiten score my.csv -m accuracy --judge vllm:qwen3@http://gpu1:8000 --judge-option top_k=5
      saiten score faq.xlsx#Results -m token_f1 --column question=Q --column answer=A
      saiten score answers.jsonl -m "criterion\[polite and brief, 1 to 5]" --judge openai:gpt-4o-mini
      saiten score answers.jsonl -m my_metrics.py:Politeness -o runs/polite
      saiten score answers.jsonl -m correctness --judge openai:gpt-4o-mini --evidence reference --kb kb
      saiten score 'traces/*.jsonl' -m faithfulness --judge openai:gpt-4o-mini --sample 500 --stratify day
      saiten score 'logs/*.parquet' -m faithfulness --judge vllm:qwen3@http://gpu1:8000 --executor ray --workers 16
      saiten score answers.jsonl -m faithfulness --fail-under faithfulness.low=0.8 --junit saiten.xml

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 5 threshold missed, 6 no score has a
    value, 130 interrupted by Ctrl-C.
    """
    from saiten.cli.data_source import DataSource
    from saiten.cli.evidence import check_evidence, planned
    from saiten.cli.gate import Gate
    from saiten.cli.output import notifier, stderr, stdout
    from saiten.cli.scoring import score_into
    from saiten.cli.show_summary import show_summary
    from saiten.errors import ConfigurationError
    from saiten.metrics.catalog import make_metrics

    if not chosen.metrics:
        raise ConfigurationError(
            "name a metric, for example -m faithfulness, or -m overlap for all metrics that need no judge; "
            "`saiten metrics` lists them"
        )
    metrics = make_metrics(chosen.metrics, compat=compat, evidence=evidence.evidence)
    gate = Gate.typed(thresholds, [each.name for each in metrics], writes=not dry_run)
    source = DataSource(data, rows)
    folder = out or Path("runs") / source.run_name
    calls = calls.kept_in(folder)
    evidence.check_source(evidence.kb)
    samples = check_evidence(source.peeked(notifier(stderr())), evidence, data)
    if dry_run:
        from saiten.cli.rehearse import rehearse  # loads the offline judge, which counts the calls

        rehearse(samples, planned(metrics, evidence), judge, calls, form)
        return
    if executor.executor == "ray":
        from saiten.cli.clustering import score_in_shards

        status = score_in_shards(folder, source, samples, metrics, judge, calls, how, evidence, executor)
    else:
        status = score_into(folder, source, samples, metrics, judge, calls, how, evidence, workers=executor.workers)
    if status and gate is not None:
        stderr().print("the thresholds were not checked, since the run is not finished")
    missed = show_summary(folder, form, stdout(), None if status else gate)
    if status or missed:
        raise typer.Exit(status or missed)
