"""Partition: what is wrong with units that should cover a text, each part once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.text.partition import lay_out

REFERENCE = "旅費は翌月10日までに申請します。なお、用紙は経理課にあります。"


@pytest.mark.parametrize(
    ("gist", "supplement", "faults"),
    [
        (["旅費は翌月10日までに申請します。"], ["なお、用紙は経理課にあります。"], []),
        (["旅費は翌月10日までに申請します"], ["用紙は経理課にあります"], []),
        (["旅費は翌月10日までに申請します。"], [], ["no unit contains “なお、用紙は経理課にあります。”; add it"]),
        ([REFERENCE], ["なお、用紙は経理課にあります。"], [f"“{REFERENCE}” and “なお、用紙は経理課にあります。” overlap; copy no words twice"]),
        (
            [REFERENCE],
            [REFERENCE],
            [f"“{REFERENCE}” is in both `gist` and `supplement`; list it in one of them"],
        ),
        ([REFERENCE, REFERENCE], ["", "  "], [f"“{REFERENCE}” is in `gist` twice; list it once"]),
        ([REFERENCE, "\u200b", "\u3000\ufeff"], ["\u202e"], []),
        (
            [REFERENCE, "締切は厳守です！"],
            [],
            ["“締切は厳守です！” in `gist` is not in the text; copy the words as they are"],
        ),
        (["旅費は翌月１０日までに申請します。", "旅費は翌月10日までに申請します。"], ["なお、用紙は経理課にあります。"],
         ["“旅費は翌月10日までに申請します。” is in `gist` twice; list it once"]),
    ],
)  # fmt: skip
def test_each_fault_is_named_in_a_sentence(gist, supplement, faults):
    """Twice, in two lists, not in the text, overlapping, uncovered; leftover commas and connectives are not faults."""
    layout = lay_out(REFERENCE, {"gist": gist, "supplement": supplement}, whole=True)
    assert list(layout.faults) == faults


@pytest.mark.parametrize(
    ("source", "unit"),
    [
        ("Thank you for your question. Bring a photo.", "Bring a photo."),
        ("お問い合わせありがとうございます。写真をお持ちください。", "写真をお持ちください。"),
    ],
)
def test_a_greeting_belongs_to_no_unit(source, unit):
    """It says nothing, so a model that leaves it out made no mistake."""
    layout = lay_out(source, {"gist": [unit], "supplement": []}, whole=True)
    assert (layout.faults, layout.uncovered) == ((), ())


def test_a_unit_in_two_lists_stays_in_the_first():
    """It counts once; a unit that was not found stays, too."""
    layout = lay_out("One. Two.", {"gist": ["One.", "Three?"], "supplement": ["Two.", "One."]}, whole=True)
    assert {name: [one.text for one in of] for name, of in layout.units.items()} == {
        "gist": ["One.", "Three?"],
        "supplement": ["Two."],
    }
    assert layout.unplaced == 1


def test_repeated_text_may_be_two_units():
    """The same words in two places are two units, not a duplicate."""
    layout = lay_out("Stop. Go on. Stop.", {"gist": ["Stop.", "Go on."], "supplement": ["Stop."]}, whole=True)
    assert layout.faults == ()
    assert [one.start for one in layout.units["supplement"]] == [13]


def test_the_uncovered_pieces_have_their_places():
    """The offsets of the leftover words, without surrounding space."""
    source = "We pay in May. The office is closed on Fridays. Nothing else."
    layout = lay_out(source, {"gist": ["We pay in May.", "Nothing else."]}, whole=True)
    (gap,) = layout.uncovered
    assert source[gap.start : gap.end] == gap.text == "The office is closed on Fridays."


@given(st.lists(st.text("ab漢か。1 ", min_size=1, max_size=12), max_size=8), st.data())
def test_nothing_is_lost_and_nothing_counts_twice(units, data):
    """Every unit that is not blank is in a list or is reported as a duplicate, whatever the split."""
    cut = data.draw(st.integers(0, len(units)))
    layout = lay_out("".join(units), {"gist": units[:cut], "supplement": units[cut:]}, whole=True)
    doubles = sum("list it once" in fault or "is in both" in fault for fault in layout.faults)
    assert sum(map(len, layout.units.values())) + doubles == sum(bool(unit.strip()) for unit in units)
