"""`saiten answer`: collect the answers of a system."""

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from saiten.cli import NOTHING
from saiten.cli import data_options as of_data
from saiten.cli import judge_options as typed
from saiten.cli import system_options as under_test
from saiten.cli.output import FormatOption, escape_untrusted, stderr, stdout, told
from saiten.cli.progress import AnswerProgress
from saiten.cli.running import run_to_end
from saiten.data import BadRow
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Language, Sample
from saiten.runs import RunSettings
from saiten.runs.answers import AnswersFile, Collecting, summarise_answers
from saiten.runs.answers.answers_file import KIND, MADE_NAME, folder_of
from saiten.runs.manifest import read_manifest
from saiten.views.table import Cell, Table, render
from saiten.views.tables.answer import answer_tables
from saiten.wiring import Models, ready
from saiten.wiring.systems import assemble_system

app = typer.Typer(add_completion=False)


@app.command()
def answer(
    questions: Annotated[
        str,
        typer.Argument(help="JSONL, JSON, CSV, TSV, Parquet, a Hugging Face dataset folder, or - for standard input."),
    ],
    system: under_test.SystemOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the answers go, one JSON line a question.")],
    name: Annotated[
        str | None, typer.Option(help="What the system is called in each row. Default: as it is typed, secrets apart.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what there is to ask; ask nobody.")] = False,
    column: of_data.ColumnOption = None,
    data_format: of_data.DataFormatOption = None,
    language: of_data.LanguageOption = None,
    limit: of_data.LimitOption = None,
    strict: of_data.StrictOption = False,
    header: under_test.HeaderOption = None,
    repeatable: under_test.RepeatableOption = False,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="Of a chat model. Default 0.", rich_help_panel=under_test.THE_SYSTEM)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of a chat model. Default 1.", rich_help_panel=under_test.THE_SYSTEM)
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            min=1, help="Of one answer of a chat model. Default: the server's.", rich_help_panel=under_test.THE_SYSTEM
        ),
    ] = None,
    chain: under_test.ChainOption = None,
    talk: under_test.TalkOption = None,
    k: Annotated[
        int | None,
        typer.Option("--k", "-k", min=1, help="Passages a question. Default 5.", rich_help_panel=under_test.OUR_RAG),
    ] = None,
    generator: under_test.GeneratorOption = None,
    example: under_test.ExampleOption = None,
    retrieval: under_test.RetrievalOption = None,
    max_calls: typed.MaxCallsOption = None,
    max_cost: typed.MaxCostOption = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Questions in flight at most. Default 8.", rich_help_panel=typed.CALLS)
    ] = None,
    requests_per_minute: typed.RpmOption = None,
    tokens_per_minute: typed.TpmOption = None,
    timeout: Annotated[
        float | None,
        typer.Option(min=0.1, help="Seconds for one request or call. Default 120.", rich_help_panel=typed.CALLS),
    ] = None,
    retries: typed.RetriesOption = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where there is no answer.", rich_help_panel=typed.CALLS)
    ] = False,
    cache: typed.CacheOption = None,
    no_cache: typed.NoCacheOption = False,
    config: typed.ConfigOption = None,
    quiet: typed.QuietOption = False,
    form: FormatOption = "table",
) -> None:
    """Ask a system every question and keep its answers.

    Each answer is written to ANSWERS.jsonl the moment it is there, with contexts, latency and usage, and with the
    reference, group and language of its question: `saiten score ANSWERS.jsonl` reads it as it is.
    The same command again goes on where it stopped. A question without an answer is kept with the reason.

    A key for an HTTP system is read from SAITEN_SYSTEM_KEY, one for a chat model from OPENAI_API_KEY.

    Examples:
      saiten answer questions.jsonl --system my_bot.py:answer -o answers.jsonl
      saiten answer questions.csv --system http://localhost:8000/ask -o answers.jsonl --column question=Q
      saiten answer questions.jsonl --system openai:gpt-4o-mini -o plain.jsonl --name plain
      saiten answer questions.jsonl --system http://localhost:8000/ask -o answers.jsonl --retry-failed
      saiten answer questions.jsonl --system rag:kb -o rag.jsonl --chain map_reduce --generator openai:gpt-4o-mini

    Exit status: 0 done, 2 wrong set-up or input, 3 stopped by the budget, 6 no question was answered, 130 by Ctrl-C.
    """
    defaults = typed.configured(config)
    notes = stderr()
    calls = typed.CallOptions(
        max_calls=max_calls,
        max_cost=max_cost,
        concurrency=concurrency or defaults.values.get("concurrency") or under_test.AT_ONCE,
        requests_per_minute=requests_per_minute,
        tokens_per_minute=tokens_per_minute,
        timeout=timeout,
        retries=retries,
        cache=cache,
        no_cache=no_cache,
    ).settings(defaults, folder_of(out))
    options = under_test.SystemOptions(
        system=system,
        header=header,
        repeatable=repeatable,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        chain=chain,
        form=talk,
        k=k,
        generator=generator,
        example=example,
        retrieval=retrieval,
    )
    settings = options.settings(told(notes))
    _refuse_unknown_cost(options, max_cost)
    chosen = of_data.DataOptions(
        source=questions,
        column=column,
        data_format=data_format,
        language=language or defaults.values.get("language"),
        limit=limit,
    )
    # Described by a system without a store: the store may lie beside the answers, which are not ours until locked.
    with redirect_stdout(sys.stderr):  # what a function prints, when it is imported and when it is asked
        described = assemble_system(system, settings, Models(replace(calls, cache=None)))
    called = name or described.name
    kept = RunSettings(
        language=chosen.language, more={**described.describe(), "system": described.name, "name": called}
    )
    if dry_run:
        _rehearse(chosen.rows(told(notes)), called, out, form)
        return
    source = _begun(chosen.rows(told(notes)), notes)
    with AnswersFile.open(out, kept, called, retry_failed=retry_failed, tell=told(notes)) as answers:
        if answers.before:
            notes.print(f"{escape_untrusted(out)} has {answers.before} of the answers already; going on")
        wide = replace(calls, concurrency=calls.concurrency * settings.rag.calls_at_once)
        models = Models(wide)
        models.account.book = answers.paid
        asked = assemble_system(system, settings, models) if options.has_models else described
        progress = AnswerProgress(notes, chosen.count(), calls.currency, quiet=quiet)
        with progress, redirect_stdout(sys.stderr):
            status = run_to_end(
                Collecting(asked, answers),
                source,
                progress,
                notes,
                at_once=calls.concurrency,
                closing=(asked,),
                first=partial(ready, asked, models),
                strict=strict,
                kept="all answers so far are kept",
            )
        if not status and not progress.samples:
            raise BadInput(f"there was no question in {questions}; reasons stand in {answers.path}/errors.jsonl")
        _tell_the_rest(answers, progress, notes, out)
    found = summarise_answers(out)
    render(answer_tables(found, calls.currency), form, stdout())
    if form == "table":
        stdout().print(
            f"grade them: saiten score {escape_untrusted(out)} -m METRIC; `saiten metrics` lists what there is",
            soft_wrap=True,
        )
    if status:
        raise typer.Exit(status)
    if not found.answered:
        notes.print("[bold red]nothing was answered:[/] every question failed; the reasons stand in the table")
        raise typer.Exit(NOTHING)


