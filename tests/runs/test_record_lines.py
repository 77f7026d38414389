"""Records as lines of JSON and back."""

import json
import math
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.records import STATUSES, Sample, Score, Scored, Usage
from saiten.runs import sample_from_json, sample_to_json, scored_from_json, scored_to_json
from saiten.runs.lines import _to_line_slowly, from_line, to_line

TEXT = st.text(st.characters(), max_size=20)  # lone surrogates included
FINITE = st.floats(allow_nan=False, allow_infinity=False)
OPTIONAL_TEXTS = st.none() | st.lists(TEXT, max_size=3).map(tuple)
SAMPLES = st.builds(
    Sample,
    id=TEXT,
    question=TEXT,
    answer=st.none() | TEXT,
    contexts=OPTIONAL_TEXTS,
    reference=st.none() | TEXT,
    alternatives=st.lists(TEXT, max_size=2).map(tuple),
    evidence=OPTIONAL_TEXTS,
    group=st.none() | TEXT,
    system=st.none() | TEXT,
    language=st.sampled_from(["ja", "en"]),
)
DETAILS = st.dictionaries(TEXT, st.none() | TEXT | FINITE | st.booleans() | st.lists(TEXT, max_size=3), max_size=4)
USAGES = st.builds(
    Usage,
    st.integers(0, 9),
    st.integers(0, 99),
    st.integers(0, 99),
    st.floats(0, 9),
    st.integers(0, 9),
    st.integers(0, 9),
)


@st.composite
def scores(draw):
    """Scores whose value and expected value fit their status."""
    status = draw(st.sampled_from(STATUSES))
    value = draw(FINITE) if status == "ok" else None
    votes = tuple(draw(st.lists(st.none() | FINITE, max_size=3)))
    expected = draw(st.none() | FINITE) if status == "ok" else None
    return Score(value, status, draw(st.none() | TEXT), draw(DETAILS), votes, draw(USAGES), expected)


@given(SAMPLES)
def test_any_sample_comes_back_as_it_was(sample):
    """A sample survives writing and reading, including lone surrogates and empty tuples."""
    assert sample_from_json(from_line(to_line(sample_to_json(sample)))) == sample


@given(st.builds(Scored, TEXT, TEXT, scores()))
def test_any_score_comes_back_as_it_was(scored):
    """A score survives writing and reading, to the last bit of its value."""
    line = to_line(scored_to_json(scored))
    assert line.count(b"\n") == 1
    assert scored_from_json(from_line(line)) == scored


JSON = st.recursive(
    st.none() | TEXT | FINITE | st.booleans() | st.integers() | st.sampled_from(["null", "\u2028\u0085", "“null”"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT | st.integers(0, 9), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_a_line_is_read_as_pythons_json_reads_it(value):
    """Whatever JSON can hold is written in one line, and read back by `json` as `json` would have written it."""
    line = to_line(value).decode()
    assert line.splitlines(keepends=True) == [line]
    assert json.loads(line) == json.loads(json.dumps(value))


@given(SAMPLES)
def test_a_samples_line_does_not_depend_on_how_it_is_encoded(sample):
    """Python's encoder gives the same bytes, so that runs begun with it are resumed without comparing fields."""
    value = sample_to_json(sample)
    assert to_line(value) == _to_line_slowly(value)


@given(JSON)
def test_a_number_that_json_lacks_is_never_written(inner):
    """Beside nulls and the word null, at any depth."""
    with pytest.raises(ValueError, match="JSON compliant"):
        to_line({"details": [inner, {"a": [math.nan, inner]}]})


def test_a_line_of_scores_has_the_documented_fields():
    """The fields and their order are as documented; votes and the expected value appear only if there are any."""
    score = Score(0.5, details={"文": ["a"]}, usage=Usage(1, 2, 3, 0.25))
    line = to_line(scored_to_json(Scored("q1", "faithfulness", score)))
    assert line.decode() == (
        '{"sample":"q1","metric":"faithfulness","value":0.5,"status":"ok","reason":null,"details":{"文":["a"]},'
        '"usage":{"calls":1,"prompt_tokens":2,"completion_tokens":3,"cost":0.25,"unpriced":0,"reused":0,'
        '"cached_tokens":0,"unanswered":0}}\n'
    )
    voted = scored_to_json(Scored("q1", "accuracy", Score(1.0, votes=(1.0, None), expected=1.0)))
    assert list(voted) == ["sample", "metric", "value", "status", "reason", "details", "usage", "expected", "votes"]
    assert voted["votes"] == [1.0, None]


def test_what_was_not_given_is_left_out_of_a_sample():
    """A line of samples has the given fields, and the language."""
    assert sample_to_json(Sample("a", answer="", contexts=())) == {
        "id": "a",
        "answer": "",
        "contexts": [],
        "language": "en",
    }


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    "place",
    [
        Score,
        lambda bad: Score(1.0, details={"deep": [{"down": bad}]}),
        lambda bad: Score(1.0, details={"numpy": np.float32(bad)}),
        lambda bad: Score(1.0, votes=(1.0, bad)),
        lambda bad: Score(1.0, usage=Usage(cost=bad)),
    ],
)
def test_nan_and_infinity_are_refused_wherever_they_are(bad, place):
    """JSON has no NaN; one in a score is a bug and is raised, not written as null."""
    with pytest.raises(ValueError, match="JSON"):
        to_line(scored_to_json(Scored("a", "m", place(bad))))


@pytest.mark.parametrize("score", [Score(None), Score(0.0, "failed"), Score(1.0, "undefined"), Score(0.0, "declined")])
def test_a_value_that_does_not_go_with_its_status_is_refused(score):
    """A score has a value exactly if it is ok: on writing, and on reading."""
    with pytest.raises(ValueError, match="exactly if it is ok"):
        scored_to_json(Scored("a", "m", score))
    with pytest.raises(ValueError, match="does not go with"):
        scored_from_json({"sample": "a", "metric": "m", "value": score.value, "status": score.status})


def test_details_may_hold_what_metrics_have_at_hand():
    """Tuples, sets, numpy values and read-only mappings are written; anything else is named in the error."""
    details = MappingProxyType({"t": (1, 2), "s": {"b", "a"}, "n": np.int64(3), "a": np.array([0.5])})
    written = json.loads(to_line(scored_to_json(Scored("a", "m", Score(1.0, details=details)))))
    assert written["details"] == {"t": [1, 2], "s": ["a", "b"], "n": 3, "a": [0.5]}
    with pytest.raises(TypeError, match="there is a object in them"):
        to_line(scored_to_json(Scored("a", "m", Score(1.0, details={"x": object()}))))


@pytest.mark.parametrize("value", [{}, {"sample": "a"}, {"sample": "a", "metric": "m", "status": "fine", "value": 1}])
def test_an_object_that_is_no_score_is_refused(value):
    """Foreign objects are not taken for scores or samples."""
    with pytest.raises(ValueError, match="no score"):
        scored_from_json(value)
    with pytest.raises(ValueError, match="no sample"):
        sample_from_json(value)


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"a":' * 100_000, b"[]", b"5", b"\xff", b""])
def test_a_line_that_is_no_object_is_refused(line):
    """Any content of a damaged file is a ValueError, which its readers report with the line number."""
    with pytest.raises(ValueError, match=r"."):
        from_line(line)
