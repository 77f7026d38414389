"""Collecting the spans of each trace, which may be spread over the input in any order.

A trace is complete at the end of the input. Memory is bounded: once about 512 MiB of spans are held, the trace whose
last span is furthest back is taken as complete. A span of such a trace that comes later is reported as a bad row, once
per trace.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from saiten.data.rows import BadRow, RawRow, bad_row
from saiten.data.traces.assembling import row_of_trace
from saiten.data.traces.span import TraceSpan
from saiten.digests import Digests, digest_here

HELD = 512 << 20
"""Bytes of spans held, roughly."""


@dataclass
class TraceCounts:
    """What was read, for the note at the end. Not frozen: it counts."""

    traces: int = 0
    ignored: int = 0
    """Traces that have nothing to do with questions."""
    unusable: int = 0
    """Traces without question or answer."""
    textless: int = 0
    """Documents without a text."""
    without_root: int = 0
    """Traces whose outermost spans name a parent that is not in the data."""
    late: int = 0
    """Traces with spans that came too late."""
    other_rows: int = 0
    """Rows with logs or metrics."""

    def notes(self) -> Iterator[str]:
        """Yield a sentence on everything that is not a sample, or not as it should be."""
        if self.traces:
            yield f"traces: {self.traces:,}, of which samples: {self.traces - self.ignored - self.unusable:,}"
        if self.ignored:
            yield (
                f"traces ignored: {self.ignored:,}; they have no call of a model, no retrieval, no input and no "
                "output, such as health checks"
            )
        if self.unusable:
            yield f"traces without question or answer: {self.unusable:,}; they count as rows that cannot be used"
        if self.without_root:
            yield (
                f"traces whose root span is not in the data: {self.without_root:,}; their latency is that of the "
                "outermost spans in it"
            )
        if self.textless:
            yield f"retrieved documents without a text: {self.textless:,}; they are not among the contexts"
        if self.late:
            yield f"traces with spans that came too late: {self.late:,}; sort the spans by time"
        if self.other_rows:
            yield f"rows with logs or metrics ignored: {self.other_rows:,}"


@dataclass
class TraceGroups:
    """The spans held so far, by trace. Not frozen: it collects."""

    held: int = HELD
    """Bytes of spans to hold at most."""
    counts: TraceCounts = field(default_factory=TraceCounts)
    _spans: dict[str, list[TraceSpan]] = field(default_factory=dict, init=False)
    """The trace whose last span is furthest back is the first."""
    _size: int = field(default=0, init=False)
    _complete: Digests = field(default_factory=Digests, init=False)
    """Traces taken as complete before the end; 1 if a span came later."""

    def add(self, span: TraceSpan) -> Iterator[RawRow | BadRow]:
        """Hold a span; yield the rows of traces that had to be completed, and a bad row for a span that is late."""
        digest = digest_here(span.trace)
        late = self._complete.get(digest)
        if late is not None:
            yield from self._too_late(span, digest, first=late == 0)
            return
        spans = self._spans.pop(span.trace, [])
        spans.append(span)
        self._spans[span.trace] = spans  # as the last one
        self._size += span.size
        while self._size > self.held and self._spans:
            oldest = next(iter(self._spans))
            self._complete.put(digest_here(oldest))
            yield from self._row(oldest)

    def rest(self) -> Iterator[RawRow | BadRow]:
        """Yield the rows of all traces held."""
        while self._spans:
            yield from self._row(next(iter(self._spans)))

    def _row(self, trace: str) -> Iterator[RawRow | BadRow]:
        spans = self._spans.pop(trace)
        self._size -= sum(span.size for span in spans)
        row = row_of_trace(spans)
        self.counts.traces += 1
        self.counts.ignored += row is None
        self.counts.unusable += isinstance(row, BadRow)
        if row is None:
            return
        self.counts.textless += sum(span.facts.textless for span in spans)
        self.counts.without_root += all(span.parent not in (None, span.trace) for span in spans)
        yield row

    def _too_late(self, span: TraceSpan, digest: int, *, first: bool) -> Iterator[BadRow]:
        if not first:
            return
        self._complete.put(digest, 1)
        self.counts.late += 1
        yield bad_row(
            span.where,
            f"the span {span.name or span.id} of the trace {span.trace} comes too late: the trace was taken as "
            f"complete when {self.held >> 20} MiB of spans were held; this and further spans are not in its row",
        )


def grouped(
    spans: Iterable[TraceSpan | BadRow], notify: Callable[[str], None], groups: TraceGroups
) -> Iterator[RawRow | BadRow]:
    """Yield one row per trace, and the bad rows; at the end, notes on what is not among them."""
    for span in spans:
        if isinstance(span, BadRow):
            yield span
        else:
            yield from groups.add(span)
    yield from groups.rest()
    for note in groups.counts.notes():
        notify(note)
