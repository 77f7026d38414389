"""Latency and tokens of the traces that the samples of a run were read from."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from saiten.records import Sample, Trace
from saiten.stats.latency import Latency, latency_of


@dataclass(frozen=True, slots=True)
class TraceFigures:
    """The traces of one system, or of all."""

    system: str | None
    """None for all systems, and for traces without one."""
    traces: int
    first_day: str | None
    """In UTC; None if no trace has a start."""
    last_day: str | None
    latency: Latency | None
    """None if no trace shows how long it took."""
    prompt_tokens: int
    """Over the traces that report tokens."""
    completion_tokens: int
    with_tokens: int
    """Traces that report tokens."""


@dataclass
class _Sums:
    """The figures so far. Not frozen: it adds up."""

    traces: int = 0
    days: set[str] = field(default_factory=set)
    seconds: "array[float]" = field(default_factory=lambda: array("d"))
    tokens: tuple[int, int] = (0, 0)
    with_tokens: int = 0

    def add(self, trace: Trace) -> None:
        self.traces += 1
        if trace.day is not None:
            self.days.add(trace.day)
        if trace.seconds is not None:
            self.seconds.append(trace.seconds)
        if trace.prompt_tokens is not None or trace.completion_tokens is not None:
            self.with_tokens += 1
            self.tokens = self.tokens[0] + (trace.prompt_tokens or 0), self.tokens[1] + (trace.completion_tokens or 0)

    def figures(self, system: str | None) -> TraceFigures:
        days = min(self.days, default=None), max(self.days, default=None)
        return TraceFigures(system, self.traces, *days, latency_of(self.seconds), *self.tokens, self.with_tokens)


def trace_figures(samples: Iterable[Sample]) -> list[TraceFigures]:
    """Return the figures of all traces, and, if there are several systems, of each; nothing without traces."""
    every = _Sums()
    systems: dict[str | None, _Sums] = {}
    for sample in samples:
        if sample.trace is not None:
            every.add(sample.trace)
            systems.setdefault(sample.system, _Sums()).add(sample.trace)
    if not every.traces:
        return []
    several = sorted(systems, key=lambda name: name or "") if len(systems) > 1 else []
    return [every.figures(None), *(systems[name].figures(name) for name in several if name is not None)]
