"""`saiten answer`: collect the answers of a system."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.output import FormatOption, QuietOption
from saiten.cli.system_options import SystemCalls, SystemOptions
from saiten.cli.unfold import unfold
from saiten.options import Config
from saiten.settings import CALLS, DataSettings

app = typer.Typer(add_completion=False)


@app.command()
@unfold
def answer(
    questions: Annotated[
        str,
        typer.Argument(help="JSONL, JSON, CSV, TSV, Parquet, a Hugging Face dataset folder, or - for standard input."),
    ],
    *,
    system: SystemOptions,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the answers go, one JSON line per question.")],
    name: Annotated[
        str | None, typer.Option(help="What the system is called in each row. Default: as it is typed, secrets apart.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what there is to ask; ask nobody.")] = False,
    rows: DataSettings,
    calls: SystemCalls,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where there is no answer.", rich_help_panel=CALLS)
    ] = False,
    config: Config,
    quiet: QuietOption = False,
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
    from saiten.cli.answering import answer_into, rehearse_answers, show_answers
    from saiten.cli.data_source import DataSource
    from saiten.cli.output import notifier, stderr
    from saiten.errors import ConfigurationError

    settings = system.settings(notifier(stderr()))
    if calls.max_cost is not None and not system.has_models and calls.max_cost != config.values.get("max_cost"):
        raise ConfigurationError("what this system's calls cost is not known beforehand; bound them with --max-calls")
    source = DataSource(questions, rows)
    if dry_run:
        rehearse_answers(source, system, settings, calls, out, name, form)
        return
    status = answer_into(out, source, system, settings, calls, name, retry_failed=retry_failed, quiet=quiet)
    show_answers(out, calls.currency, form, status)
