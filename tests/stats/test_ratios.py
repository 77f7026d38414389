import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.stats.ratios import ratio_of_means

SECONDS = st.floats(0.01, 100)


def test_the_ratio_is_of_the_means_not_the_mean_of_the_ratios():
    """(1 + 9) / (2 + 3) = 2; the mean of 0.5 and 3 would be 1.75."""
    assert ratio_of_means([1, 9], [2, 3]).value == 2


def test_over_several_models_the_means_are_averaged_before_they_are_divided():
    """Spec 03: the ratio of the means over the models; a model with more questions weighs no more."""
    found = ratio_of_means([2, 2, 2, 10], [4, 4, 4, 20], ["a", "b", "c", "a"], ["small"] * 3 + ["large"])
    assert found.value == (2 + 10) / (4 + 20)


def test_the_published_ratios_come_out_of_the_published_means():
    """gpt-3.5-turbo and gpt-4-turbo on NLP2023: 2.77 and 55.4 s parallel, 3.41 and 60.2 s serial."""
    found = ratio_of_means([2.77, 55.4], [3.41, 60.2], ["q", "q"], ["gpt-3.5-turbo", "gpt-4-turbo"])
    assert found.value == pytest.approx(58.17 / 63.61)


@pytest.mark.parametrize(
    ("first", "second", "note"),
    [([], [], "no pairs"), ([1.0], [0.0], "the second mean is 0"), ([0.0, 0.0], [0.0, 0.0], "the second mean is 0")],
)
def test_no_ratio_is_said_and_not_made_up(first, second, note):
    """None and a reason, never an infinity or a NaN."""
    found = ratio_of_means(first, second)
    assert (found.value, found.low, found.high, str(found.reason)) == (None, None, None, note)


def test_one_question_has_a_ratio_and_no_interval():
    """The spread between questions is unknown."""
    found = ratio_of_means([1, 2], [2, 4], ["q", "q"])
    assert (found.value, found.low, found.clusters) == (0.5, None, 1)


@pytest.mark.parametrize(("first", "second"), [([-1.0], [1.0]), ([1.0], [float("nan")]), ([1.0], [1.0, 2.0])])
def test_what_is_no_pair_of_durations_is_refused(first, second):
    """A wrong input is an immediate error, not a strange figure later."""
    with pytest.raises(ValueError, match=r"negative|nan|pairs"):
        ratio_of_means(first, second)


@given(st.lists(st.tuples(SECONDS, SECONDS), min_size=2, max_size=20), st.floats(0.1, 10))
def test_the_unit_of_time_does_not_matter(pairs, scale):
    """Milliseconds give the same ratio and interval as seconds."""
    first, second = zip(*pairs, strict=True)
    seconds = ratio_of_means(first, second, resamples=200)
    scaled = ratio_of_means([scale * a for a in first], [scale * b for b in second], resamples=200)
    assert scaled.value == pytest.approx(seconds.value)
    if seconds.low is not None and scaled.low is not None:
        assert (scaled.low, scaled.high) == pytest.approx((seconds.low, seconds.high))


def test_the_interval_holds_the_true_ratio_about_as_often_as_it_says():
    """200 draws of 40 questions for two models, true ratio 0.6: at least 90 % of the 95 % intervals contain it."""
    random = np.random.default_rng(7)
    held = 0
    for _ in range(200):
        serial = random.gamma(4, 1.5, (2, 40)) * [[1.0], [3.0]]
        parallel = serial * random.gamma(9, 0.6 / 9, (2, 40))
        questions, models = [*range(40), *range(40)], [0] * 40 + [1] * 40
        found = ratio_of_means(parallel.ravel(), serial.ravel(), questions, models, resamples=400)
        held += found.low < 0.6 < found.high
    assert held >= 180
