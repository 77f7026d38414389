"""What a probe is: a change to a sample whose effect on the score is known beforehand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from saiten.records import Sample
from saiten.results.probe import Expectation

Setting = Literal["form", "rubric"]
"""What may be turned in a metric, not in a sample: the form of the reply, the order in which grades are explained."""

Field = Literal["question", "answer", "contexts", "evidence", "reference"]
"""What a metric reads of a sample."""


@dataclass(frozen=True, slots=True)
class Change:
    """A sample before and after."""

    variant: str
    """Which form of the probe this is, for example `[RESULT] 5`; empty where there is one form only."""
    original: Sample
    changed: Sample


Changes = Callable[[Sequence[Sample]], Iterator[Change]]
"""All changes to some samples; it sees them all at once, since some probes take texts of one for another."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One kind of change."""

    name: str
    """As typed."""
    does: str
    """What is changed, in one line."""
    expectation: Expectation
    changes: Changes | Setting
    """What is done to the samples; or the setting of the metric that is turned while the samples stay."""
    reads: tuple[Field, ...] = ("answer",)
    """What a metric must read for the change to mean anything to it."""
    no_changes: str = "no sample has what it takes"
    """Why there may be nothing to change."""
    pairwise: bool = False
    """Whether it is about two answers side by side: then the judge's preference is probed, whatever the metrics."""


@dataclass(frozen=True, slots=True)
class ProbedMetric:
    """What is known about the metric that is probed."""

    name: str
    reads: frozenset[Field]
    bounds: tuple[float, float]
    """Lowest and highest value."""
    turned: Mapping[Setting, str] = field(default_factory=dict)
    """The name of the same metric with this setting turned, where it has one."""
    ranks: bool = False
    """Whether the order of the contexts is what it measures."""
