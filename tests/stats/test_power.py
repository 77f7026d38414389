"""How many questions a paired comparison takes: against published figures, scipy, exact tests, and simulations."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from saiten.stats.paired import sign_flip
from saiten.stats.power import (
    needed_for,
    power_at,
    questions_needed,
    spread_of,
    visible_difference,
    visible_for,
)


@pytest.mark.parametrize(("effect", "published"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_the_numbers_for_a_paired_t_test_are_those_of_gpower(effect, published):
    """Faul et al. 2007, G*Power: matched pairs, two-sided, level 0.05, power 0.8; the unit of the spread cancels."""
    assert questions_needed(effect, 1.0) == published
    assert questions_needed(effect * 0.3, 0.3) == published


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("effect", [0.05, 0.3, 0.7, 1.1])
def test_power_and_number_are_those_of_statsmodels_and_scipy(effect, power):
    """The smallest n with the power: the next whole number after theirs; the power at n is scipy's."""
    n = questions_needed(effect, 1.0, power)
    theirs = TTestPower().solve_power(effect, power=power, alpha=0.05)
    assert n == max(math.ceil(theirs - 1e-6), 6)
    ends = stats.t.ppf([0.025, 0.975], n - 1)
    below, above = stats.nct.cdf(ends, n - 1, effect * math.sqrt(n))
    assert power_at(effect, 1.0, n) == pytest.approx(below + 1 - above, abs=1e-6)


def test_the_number_comes_near_the_formula_of_textbooks():
    """N = (z₀.₉₇₅ + z₀.₈)² sd² / d², to which the t distribution adds two questions."""
    textbook = (1.959964 + 0.841621) ** 2 * 0.4**2 / 0.05**2
    assert textbook < questions_needed(0.05, 0.4) < textbook + 3


def exact_power(better, worse, n):
    """The power of McNemar's exact test if the second system wins `better` of the questions and loses `worse`."""
    discordant = better + worse
    total = 0.0
    for m, likely in enumerate(stats.binom.pmf(range(n + 1), n, discordant)):
        wins = np.arange(m + 1)
        p = 2 * np.minimum(stats.binom.cdf(wins, m, 0.5), stats.binom.sf(wins - 1, m, 0.5))
        total += likely * stats.binom.pmf(wins, m, better / discordant)[p < 0.05].sum()
    return total


@pytest.mark.parametrize(
    ("better", "worse", "most"),
    [(0.15, 0.05, 1.05), (0.25, 0.15, 1.05), (0.3, 0.2, 1.05), (0.35, 0, 1.05), (0.4, 0.1, 1.05), (0.2, 0, 1.2)],
)
def test_yes_and_no_take_as_many_questions_as_the_exact_test(better, worse, most):
    """5 % more have the power of the exact test, and 5 % fewer lack it; without losses, 20 % fewer do."""
    difference = better - worse
    n = questions_needed(difference, math.sqrt(better + worse - difference**2), step=1.0)
    assert exact_power(better, worse, math.ceil(1.05 * n) + 1) >= 0.8
    assert exact_power(better, worse, math.floor(n / most) - 1) < 0.8
    assert exact_power(better, worse, n) > 0.78


@pytest.mark.parametrize("shape", ["shares", "yes and no"])
def test_a_comparison_with_that_many_questions_shows_the_difference_as_often_as_it_says(shape):
    """The test of `saiten compare` on 400 simulated pilots: 80 % (± 6: three standard errors) have p < 0.05."""
    random = np.random.default_rng(7)
    weights = {"shares": ([-0.5, -0.25, 0, 0.25, 0.5], [0.05, 0.1, 0.5, 0.2, 0.15]), "yes and no": ([-1, 0, 1], [0.1, 0.65, 0.25])}  # fmt: skip
    values, chances = map(np.array, weights[shape])
    difference = values @ chances
    spread = spread_of(np.repeat(values, (1000 * chances).astype(int)).astype(float))
    n = questions_needed(difference, spread.sd, step=spread.step)
    shown = [sign_flip(random.choice(values, n, p=chances).astype(float), permutations=1000) < 0.05 for _ in range(400)]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize("step", [0.0, 1.0])
@pytest.mark.parametrize("n", [6, 40, 1000])
def test_the_smallest_visible_difference_has_exactly_the_power(n, step):
    """It is the inverse of the power, and of the number of questions."""
    visible = visible_difference(0.4, n, 0.9, step=step)
    assert power_at(visible, 0.4, n, step=step) == pytest.approx(0.9, abs=1e-9)
    assert questions_needed(visible, 0.4, 0.9, step=step) == n
    assert questions_needed(visible * 0.99, 0.4, 0.9, step=step) > n or n == 6


