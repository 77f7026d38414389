"""How the work is shared: the arithmetic of levels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.annotation.store.assignment import quota, shortfalls


@pytest.mark.parametrize(
    ("places", "had", "expected"),
    [
        (10, [0, 0], 5),
        (11, [0, 0], 6),
        (100, [100, 0], 100),
        (100, [0, 0, 200], 50),
        (1, [3, 3, 3], 4),
        (5, [0, 3, 10], 4),
        (3, [], 0),
    ],
)
def test_the_rest_goes_first_to_who_had_least(places, had, expected):
    """The rest is distributed like water poured onto steps."""
    assert quota(places, had) == expected


@given(st.integers(1, 500), st.lists(st.integers(0, 60), min_size=1, max_size=8))
def test_the_level_is_the_lowest_that_is_enough(places, had):
    """One less would leave places that nobody takes."""

    def room(height):
        return sum(max(0, height - amount) for amount in had)

    found = quota(places, had)
    assert room(found) >= places > room(found - 1)
    lacking = shortfalls(places, dict(enumerate(had)))
    assert sum(lacking.values()) == room(found)
    assert all(amount > 0 for amount in lacking.values())


def test_nobody_is_below_where_nothing_is_left():
    """Both with and without people."""
    assert shortfalls(0, {1: 0}) == {}
    assert shortfalls(5, {}) == {}
