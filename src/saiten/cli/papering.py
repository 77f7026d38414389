"""The run of a paper's design: its needs are checked, its commands run one after another, its tables shown."""

import io
import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from saiten.choices import Format
from saiten.cli import NOTHING
from saiten.cli.output import escape_untrusted, notifier, stderr, stdout, verbatim
from saiten.cli.paper_options import PaperOptions
from saiten.cli.running import LEFT_OUT
from saiten.durable.private import private_folder
from saiten.durable.whole_file import writing_to
from saiten.errors import BadInput, BudgetSpent, ConfigurationError, SaitenError
from saiten.models.budget import CALLS_NAME
from saiten.options import Config, read_columns
from saiten.papers.design import Design, DesignPlace, DesignStep, Reading
from saiten.papers.needed import CheckedNeed, check_folder
from saiten.records import Usage
from saiten.redaction import redact
from saiten.runs.locked_folder import paid_in
from saiten.settings import CallSettings, DataSettings, JudgeSettings
from saiten.views.page.page import write_page
from saiten.views.page.page_file import check_page_place, page_file
from saiten.views.render import render
from saiten.views.table import Cell, Table
from saiten.views.tables.summary import usage_text
from saiten.words import Message, joined
from saiten.words.terminal import in_terminal_language, terminal_language

REPORT_NAME = "report.html"
_GOES_ON = (LEFT_OUT, NOTHING)
"""Statuses of a command after which the next one is run: something was left out, or nothing could be measured."""
_SIGNS = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[yellow]–[/]"}
_NAME = 12
"""Cells of a need's name before what is there."""


def design_place(name: str, data: Path, how: PaperOptions, config: Config, judges: tuple[str, ...]) -> DesignPlace:
    """Return where the design of this name finds its data, how they are read, and where it keeps its results.

    Raises:
        ConfigurationError: Two judges differ in their secrets alone, so that their results would be in one folder.
    """
    shown = [redact(judge) for judge in judges]
    if twice := {judge for judge in shown if shown.count(judge) > 1}:
        raise ConfigurationError(f"two judges are named {min(twice)}; their names must differ in more than a password")
    rows = config.settings(DataSettings, {})
    reading = Reading(read_columns(rows.column), rows.language)
    return DesignPlace(data, how.out or Path("runs") / f"paper-{name}", judges, reading=reading)


def run_design(name: str, design: Design, how: PaperOptions, config: Config, form: Format) -> None:
    """Run the design, and print its tables; raises typer.Exit with the command's status if it is not 0."""
    notes, place = stderr(), design.place
    if how.samples:
        _write_samples(name, design, notes)
        return
    if not place.data.is_dir():
        raise BadInput(f"{place.data} is not a folder; write an example of one with `saiten paper {name} "
                       f"{shlex.quote(str(place.data))} --samples`")  # fmt: skip
    found = check_folder(place.data, design.needs(), _reporter(notes), place.reading)
    unusable = frozenset(each.need.name for each in found if each.problem)
    design = replace(design, place=replace(place, without=unusable))
    if how.dry_run:
        render([_estimate(design, how, config, notes)], form, stdout(), name)
        return
    report = place.out / REPORT_NAME
    if place.out.is_dir():
        check_page_place(report, REPORT_NAME)
    status = 0 if how.results else _run(design, how, config, notes)
    tables = list(design.tables(notifier(notes)))
    render(tables, form, stdout(), _title(name))
    if tables and place.out.is_dir():  # with --results, it may not be there yet
        _write_report(tables, report, _title(name), notes)
    notes.print(usage_text(_paid(place.out), _currency(config)), markup=False)
    if not tables or status == NOTHING:
        notes.print("[bold red]nothing was measured[/]")
    if status or not tables:
        raise typer.Exit(status or NOTHING)


