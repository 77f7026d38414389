"""`saiten converse`: how much of the reference can be got out of a system in a dialogue, and how soon."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.choices import MAX_TURNS, Format, Retrieval
from saiten.cli import data_options as of_data
from saiten.cli import judge_options as typed
from saiten.cli import system_options as under_test
from saiten.cli.output import FormatOption, escape_untrusted, stderr, stdout, told
from saiten.cli.progress import DialogueProgress, in_all
from saiten.cli.running import run_to_end
from saiten.cli.show import show_summary
from saiten.data import BadRow
from saiten.dialogue.loop import FindEvidence
from saiten.dialogue.rehearsing import rehearse
from saiten.dialogue.running import Conversations, Conversing, open_journal
from saiten.errors import BadInput, CallFailed, ConfigurationError
from saiten.metrics.judged.with_evidence import evidence_query
from saiten.protocols import Retriever
from saiten.records import Retrieved, Sample, Usage
from saiten.redaction import redact
from saiten.runs import RunSettings
from saiten.settings import CallSettings, JudgeSettings
from saiten.views.table import Cell, Table, render
from saiten.views.tables.summary import usage_text
from saiten.wiring import (
    Models,
    assemble_judge,
    assemble_system,
    knowledge_base_later,
    known_price,
    ready,
)
from saiten.wiring.opened_later import OpenedLater

app = typer.Typer(add_completion=False)

_THE_DIALOGUE = "The dialogue"
"""How the options stand together in the help."""

_DIALOGUES_A_PLACE = 2
"""A dialogue has one call in flight, to the system or to the judge. With as many dialogues as both have places, the
last ones would leave places empty, since their own calls come one after the other; with twice as many, few do."""


@app.command()
def converse(
    qa: Annotated[
        str,
        typer.Argument(
            help="Questions with references: JSONL, JSON, CSV, TSV, Parquet, a Hugging Face dataset folder, or -."
        ),
    ],
    system: under_test.SystemOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="The run's folder.")],
    judge: typed.JudgeOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell calls, tokens and cost; ask nobody.")] = False,
    max_turns: Annotated[
        int, typer.Option(min=1, help="Questions to the system at most.", rich_help_panel=_THE_DIALOGUE)
    ] = MAX_TURNS,
    kb: Annotated[
        str | None,
        typer.Option(
            help="A knowledge base: the grader sees what question and reference find in it, unless the pair has a "
            "column `evidence`, which goes first. Default: none.",
            rich_help_panel=_THE_DIALOGUE,
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", "-k", min=1, help="Passages, of --kb and of rag:KB. Default 5.", rich_help_panel=_THE_DIALOGUE
        ),
    ] = None,
    column: of_data.ColumnOption = None,
    data_format: of_data.DataFormatOption = None,
    language: of_data.LanguageOption = None,
    limit: of_data.LimitOption = None,
    strict: of_data.StrictOption = False,
    header: under_test.HeaderOption = None,
    repeatable: under_test.RepeatableOption = False,
    system_temperature: Annotated[
        float | None,
        typer.Option(min=0, help="Of a chat model. Default 0.", rich_help_panel=under_test.THE_SYSTEM),
    ] = None,
    system_seed: Annotated[
        int | None, typer.Option(help="Of a chat model. Default 1.", rich_help_panel=under_test.THE_SYSTEM)
    ] = None,
    system_max_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Of one answer of a chat model. Default: the server's.",
            rich_help_panel=under_test.THE_SYSTEM,
        ),
    ] = None,
    system_concurrency: Annotated[
        int,
        typer.Option(min=1, help="Questions that it is asked at a time.", rich_help_panel=under_test.THE_SYSTEM),
    ] = under_test.AT_ONCE,
    chain: under_test.ChainOption = None,
    talk: under_test.TalkOption = None,
    generator: under_test.GeneratorOption = None,
    example: under_test.ExampleOption = None,
    retrieval: Annotated[
        Retrieval | None,
        typer.Option(
            help="How --kb and rag:KB are searched: by embeddings, by terms, or by both. Default dense.",
            rich_help_panel=_THE_DIALOGUE,
        ),
    ] = None,
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
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Go on with dialogues that failed.", rich_help_panel=typed.CALLS)
    ] = False,
    cache: typed.CacheOption = None,
    no_cache: typed.NoCacheOption = False,
    config: typed.ConfigOption = None,
    quiet: typed.QuietOption = False,
    form: FormatOption = "table",
) -> None:
    """Talk with a system about every pair of question and reference, and grade what it lets out and how soon.

    The system answers; a composer makes one answer of what it said so far; a grader grades it 0 to 5; while something
    is missing, a questioner asks on. The judge plays these three. wscore weighs early grades more (0 to 5), lscore is
    the number of grades it took (lower is better), mscore is the best grade.

    Each dialogue is written to RUN/dialogues.jsonl when it has ended, each answer of the system at once: the same
    command again goes on where it stopped, in the middle of a dialogue too.

    A key for an HTTP system is read from SAITEN_SYSTEM_KEY, one for a judge or chat model from OPENAI_API_KEY.
    --max-calls counts the calls to models, and apart from them the questions to an HTTP or Python system.

    Examples:
      saiten converse qa.jsonl --system my_bot.py:answer --judge openai:gpt-4o -o runs/bot
      saiten converse qa.jsonl --system http://localhost:8000/ask --judge openai:gpt-4o --kb kb -o runs/bot
      saiten converse qa.jsonl --system rag:kb --form mqa -o runs/mqa
      saiten show runs/bot --dialogue q17
      saiten compare runs/qa runs/mqa --format html > qa-mqa.html

    Exit status: 0 done, 2 wrong set-up or input, 3 stopped by the budget, 6 all dialogues failed, 130 by Ctrl-C.
    """
    defaults = typed.configured(config, judge=judge, embedder=embedder)
    notes = stderr()
    judged_by = typed.JudgeOptions(
        judge=judge,
        embedder=embedder,
        votes=votes,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        calibration=tuple(calibration or ()),
    ).settings(defaults)
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
    ).settings(defaults, out)
    reaches_system = kb is None or system.strip().startswith("rag:")  # else they are for the evidence alone
    options = under_test.SystemOptions(
        system=system,
        header=header,
        repeatable=repeatable,
        temperature=system_temperature,
        seed=system_seed,
        max_tokens=system_max_tokens,
        chain=chain,
        form=talk,
        k=k if reaches_system else None,
        generator=generator,
        example=example,
        retrieval=retrieval if reaches_system else None,
    )
    if options.kind == "file" and max_turns > 1:
        raise ConfigurationError(
            "answers in a file answer no further questions; name a system that does, or say --max-turns 1"
        )
    chosen = of_data.DataOptions(
        source=qa,
        column=column,
        data_format=data_format,
        language=language or defaults.values.get("language"),
        limit=limit,
    )
    if dry_run:
        options.settings(told(notes))
        _rehearse(chosen.rows(told(notes)), max_turns, judged_by, calls, form)
        return
    models = Models(calls)
    # Never from a store: neither would the latency be one, nor would a second dialogue get an answer of its own.
    bare = models.without_store()
    apart = models.called(replace(calls, cache=None, concurrency=system_concurrency))
    with redirect_stdout(sys.stderr):  # what a function prints, when it is imported and when it is asked
        asked = assemble_system(system, options.settings(told(notes)), bare if options.has_models else apart)
    evidence = None if kb is None else knowledge_base_later(kb, models, retrieval=retrieval or "dense", k=k or 5)
    conversations = Conversations(
        asked,
        assemble_judge(judged_by, models=bare),  # for signatures; the store is not ours until the folder is
        max_turns,
        None if evidence is None else _finder(evidence),
        "samples" if evidence is None else evidence.name,
        system_concurrency,
    )
    kept = RunSettings(
        data=Path(qa).name,
        judge=judged_by.kept(),
        columns=chosen.columns,
        language=chosen.language,
        currency=calls.currency,
        more=conversations.settings(),
    )
    source = of_data.begun(chosen.rows(told(notes)))
    with open_journal(
        out, kept, conversations.signatures(), command=sys.argv, retry_failed=retry_failed, tell=told(notes)
    ) as journal:
        if journal.done:
            notes.print(f"{escape_untrusted(out)} has {journal.done} scores already; going on")
        models.account.book = journal.paid
        conversations = replace(conversations, agents=assemble_judge(judged_by, models=models))

        async def open_all() -> None:
            await ready(asked, apart)
            if evidence is not None:
                await _open(evidence)

        progress = DialogueProgress(notes, chosen.count(), calls.currency, quiet=quiet)
        with progress, redirect_stdout(sys.stderr):
            status = run_to_end(
                Conversing(journal, conversations, progress.answered),
                source,
                progress,
                notes,
                at_once=_DIALOGUES_A_PLACE * (calls.concurrency + system_concurrency),
                closing=(evidence, asked, conversations.agents),
                first=open_all,
                strict=strict,
                kept="all that was said is kept",
                unfinished="what was said in dialogues that are not finished is kept and not asked for again",
            )
        if not status and not progress.samples:
            raise BadInput(f"there was no pair of question and reference in {qa}; reasons stand in {out}/errors.jsonl")
        _tell_the_rest(progress, models.account.usage, calls.currency, out, notes)
    nothing = show_summary(out, form, stdout())
    if status or nothing:
        raise typer.Exit(status or nothing)


def _tell_the_rest(progress: DialogueProgress, spent: Usage, currency: str, out: Path, notes: Console) -> None:
    notes.print(
        f"{progress.made} dialogues, {progress.turns} turns in {progress.seconds():.1f} s; "
        f"{usage_text(in_all(spent, progress.usage), currency)}",
        markup=False,
    )
    if progress.bad_rows:
        notes.print(f"{progress.bad_rows} rows could not be used; they stand in {escape_untrusted(out)}/errors.jsonl")
    if progress.failed:
        notes.print("the same command with --retry-failed goes on with the dialogues that failed")


async def _open(evidence: OpenedLater) -> None:
    try:
        await evidence.open()
    except CallFailed as error:
        raise ConfigurationError(f"the knowledge base of the evidence cannot be opened: {error}") from error


def _finder(evidence: Retriever) -> FindEvidence:
    """What question and reference together find."""

    async def find(pair: Sample) -> Retrieved:
        return await evidence.retrieve(evidence_query(pair))

    return find


def _rehearse(
    rows: Iterator[Sample | BadRow], max_turns: int, judged_by: JudgeSettings, calls: CallSettings, form: Format
) -> None:
    """Print what a run would take, at least and at most."""
    found = asyncio.run(rehearse(rows, max_turns, judged_by.votes))
    if not found.pairs:
        raise BadInput(f"there is no pair of question and reference ({found.bad_rows} rows cannot be used)")
    offline = judged_by.judge == "offline"
    price = known_price(judged_by.judge, calls)

    def row(name: str, questions: int, used: Usage) -> tuple[Cell, ...]:
        spent = Usage() if offline else used
        cost: Cell = "unknown"
        if not spent.calls:
            cost = 0.0
        elif price is not None:
            cost = price.of(spent.prompt_tokens, spent.completion_tokens)
        return (name, questions, spent.calls, spent.prompt_tokens, spent.completion_tokens, cost)

    few, many = found.questions
    table = Table(
        f"What {found.pairs} dialogues of at most {max_turns} turns with {redact(judged_by.judge)} would take",
        ("turns", "questions to the system", "calls", "prompt tokens", "completion tokens", f"cost ({calls.currency})"),
        (row("one each", few, found.least), row("all of them", many, found.most)),
        "One turn each where every first answer gets 5, all of them where none does; the truth lies between. Answers "
        "are taken to be as long as the references. Tokens are counted in characters; repairs, reasoning, embeddings "
        "and what the system itself costs are left out.",
    )
    render([table], form, stdout())
    if found.bad_rows:
        stderr().print(f"{found.bad_rows} rows cannot be used and are not counted")
