"""`saiten converse`: how much of the reference a system says in a dialogue, and how soon."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import MAX_TURNS, Retrieval
from saiten.cli.output import FormatOption, QuietOption
from saiten.cli.system_options import AT_ONCE, SYSTEM, SystemOptions
from saiten.cli.unfold import Omit, unfold
from saiten.errors import ConfigurationError
from saiten.options import Config
from saiten.settings import CALLS, CallSettings, DataSettings, JudgeSettings

app = typer.Typer(add_completion=False)

_THE_DIALOGUE = "The dialogue"
"""Heading in the help."""


@app.command()
@unfold
def converse(
    qa: Annotated[
        str,
        typer.Argument(
            help="Questions with references: JSONL, JSON, CSV, TSV, Parquet, a Hugging Face dataset folder, or -."
        ),
    ],
    *,
    system: Annotated[SystemOptions, Omit({"k", "retrieval"})],
    out: Annotated[Path, typer.Option("--out", "-o", help="The run's folder.")],
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
    retrieval: Annotated[
        Retrieval | None,
        typer.Option(
            help="How --kb and rag:KB are searched: by embeddings, by terms, or by both. Default dense.",
            rich_help_panel=_THE_DIALOGUE,
        ),
    ] = None,
    rows: DataSettings,
    system_concurrency: Annotated[
        int,
        typer.Option(min=1, help="Questions that it is asked at a time.", rich_help_panel=SYSTEM),
    ] = AT_ONCE,
    judge: JudgeSettings,
    calls: CallSettings,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Go on with dialogues that failed.", rich_help_panel=CALLS)
    ] = False,
    config: Config,
    quiet: QuietOption = False,
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
    from saiten.cli.conversing import Talking, converse_into, rehearse_dialogues
    from saiten.cli.data_source import DataSource
    from saiten.cli.output import notifier, stderr, stdout
    from saiten.cli.show_summary import show_summary

    if kb is None or system.kind == "rag":  # else they concern only the evidence
        system = replace(system, k=k, retrieval=retrieval)
    if system.kind == "file" and max_turns > 1:
        raise ConfigurationError(
            "answers in a file answer no further questions; name a system that does, or say --max-turns 1"
        )
    source = DataSource(qa, rows)
    settings = system.settings(notifier(stderr()))
    if dry_run:
        rehearse_dialogues(source.rows(notifier(stderr())), max_turns, judge, calls, form)
        return
    talking = Talking(system, settings, system_concurrency, max_turns, kb, k or 5, retrieval or "dense")
    status = converse_into(out, source, talking, judge, calls.kept_in(out), retry_failed=retry_failed, quiet=quiet)
    nothing = show_summary(out, form, stdout())
    if status or nothing:
        raise typer.Exit(status or nothing)
