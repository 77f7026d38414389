"""`saiten answer`: collect the answers of a system."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.shared_options import DataArgument, FormatOption, RunOptions
from saiten.cli.system_options import SystemCalls, SystemOptions
from saiten.cli.unfold import Omit, unfold
from saiten.options import Config
from saiten.settings import BATCHES, DataSettings, ExecutorSettings

app = typer.Typer(add_completion=False)


@app.command()
@unfold
def answer(
    questions: DataArgument,
    *,
    system: SystemOptions,
    out: Annotated[Path, typer.Option("--out", "-o", help="Output file with one JSON line per question.")],
    name: Annotated[
        str | None, typer.Option(help="Name of the system in each row. Default: as typed, without secrets.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the number of questions without asking any.")
    ] = False,
    rows: DataSettings,
    calls: Annotated[SystemCalls, Omit(BATCHES)],
    executor: ExecutorSettings,
    config: Config,
    how: RunOptions,
    form: FormatOption = "table",
) -> None:
    """Ask a system every question and save its answers.

    Each answer is written to ANSWERS.jsonl as soon as it arrives, with contexts, latency and usage, and with the
    reference, group and language of its question. `saiten score ANSWERS.jsonl` reads this file. A question that gets no
    answer is saved with the reason. Re-run the command to resume an interrupted run; finished calls are not repeated.

    The key of an HTTP system is read from SAITEN_SYSTEM_KEY, that of a chat model from OPENAI_API_KEY.

    Examples:
      saiten answer questions.jsonl --system my_bot.py:answer -o answers.jsonl
      saiten answer questions.csv --system http://localhost:8000/ask -o answers.jsonl --column question=Q
      saiten answer questions.jsonl --system openai:gpt-4o-mini -o plain.jsonl --name plain
      saiten answer questions.jsonl --system http://localhost:8000/ask -o answers.jsonl --retry-failed
      saiten answer questions.jsonl --system rag:kb -o rag.jsonl --chain map_reduce --generator openai:gpt-4o-mini

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 6 no question was answered, 130
    interrupted by Ctrl-C.
    """
    from saiten.cli.answering import answer_into, rehearse_answers, show_answers
    from saiten.cli.data_source import DataSource
    from saiten.cli.output import notifier, stderr
    from saiten.data.samples import QUESTIONS
    from saiten.errors import ConfigurationError

    settings = system.settings(notifier(stderr()))
    if calls.max_cost is not None and not system.has_models and calls.max_cost != config.values.get("max_cost"):
        raise ConfigurationError("the cost of this system's calls is unknown; limit them with --max-calls")
    typed = None if system.prompts is None else str(system.prompts)
    if typed is not None and not system.reads_prompts and typed != config.values.get("prompts"):
        raise ConfigurationError(
            "--prompts is for a chat model, or for rag:KB with a model as its --generator; "
            f"{system.system} reads none of saiten's prompts"
        )
    source = DataSource(questions, rows, QUESTIONS, "questions")
    if dry_run:
        rehearse_answers(source, system, settings, calls, out, name, form)
        return
    if executor.on_cluster():
        from saiten.cli.clustering import answer_in_shards

        status = answer_in_shards(out, source, system, settings, calls, name, how, executor)
    else:
        status = answer_into(out, source, system, settings, calls, name, how)
    show_answers(out, calls.currency, form, status)
