"""What `saiten init` says: what the data has, what can be measured with it, and what to type next."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.cells import set_cell_size
from rich.console import Console

from saiten.cli.config_text import FIRST_MODEL, first_metrics
from saiten.cli.data_source import DataSource
from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.data.looking import LOOKED_AT, Look, look
from saiten.errors import ConfigurationError
from saiten.metrics.catalog import ENTRIES
from saiten.models.providers import providers
from saiten.options import FILE
from saiten.settings import DataSettings
from saiten.text.language import detect_language
from saiten.words import Message, joined
from saiten.words.terminal import in_terminal_language

_NEEDED = ("question", "answer", "contexts", "reference")
_NAME = 12
"""Cells of a name before what it is."""
_SHOWN = 8
"""Names of systems, groups or columns that are listed."""
_FIELDS = (
    ("question", "the question"),
    ("answer", "the answer of the system under test"),
    ("contexts", "a list of the passages that the system saw"),
    ("reference", "a correct answer"),
    ("id", "identifies the answer in results"),
    ("system", "the system that answered, to compare several"),
    ("group", "a group to report on, such as a product"),
)


def look_at(data: str, rows: DataSettings, out: Console) -> Look:
    """Look at the data, and print what it has.

    Raises:
        ConfigurationError, BadInput: as for `read_samples`; standard input cannot be read a second time.
    """
    if data == "-":
        raise ConfigurationError("standard input can be read only once; name a file")
    source = DataSource(data, rows)
    found = look(
        source.opened(),
        columns=source.columns,
        format=rows.data_format,
        detect_language=detect_language,
        language=rows.language,
        notify=notifier(stderr()),
    )
    count = Message("init", "count_first", n=LOOKED_AT) if found.more else Message("init", "count_all", n=found.rows)
    _say(out, _words("looked_at", data=f"[bold]{escape_untrusted(data)}[/]", count=count))
    if found.bad_rows:
        first = found.bad_rows[0]
        shown = escape_untrusted(f"{first.where}: {in_terminal_language(first.reason)}")
        _say(out, f"  {_words('unusable', n=len(found.bad_rows), first=shown)}")
    for field, column in found.recognized.items():
        remark = f" [yellow]{_words('guessed')}[/]" if field in found.guessed else ""
        named = _words("from", column=escape_untrusted(column))
        _say(out, f"  {field:<12} {named}{remark}{_missing(found, field)}")
    for name, values in (("not_used", found.unused), ("systems", found.systems), ("groups", found.groups)):
        if values:
            _say(out, f"  {set_cell_size(_words(name), _NAME)} {_listed(values)}")
    languages = ", ".join(f"{name}: {n}" for name, n in found.languages.items())
    _say(out, f"  {set_cell_size(_words('languages'), _NAME)} {languages}")
    _say_metrics(found, out)
    _say_keys(out)
    return found


def explain_fields(out: Console) -> None:
    """Print the fields of a row, for somebody without data."""
    _say(
        out, "One answer per row, in JSONL, JSON, CSV, TSV, Excel or Parquet; only what your metrics need is required:"
    )
    for field, meaning in _FIELDS:
        _say(out, f"  {field:<12} {in_terminal_language(meaning)}")
    _say_keys(out)


def say_next(data: str | None, found: Look | None, data_format: str | None, out: Console) -> None:
    """Print the commands to type next."""
    _say(out, f"\n{FILE} is written; its comments explain the settings. Next:\n")
    for command in next_commands(data, found, data_format):
        _say(out, f"  {escape_untrusted(command)}")


def next_commands(data: str | None, found: Look | None, data_format: str | None) -> list[str]:
    """Return the commands; each can be typed as it is."""
    if data is None or found is None:
        return ["saiten metrics", "saiten metrics faithfulness"]
    if not first_metrics(found):
        return ["saiten answer --help", "saiten metrics"]
    source = shlex.quote(data) + (f" --data-format {data_format}" if data_format else "")
    folder = shlex.quote(str(Path("runs") / DataSource(data, DataSettings()).run_name))
    return [
        f"saiten score {source}",
        f"saiten show {folder}",
        f"saiten score {source} --judge {FIRST_MODEL} --dry-run",
    ]


def _say_metrics(found: Look, out: Console) -> None:
    by_lack: dict[tuple[str, ...], list[str]] = {}
    for entry in ENTRIES:
        by_lack.setdefault(tuple(field for field in entry.load().needs if not found.has(field)), []).append(entry.title)
    _say(out, "")
    for lack, names in sorted(by_lack.items(), key=lambda each: len(each[0])):
        values = {"lack": joined(lack, "and"), "names": ", ".join(names)}
        _say(out, f"  {_words('also' if lack else 'can', **values)}", style="dim" if lack else "")
    if not found.has("answer"):
        _say(out, "  no row has an answer: `saiten answer` collects those of a system")
    lacking = [field for field in _NEEDED if not found.has(field)]
    if found.unused and lacking:
        _say(out, f"  if a column that is not used has the {lacking[0]}, add --column {lacking[0]}=COLUMN --force")


def _say_keys(out: Console) -> None:
    """Print the variables with keys that are set, never their values."""
    there = [name for each in providers().values() for name in each.key if os.environ.get(name)]
    keys = f"keys in the environment: {', '.join(dict.fromkeys(there))}" if there else "no key in the environment"
    _say(out, f"\n  {in_terminal_language(keys)}; the offline judge needs none")


def _missing(found: Look, field: str) -> str:
    if field not in _NEEDED or (has := found.has(field)) == len(found.samples):
        return ""
    return _words("in_samples", n=has, of=len(found.samples))


def _listed(values: Sequence[str]) -> str:
    shown = escape_untrusted(", ".join(values[:_SHOWN]))
    return shown if len(values) <= _SHOWN else _words("more", names=shown, n=len(values) - _SHOWN)


def _words(key: str, **values: Any) -> str:
    return in_terminal_language(Message("init", key, **values))


def _say(out: Console, text: str, style: str = "") -> None:
    out.print(text, style=style, soft_wrap=True)
