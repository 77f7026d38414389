import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.stats.reliability import reliability


def test_the_example_of_shrout_and_fleiss():
    """Table 2 of the paper, six targets by four judges: ICC(1,1) = 0.17, ICC(1,4) = 0.44."""
    table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    result = reliability(table)
    assert (round(result.icc, 2), round(result.icc_average, 2)) == (0.17, 0.44)
    assert (result.items, result.skipped, result.votes, result.reason) == (6, 0, 4.0, None)


def test_verdicts_by_hand():
    """Pairs that agree: 3 of 3, 1 of 3, 3 of 3; one item of three changed its mind."""
    result = reliability([[1, 1, 1], [1, 0, 1], [0, 0, 0]])
    assert result.agreement == pytest.approx((1 + 1 / 3 + 1) / 3)
    assert result.changed == pytest.approx(1 / 3)
    assert result.spread == pytest.approx(np.std([1, 0, 1], ddof=1) / 3)


def test_the_noise_that_was_put_in_comes_out():
    """Variance 1 between items and 0.25 within: one vote is worth 0.8, five votes 20/21; votes may be missing."""
    rng = np.random.default_rng(6)
    table = (rng.normal(size=(3_000, 1)) + 0.5 * rng.normal(size=(3_000, 5))).tolist()
    full = reliability(table)
    assert full.icc == pytest.approx(0.8, abs=0.02)
    assert full.icc_average == pytest.approx(20 / 21, abs=0.01)
    assert full.spread == pytest.approx(0.5 * 0.94, abs=0.02)  # the standard deviation of five is 6 % too small
    holes = [row[: 2 + i % 4] for i, row in enumerate(table)]
    assert reliability(holes).icc == pytest.approx(0.8, abs=0.025)


def test_a_judge_that_never_wavers():
    """Full agreement, no spread, both correlations 1."""
    result = reliability([[0.1, 0.1, 0.1], [0.7, 0.7, 0.7]])
    assert (result.agreement, result.changed, result.spread) == (1.0, 0.0, 0.0)
    assert (result.icc, result.icc_average) == (pytest.approx(1), pytest.approx(1))


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        ([], "no item has two votes"),
        ([[1], [0], [None, 1]], "no item has two votes"),
        ([[1, 0]], "single item"),
        ([[1, 1], [1, 1]], "all votes are equal"),
        ([[0.1, 0.2], [0.2, 0.1]], "same mean"),
    ],
)
def test_what_cannot_be_said_is_not_said(votes, reason):
    """One vote, one item, constant votes, items that do not differ: None if it is undefined, and why."""
    result = reliability(votes)
    assert result.icc_average is None
    assert reason in str(result.reason)


def test_votes_without_a_value_are_left_out():
    """None is neither a vote nor a disagreement; an item with only one vote is skipped and counted."""
    result = reliability([[1, None, 1], [0, 0, None], [1, None, None], [None, None, None]])
    assert (result.items, result.skipped, result.votes, result.agreement) == (2, 2, 2.0, 1.0)


def test_a_vote_that_is_no_number_is_refused():
    """NaN would spoil every figure; the item is named."""
    with pytest.raises(ValueError, match="item 1 has a vote that is not finite"):
        reliability([[1, 0], [1, float("nan")]])


def test_differences_too_small_to_be_squared_are_none():
    """Votes that differ by the smallest floats are equal for all purposes; nothing is divided by zero."""
    result = reliability([[0, 0], [0, 2.2e-308]])
    assert (result.icc, result.icc_average) == (None, None)
    assert result.reason.key == "equal_votes"


@given(st.lists(st.lists(st.none() | st.floats(0, 1), max_size=5), max_size=15))
def test_bounds_and_order(votes):
    """Shares are in [0, 1], correlations never exceed 1, order of votes does not matter, JSON accepts it."""
    result = reliability(votes)
    json.dumps(dataclasses.asdict(result))
    for share in (result.agreement, result.changed):
        assert share is None or 0 <= share <= 1
    for correlation in (result.icc, result.icc_average):
        assert correlation is None or correlation <= 1
    turned = reliability([row[::-1] for row in votes])
    assert (turned.agreement, turned.changed, turned.items) == (result.agreement, result.changed, result.items)
