"""Preferences, categories and third decisions from files."""

import io

import pytest

from saiten.data import BadRow, read_labels
from saiten.records import Label


def read(rows, **settings):
    """What was read, and the notes."""
    notices = []
    return list(read_labels(rows, notify=notices.append, **settings)), notices


@pytest.mark.parametrize(
    ("column", "said", "value"),
    [
        ("preference", -2, -2.0),
        ("preference", "2", 2.0),
        ("preference", "−1", -1.0),
        ("preference", "A>B", -1.0),
        ("preference", "a << b", 2.0),
        ("preference", "B > A", 1.0),
        ("preference", "A＝B", 0.0),
        ("choice", "1", -1.0),
        ("choice", 2, 1.0),
        ("choice", "0", 0.0),
        ("choice", "Tie", 0.0),
        ("choice", "B", 1.0),
        ("choice", "前者", -1.0),
        ("choice", "引き分け", 0.0),
    ],
)
def test_preferences_are_signed_numbers(column, said, value):
    """Below 0 the first answer is better, above 0 the second; 1 and 2 name the answer only in `choice`."""
    assert read([{"item": "p", column: said}])[0] == [Label("p", value)]


@pytest.mark.parametrize(
    ("column", "said"),
    [("choice", "3"), ("choice", "-1"), ("preference", "nan"), ("choice", "C"), ("preference", "inf")],
)
def test_what_is_no_preference_is_a_bad_row(column, said):
    """Another word or number is kept apart, with the accepted ones."""
    (bad,), _ = read([{"item": "p", column: said}])
    assert isinstance(bad, BadRow)
    assert "A>B" in bad.reason


def test_choices_called_preferences_are_pointed_out():
    """1, 2 and tie in `preference` look like names of answers: a note says how to declare them, and that works."""
    rows = [{"item": str(at), "preference": said} for at, said in enumerate(["1", "2", "tie"])]
    labels, notices = read(rows)
    assert [label.value for label in labels] == [1.0, 2.0, 0.0]
    assert "--column choice=preference" in notices[-1]
    labels, notices = read(rows, columns={"choice": "preference"})
    assert [label.value for label in labels] == [-1.0, 1.0, 0.0]
    assert notices == []


def test_third_decisions_are_marked():
    """A column `adjudicated` marks them; empty is no, and other text is a bad row."""
    file = io.BytesIO(b"item,value,adjudicated\na,1,\nb,0,no\nc,1,yes\nd,1,perhaps\n")
    *labels, bad = read(file, format="csv")[0]
    assert [label.adjudicated for label in labels] == [False, False, True]
    assert "expected yes or no" in bad.reason


def test_categories_only_where_they_are_asked_for():
    """Words are kept by name and numbered in order; verdicts and numbers stay what they are."""
    rows = [{"item": "a", "value": value} for value in ("neutral", "含意", "neutral", "yes", "3")]
    labels, _ = read(rows, categories=True)
    assert [(label.value, label.category) for label in labels] == [
        (0.0, "neutral"),
        (1.0, "含意"),
        (0.0, "neutral"),
        (1.0, ""),
        (3.0, ""),
    ]
    assert [isinstance(row, BadRow) for row in read(rows)[0]] == [True, True, True, False, False]
