"""Long texts in windows: nothing is lost, no window is too long, and cuts are at sentences where possible."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import ConfigurationError
from saiten.models.class_labels import support_label
from saiten.models.text_windows import TextWindow, cut_pieces, windows_of


def count(texts):
    """A token per word, or per character of an endless one."""
    return [sum(max(1, len(word) // 4) for word in text.split()) for text in texts]


@given(st.text(alphabet="ab .\n", max_size=300), st.integers(1, 12), st.integers(0, 6))
def test_windows_cover_the_text_in_order(text, room, overlap):
    """Each begins after the one before, at or before its end; only a single character may exceed the room."""
    starts = [at + 2 for at in range(len(text) - 2) if text[at] == "."]
    found = list(windows_of(cut_pieces(text, starts, count, max(1, room // 2)), room, overlap))
    assert "".join(text[one.start : one.end] for one in found) == text if overlap == 0 else True
    assert not text or (found[0].start, found[-1].end) == (0, len(text))
    for one, other in pairwise(found):
        assert one.start < other.start <= one.end < other.end
        assert one.end - other.start <= 0 or count([text[other.start : one.end]])[0] <= overlap + 1
    assert all(one.tokens <= max(room, 1) for one in found)


def test_cuts_are_where_sentences_start():
    """As long as a sentence is short enough; a longer one is cut at white space."""
    text = "One two. Three four. " + "five " * 10
    pieces = cut_pieces(text, [0, 9, 21], count, 4)
    assert [text[one.start : one.end] for one in pieces[:2]] == ["One two. ", "Three four. "]
    assert all(text[one.end - 1] == " " and one.tokens <= 4 for one in pieces[2:])


def test_a_window_begins_with_the_end_of_the_one_before():
    """As many whole pieces as the overlap holds."""
    pieces = [TextWindow(at, at + 1, 2) for at in range(6)]
    assert [(one.start, one.end) for one in windows_of(pieces, 6, 3)] == [(0, 3), (2, 5), (4, 6)]
    assert [(one.start, one.end) for one in windows_of(pieces, 6, 1)] == [(0, 3), (3, 6)]


@pytest.mark.parametrize(
    ("labels", "given_label", "found"),
    [
        (("contradiction", "neutral", "entailment"), "", "entailment#2"),
        (("Not-Entailment", "ENTAILMENT"), "", "ENTAILMENT#1"),
        (("LABEL_0", "Hallucinated"), "", "LABEL_0#0"),
        (("LABEL_0",), "", "LABEL_0#0"),
        (("hallucinated",), "", "not hallucinated#0"),
        (("O", "B-HAL", "I-HAL"), "", "O#0"),
        (("矛盾", "中立", "含意"), "", "含意#2"),
        (("LABEL_0", "LABEL_1"), "1", "LABEL_1#1"),
        (("1", "0"), "0", "0#1"),
    ],
)
def test_the_label_of_support(labels, given_label, found):
    """By its name, by the only other one, or as given; a name takes precedence over a number."""
    assert str(support_label(labels, given_label, "the model", "model?support=LABEL")) == found


@pytest.mark.parametrize(
    ("labels", "given_label", "message"),
    [
        (("LABEL_0", "LABEL_1"), "", r"0 = LABEL_0, 1 = LABEL_1\); .*model\?support=LABEL"),
        (("LABEL_0", "LABEL_1", "hallucinated"), "", "do not say which"),
        (("entailment", "supported"), "", "do not say which"),
        (("positive",), "", "do not say which"),
        ((), "", "do not say which"),
        (("a", "b"), "2", "has no label '2'; it has 0 = a, 1 = b"),
        (("a", "A"), "a", "has no label 'a'"),
    ],
)
def test_a_label_is_never_guessed(labels, given_label, message):
    """The error lists the labels, and shows how to give one."""
    with pytest.raises(ConfigurationError, match=message):
        support_label(labels, given_label, "the model", "model?support=LABEL")
