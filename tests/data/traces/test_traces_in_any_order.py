"""The same spans make the same samples, in any order, and nothing is lost when memory is short."""

from hypothesis import given, settings
from hypothesis import strategies as st

from otlp_traces import rag, request
from saiten.data.rows import BadRow, RawRow
from saiten.data.traces.grouping import TraceGroups, grouped
from saiten.data.traces.otlp import spans_of_otlp
from saiten.data.traces.reading import with_traces_as_rows

SPANS = [
    each
    for number, letter in enumerate("abc")
    for each in rag(letter * 32, f"q{letter}", f"a{letter}", ("x", letter), first=10 * number + 1)
]


def rows(spans):
    """Lines of a file with a span each."""
    return [RawRow(number, request(each), f"t.jsonl:{number}") for number, each in enumerate(spans, 1)]


def contents(found):
    """The samples without their places."""
    return sorted((str(row.fields) for row in found), key=str)


@settings(deadline=None)
@given(st.permutations(SPANS))
def test_any_order_of_the_lines_gives_the_same_samples(spans):
    """Interleaved traces, children before parents and after them."""
    found = list(with_traces_as_rows(iter(rows(spans)), "t", lambda _: None))
    assert contents(found) == contents(with_traces_as_rows(iter(rows(SPANS)), "t", lambda _: None))
    assert len(found) == 3


@settings(deadline=None)
@given(st.permutations(SPANS), st.integers(0, 9_000))
def test_with_little_memory_every_span_is_in_a_row_or_reported(spans, held):
    """A trace that is complete too early has its row, and its late spans are one bad row with their place."""
    notes = []
    groups = TraceGroups(held=held)
    parsed = (each for row in rows(spans) for each in spans_of_otlp(row))
    found = list(grouped(parsed, notes.append, groups))
    late = [row for row in found if isinstance(row, BadRow) and "comes too late" in row.reason]
    assert {row.fields["id"] for row in found if isinstance(row, RawRow)} | {
        row.reason.split()[1] for row in found if isinstance(row, BadRow) and row not in late
    } == {letter * 32 for letter in "abc"}
    assert len(late) == groups.counts.late <= 3
    assert all(row.where.startswith("t.jsonl:") for row in late)
    assert (len(late) > 0) == any("came too late" in note for note in notes)


def test_a_trace_is_complete_when_its_spans_are_furthest_back():
    """Traces in the order of time need memory for those that overlap only."""
    together = rows(SPANS)
    groups = TraceGroups(held=8_000)  # a trace and a half
    found = list(grouped((each for row in together for each in spans_of_otlp(row)), print, groups))
    assert contents(found) == contents(with_traces_as_rows(iter(together), "t", lambda _: None))
    assert groups.counts.late == 0