def test_five_questions_show_nothing_and_six_are_always_needed():
    """A test by signs of five questions has no p below 0.0625."""
    assert visible_difference(0.1, 5) is None
    assert questions_needed(1.0, 0.01) == 6


def test_a_difference_too_small_for_ten_million_questions_has_no_number():
    """None, not a number that nobody has asked for."""
    assert questions_needed(1e-6, 0.4) is None
    assert questions_needed(0.0005, 0.4) == pytest.approx(5_023_282, abs=10)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((0, 0.4), "a difference of 0"),
        ((0.1, 0), "sd is 0"),
        ((0.1, math.nan), "sd is nan"),
        ((0.1, 0.4, 1.0), "the power is 1.0"),
        ((0.1, 0.4, 0.05), "the power is 0.05"),
    ],
)
def test_impossible_wishes_are_refused(arguments, said):
    """With the value, and what is possible."""
    with pytest.raises(ValueError, match=said):
        questions_needed(*arguments)
    with pytest.raises(ValueError, match="at least two questions"):
        power_at(0.1, 0.4, 1)


def test_the_samples_of_a_question_count_with_their_mean():
    """Four questions with mean differences 0, 1, 0.5 and 0.5, whatever the order of their samples."""
    labels = ["a", "b", "a", "b", "c", "d", "d"]
    spread = spread_of([1.0, 1.0, -1.0, 1.0, 0.5, 0.0, 1.0], labels)
    assert (spread.n, spread.low) == (4, None)
    assert spread.sd == pytest.approx(np.std([0, 1, 0.5, 0.5], ddof=1))
    assert spread.step == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("differences", "step"),
    [([1, 0, -1, 0, 1, 0], 1), ([2, 4, 0, -2, 6, 0], 2), ([0.25, -0.5, 0, 0.75], 0.25), ([0.2, 0.35, 0, 0.1], 0)],
)
def test_differences_have_a_step_if_all_are_multiples_of_the_smallest(differences, step):
    """Yes and no, grades, shares of four; not shares of different numbers."""
    assert spread_of([float(each) for each in differences]).step == step


@pytest.mark.parametrize(("differences", "sd"), [([], None), ([0.3], None), ([0.0] * 9, 0.0), ([0.1] * 9, 0.0)])
def test_a_pilot_without_spread_says_nothing_about_the_number(differences, sd):
    """No question, one question, or the same difference on all."""
    spread = spread_of(differences)
    assert spread.sd == sd
    assert (spread.low, spread.high) == (None, None)
    assert needed_for(0.05, spread).n is None


def test_at_least_six_questions_have_to_differ():
    """One of 40 differed: so many that six of them do with probability 0.8, however small the spread is."""
    spread = spread_of([0.3] + [0.0] * 39)
    needed = needed_for(0.05, spread)
    assert questions_needed(0.05, spread.sd, step=spread.step) < 20
    assert stats.binom.sf(5, needed.n - 1, 1 / 40) < 0.8 <= stats.binom.sf(5, needed.n, 1 / 40)
    assert needed.low < needed.n < needed.high
    assert visible_for(spread) is None
    assert visible_for(spread_of([0.3, -0.1] * 20)) == visible_difference(spread_of([0.3, -0.1] * 20).sd, 40, step=0.1)


@pytest.mark.parametrize("n", [12, 60])
def test_the_interval_of_the_spread_covers_the_true_one_for_scores_that_mostly_agree(n):
    """Bonett's: 95 % of 1,500 pilots (91 to 98 %), where the one by chi-square covers fewer than 88 %."""
    random = np.random.default_rng(n)
    true = math.sqrt(0.2 - 0.1**2)
    covered, by_chi_square, usable = 0, 0, 0
    for _ in range(1500):
        spread = spread_of(random.choice([-1.0, 0.0, 1.0], n, p=[0.05, 0.8, 0.15]))
        if spread.sd:
            usable += 1
            covered += spread.low <= true <= spread.high
            low, high = (spread.sd * math.sqrt((n - 1) / stats.chi2.ppf(end, n - 1)) for end in (0.975, 0.025))
            by_chi_square += low <= true <= high
    assert 0.91 <= covered / usable <= 0.98
    if n == 60:
        assert by_chi_square / usable < 0.88


def test_the_number_has_the_interval_that_follows_from_the_spread():
    """Its ends are the numbers at the ends of the spread's interval."""
    random = np.random.default_rng(1)
    spread = spread_of(random.normal(0, 0.4, 40))
    needed = needed_for(0.05, spread, 0.8)
    assert needed.low == questions_needed(0.05, spread.low) < needed.n < needed.high
    assert needed.high == questions_needed(0.05, spread.high)
