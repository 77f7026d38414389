"""Names as they appear in pictures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.views.charts.texts import plain, shorten, text_width, written


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gpt-4o", "gpt-4o"),
        ("a\n\n b\tc ", "a b c"),
        ("", "–"),
        (" \n", "–"),
        ("\x1b[31m", "␛[31m"),
        ("a\u202eb", "a\ufffdb"),
        ("\ud800", "\ufffd"),
        ("評価👩‍🔬", "評価👩‍🔬"),
    ],
)
def test_a_name_is_one_harmless_line(text, shown):
    """Control characters are replaced by signs."""
    assert plain(text) == shown


@given(st.text(max_size=600), st.floats(30, 400))
def test_a_shortened_name_has_room_and_both_ends(text, width):
    """A name is as long as there is room for."""
    whole = plain(text)
    short = shorten(whole, width)
    assert text_width(short) <= max(width, text_width("…")) + 0.01
    if short != whole:
        head, _, tail = short.rpartition("…")
        assert whole.startswith(head.rstrip("…")) or "…" in head
        assert whole.endswith(tail)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.12345, "0.123"), (0.0, "0"), (-0.02, "−0.02"), (0.000123, "0.00012"), (3.4, "3.4"), (123456.0, "123,456"),
        (-1234.5, "−1,234"), (1.0, "1"), (None, "–"), (99.95, "100"), (1.5e12, "1.5e12"),
    ],
)  # fmt: skip
def test_figures_are_short(value, shown):
    """Figures have three digits, whole thousands, a true minus sign."""
    assert written(value) == shown
