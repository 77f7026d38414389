"""Lengths of texts: figures of a distribution of which only the counts are kept."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.stats.lengths import lengths_of


def test_the_figures_of_ten_texts():
    """By hand: 1 to 9 and 100; nine of ten are no longer than 9, so 95 % need the longest."""
    found = lengths_of(Counter([*range(1, 10), 100]))
    assert (found.n, found.mean, found.median, found.p95, found.highest) == (10, 14.5, 5.5, 100, 100)


def test_no_text_has_no_figures():
    """None, not 0."""
    assert lengths_of({}) is None


@given(st.lists(st.integers(0, 50) | st.integers(0, 10**7), min_size=1, max_size=200))
def test_counts_give_the_figures_of_the_lengths_themselves(lengths):
    """As numpy computes them from every length; the 95th percentile is one of the lengths."""
    found = lengths_of(Counter(lengths))
    assert found.mean == pytest.approx(np.mean(lengths))
    assert found.median == np.median(lengths)
    assert found.p95 == np.quantile(lengths, 0.95, method="inverted_cdf")
    assert list(found.counts) == sorted(set(lengths))
