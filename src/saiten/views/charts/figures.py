"""Numbers as charts write and read them."""

from collections.abc import Iterable, Mapping
from math import isfinite

_LARGEST = 1e280
"""Sums and differences of numbers up to this are numbers."""
_SAID = 40
"""Figures that are said in words; the table has all."""


def finite(value: float | None) -> float | None:
    """The number, or None for what is not one: it can be neither drawn nor written.

    Nor can what lies where floats end; what is smaller than any axis is 0.
    """
    if value is None or not isfinite(value) or abs(value) > _LARGEST:
        return None
    return 0.0 if abs(value) < 1 / _LARGEST else float(value)


def written(value: float | None) -> str:
    """Three decimals at most, fewer for great numbers, more for small ones, with a true minus sign."""
    if value is None:
        return "–"
    if value and abs(value) < 0.1:
        return number(float(f"{value:.2g}"))
    if 1000 <= abs(value) < 1e9:
        return f"{value:,.0f}".replace("-", "−")
    return number(float(f"{value:.3g}"))


def value_and_interval(
    value: float | None, low: float | None, high: float | None, words: Mapping[str, str], beside: Iterable[str] = ()
) -> str:
    """`0.5, 95 % interval 0.4 to 0.6, n = 48`; that there is no value, where there is none.

    `beside`: what is said after it; what is empty is left out.
    """
    if finite(value) is None:
        return words["nothing"]
    parts = [written(finite(value))]
    if low is not None and high is not None:
        parts.append(words["interval"].format(low=written(finite(low)), high=written(finite(high))))
    return ", ".join(part for part in (*parts, *beside) if part)


def in_words(said: Iterable[tuple[str, str]], words: Mapping[str, str]) -> str:
    """`name: value; name: value; …`, the first forty."""
    pairs = list(said)
    parts = [words["said"].format(name=name, value=value) for name, value in pairs[:_SAID]]
    if len(pairs) > _SAID:
        parts.append(words["and_more"].format(count=len(pairs) - _SAID))
    return words["between"].join(parts)


def number(value: float) -> str:
    """As short as it can be, with a true minus sign."""
    return f"{value + 0.0:.6g}".replace("-", "−").replace("e+0", "e").replace("e+", "e").replace("e−0", "e−")
