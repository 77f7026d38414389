import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.dialogue.scores import lscore, mscore, wscore

GRADES = st.integers(1, 8).flatmap(lambda n: st.tuples(st.lists(st.floats(0, 5), min_size=1, max_size=n), st.just(n)))


def test_the_worked_example_of_the_paper():
    """With n = 3, σ = [1, 5]: (3·1 + 2·5 + 1·5) / 6 = 3; two grades; the best is 5 (spec 02)."""
    assert (wscore([1, 5], 3), lscore([1, 5], 3), mscore([1, 5], 3)) == (3, 2, 5)


@pytest.mark.parametrize(
    ("grades", "n", "expected"),
    [
        ([5], 5, 5.0),
        ([0], 1, 0.0),
        ([3, 5], 5, (5 * 3 + (4 + 3 + 2 + 1) * 5) / 15),
        ([1, 2, 3, 4, 5], 5, (5 + 8 + 9 + 8 + 5) / 15),
        ([5, 1], 2, (2 * 5 + 1) / 3),
    ],
)
def test_wscore_by_hand(grades, n, expected):
    """Each grade is weighted by the remaining turns, with the last one carried to the end."""
    assert wscore(grades, n) == pytest.approx(expected)


@given(GRADES)
def test_the_scores_stay_within_their_bounds(given_grades):
    """Here wscore is between the lowest and the highest grade, lscore between 1 and n."""
    grades, n = given_grades
    assert min(grades) - 1e-9 <= wscore(grades, n) <= max(grades) + 1e-9
    assert 1 <= lscore(grades, n) <= n
    assert mscore(grades, n) == max(grades)


@given(st.floats(0, 5), st.integers(1, 8), st.data())
def test_constant_grades_give_that_grade(grade, n, data):
    """This holds for any number of turns."""
    length = data.draw(st.integers(1, n))
    assert wscore([grade] * length, n) == pytest.approx(grade)


@given(GRADES)
def test_a_good_grade_that_comes_earlier_is_never_worse(given_grades):
    """Moving a higher grade one turn forward never lowers wscore, except the last, which is carried to the end."""
    grades, n = given_grades
    for at in range(len(grades) - 2):
        low, high = sorted(grades[at : at + 2])
        before, after = grades[:at], grades[at + 2 :]
        assert wscore([*before, high, low, *after], n) >= wscore([*before, low, high, *after], n) - 1e-9


@given(GRADES)
def test_the_same_end_reached_a_turn_sooner_is_never_worse(given_grades):
    """Of rising grades, the first and lowest may be omitted."""
    grades, n = given_grades
    rising = sorted(grades)
    assert wscore(rising[-1:], n) >= wscore(rising[1:] or rising, n) - 1e-9 >= wscore(rising, n) - 2e-9


@pytest.mark.parametrize(("grades", "n"), [([], 5), ([1, 2, 3], 2), ([6], 5), ([-1], 5)])
def test_what_is_no_list_of_grades_is_refused(grades, n):
    """An error is better than a figure outside the scale."""
    with pytest.raises(ValueError, match="grade"):
        wscore(grades, n)


def test_a_turn_limit_beyond_all_dialogues_costs_nothing():
    """It comes from a user or a file; unneeded turns are not iterated over."""
    assert wscore([5, 5], 10**12) == 5
