"""The base of metrics: names made of title and settings, default declarations, and concurrent tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache, cached_property
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from saiten.errors import ConfigurationError
from saiten.executor import together
from saiten.metrics.naming import write_name
from saiten.protocols import Judge, Need, R, Task


@dataclass(frozen=True)
class BaseMetric:
    """The base of saiten's own metrics; yours only need to fit `protocols.Metric`."""

    title: ClassVar[str]
    """The name without settings, as typed on the command line."""
    main: ClassVar[str | None] = None
    """The setting that can be given in brackets without its name."""
    second: ClassVar[str | None] = None
    """The setting that a second value without a name sets."""
    unnamed: ClassVar[str | None] = None
    """The value of `main` that the name leaves out: `faithfulness`, not `faithfulness[share]`."""
    needs: ClassVar[tuple[Need, ...]] = ()
    tasks: ClassVar[tuple[type[Task[Any]], ...]] = ()
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool | None] = True
    has_network: ClassVar[bool] = False
    """Whether it runs a network in this process, which a GPU makes faster."""

    def __post_init__(self) -> None:
        """Refuse a value that the type of its setting does not list."""
        kind: type = type(self)
        for setting, allowed in _choices(kind).items():
            if (value := getattr(self, setting)) not in allowed:
                raise ConfigurationError(f"{self.title}: {setting} is one of {', '.join(allowed)}, not {value!r}")

    @cached_property
    def name(self) -> str:
        """`title[main,setting=value,…]`, with the settings that differ from their defaults; true flags are bare."""
        main = getattr(self, self.main) if self.main else None
        settings = {f: getattr(self, f.name) for f in fields(self) if f.compare and f.name != self.main}
        changed = {field.name: value for field, value in settings.items() if value != _default(field)}
        return write_name(self.title, changed, main=None if main == self.unnamed else main)

    def describe(self) -> Mapping[str, str]:
        """Return nothing beyond the judge's description; text metrics name their tokenizer here."""
        return {}

    def declare(self, **declarations: Any) -> None:
        """Set declarations that depend on a setting; on the instance they hide those of the class."""
        for name, value in declarations.items():
            object.__setattr__(self, name, value)


@cache
def _choices(metric: type) -> Mapping[str, tuple[Any, ...]]:
    """Return the values of the settings whose type lists them."""
    hints = get_type_hints(metric)
    return {setting: get_args(hint) for setting, hint in hints.items() if get_origin(hint) is Literal}


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


async def perform_all(judge: Judge, tasks: Sequence[Task[R]]) -> list[R]:
    """Return the replies to the tasks, in order, performing them concurrently; raises as `together` does."""
    if len(tasks) == 1:
        return [await judge.perform(tasks[0])]
    return await together(judge.perform(task) for task in tasks)
