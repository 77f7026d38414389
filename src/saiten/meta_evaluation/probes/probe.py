"""What a probe is: a change to a sample whose effect on the score is known beforehand."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from saiten.records import Sample

Expectation = Literal["must not rise", "must not change", "must fall", "lowest", "highest"]
"""What a sound judge does with the changed sample; `lowest` is kept, too, by a judge that gives no value."""

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
    changes: Changes | None
    """None: the samples stay, the metric asks in its other form."""
    reads: tuple[Field, ...] = ("answer",)
    """What a metric must read for the change to mean anything to it."""
    no_changes: str = "no sample has what it takes"
    """Why there may be nothing to change."""


@dataclass(frozen=True, slots=True)
class ProbedMetric:
    """What is known about the metric that is probed."""

    name: str
    reads: frozenset[Field]
    bounds: tuple[float, float]
    """Lowest and highest value."""
    other_form: str | None = None
    """The same metric with the reply asked for in another form, where there is one."""
    ranks: bool = False
    """Whether the order of the contexts is what it measures."""