def _write_samples(name: str, design: Design, notes: Console) -> None:
    data = design.place.data
    if data.exists() and (not data.is_dir() or any(data.iterdir())):
        raise BadInput(f"{data} exists and is not empty; name a new folder for the built-in samples")
    with writing_to(data, "name another folder"):
        data.mkdir(parents=True, exist_ok=True)
    design.write_samples()
    folder = shlex.quote(str(data))
    notes.print(
        escape_untrusted(Message("paper", "samples_written", folder=folder, command=f"saiten paper {name} {folder}"))
    )


def _reporter(notes: Console) -> Callable[[CheckedNeed], None]:
    def say(one: CheckedNeed) -> None:
        fine = None if one.problem and one.need.parts else not one.problem
        name = one.need.name if one.path is None else str(Path(one.need.name).with_name(one.path.name))
        without = Message("paper", "left_out", parts=joined(one.need.parts, "listed")) if fine is None else ""
        said = joined([one.has, one.problem, without])
        notes.print(f"{_SIGNS[fine]} {escape_untrusted(name):<{_NAME}} {escape_untrusted(in_terminal_language(said))}")

    return say


def _run(design: Design, how: PaperOptions, config: Config, notes: Console) -> int:
    """Run the commands that are left; return 0, or the status of the one that stopped or left something out.

    If no command that asks a judge measured anything, the status is that.
    """
    out, steps = design.place.out, design.steps()
    _check_judges(design.place.judges, _budgeted(how, config), config)
    with writing_to(out, "name another folder with --out"):
        private_folder(out)
    before = _paid(out)
    statuses = []
    for number, step in enumerate(steps, 1):
        place = f"({number}/{len(steps)}) " if len(steps) > 1 else ""
        status = _run_step(
            step, place, [*_options(step, how, config), *_budget(how, config, before, _paid(out), step)], notes
        )
        if status and status not in _GOES_ON:
            return status
        statuses.append((step.calls, status))
    if LEFT_OUT in {status for _, status in statuses}:
        return LEFT_OUT
    asked = {status for calls, status in statuses if calls}
    return NOTHING if asked == {NOTHING} else 0


def _run_step(step: DesignStep, place: str, options: Sequence[str], notes: Console) -> int:
    """Return the status of the command after printing and running it."""
    notes.print(Text(f"{place}$ {step.shown}", "bold cyan"), soft_wrap=True)
    with _naming(step, notes), redirect_stdout(io.StringIO()):  # the design has tables of its own
        return call([*step.words, *options])


def _check_judges(judges: Sequence[str], calls: CallSettings, config: Config) -> None:
    """Raise ConfigurationError if a judge lacks a key, a package or a price, before the first command is run."""
    from saiten.wiring import Models, assemble_judge

    for judge in judges:
        models = Models(replace(calls, cache=None))
        assemble_judge(config.settings(JudgeSettings, {"judge": judge}), models=models)


@contextmanager
def _naming(step: DesignStep, notes: Console) -> Iterator[None]:
    """Name the command before its error."""
    try:
        yield
    except BudgetSpent:
        raise
    except SaitenError:
        notes.print(Text(verbatim(Message("paper", "stopped_at", command=step.shown)), "yellow"), soft_wrap=True)
        raise


def call(words: Sequence[str]) -> int:
    """Run a command in this process, and return its exit status; its errors are raised."""
    from saiten.cli import app

    command: Any = typer.main.get_command(app)
    return command.main(list(words), prog_name="saiten", standalone_mode=False) or 0


def _options(step: DesignStep, how: PaperOptions, config: Config) -> list[str]:
    """Return the options that the command takes over."""
    words = ["--quiet"] if how.quiet else []
    if config.file is not None and step.calls:
        words += ["--config", str(config.file)]
    if step.calls and how.concurrency is not None:
        words += ["--concurrency", str(how.concurrency)]
    return [*words, "--retry-failed"] if step.calls and how.retry_failed else words


