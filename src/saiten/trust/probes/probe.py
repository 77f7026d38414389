"""A probe: a change to a sample whose effect on the score is known beforehand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from saiten.records import Sample
from saiten.results.probe import Expectation

Setting = Literal["form", "rubric"]
"""A setting of the metric that a probe changes: the form of the reply, or the order in which grades are explained."""

Field = Literal["question", "answer", "contexts", "evidence", "reference"]
"""A field of a sample that a metric reads."""


@dataclass(frozen=True, slots=True)
class Change:
    """A sample before and after."""

    variant: str
    """The form of the probe, for example `[RESULT] 5`; empty if there is only one form."""
    original: Sample
    changed: Sample


Changes = Callable[[Sequence[Sample]], Iterator[Change]]
"""Function from samples to changes; takes all samples, since some probes use one sample's texts for another."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One kind of change."""

    name: str
    """Name on the command line."""
    does: str
    """The change, in one line."""
    expectation: Expectation
    changes: Changes | Setting
    """The change to the samples, or the setting of the metric that is changed while the samples stay the same."""
    reads: tuple[Field, ...] = ("answer",)
    """The fields a metric must read for the change to affect it."""
    no_changes: str = "no_sample"
    """Why there may be nothing to change: a key of the catalog's section `probe`."""
    pairwise: bool = False
    """Whether it compares two answers: then the judge's preference is probed, independent of the metrics."""


@dataclass(frozen=True, slots=True)
class ProbedMetric:
    """Properties of the metric being probed."""

    name: str
    reads: frozenset[Field]
    bounds: tuple[float, float]
    """Lowest and highest value."""
    turned: Mapping[Setting, str] = field(default_factory=dict)
    """The name of the same metric with this setting changed, if it has one."""
    ranks: bool = False
    """Whether it measures the order of the contexts."""
