"""A run's figures as MLflow's metrics: numbers by name.

Names: `METRIC/mean`, `/low` and `/high` (the ends of the 95 % interval), `/n`, `/questions`, `/of`, and the number of
scores per status; the same with the prefixes `system/NAME/` and `group/NAME/`; `usage/…` is the run's cost. Missing
values have no key, rather than MLflow's NaN.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from saiten.records import STATUSES
from saiten.results.figure import Figure
from saiten.results.summary import Summary
from saiten.tracking.names import safe_name


@dataclass(frozen=True, slots=True)
class Logged:
    """A number with its meaning."""

    value: float
    figure: str
    """`mean`, `low`, `high`, `n`, `questions`, `of`, a status, or a part of the usage."""
    metric: str | None = None
    """The name in saiten; None if it belongs to no metric."""
    system: str | None = None
    group: str | None = None


def logged_figures(summary: Summary) -> tuple[dict[str, Logged], int]:
    """Return the figures by MLflow's key, and how many keys of systems and groups were left out."""
    found: dict[str, Logged] = {}
    apart: dict[str, Logged] = {}
    for figure in summary.figures:
        (found if figure.overall else apart).update(_of_figure(figure))
    found |= {f"usage/{name}": Logged(float(value), name) for name, value in asdict(summary.usage).items()}
    kept = dict(list(apart.items())[:2000])  # the summary that is stored as well has the rest
    return found | kept, len(apart) - len(kept)


def _of_figure(figure: Figure) -> dict[str, Logged]:
    place = "".join(
        f"{kind}/{safe_name(name)}/"
        for kind, name in (("system", figure.system), ("group", figure.group))
        if name is not None
    )
    key = f"{place}{safe_name(figure.metric)}"
    return {
        f"{key}/{name}": Logged(float(value), name, figure.metric, figure.system, figure.group)
        for name, value in _numbers(figure)
        if value is not None
    }


def _numbers(figure: Figure) -> Iterator[tuple[str, float | None]]:
    yield from (("mean", figure.mean), ("low", figure.low), ("high", figure.high), ("n", figure.n))
    if figure.overall:
        yield from (("questions", figure.questions), ("of", figure.total))
        yield from ((status, figure.coverage.get(status, 0)) for status in STATUSES)
