"""The metric of a run that a typed name means."""

from collections.abc import Sequence
from difflib import get_close_matches

from saiten.errors import ConfigurationError
from saiten.metrics.catalog import ALIASES, make_metrics


def find_metric(name: str, measured: Sequence[str]) -> str:
    """Return the metric as spelled in the run: by name, another spelling, or its title if unique.

    Raises:
        ConfigurationError: there is none, or there are several; the text names them.
    """
    if name in measured:
        return name
    title = name.strip().lower().replace("-", "_")
    title = ALIASES.get(title, title)
    of_title = [each for each in measured if each.partition("[")[0] == title]
    found = [each for each in _spelt(name) if each in measured] or of_title
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigurationError(f"{name} is several figures here: {', '.join(found)}; name one of them")
    near = get_close_matches(name, measured, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(measured) or 'none'}"
    raise ConfigurationError(f"{name!r} is not scored; {hint}")


def _spelt(name: str) -> list[str]:
    try:
        return [metric.name for metric in make_metrics([name])]
    except ConfigurationError:
        return []
