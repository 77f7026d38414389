"""The catalog of metrics, and the conversion of names with settings into metrics.

Nothing is imported before it is used: an entry refers to its metric by a dotted path.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from saiten.errors import ConfigurationError
from saiten.metrics.naming import BracketItem, read_name, split_names
from saiten.protocols import Metric


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a metric, as typed in brackets."""

    name: str
    values: str
    """Accepted values, for people: `ours | ragas`, `int`, …"""
    default: Any


@dataclass(frozen=True, slots=True)
class Entry:
    """A metric of the catalog; needs, bounds and the like are those of its class."""

    title: str
    path: str
    """The path of the class below `saiten.metrics`, `module:Class`."""
    en: str
    """The quantity measured, in one line."""
    ja: str
    aliases: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """`ragas`, `judged`, `overlap` or `neural`."""
        return self.path.partition(".")[0]

    def load(self) -> type[Any]:
        """Import and return the class."""
        module, _, name = self.path.partition(":")
        loaded: type[Any] = getattr(import_module(f"saiten.metrics.{module}"), name)
        return loaded

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings allowed in brackets."""
        metric = self.load()
        hints = get_type_hints(metric)
        return tuple(
            Setting(f.name, takes(hints[f.name]), None if f.default is MISSING else f.default)
            for f in fields(metric)
            if f.init
        )


ENTRIES: tuple[Entry, ...] = tuple(
    Entry(title, found["class"], found["en"], found["ja"], tuple(found.get("aliases", ())))
    for title, found in tomllib.loads((files(__package__) / "catalog.toml").read_text("utf-8")).items()
)


def takes(hint: Any) -> str:
    """Describe the accepted values of a setting."""
    if get_origin(hint) is Literal:
        return " | ".join(map(str, get_args(hint)))
    return "yes | no" if hint is bool else getattr(hint, "__name__", str(hint))


CATALOG: Mapping[str, Entry] = MappingProxyType({entry.title: entry for entry in ENTRIES})

ALIASES: Mapping[str, str] = MappingProxyType({alias: e.title for e in ENTRIES for alias in e.aliases})
"""Alternative spellings, mostly those of RAGAS, with the titles they refer to."""

PRESETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ragas": tuple(e.title for e in ENTRIES if e.family == "ragas" and e.title != "context_relevance"),
        "overlap": tuple(e.title for e in ENTRIES if e.family == "overlap"),
    }
)
"""Names for groups of metrics: the nine of RAGAS, and those that need no judge."""


def make_metric(name: str, **defaults: str) -> Metric:
    """Make a metric from its name and settings: `faithfulness`, `accuracy[grounded]`, `correctness[form=json]`.

    `make_metric(metric.name)` equals `metric`. `defaults` fill in settings that it has and the brackets do not set.

    Raises:
        ConfigurationError: unknown metric or setting, or an invalid value; the message lists what is available.
    """
    title, items = read_name(name)
    entry = _entry(title)
    metric = entry.load()
    hints = get_type_hints(metric)
    allowed = {f.name: hints[f.name] for f in fields(metric) if f.init}
    given: dict[str, str] = {}
    for item in items:
        key, value = _setting(entry, item, allowed, metric.main)
        if key in given:
            raise ConfigurationError(
                f'{name}: {key} is set twice; put a value that contains a comma in quotation marks: {entry.title}["…"]'
            )
        given[key] = value
    settings = {key: value for key, value in defaults.items() if key in allowed} | given
    made: Metric = metric(**{key: _typed(entry, key, value, allowed[key]) for key, value in settings.items()})
    return made


def make_metrics(names: Iterable[str], *, compat: str | None = None, evidence: str | None = None) -> tuple[Metric, ...]:
    """Make the metrics of these names in order, without duplicates; a name may be a preset or a comma-separated list.

    `compat` and `evidence` apply to every metric that has the setting, unless its brackets set it.
    """
    wanted = [single for name in names for single in split_names(name)]
    expanded = [title for name in wanted for title in PRESETS.get(name.lower(), (name,))]
    given = {"compat": compat, "evidence": evidence}
    defaults = {key: value for key, value in given.items() if value is not None}
    made = [metric for name in expanded for metric in _make_parts(name, defaults)]
    return tuple({metric.name: metric for metric in made}.values())


def _make_parts(name: str, defaults: Mapping[str, str]) -> list[Metric]:
    """Return the metric, or all its parts if it has several (`gist` is four figures) and the brackets choose none."""
    title, items = read_name(name)
    metric = _entry(title).load()
    if not hasattr(metric, "parts") or any(item.key in {None, metric.main} for item in items):
        return [make_metric(name, **defaults)]
    parts: tuple[str, ...] = getattr(make_metric(name, **defaults), "parts", ())  # settings may determine the parts
    return [make_metric(name, **{**defaults, metric.main: part}) for part in parts]


def _entry(title: str) -> Entry:
    key = title.strip().lower().replace("-", "_")
    key = ALIASES.get(key, key)
    if key not in CATALOG:
        near = get_close_matches(key, [*CATALOG, *ALIASES, *PRESETS], n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(CATALOG)}"
        raise ConfigurationError(f"there is no metric {title!r}; {hint}")
    return CATALOG[key]


def _setting(entry: Entry, item: BracketItem, allowed: Mapping[str, Any], main: str | None) -> tuple[str, str]:
    """Return key and value of an item in brackets; a bare word is a flag, or the main setting."""
    if item.key is not None and item.key in allowed:
        return item.key, item.value
    if item.key is None and allowed.get(item.value) is bool:
        return item.value, "true"
    if item.key is None and main is not None:
        return main, item.value
    known = "; ".join(f"{setting.name} ({setting.values})" for setting in entry.settings) or "none"
    raise ConfigurationError(f"{entry.title} has no setting {item.key or item.value!r}; its settings are: {known}")


def _typed(entry: Entry, key: str, value: str, hint: Any) -> Any:
    try:
        return TypeAdapter(hint).validate_python(value)
    except ValidationError as error:
        raise ConfigurationError(f"{entry.title}: {key} takes {takes(hint)}, not {value!r}") from error
