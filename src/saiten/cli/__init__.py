"""The command line: one file per command, loaded when called, so that `saiten --help` is fast."""

import errno
import importlib
import io
import os
import re
import sys
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from saiten.cli.help_words import in_words, worded_errors, worded_usage
from saiten.cli.language import choose_language, take_language
from saiten.cli.output import escape_untrusted, stderr
from saiten.errors import BudgetSpent, ConfigurationError, SaitenError
from saiten.records import Language
from saiten.redaction import redact
from saiten.version import __version__
from saiten.words.terminal import help_in_terminal_language, in_terminal_language

_GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Get started": {
        "demo": ("saiten.cli.demo", "Take a tour of built-in samples; no key, no network."),
        "init": ("saiten.cli.init", "Look at data, and write a saiten.toml for it."),
        "describe": ("saiten.cli.describe", "Describe data: lengths, languages, duplicates, labels."),
        "metrics": ("saiten.cli.metrics", "List the metrics, or explain one."),
        "prompts": ("saiten.cli.prompts", "List, show, copy or check the prompts that models are sent."),
    },
    "Score answers": {
        "score": ("saiten.cli.score", "Score samples with metrics and a judge."),
        "show": ("saiten.cli.show", "Show the results of a run, or a sample in full."),
        "compare": ("saiten.cli.compare", "Test whether the difference between runs is real."),
        "report": ("saiten.cli.report", "Write an HTML report about runs, with every answer."),
        "export": ("saiten.cli.export", "Export all answers with scores to Excel, CSV, JSONL, Parquet."),
        "join": ("saiten.cli.join", "Join a run in shards into one."),
        "track": ("saiten.cli.track", "Track runs in MLflow."),
    },
    "Evaluate a system": {
        "index": ("saiten.cli.index", "Build or update a knowledge base from documents."),
        "search": ("saiten.cli.search", "Search a knowledge base."),
        "answer": ("saiten.cli.answer", "Collect a system's answers to questions."),
        "converse": ("saiten.cli.converse", "Evaluate a system in dialogues."),
        "experiment": ("saiten.cli.experiment", "Compare models, chains and data sets: accuracy against latency."),
    },
    "Repeat a paper": {
        "paper": ("saiten.cli.paper", "Run the whole design of a paper on your data, table by table."),
    },
    "Make a test set": {
        "questions": ("saiten.cli.questions", "Make a test set from documents."),
        "testset": ("saiten.cli.testset", "Accept, check, weigh or export a test set."),
    },
    "Grade the grader": {
        "annotate": ("saiten.cli.annotate", "Collect human labels on a web page."),
        "agreement": ("saiten.cli.agreement", "Measure how well annotators agree."),
        "meta-evaluate": ("saiten.cli.meta_evaluate", "Compare metrics with human labels."),
        "disagreements": ("saiten.cli.disagreements", "List the items on which judge and people differ most."),
        "estimate": ("saiten.cli.estimate", "Estimate the human mean of the whole set from few labels."),
        "probe": ("saiten.cli.probe", "Test a judge with padding, planted verdicts, swapped answers."),
        "drift": ("saiten.cli.drift", "Check whether a judge has changed."),
        "tune": ("saiten.cli.tune", "Fit a judge, or the weights of a score, to human labels."),
    },
}
"""The overview by purpose: command → the module with its `app`, and its summary line."""

COMMANDS = {name: entry for commands in _GROUPS.values() for name, entry in commands.items()}

_ABOUT = """saiten (採点) grades the answers of RAG and question-answering systems,
and grades the grader.

Usage: saiten COMMAND [OPTIONS]
"""
_START = """
Start with: saiten demo
Then:       saiten score answers.jsonl -m faithfulness -m token_f1 -o runs/first
            saiten show runs/first

`saiten COMMAND --help` explains a command, with examples.
Re-run a command to resume an interrupted run.
Options:  --help (-h), --version, --lang ja|en (default: that of the locale),
          --install-completion (for the Tab key)
"""
OVERVIEW = (_ABOUT, *_GROUPS, *(line for commands in _GROUPS.values() for _, line in commands.values()), _START)
"""The texts of `saiten --help`."""

INTERRUPTED = 130

ALARM = 4
"""Exit status of an alarm: the judge is not to be trusted."""

MISSED = 5
"""Exit status if answers are not good enough (a missed threshold, a run worse than the one before), or items of a test
set need another look."""


NOTHING = 6
"""Exit status without any result: every score, question or dialogue failed or could not be measured."""


