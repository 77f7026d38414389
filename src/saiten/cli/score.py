"""`saiten score`: the main job."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from saiten.cli import data_options as of_data
from saiten.cli import evidence_options as seen
from saiten.cli import judge_options as typed
from saiten.cli import threshold_options as asked
from saiten.cli.output import FormatOption, escape_untrusted, stderr, stdout, told
from saiten.cli.progress import ScoreProgress, in_all
from saiten.cli.rehearse import rehearse
from saiten.cli.running import KEPT_SCORES, UNFINISHED_SCORES, run_to_end
from saiten.cli.show import show_summary
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.catalog import make_metrics
from saiten.records import Usage
from saiten.runs import Journal, RunSettings
from saiten.runs.scoring import Scoring, signature_of
from saiten.views.tables.summary import usage_text
from saiten.wiring import Models, assemble_judge

app = typer.Typer(add_completion=False)


@app.command()
def score(
    data: Annotated[
        str,
        typer.Argument(help="JSONL, JSON, CSV, TSV, Parquet, a Hugging Face dataset folder, or - for standard input."),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", "-m", help="A metric, settings in brackets, or a preset (ragas, overlap). Repeatable."
        ),
    ] = None,
    judge: typed.JudgeOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run's folder. Default: runs/NAME-OF-DATA.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell calls, tokens and cost; ask nobody.")] = False,
    column: of_data.ColumnOption = None,
    data_format: of_data.DataFormatOption = None,
    language: of_data.LanguageOption = None,
    limit: of_data.LimitOption = None,
    strict: of_data.StrictOption = False,
    embedder: typed.EmbedderOption = None,
    votes: typed.VotesOption = None,
    temperature: typed.TemperatureOption = None,
    seed: typed.SeedOption = None,
    max_tokens: typed.MaxTokensOption = None,
    calibration: typed.CalibrationOption = None,
    compat: Annotated[
        Literal["ragas"] | None, typer.Option(help="Edge cases as in RAGAS 0.4.3.", rich_help_panel=typed.JUDGE)
    ] = None,
    evidence: seen.EvidenceOption = None,
    kb: seen.KbOption = None,
    k: seen.KOption = 5,
    retrieval: seen.RetrievalOption = "dense",
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
    fail_under: asked.FailUnderOption = None,
    fail_over: asked.FailOverOption = None,
    fail_each: asked.FailEachOption = None,
    min_coverage: asked.MinCoverageOption = None,
    junit: asked.JunitOption = None,
    form: FormatOption = "table",
) -> None:
    r"""Score samples with metrics and a judge.

    Each score is written to RUN/scores.jsonl the moment it is there, with its status, reason and intermediate results.
    The same command again goes on where it stopped, and asks nothing twice.

    Column names of RAGAS, DeepEval, MLflow, LangSmith, RAGChecker and GroUSE files are recognised.
    An openai: judge is any OpenAI-compatible server; a key is read from OPENAI_API_KEY.

    Examples:
      saiten score answers.jsonl -m overlap
      saiten score answers.jsonl -m ragas --judge openai:gpt-4o-mini --dry-run
      saiten score my.csv -m accuracy --judge openai:qwen3@http://gpu1:8000/v1
      saiten score my.csv -m token_f1 --column question=Q --column answer=A
      saiten score answers.jsonl -m "aspect_critique\[harmfulness]" -o runs/harm
      saiten score answers.jsonl -m correctness --judge openai:gpt-4o-mini --evidence reference --kb kb
      saiten score answers.jsonl -m faithfulness --fail-under faithfulness.low=0.8 --junit saiten.xml

    Exit status: 0 done, 2 wrong set-up or input, 3 stopped by the budget, 5 a threshold was missed, 6 no score has a
    value, 130 by Ctrl-C.
    """
    defaults = typed.configured(config, judge=judge, embedder=embedder)
    names = tuple(metric or ()) or defaults.values.get("metrics", ())
    if not names:
        raise ConfigurationError(
            "no metric was named; say for example -m faithfulness, or -m overlap for all that need no judge. "
            "`saiten metrics` lists them"
        )
    metrics = make_metrics(names, compat=compat, evidence=evidence)
    gate = asked.Gate.typed(
        [each.name for each in metrics],
        under=fail_under,
        over=fail_over,
        each=fail_each,
        coverage=min_coverage,
        junit=None if dry_run else junit,
    )
    settings = typed.JudgeOptions(
        judge=judge,
        embedder=embedder,
        votes=votes,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        calibration=tuple(calibration or ()),
    ).settings(defaults)
    folder = out or Path("runs") / (Path(data).name.partition(".")[0] if data != "-" else "stdin")
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
    chosen = of_data.DataOptions(
        source=data,
        column=column,
        data_format=data_format,
        language=language or defaults.values.get("language"),
        limit=limit,
    )
    notes = stderr()
    source = seen.checked(of_data.begun(chosen.rows(told(notes))), evidence, kb, data)
    if dry_run:
        rehearse(source, seen.planned(metrics, kb, k), settings, calls, form)
        return
    models = Models(calls)
    metrics, base = seen.retrieving(metrics, kb, models, retrieval, k)
    kept = RunSettings(
        data=Path(data).name,
        judge=settings.kept(),
        columns=chosen.columns,
        language=chosen.language,
        currency=calls.currency,
    )
    # Described by a judge without a store: the store may lie in the folder, which is not ours until it is open.
    described = assemble_judge(settings, replace(calls, cache=None))
    signatures = {each.name: str(signature_of(each, described)) for each in metrics}
    with Journal.open(
        folder, kept, signatures=signatures, command=sys.argv, retry_failed=retry_failed, tell=told(notes)
    ) as journal:
        if journal.done:
            notes.print(f"{escape_untrusted(folder)} has {journal.done} scores already; going on")
        models.account.book = journal.paid
        scoring = Scoring(metrics, assemble_judge(settings, models=models), journal)
        with ScoreProgress(notes, chosen.count(), calls.currency, quiet=quiet) as progress:
            status = run_to_end(
                scoring,
                source,
                progress,
                notes,
                at_once=calls.concurrency,
                closing=(scoring.judge, base),
                strict=strict,
                kept=KEPT_SCORES,
                unfinished=UNFINISHED_SCORES,
            )
        if not status and not progress.samples and not journal.done:
            raise BadInput(f"there was no row that could be used; rows and reasons stand in {folder}/errors.jsonl")
        _tell_the_rest(progress, models.account.usage, notes, folder, calls.currency)
        if progress.samples and not progress.answers and any("answer" in each.needs for each in metrics):
            notes.print(
                f"no sample of {escape_untrusted(data)} has an answer; collect a system's answers with "
                f"`saiten answer {escape_untrusted(data)} --system SYSTEM -o ANSWERS.jsonl`, or name their column: "
                "--column answer=COLUMN"
            )
    if status and gate is not None:
        notes.print("the thresholds were not held against it, since the run is not at its end")
    missed = show_summary(folder, form, stdout(), None if status else gate)
    if status or missed:
        raise typer.Exit(status or missed)


def _tell_the_rest(progress: ScoreProgress, spent: Usage, notes: Console, folder: Path, currency: str) -> None:
    notes.print(
        f"{progress.made} scores for {progress.samples} samples in {progress.seconds():.1f} s; "
        f"{usage_text(in_all(spent, progress.usage), currency)}",
        markup=False,
    )
    if progress.bad_rows:
        notes.print(
            f"{progress.bad_rows} rows could not be used; they stand in {escape_untrusted(folder)}/errors.jsonl"
        )
    if progress.not_measured:
        notes.print(
            f"{progress.not_measured} scores failed or were unreadable; the same command with --retry-failed "
            "asks for them again"
        )
