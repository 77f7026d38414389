"""Names for MLflow: allowed there, readable, and never the same one for two."""

import posixpath
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saiten.tracking.names import safe_name

NAMES = st.one_of(
    st.text(max_size=120),
    st.text(alphabet="ab-. _/[]=,\"'sh", max_size=12),
    st.from_regex(r"[ab.-]{1,3}(\[[ab.-]{1,3}([=,][ab.-]{1,3}){0,3}\])?", fullmatch=True),
)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("faithfulness", "faithfulness"),
        ("rouge_l", "rouge_l"),
        ("aspect_critique[harmfulness]", "aspect_critique - harmfulness"),
        ("correctness[evidence=reference,k=5]", "correctness - evidence reference - k 5"),
        ("drop[at=0.5]", "drop - at 0.5"),
        ("正確さ[厳しさ=高]", "正確さ - 厳しさ 高"),
    ],
)
def test_usual_names_stay_readable(name, safe):
    """Brackets and signs of equality become dashes and spaces, Japanese stays."""
    assert safe_name(name) == safe


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a//b", "/etc", "a\nb", "\ud800", "x" * 5000, "<script>", "a[sha=b]", "a - b"])  # fmt: skip
def test_any_other_name_gets_a_digest(name):
    """What would be a path, markup or half a character becomes none of these, and stays distinct."""
    assert re.fullmatch(r"[\w.-]{1,60} - sha [0-9a-f]{12}", safe_name(name))


@given(NAMES)
@example("a" * 100)
@example("a[" + ",".join("b" * 49) + "]")
def test_mlflow_takes_every_name(name):
    """Its own rule: letters, digits, `/ _ - .` and spaces, no path that resolves to another, at most 250 in a key."""
    key = f"system/{safe_name(name)}/{safe_name(name)}/completion_tokens"
    assert re.fullmatch(r"[/\w.\- ]+", key)
    assert posixpath.normpath(key) == key
    assert len(key) <= 250
    assert key.encode()


@given(NAMES, NAMES)
@example("a[b=c]", "a[b,c]")
@example("a[b]", "a - b")
@example("a/b", "a_b")
@example("A\n", "A")
def test_two_names_are_never_one(one, other):
    """Whatever the names hold, no figure overwrites another."""
    assert (safe_name(one) == safe_name(other)) == (one == other)