class LazyCommands(TyperGroup):
    """Imports a command's module when the command is called, not when the overview is shown."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        command = typer.main.get_command(importlib.import_module(COMMANDS[cmd_name][0]).app)
        command.name = cmd_name
        for each in (command, *getattr(command, "commands", {}).values()):
            each.help = re.sub(r"(?<=\S)\n(?=\S)", " ", each.help or "")  # as wide as the terminal, not as our lines
        return in_words(command)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the names of commands with their summary lines, without importing any."""
        named = [TyperCommand(name, help=help_in_terminal_language(line)) for name, (_, line) in COMMANDS.items()]
        plain = TyperGroup(name=self.name, commands=named, params=self.params)
        return plain.shell_complete(typer.Context(plain, info_name=self.name), incomplete)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Resolve the command; suggest the nearest name if it does not exist."""
        if args[0] not in COMMANDS:
            if ctx.resilient_parsing:  # a shell asks for completions; nothing can follow an unknown command
                return None, None, []
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean `saiten {near[0]}`?" if near else f"the commands are {', '.join(COMMANDS)}"
            raise ConfigurationError(f"unknown command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def make_context(self, *names: Any, **more: Any) -> Any:
        """Make the context; what is wrong before the command is reported in the language of the terminal."""
        with worded_errors():
            return super().make_context(*names, **more)

    def invoke(self, ctx: Any) -> Any:
        """Invoke the command; Ctrl-C exits with the conventional status, and parser errors omit passwords."""
        try:
            with worded_errors():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            stderr().print("[yellow]interrupted[/]")
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            message = getattr(error, "message", None)
            if isinstance(message, str):  # of the parser, which repeats what it cannot place
                vars(error)["message"] = redact(message)
            raise

    def get_usage(self, ctx: Any) -> str:
        return worded_usage(super().get_usage(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the overview from `_GROUPS`, without importing any command."""
        formatter.write(help_in_terminal_language(_ABOUT))
        for group, commands in _GROUPS.items():
            formatter.write(f"\n{help_in_terminal_language(group)}:\n")
            for name, (_, line) in commands.items():
                formatter.write(f"  {name:<14} {help_in_terminal_language(line)}\n")
        formatter.write(help_in_terminal_language(_START))


app = typer.Typer(
    cls=LazyCommands,
    context_settings={"help_option_names": ["--help", "-h"]},  # of every command
    pretty_exceptions_show_locals=False,  # keys may be among the local variables of a traceback
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"saiten {__version__}")
        raise typer.Exit


@app.callback()
def saiten(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version."),
    lang: Language | None = typer.Option(
        None, callback=choose_language, is_eager=True, help="Language of the terminal, before or after the command."
    ),
) -> None:
    """Grade the answers of RAG and question-answering systems, and grade the grader."""


def _no_room(error: OSError) -> int:
    """Report that the output could not be written, which loses only the output."""
    stderr().print(
        f"[bold red]saiten:[/] the output cannot be written: "
        f"{escape_untrusted(error.strerror)}; free some space or write elsewhere"
    )
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())  # else the interpreter tries, and fails, once more at its end
    return 2


class _Forgiving(io.FileIO):
    """A pipe that discards output once its reader is gone, so that the command can finish."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return memoryview(data).nbytes


class _Unheard(io.FileIO):
    """A standard error that discards what it cannot write, since there is no other place to report that."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return memoryview(data).nbytes


def _open_closed_streams() -> None:
    """Connect standard streams that the shell closed (`>&-`) to nothing, before a file of the run gets their number."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole process
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _outlive_readers() -> None:
    """Replace the shell's standard output and error with such pipes."""
    for name, there, kind in (("stdout", sys.__stdout__, _Forgiving), ("stderr", sys.__stderr__, _Unheard)):
        if getattr(sys, name) is not there or not isinstance(there, io.TextIOWrapper):
            continue
        try:
            there.flush()
            raw = kind(there.fileno(), "w", closefd=False)
        except (OSError, ValueError):  # no file at all
            continue
        made = io.TextIOWrapper(
            io.BufferedWriter(raw),
            encoding=there.encoding,
            errors=there.errors,
            line_buffering=there.line_buffering or name == "stderr",
        )
        setattr(sys, name, made)


def main(argv: list[str] | None = None) -> None:
    """The entry point.

    The exit status is 0 for success, 2 for invalid setup or input, 3 for a run that stopped and can be resumed (its
    budget is spent), 4 for an alarm about the judge (`drift`, `probe --fail`), 5 for answers that are not good enough
    (`score` and `show` with `--fail-under` or `--fail-over`, `compare --fail-if-worse`) or a test set that needs
    another look (`testset check --fail`), 6 for nothing measured or answered at all, 130 for Ctrl-C. Closing the output
    early (`| head`) does not change it.
    """
    _open_closed_streams()
    _outlive_readers()
    if "_SAITEN_COMPLETE" in os.environ:  # a shell asks; it would take the second line of a help for another value
        os.environ["COLUMNS"] = "10000"
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a pipe on Windows, or LANG=C, may lack what we and answers write
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            arguments = take_language(sys.argv[1:] if argv is None else argv)
            app(arguments or ["--help"], prog_name="saiten")
        finally:
            if not sys.stdout.closed:
                sys.stdout.flush()  # here, and not when the interpreter ends, a full disk can be reported
    except SaitenError as error:
        stderr().print(f"[bold red]saiten:[/] {escape_untrusted(in_terminal_language(str(error)))}")
        sys.exit(3 if isinstance(error, BudgetSpent) else 2)
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EIO}:
            raise
        # Files of a run have their own errors; this is the standard output.
        sys.exit(_no_room(error))
