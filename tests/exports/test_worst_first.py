"""The order of an export: the worst answers first, and what was not measured never at the good end."""

import math

import numpy as np
import pytest

from saiten.results.worst_first import worst_by, worst_first

NO = math.nan


def order(values, signatures=None):
    """The places, the worst first."""
    return [int(place) for place in worst_first({name: np.array(of) for name, of in values.items()}, signatures or {})]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"token_f1": [0.5, 0.1, 0.9]}, [1, 0, 2]),
        ({"token_f1": [0.5, NO, 0.1]}, [1, 2, 0]),
        ({"token_f1": [0.5, 0.5, 0.5]}, [0, 1, 2]),
        ({"token_f1": [NO, NO]}, [0, 1]),
        ({"lscore": [0.5, 0.1, 0.9]}, [2, 0, 1]),
        ({"length": [5, 1, 9]}, [0, 1, 2]),
        ({"token_f1": [0.5, 0.1, 0.9], "length": [1, 2, 3]}, [1, 0, 2]),
        ({"token_f1": [0.1, 0.2, 0.3], "correctness": [5, 0, 4]}, [1, 0, 2]),
        ({"token_f1": [0.9, 0.8, 0.1], "correctness": [NO, 4, 5]}, [0, 1, 2]),
        ({"token_f1": [0.9, 0.8, 0.1], "correctness": [NO, 4, 4]}, [2, 0, 1]),
        ({}, []),
    ],
)
def test_the_worst_answer_is_first(values, expected):
    """By the mean of its ranks: lower is better for some metrics, some have no direction, and scales do not matter."""
    assert order(values) == expected


def test_an_answer_that_was_not_measured_ranks_behind_every_value():
    """However many there are, and whatever else is good about it, one good metric does not hide it."""
    values = {"token_f1": [0.0, *[NO] * 50, 1.0]}
    assert order(values) == [*range(1, 51), 0, 51]


def test_a_metric_of_the_users_own_has_the_direction_of_its_signature():
    """The run records it, since the file of the metric is not read."""
    values = {"my_metrics.py:Errors": [3, 1, 2]}
    assert order(values, {"my_metrics.py:Errors": "my_metrics.py:Errors|better:lower"}) == [0, 2, 1]
    assert order(values, {"my_metrics.py:Errors": "my_metrics.py:Errors|better:higher"}) == [1, 2, 0]


@pytest.mark.parametrize(
    ("metric", "expected"), [("token_f1", [2, 1, 0]), ("lscore", [2, 0, 1]), ("length", [2, 1, 0])]
)
def test_one_metric_can_order_alone_and_without_a_direction_the_lowest_come_first(metric, expected):
    """As in `saiten show --worst`, but answers without a value are kept, in front."""
    values = {"token_f1": np.array([0.9, 0.1, NO]), "lscore": np.array([0.9, 0.1, NO]), "length": np.array([9.0, 1, NO])}  # fmt: skip
    assert worst_by(metric, values, {}).tolist() == expected
