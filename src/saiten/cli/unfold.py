"""Options of a command out of dataclasses: each field of a parameter's type becomes an option."""

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from saiten.cli.completing import COMPLETIONS
from saiten.cli.output import escape_untrusted, notifier, stderr
from saiten.config_file import read_config
from saiten.options import Config, Option, options_of, without_none

_CONFIG = Annotated[Path | None, typer.Option(help="Configuration file. Default: saiten.toml in the current folder.")]

_MODELS = ("judge", "composer", "questioner", "writer", "embedder")
"""Options with the name of a model, which may be on a server."""


class Omit(frozenset[str]):
    """Fields that a command has no option for, as in `Annotated[CallSettings, Omit({"no_cache"})]`."""


def unfold(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with options in place of each parameter whose type is a dataclass of options.

    A `Config` parameter becomes `--config`: what is not typed is then read from that file. A field that a later
    dataclass has too takes the parameter's name as a prefix: `--system-seed` next to `--seed`.
    """
    made: dict[str, inspect.Parameter] = {}
    groups: dict[str, tuple[type, dict[str, str]]] = {}
    config_name = None
    for parameter in reversed([*inspect.signature(command, eval_str=True).parameters.values()]):
        kind, omitted = _group(parameter.annotation)
        if kind is Config:
            config_name, entry = parameter.name, {parameter.name: (_CONFIG, None)}
        elif kind is not None:
            names: dict[str, str] = {}
            entry = {}
            for name, (declared, hint, default) in options_of(kind).items():
                if declared.typed and name not in omitted:
                    names[name] = f"{parameter.name}_{name}" if name in made else name
                    entry[names[name]] = _typer_option(names[name], declared, hint, default)
            groups[parameter.name] = kind, names
        else:
            entry = {parameter.name: (parameter.annotation, parameter.default)}
        keyword = inspect.Parameter.KEYWORD_ONLY
        ordered = {
            name: inspect.Parameter(name, keyword, default=default, annotation=annotation)
            for name, (annotation, default) in entry.items()
        }
        made = {**ordered, **made}

    @wraps(command)
    def call(**typed: Any) -> None:
        by_group = {
            group: {field: typed.pop(name) for field, name in names.items()} for group, (_, names) in groups.items()
        }
        config = Config()
        if config_name is not None:
            chosen = {field: value for values in by_group.values() for field, value in values.items()}
            config = typed[config_name] = read_configured(typed[config_name], chosen)
        for group, (kind, _) in groups.items():
            typed[group] = config.settings(kind, by_group[group])
        command(**typed)

    vars(call).update(
        __signature__=inspect.Signature(list(made.values())),
        __annotations__={name: each.annotation for name, each in made.items()},
    )
    return call


def _group(annotation: Any) -> tuple[type | None, frozenset[str]]:
    """Return the dataclass that is to be unfolded, if the annotation names one, and the fields to leave out."""
    omitted: frozenset[str] = frozenset()
    if get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        omitted = next((each for each in more if isinstance(each, Omit)), omitted)
    return (annotation if isinstance(annotation, type) and is_dataclass(annotation) else None), omitted


def _typer_option(name: str, declared: Option, hint: Any, default: Any) -> tuple[Any, Any]:
    """Return the annotation and the default of the command's parameter; None if it has none."""
    kind, text = without_none(hint), declared.help
    required = default is MISSING and get_origin(kind) is not Mapping
    flags = declared.flags or (f"--{name.replace('_', '-')}",)
    if kind is not bool and get_origin(kind) in {tuple, Mapping}:
        kind, default = list.__class_getitem__(str if get_origin(kind) is Mapping else get_args(kind)[0]), None
    elif declared.toml and default is not None and not required:
        if kind is bool:
            default = "on" if default else "off"
        text += f" Default: {default}." if isinstance(default, str) else f" Default {default:g}."
        default = None
    info = typer.Option(
        *flags,
        help=text,
        min=declared.min,
        max=declared.max,
        rich_help_panel=declared.panel,
        autocompletion=COMPLETIONS.get(name),
    )
    if required:
        return Annotated[kind, info], inspect.Parameter.empty
    return Annotated[kind if default is not None else kind | None, info], default


def read_configured(path: Path | None, typed: Mapping[str, Any]) -> Config:
    """Read the configuration; standard error names the file, and the servers that it chose for models."""
    config = read_config(path)
    if config.file is not None:
        notifier(stderr())(f"settings are from {config.file}")
        note_servers(config, {name: typed[name] for name in _MODELS if name in typed})
        if "metrics" in typed:
            note_code(config, typed["metrics"])
    return config


def note_servers(config: Config, typed: Mapping[str, str | Sequence[str] | None]) -> None:
    """Print one note per server that the file names for an option and the user did not."""
    from saiten.wiring.named_servers import servers_named

    for sentence in servers_named(config, typed, os.environ):
        stderr().print(f"[yellow]note:[/] {escape_untrusted(sentence)}")


def note_code(config: Config, typed: object) -> None:
    """Print one note per metric in Python that the file names and the user did not."""
    from saiten.metrics.own import code_named

    for sentence in code_named(config, typed):
        stderr().print(f"[yellow]note:[/] {escape_untrusted(sentence)}")
