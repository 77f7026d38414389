"""Outputs of metrics and judges per item, and their origin."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saiten.choices import ScoreBy
from saiten.metrics.catalog import known_metric
from saiten.metrics.judged.correctness import Correctness
from saiten.records import Status
from saiten.results.origin import Origin
from saiten.runs import RunReader
from saiten.stats.clusters import Floats
from saiten.trust.inputs.score_figure import ScoreFigure

Said = float | Status
"""A value, or the status that explains its absence."""

VERSUS = " vs "
"""Separates the two answers of a preference: `q1/a vs q1/b`."""

EXPECTED = "expected"
"""Added to the name of a metric whose outputs are expected values."""

BETWEEN = " · "
"""Separates metric, judge and evidence in the name of an output."""

EXPECTED_NAME = f"{BETWEEN}{EXPECTED}"

_ADDRESS = re.compile(r"@https?://\S*$")
"""A server address after a model's name; judges that differ only in it are distinguished by their runs."""


@dataclass(frozen=True, slots=True)
class Output:
    """The output of one metric or judge on one item."""

    item: str
    metric: str
    """Name in tables; longer than the metric's own name if several runs have the metric."""
    said: Said
    aspect: str = ""
    """Aspect of the labels to compare with; "" for all."""
    origin: Origin | None = None
    """How it was made, if known."""

    @property
    def made(self) -> Origin:
        """Return how it was made, as far as known."""
        return self.origin or Origin(self.metric)


def outputs_of_run(
    run: RunReader, by: ScoreBy = "value", *, notify: Callable[[str], None] = lambda _: None
) -> Iterator[Output]:
    """Yield the scores of a run as outputs, with their origin from its manifest.

    By `expected`, a metric with expected values is named `METRIC · expected`; a score without one (an empty answer,
    which no judge saw) has its value. Other metrics keep their values and names; `notify` says which judged ones do.

    Raises:
        BadInput: expected values are asked for, and no score has one.
    """
    figure = ScoreFigure(by)
    every = [(one.sample, one.metric, figure.of(one), one.score.status) for one in run.scores()]
    figure.check(str(run.folder), notify)
    origins: dict[str, Origin] = {}
    for sample, metric, value, status in every:
        if metric not in origins:
            origins[metric] = replace(origin_in(run, metric), expected=figure.has(metric))
        origin = origins[metric]
        name = metric + EXPECTED_NAME if origin.expected else metric
        yield Output(sample, name, status if value is None else value, origin=origin)


def origin_in(run: RunReader, metric: str) -> Origin:
    """Return how a run made a metric's values, from its manifest."""
    parts = run.manifest.made_by(metric)
    judge = _ADDRESS.sub("", parts.get("judge", ""))
    made = known_metric(metric)
    if not isinstance(made, Correctness):
        return Origin(metric, judge)
    return Origin(metric, judge, made.evidence, replace(made, evidence=Correctness.evidence).name)


# ------------------------------------------------------------------- a judge's verdicts on a pair in both orders
#
# The same two answers shown as A and B, and as B and A. A verdict counts if both orders agree on it; otherwise the pair
# is a tie (Zheng et al. 2023, *Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena*, section 3.4: a win must be
# called in both orders). A pair judged in only one order counts as judged.


def splits(item: str) -> Iterator[tuple[str, str]]:
    """Yield every way to split `A vs B`; an id may contain ` vs `."""
    parts = item.split(VERSUS)
    return ((VERSUS.join(parts[:cut]), VERSUS.join(parts[cut:])) for cut in range(1, len(parts)))


def turned(item: str) -> str:
    """Return `B vs A` for `A vs B`; of several ` vs `, the middle one separates the answers."""
    parts = item.split(VERSUS)
    middle = len(parts) // 2
    return VERSUS.join(parts[middle:] + parts[:middle])


def in_both_orders(item: str, values: Mapping[str, Said]) -> tuple[Said | None, Said | None]:
    """Return the outputs for the pair as named and for the swapped pair (sign relative to the pair as named)."""
    other = next((values[f"{b}{VERSUS}{a}"] for a, b in splits(item) if f"{b}{VERSUS}{a}" in values), None)
    return values.get(item), other if other is None or isinstance(other, str) else -other


def combined(forward: Said | None, backward: Said | None) -> Said | None:
    """Return one verdict: the mean if both prefer the same answer, else a tie; a status if an order has none."""
    if forward is None or backward is None:
        return backward if forward is None else forward
    if isinstance(forward, str):
        return forward
    if isinstance(backward, str):
        return backward
    return (forward + backward) / 2 if np.sign(forward) == np.sign(backward) else 0.0


def both_orders(items: Sequence[str], values: Mapping[str, Said]) -> Floats | None:
    """Return the verdicts in either order (2 x items), NaN where missing; None if no pair has both."""
    found = [in_both_orders(item, values) for item in items]
    numbers = [[np.nan if one is None or isinstance(one, str) else one for one in two] for two in found]
    table: Floats = np.array(numbers, dtype=np.float64).reshape(-1, 2).T
    return None if np.isnan(table).any(axis=0).all() else table
