"""Metrics of the user's own, from a Python file or module: `my_metrics.py:Politeness`. Loading one runs its code."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass
from hashlib import sha256
from inspect import iscoroutinefunction, signature
from itertools import chain
from math import isnan
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType
from typing import Any, get_args

from saiten.errors import ConfigurationError, SaitenError
from saiten.importing import defined_in, from_file, from_path
from saiten.metrics.base import BaseMetric
from saiten.metrics.brackets import made_with, read_settings
from saiten.metrics.naming import BracketItem, is_python, read_name, split_names
from saiten.options import Config
from saiten.protocols import Judge, Metric, Need, Task
from saiten.records import Sample, Score


@dataclass(frozen=True)
class OwnMetric:
    """A metric as its author wrote it; its signature also identifies its code."""

    metric: Metric = field(compare=False)
    code: str
    """File (or module), name, and a digest of the file: `my_metrics.py:Politeness@1a2b3c4d`."""
    name: str
    """The metric's own name."""
    loaded: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    """The arguments of `load_metric`, by which another process loads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return load_again, (self.code, *self.loaded)

    @property
    def needs(self) -> tuple[Need, ...]:
        return self.metric.needs

    @property
    def tasks(self) -> tuple[type[Task[Any]], ...]:
        return self.metric.tasks

    @property
    def bounds(self) -> tuple[float, float]:
        return self.metric.bounds

    @property
    def higher_is_better(self) -> bool | None:
        return self.metric.higher_is_better

    def describe(self) -> Mapping[str, str]:
        """Add the code's digest, and the direction, which results need without the file."""
        better = {True: "higher", False: "lower", None: "neither"}[self.higher_is_better]
        return {**self.metric.describe(), "code": self.code, "better": better}

    async def score(self, sample: Sample, judge: Judge) -> Score:
        return await self.metric.score(sample, judge)


def code_named(config: Config, typed: object) -> Iterator[str]:
    """Yield one sentence per metric in Python that the file names and the user did not; `typed`: the user's metrics."""
    for name in () if typed else chain(*map(split_names, config.values.get("metrics", ()))):
        if is_python(read_name(name)[0]):
            yield f"{config.file} names the metric {name}: its code is run"


def code_name(title: str) -> str:
    """Return the name of the code in signatures, without folders and digest: `my_metrics.py:Politeness`."""
    place, _, attribute = title.rpartition(":")
    return f"{Path(place).name if place.endswith('.py') else place}:{attribute}"


def load_metric(title: str, items: Sequence[BracketItem], defaults: Mapping[str, str]) -> OwnMetric:
    """Return the metric that `FILE.py:NAME` or `package.module:NAME` means, a class or an instance.

    Modules are found as Python does, and in the current folder.

    Raises:
        ConfigurationError: there is no such file, module or name (with similar names); the code fails (with its line);
            or what is found is not a metric (with what it lacks).
    """
    place, _, attribute = title.rpartition(":")
    if not place or not attribute:
        raise ConfigurationError(f"{title} names a file; name a metric in it, too: {title.rstrip(':')}:NAME")
    module = from_file(place) if place.endswith(".py") else from_path(place)
    found = defined_in(module, attribute, place)
    file = getattr(module, "__file__", None) or ""
    with _their_code(title, file):
        metric = _made(found, items, defaults, title) if isinstance(found, type) else found
        _check(metric, title)
    if items and metric is found:
        raise ConfigurationError(f"{title} takes no settings: it is an instance, which has its own; name its class")
    digest = sha256(Path(file).read_bytes()).hexdigest()[:8] if file else "?"
    return OwnMetric(metric, f"{code_name(title)}@{digest}", metric.name, (title, items, defaults))


def load_again(code: str, title: str, items: Sequence[BracketItem], defaults: Mapping[str, str]) -> OwnMetric:
    """Return the metric in another process; raises ConfigurationError if its file has changed meanwhile."""
    found = load_metric(title, items, defaults)
    if found.code != code:
        raise ConfigurationError(f"{title} has changed since the run began; re-run the command")
    return found


def _made(found: type[Any], items: Sequence[BracketItem], defaults: Mapping[str, str], title: str) -> Any:
    if is_dataclass(found):
        return made_with(found, {**defaults, **read_settings(found, items, title)}, title)
    if items:
        raise ConfigurationError(f"{title} takes no settings: it is not a dataclass")
    return found()


@contextmanager
def _their_code(title: str, file: str) -> Iterator[None]:
    """Turn an exception of the user's code into a ConfigurationError with its last line in the file."""
    try:
        yield
    except SaitenError:
        raise
    except Exception as error:
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
        where = f" (line {lines[-1]} of {file})" if lines else ""
        raise ConfigurationError(f"{title} cannot be used: {type(error).__name__}: {error}{where}") from error


_EXPECTED: Mapping[str, str] = MappingProxyType(
    {
        "name": "its name in results, such as `politeness`",
        "needs": 'the fields that a sample must have, such as ("answer",)',
        "tasks": "the tasks that it gives to a judge; () for none",
        "bounds": "the lowest and the highest value, such as (0.0, 1.0)",
        "higher_is_better": "True, False, or None if neither direction is better",
        "describe": "a method that returns what its value depends on as a dict of texts; {} for nothing",
        "score": "`async def score(self, sample, judge)`, which returns a saiten.Score",
    }
)
"""What a metric consists of."""


def _check(metric: object, title: str) -> None:
    """Raise ConfigurationError unless this is a metric."""
    if isinstance(metric, BaseMetric) and not hasattr(metric, "title"):
        raise ConfigurationError(f"{title} is not a metric: it lacks title, its name in results without settings")
    lacking = [name for name in _EXPECTED if not hasattr(metric, name)]
    if lacking:
        about = [name if len(lacking) > 2 else f"{name} ({_EXPECTED[name]})" for name in lacking]
        raise ConfigurationError(
            f"{title} is not a metric: it lacks {', '.join(about)}. A frozen dataclass derived from saiten.BaseMetric "
            "needs only `title`, `needs` and `score`"
        )
    wrong = [name for name, fits in _FITS.items() if not fits(metric)]
    if wrong:
        listed = "; ".join(f"{name} is {getattr(metric, name)!r:.80}, expected {_EXPECTED[name]}" for name in wrong)
        raise ConfigurationError(f"{title} is not a metric: {listed}")


def _takes_two(metric: Any) -> bool:
    try:
        signature(metric.score).bind(None, None)
    except TypeError:
        return False
    return iscoroutinefunction(metric.score)


def _is_tuple(value: object, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, tuple) and all(map(fits, value))


def _is_range(value: object) -> bool:
    numbers = _is_tuple(value, lambda each: isinstance(each, int | float) and not isnan(each))
    return numbers and isinstance(value, tuple) and len(value) == 2 and value[0] < value[1]


_FITS: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "name": lambda metric: isinstance(metric.name, str) and bool(metric.name.strip()),
        "needs": lambda metric: _is_tuple(metric.needs, lambda each: each in get_args(Need)),
        "tasks": lambda metric: _is_tuple(metric.tasks, lambda each: isinstance(each, type) and issubclass(each, Task)),
        "bounds": lambda metric: _is_range(metric.bounds),
        "higher_is_better": lambda metric: metric.higher_is_better in {True, False, None},
        "describe": lambda metric: isinstance(metric.describe(), Mapping),
        "score": _takes_two,
    }
)
"""Whether each part of a metric is of the right kind."""
