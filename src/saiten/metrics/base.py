"""What all metrics share: a name made of title and settings, and defaults for what they declare."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from saiten.protocols import Need, Task


@dataclass(frozen=True)
class BaseMetric:
    """The base of the metrics shipped with saiten; a metric of one's own only has to fit `protocols.Metric`."""

    title: ClassVar[str]
    """The name without settings, as typed on the command line."""
    needs: ClassVar[tuple[Need, ...]] = ()
    tasks: ClassVar[tuple[type[Task[Any]], ...]] = ()
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool | None] = True

    @property
    def name(self) -> str:
        """`title`, or `title[setting=value,…]` with the settings that are not the default."""
        changed = [f"{f.name}={getattr(self, f.name)}" for f in fields(self) if getattr(self, f.name) != _default(f)]
        return f"{self.title}[{','.join(changed)}]" if changed else self.title

    def describe(self) -> Mapping[str, str]:
        """Nothing beside the judge; metrics on text name their tokeniser here."""
        return {}


def _default(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default
