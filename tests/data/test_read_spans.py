"""Labels that mark pieces of a text: read from every form, refused with a reason, written back unchanged."""

import csv
import json
from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.data import BadRow, read_labels
from saiten.records import Label, Span


def read(rows, **how):
    """Everything read from the rows."""
    return list(read_labels(rows, notify=lambda _: None, **how))


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([{"text": "𠮷野家", "start": 0, "end": 3}], (Span("𠮷野家", 0, 3),)),
        ([{"start": 4, "end": 9}], (Span("", 4, 9),)),
        ([[0, 3], [5, 9, "year"]], (Span("", 0, 3), Span("year", 5, 9))),
        ([(0, 3)], (Span("", 0, 3),)),
        ([{"text": "not found", "start": None, "end": None}], (Span("not found"),)),
        ([{"text": "not found"}], (Span("not found"),)),
        ([{"text": "a", "start": 3.0, "end": 4.0, "note": "from a table"}], (Span("a", 3, 4),)),
        ([{"text": "a", "start": np.int64(3), "end": np.int32(4)}], (Span("a", 3, 4),)),
        ([], ()),
        ("[]", ()),
        ('[{"text": "a", "start": 3, "end": 4}]', (Span("a", 3, 4),)),
        (' [[3, 4, "a"]] ', (Span("a", 3, 4),)),
        ([[5, 9], [0, 3], [5, 9]], (Span("", 5, 9), Span("", 0, 3), Span("", 5, 9))),
    ],
)
def test_spans_are_read_in_order(spans, expected):
    """As objects, as pairs of offsets, as JSON in a cell; the value is their number, even if it is 0."""
    (label,) = read([{"item": "a", "annotator": "x", "aspect": "extra_gist", "spans": spans}])
    assert label == Label("a", float(len(expected)), "x", "extra_gist", spans=expected)


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ([[5, 3]], "span 1 ends before it starts: start 5, end 3 (exclusive)"),
        ([[0, 3], [4, 4]], "span 2 is empty"),
        ([[-1, 3]], "the start of span 1 is -1"),
        ([["0", 3]], "the start of span 1 is '0'"),
        ([[0.5, 3]], "the start of span 1 is 0.5"),
        ([[True, 3]], "the start of span 1 is True"),
        ([[0, 10**4000]], "the end of span 1 is a number that no text is long enough for"),
        ([{"text": "a", "start": 3}], "the end of span 1 is None"),
        ([{"text": "a", "start": 3, "end": float("inf")}], "the end of span 1 is inf"),
        ([{}], "span 1 has neither text nor offsets"),
        ([{"text": 7, "start": 0, "end": 1}], "the text of span 1 is 7"),
        (["only a text"], "span 1 is 'only a text'; a span is {text, start, end}"),
        ([[1]], "span 1 is a list"),
        ([None], "span 1 is None"),
        ("3-5", "expected a list in JSON, got '3-5'"),
        ("[" * 100_000, "expected a list in JSON"),
        ({"start": 0, "end": 1}, "expected a list, got a dict"),
        ('{"start": 0, "end": 1}', 'expected a list, got \'{"start": 0, "end": 1}\''),
        (3, "expected a list, got 3"),
        ([{"text": "\ud83d", "start": 0, "end": 1}], "half a character"),
    ],
)
def test_bad_offsets_make_a_bad_row_that_says_why(spans, reason):
    """The other rows are read."""
    good = {"item": "z", "spans": [[0, 1]]}
    first, bad, last = read([good, {"item": "a", "spans": spans}, good])
    assert first == last == Label("z", 1.0, spans=(Span("", 0, 1),))
    assert isinstance(bad, BadRow)
    assert bad.reason.startswith("spans: ")
    assert reason in bad.reason


def test_a_row_is_a_grade_or_marks_spans():
    """Null and an empty cell mean no spans; both at once are two labels, unless one of them is chosen."""
    rows = [{"item": "a", "spans": None, "value": 3}, {"item": "a", "spans": "", "value": "yes"}]
    assert read(rows) == [Label("a", 3.0), Label("a", 1.0)]
    both = {"item": "a", "spans": [[0, 1]], "value": 4}
    (bad,) = read([both])
    assert "1 spans and the value '4' in one row" in bad.reason
    assert read([both], columns={"spans": "spans"}) == [Label("a", 1.0, spans=(Span("", 0, 1),))]
    assert read([both], columns={"value": "value"}) == [Label("a", 4.0)]
    assert read([{"item": "a", "spans": [], "value": 4}]) == [Label("a", 4.0)]
    assert read([both | {"value": 1}]) == [Label("a", 1.0, spans=(Span("", 0, 1),))]
    assert read([{"item": "a", "marks": [[0, 1]]}], columns={"spans": "marks"}) == [
        Label("a", 1, spans=(Span("", 0, 1),))
    ]


UNITS = [{"text": "é\r\nｶﾞ", "start": 2, "end": 7}, {"text": "gone", "start": None, "end": None}]


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_every_format_gives_the_same_spans(tmp_path, form):
    """Parquet has lists of objects, CSV has JSON in its cells; an empty list stays one."""
    path = tmp_path / f"labels.{form}"
    rows = [{"item": "a", "spans": UNITS}, {"item": "b", "spans": []}]
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif form == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([["item", "spans"], *([row["item"], json.dumps(row["spans"])] for row in rows)])
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    spans = (Span("é\r\nｶﾞ", 2, 7), Span("gone"))
    assert read(path) == [Label("a", 2.0, spans=spans), Label("b", 0.0, spans=())]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
OFFSETS = st.tuples(st.integers(0, 10**6), st.integers(1, 10**4)).map(lambda two: (two[0], two[0] + two[1]))
SPANS = st.lists(st.one_of(TEXT.map(Span), st.builds(lambda text, at: Span(text, *at), TEXT, OFFSETS)), max_size=5)


@given(spans=SPANS, item=TEXT, annotator=TEXT, settled=st.booleans())
def test_what_is_written_is_read_back(spans, item, annotator, settled):
    """It survives JSON, with any text."""
    label = Label(item, float(len(spans)), annotator, "extra_gist", settled, spans=tuple(spans))
    assert read([json.loads(json.dumps(asdict(label)))]) == [label]