def _budget(how: PaperOptions, config: Config, before: Usage, spent: Usage, step: DesignStep) -> list[str]:
    """Return what is left of the budget of all commands."""
    if not step.calls:
        return []
    calls, words = _budgeted(how, config), []
    if calls.max_calls is not None:
        words += ["--max-calls", str(max(calls.max_calls - (spent.calls - before.calls), 0))]
    if calls.max_cost is not None:
        words += ["--max-cost", str(max(calls.max_cost - (spent.cost - before.cost), 0.0))]
    return words


def _budgeted(how: PaperOptions, config: Config) -> CallSettings:
    """Return the settings of calls with the budget of all commands, which is typed or in `saiten.toml`."""
    return config.settings(CallSettings, {"max_calls": how.max_calls, "max_cost": how.max_cost})


def _paid(out: Path) -> Usage:
    """Return what all commands of the design have spent so far."""
    return sum((paid_in(path.parent) or Usage() for path in sorted(out.rglob(CALLS_NAME))), Usage())


def _estimate(design: Design, how: PaperOptions, config: Config, notes: Console) -> Table:
    """Return the commands with their calls, tokens and cost, without calling a model.

    Those that are to run first are run, in the place where the design's run finds what they wrote.
    """
    out, steps = design.place.out, design.steps()
    rows: list[tuple[Cell, ...]] = []
    captions = [Message("paper", "about_would_take")]
    for place, step in enumerate(steps):
        if step.first:
            with writing_to(out, "name another folder with --out"):
                private_folder(out)
            status = _run_step(step, "", _options(step, how, config), notes)
            if status and status not in _GOES_ON:
                raise typer.Exit(status)
            captions.append(Message("paper", "was_run", command=f"saiten {step.words[0]}"))
        if not step.calls:
            rows.append((step.shown, 0, 0, 0, 0, 0.0))
        elif any(step.reads(other) and not other.makes.exists() for other in steps[:place]):
            captions.append(Message("paper", "not_known_yet"))
            rows.append((step.shown, *[Message("cell", "unknown")] * 5))
        else:
            said = io.StringIO()
            with _naming(step, notes), redirect_stdout(said):
                call([*step.words, *_options(step, how, config), "--dry-run", "--format", "json"])
            rows.append((step.shown, *_least_and_most(json.loads(said.getvalue()))))
    return Table(
        Message("paper", "would_take"),
        ("command", "calls_least", "calls_most", "prompt_tokens", "completion_tokens",
         Message("column", "cost", currency=_currency(config))),
        (*rows, (Message("cell", "all"), *_sums(rows))),
        tuple(dict.fromkeys(captions)),
    )  # fmt: skip


def _least_and_most(tables: dict[str, list[dict[str, Any]]]) -> tuple[Cell, ...]:
    """Return the calls, and the most of tokens and cost, of what a dry run printed: its last row is the most."""
    rows = next(iter(tables.values()))
    least = rows[0] if "turns" in rows[0] else rows[-1]  # dialogues: a row for the least, one for the most
    most = rows[-1]
    cost = next(value for name, value in most.items() if name.startswith("cost"))
    return (least["calls"], most["calls"], most["prompt tokens"], most["completion tokens"], cost)


def _sums(rows: Sequence[tuple[Cell, ...]]) -> tuple[Cell, ...]:
    columns = list(zip(*rows, strict=True))[1:]
    return tuple(
        sum(each for each in column if isinstance(each, int | float))
        if all(isinstance(each, int | float) for each in column)
        else Message("cell", "unknown")
        for column in columns
    )


def _title(name: str) -> str:
    return in_terminal_language(Message("paper", name))


def _currency(config: Config) -> str:
    return config.settings(CallSettings, {}).currency


def _write_report(tables: Sequence[Table], path: Path, title: str, notes: Console) -> None:
    with page_file(path, REPORT_NAME) as file:
        write_page(tables, file, title=title, language=terminal_language())
    notes.print(Text(verbatim(Message("paper", "report_written", path=str(path)))))
