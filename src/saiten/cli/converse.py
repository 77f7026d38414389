"""`saiten converse`: how much of the reference a system says in a dialogue, and how soon."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import RECORDED
from saiten.cli.dialogue_options import DialogueOptions
from saiten.cli.shared_options import DataArgument, DryRunOption, FormatOption, RunOptions
from saiten.cli.system_options import SystemOptions
from saiten.cli.unfold import Omit, unfold
from saiten.errors import ConfigurationError
from saiten.options import Config
from saiten.settings import BATCHES, CallSettings, DataSettings, ExecutorSettings, JudgeSettings, RoleSettings

app = typer.Typer(add_completion=False)


@app.command()
@unfold
def converse(
    qa: DataArgument,
    *,
    system: Annotated[SystemOptions, Omit({"k", "retrieval", "prompts"})],
    out: Annotated[Path, typer.Option("--out", "-o", help="Run folder.")],
    dry_run: DryRunOption = False,
    dialogue: DialogueOptions,
    rows: DataSettings,
    judge: JudgeSettings,
    roles: RoleSettings,
    calls: Annotated[CallSettings, Omit(BATCHES)],
    executor: ExecutorSettings,
    config: Config,
    how: RunOptions,
    form: FormatOption = "table",
) -> None:
    """Hold a dialogue about each question, and grade how much of the reference the system gives and how soon.

    The system answers; a composer merges its answers so far into one; a grader grades this from 0 to 5; while something
    is missing, a questioner asks a follow-up question. The judge plays these three roles, unless --composer or
    --questioner names another model. wscore weights early grades more (0 to 5), lscore is the number of grades needed
    (lower is better), mscore is the best grade.

    Each dialogue is written to RUN/dialogues.jsonl when it ends, and each answer of the system as soon as it arrives.
    Re-run the command to resume an interrupted run, even in the middle of a dialogue; finished calls are not repeated.

    --system recorded replays the conversations in the data, with their questions and answers, instead of asking a
    system; no questioner is involved. See `docs/dialogues.md`.

    The key of an HTTP system is read from SAITEN_SYSTEM_KEY, that of a model from its provider's variable, such as
    OPENAI_API_KEY or ANTHROPIC_API_KEY. --max-calls limits the calls to models and, separately, the questions to an
    HTTP or Python system.

    Examples:
      saiten converse qa.jsonl --system my_bot.py:answer --judge openai:gpt-4o -o runs/bot
      saiten converse qa.jsonl --system http://localhost:8000/ask --judge openai:gpt-4o --kb kb -o runs/bot
      saiten converse qa.jsonl --system rag:kb --judge anthropic:claude-sonnet-4-5 --questioner ollama:qwen3 -o runs/two
      saiten converse chats.jsonl --system recorded --judge openai:gpt-4o -o runs/chats
      saiten show runs/bot --dialogue q17
      saiten compare runs/qa runs/mqa --format html > qa-mqa.html

    Exit status: 0 success, 2 invalid setup or input, 3 stopped by the budget, 6 all dialogues failed, 130 interrupted
    by Ctrl-C.
    """
    from saiten.cli.conversing import converse_into, rehearse_dialogues
    from saiten.cli.data_source import DataSource
    from saiten.cli.output import notifier, stderr, stdout
    from saiten.cli.show_summary import show_summary

    system = replace(system, prompts=judge.prompts)  # one folder for the judge and the system's chains
    dialogue.check_source(dialogue.kb)
    if (dialogue.kb or dialogue.retriever) is None or system.kind == "rag":  # else they concern only the evidence
        system = replace(system, k=dialogue.k, retrieval=dialogue.retrieval)
    if system.kind == "file" and dialogue.max_turns > 1:
        raise ConfigurationError(
            "answers in a file cannot answer follow-up questions; name another kind of system, or add --max-turns 1; "
            "to grade conversations that are in the data, use --system recorded"
        )
    recorded = system.system.strip() == RECORDED
    if recorded and roles.questioner:
        raise ConfigurationError("--questioner is not used with --system recorded: the questions are on record")
    source = DataSource(qa, rows, ("reference", "question"), "conversations" if recorded else "openings")
    settings = system.settings(notifier(stderr()))
    others = roles.judges(judge)
    if dry_run:
        rehearse_dialogues(source.rows(notifier(stderr())), dialogue, judge, others, calls, form, recorded=recorded)
        return
    chosen = source, system, settings, dialogue, judge, others, calls.kept_in(out), how
    if executor.on_cluster():
        from saiten.cli.clustering import converse_in_shards

        status = converse_in_shards(out, *chosen, executor)
    else:
        status = converse_into(out, *chosen)
    nothing = show_summary(out, form, stdout())
    if status or nothing:
        raise typer.Exit(status or nothing)
