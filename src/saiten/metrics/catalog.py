"""The catalog of metrics, and the conversion of names with settings into metrics.

Nothing is imported before it is used: an entry refers to its metric by a dotted path.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from saiten.errors import ConfigurationError
from saiten.metrics.brackets import Setting, made_with, read_settings, settings_allowed
from saiten.metrics.naming import BracketItem, is_human, is_python, read_name, split_names, write_name
from saiten.metrics.own import OwnMetric, load_metric
from saiten.protocols import Metric


@dataclass(frozen=True, slots=True)
class Entry:
    """A metric of the catalog; needs, bounds and the like are those of its class."""

    title: str
    path: str
    """The path of the class below `saiten.metrics`, `module:Class`."""
    en: str
    """The quantity measured, in one line."""
    ja: str
    gloss: str
    """A short Japanese name, as in papers and products."""
    glosses: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Short Japanese names of what a setting in brackets chooses: `missing_gist`, `grounded`."""
    use: Mapping[str, str] = field(default_factory=dict, hash=False)
    """When to take it, by language: it continues *Take it …*."""
    avoid: Mapping[str, str] = field(default_factory=dict, hash=False)
    """When not to take it, by language: it continues *Not …*."""
    aliases: tuple[str, ...] = ()
    example: str = ""
    """A name as one may type it; the title if the metric needs no settings."""

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
        return settings_allowed(self.load())


def _entry(title: str, found: Mapping[str, Any]) -> Entry:
    use, avoid = ({"en": found[f"{name}_en"], "ja": found[f"{name}_ja"]} for name in ("use", "avoid"))
    return Entry(
        title,
        found["class"],
        found["en"],
        found["ja"],
        found["gloss"],
        MappingProxyType(found.get("glosses", {})),
        MappingProxyType(use),
        MappingProxyType(avoid),
        tuple(found.get("aliases", ())),
        found.get("example", title),
    )


ENTRIES: tuple[Entry, ...] = tuple(
    _entry(title, found)
    for title, found in tomllib.loads((files(__package__) / "catalog.toml").read_text("utf-8")).items()
)


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
    """Make a metric from its name and settings: `faithfulness`, `accuracy[grounded]`, `my_metrics.py:Politeness`.

    `make_metric(metric.name)` equals `metric`, if it is saiten's. `defaults` fill in settings that it has and the
    brackets do not set. A name with a colon is a metric in a Python file or module, whose code is run: for names that
    are not typed but stored, see `known_metric`.

    Raises:
        ConfigurationError: unknown metric or setting, or an invalid value; the message lists what is available.
    """
    title, items = read_name(name)
    if not is_python(title):
        return _of_catalog(title, items, defaults)
    before, _, after = title.partition(":")
    if before.strip().lower() in {*CATALOG, *ALIASES}:
        raise ConfigurationError(f"settings go in brackets: {write_name(before.strip(), {}, main=after.strip())}")
    made = load_metric(title, items, defaults)
    own = made.name.partition("[")[0].strip().lower()
    if own in {*CATALOG, *ALIASES, *PRESETS} or is_human(made.name):
        raise ConfigurationError(
            f"{title} is named {made.name!r}, which means something else here; give it another name"
        )
    return made


def known_metric(name: str) -> Metric | None:
    """Return saiten's metric of a name in results; None if it is not saiten's, or needs a file that is gone.

    No other code is run: results may come from somebody else.
    """
    try:
        title, items = read_name(name)
        return None if is_python(title) else _of_catalog(title, items, {})
    except ConfigurationError:
        return None


def _of_catalog(title: str, items: Sequence[BracketItem], defaults: Mapping[str, str]) -> Metric:
    entry = entry_of(title)
    given = read_settings(entry.load(), items, entry.title)
    made: Metric = made_with(entry.load(), {**defaults, **given}, entry.title)
    return made


def metric_gloss(name: str) -> str:
    """Return the short Japanese name of a metric in results: `token_f1` → 単語F1, `gist[missing_gist]` → 趣旨の不足.

    Settings without a name of their own have that of the metric; "" for names that are not in the catalog.
    """
    title = name.partition("[")[0]
    if title not in CATALOG:
        return ""
    try:
        _, items = read_name(name)
    except ConfigurationError:  # a name from someone else's results
        return ""
    entry = CATALOG[title]
    chosen = (entry.glosses.get(item.value if item.key is None else "") for item in items)
    return next(filter(None, chosen), entry.gloss)


def make_metrics(names: Iterable[str], *, compat: str | None = None, evidence: str | None = None) -> tuple[Metric, ...]:
    """Make the metrics of these names in order, without duplicates; a name may be a preset or a comma-separated list.

    `compat` and `evidence` apply to every metric that has the setting, unless its brackets set it.

    Raises:
        ConfigurationError: as `make_metric`; or two metrics of the user's own have one name, or that of another.
    """
    wanted = [single for name in names for single in split_names(name)]
    expanded = [title for name in wanted for title in PRESETS.get(name.lower(), (name,))]
    given = {"compat": compat, "evidence": evidence}
    defaults = {key: value for key, value in given.items() if value is not None}
    return distinct(metric for name in expanded for metric in _make_parts(name, defaults))


def distinct(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """Return the metrics without duplicates.

    Raises:
        ConfigurationError: a metric from a Python file has the name of another, and names identify results.
    """
    made: dict[str, Metric] = {}
    for metric in metrics:
        other = made.setdefault(metric.name, metric)
        if metric != other and isinstance(metric, OwnMetric) | isinstance(other, OwnMetric):
            raise ConfigurationError(f"two metrics are named {metric.name!r}; give one of them another name")
    return tuple(made.values())


def _make_parts(name: str, defaults: Mapping[str, str]) -> list[Metric]:
    """Return the metric, or all its parts if it has several (`gist` is four figures) and the brackets choose none."""
    title, items = read_name(name)
    if is_python(title):
        return [make_metric(name, **defaults)]
    metric = entry_of(title).load()
    if not hasattr(metric, "parts") or any(item.key in {None, metric.main} for item in items):
        return [make_metric(name, **defaults)]
    parts: tuple[str, ...] = getattr(make_metric(name, **defaults), "parts", ())  # settings may determine the parts
    return [make_metric(name, **{**defaults, metric.main: part}) for part in parts]


def entry_of(title: str) -> Entry:
    """Return the entry of this title or alias; raises ConfigurationError, with similar names."""
    key = title.strip().lower().replace("-", "_")
    key = ALIASES.get(key, key)
    if key not in CATALOG:
        near = get_close_matches(key, [*CATALOG, *ALIASES, *PRESETS], n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(CATALOG)}"
        raise ConfigurationError(f"there is no metric {title!r}; {hint}")
    return CATALOG[key]