def _refuse_unknown_cost(options: under_test.SystemOptions, max_cost: float | None) -> None:
    """A bound that would do nothing."""
    if max_cost is not None and not options.has_models:
        raise ConfigurationError("what this system's calls cost is not known beforehand; bound them with --max-calls")


def _tell_the_rest(answers: AnswersFile, progress: AnswerProgress, notes: Console, out: Path) -> None:
    notes.print(f"{progress.answers} answers in {progress.seconds():.1f} s; {progress.text()}", markup=False)
    if progress.bad_rows:
        where = escape_untrusted(folder_of(out) / "errors.jsonl")
        notes.print(f"{progress.bad_rows} rows could not be used; they stand in {where}")
    if progress.failed.total():
        notes.print("the same command with --retry-failed asks again where there is no answer")
    if answers.outdated:
        notes.print(
            f"{answers.outdated} answers have the reference, group or the like that their questions had when they were "
            f"asked; to join the answers with the questions as they are now: "
            f"--system file:{escape_untrusted(out)} -o NEW.jsonl"
        )


def _rehearse(
    rows: Iterator[Sample | BadRow],
    system: str,
    out: Path,
    form: Literal["table", "json", "csv", "md", "latex", "html"],
) -> None:
    """What there is to ask, in a table."""
    good = bad = 0
    languages: dict[Language, int] = {"ja": 0, "en": 0}
    for row in rows:
        if isinstance(row, BadRow) or not row.question.strip():
            bad += 1
        else:
            good += 1
            languages[row.language] += 1
    there = summarise_answers(out) if out.is_file() and read_manifest(folder_of(out), MADE_NAME, KIND) else None
    cells: dict[str, Cell] = {
        "system": system,
        "questions": good,
        **{f"in {language}": n for language, n in languages.items()},
        "rows that cannot be used": bad,
        f"answered in {out.name}": there.answered if there else 0,
        "failed there": sum(there.failures.values()) if there else 0,
    }
    render([Table("To ask", tuple(cells), (tuple(cells.values()),))], form, stdout())


def _begun(rows: Iterator[Sample | BadRow], notes: Console) -> Iterator[Sample | BadRow]:
    """The same rows, the first of them read: a wrong file or column is told before anything is made."""
    first = next(rows, None)
    if isinstance(first, Sample) and first.answer is not None:
        told(notes)(
            "the questions come with answers, which are left aside; if these are correct ones to grade against, say "
            "--column reference=answer"
        )
    return rows if first is None else chain([first], rows)
