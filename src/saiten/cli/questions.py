"""`saiten questions`: a test set out of documents."""

from pathlib import Path
from typing import Annotated

import typer

from saiten.cli.question_options import QuestionOptions
from saiten.cli.shared_options import DryRunOption, FormatOption, QuietOption
from saiten.cli.unfold import Omit, unfold
from saiten.options import Config
from saiten.settings import BATCHES, CallSettings, JudgeSettings, WriterSettings

app = typer.Typer(add_completion=False)


@app.command(no_args_is_help=True)
@unfold
def questions(
    documents: Annotated[
        list[Path] | None,
        typer.Argument(help="Files, and folders to search recursively. Left out: what is in the knowledge base."),
    ] = None,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder of the test set.")],
    kb: Annotated[
        str | None,
        typer.Option(help="Knowledge base of the documents, a folder or http://HOST:6333/NAME. Default: OUT/kb."),
    ] = None,
    which: QuestionOptions,
    dry_run: DryRunOption = False,
    judge: Annotated[JudgeSettings, Omit({"votes", "logprobs", "calibration", "separate_calls"})],
    writer: WriterSettings,
    calls: Annotated[CallSettings, Omit(BATCHES)],
    config: Config,
    quiet: QuietOption = False,
    form: FormatOption = "table",
) -> None:
    """Make a test set from documents: questions with references and the passages behind them.

    The documents are indexed, and passages are chosen that cover them. A model writes a question about each, with its
    reference. What is unclear, gives its answer away, repeats another question, can be answered without the documents,
    or gets another answer from its passages is dropped, with the reason, and replaced.

    Kinds: single (one passage answers it), several (passages of one document), across (of several documents),
    comparison, unanswerable (the reference says that the documents do not answer it), false_premise, follow_up (with
    the turn before it, for dialogues).

    Without a model (--judge offline, the default), questions are cut out of sentences with numbers, names and
    definitions, by rules. They are good for trying things out, and no substitute for questions of people or a model.

    Writes OUT/questions.jsonl, which `answer`, `converse`, `score` and `experiment` read, and OUT/dropped.jsonl. Each
    item is written as soon as it exists. Re-run the command to resume an interrupted run, or with a larger --n for more
    questions. People decide on the result with `saiten annotate OUT --form approve`; see `docs/test-sets.md`.

    Examples:
      saiten questions manuals/ -o testset --judge openai:gpt-4o --n 100
      saiten questions manuals/ -o testset --judge openai:gpt-4o --dry-run
      saiten questions --kb kb -o testset --judge ollama:qwen3 --kinds single=3,comparison,unanswerable
      saiten questions manuals/ -o testset --writer openai:gpt-4o --judge anthropic:claude-sonnet-4-5 --max-cost 5
      saiten questions manuals/ -o testset --judge openai:gpt-4o --persona 'a new employee' --persona 'an auditor'
      saiten questions manuals/ -o tryout --n 20

    Exit status: 0 success, 2 invalid setup or input (even of a single document; the questions are about the others), 3
    stopped by the budget or a failed server, 6 no question was kept, 130 interrupted by Ctrl-C.
    """
    from saiten.cli.asking import ask_into, rehearse_questions

    others = writer.judges(judge)
    if dry_run:
        rehearse_questions(documents or [], kb, out, which, judge, others, calls, form)
        return
    status = ask_into(out, documents or [], kb, which, judge, others, calls, quiet=quiet, form=form)
    if status:
        raise typer.Exit(status)
