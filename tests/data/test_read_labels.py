"""Labels from files."""

import io

import pytest

from saiten.data import BadRow, read_labels
from saiten.errors import BadInput
from saiten.records import Label


def read(rows, **settings):
    """Everything read from the rows."""
    return list(read_labels(rows, notify=lambda _: None, **settings))


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ({"item": "a", "value": 3, "annotator": "x", "aspect": "correct"}, Label("a", 3.0, "x", "correct")),
        ({"sample": "a", "label": True}, Label("a", 1.0)),
        ({"id": 7, "score": "0.5"}, Label("7", 0.5)),
        ({"item": "a", "value": False, "rater": 2}, Label("a", 0.0, "2")),
        ({"item": "a", "value": "Yes"}, Label("a", 1.0)),
        ({"item": "a", "value": " いいえ "}, Label("a", 0.0)),
        ({"item": "a", "value": "○"}, Label("a", 1.0)),
        ({"item": "a", "value": "×"}, Label("a", 0.0)),
        ({"item": "a", "value": "-2"}, Label("a", -2.0)),
        ({"item": "a", "rating": "４"}, Label("a", 4.0)),
    ],
)
def test_verdicts_and_grades_become_numbers(row, label):
    """Booleans and words for yes and no become 1 and 0, numbers stay."""
    assert read([row]) == [label]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"item": "a", "value": None}, "no value"),
        ({"item": "a", "value": float("nan")}, "no value"),
        ({"item": "a", "value": "inf"}, "not a finite number"),
        ({"item": "a", "value": "perhaps"}, "neither a number nor a verdict"),
        ({"item": "a", "value": [1, 2]}, "expected one text"),
        ({"item": "", "value": 1}, "no item"),
        ({"value": 1}, "no item"),
    ],
)
def test_a_label_that_says_nothing_is_a_bad_row(row, reason):
    """Text that is neither verdict nor grade is kept apart, the rest is read."""
    good = {"item": "z", "value": 1}
    first, bad, last = read([good, row, good])
    assert first == last == Label("z", 1.0)
    assert isinstance(bad, BadRow)
    assert bad.where == "input:2"
    assert reason in bad.reason


def test_labels_from_csv_with_named_columns():
    """Unrecognized columns are named, as for samples."""
    file = io.BytesIO("対象,評点,評価者\na,5,佐藤\n".encode("cp932"))
    assert read(file, format="csv", columns={"item": "対象", "value": "評点", "annotator": "評価者"}) == [
        Label("a", 5.0, "佐藤")
    ]


@pytest.mark.parametrize(("row", "missing"), [({"value": 1}, "item"), ({"item": "a", "foo": 1}, "value")])
def test_labels_need_item_and_value(row, missing):
    """A file without a column for the item or the value is refused, with the columns it has."""
    with pytest.raises(BadInput, match=f"no column for {missing} .*columns there"):
        read([row])
