"""Placement: each statement is found at its sentence, reworded as it may be, or nowhere."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.text.placement import place_statements
from saiten.text.sentences import split_sentences

TEXTS = st.text(st.sampled_from(list("aAb1 。.\n:：-・*漢字かなカナ、!？「」")), max_size=80) | st.text(max_size=40)
WORDS = ("otter", "lantern", "gravel", "violin", "cabbage", "harbor", "tunnel", "feather")


def places(text, statements, language="en"):
    """The indexes of the sentences, per statement."""
    return [[place.sentence for place in found] for found in place_statements(text, statements, language)]


@given(TEXTS, st.lists(TEXTS, max_size=6), st.sampled_from(["ja", "en"]))
def test_every_statement_is_at_sentences_of_the_text_or_explicitly_at_none(text, statements, language):
    """One tuple per statement; each place is one of the text's sentences with its offsets, and none occurs twice."""
    sentences = split_sentences(text, language)
    found = place_statements(text, statements, language)
    assert len(found) == len(statements)
    for each in found:
        assert all(sentences[place.sentence][1:] == (place.start, place.end) for place in each)
        assert len(set(each)) == len(each)


@given(st.permutations(WORDS), st.lists(st.integers(1, 3), min_size=8, max_size=8))
def test_statements_in_the_order_of_the_text_stay_in_it(words, times):
    """However many statements a sentence gives, they are placed at it, and the places never go back."""
    text = " ".join(f"The museum shows a {word} in room {at}." for at, word in enumerate(words, 1))
    order = [at for at, each in enumerate(times) for _ in range(each)]
    found = places(text, [f"In the museum, there is a {words[at]}." for at in order])
    assert found == [[at] for at in order]
    assert all(before <= after for before, after in pairwise(found))


@given(st.permutations(WORDS))
def test_a_statement_whose_words_are_clearly_elsewhere_is_placed_there(words):
    """A model that turns the order around is followed: what a sentence says weighs more than the order."""
    text = " ".join(f"Room {word} was painted by {word * 2}." for word in WORDS)
    assert places(text, [f"Room {word} was painted by {word * 2}." for word in words]) == [
        [WORDS.index(word)] for word in words
    ]


@pytest.mark.parametrize("language", ["ja", "en"])
@given(seed=st.integers(0, 5))
def test_a_text_of_one_sentence_holds_every_statement(language, seed):
    """Nothing needs to be shared: *Yes.* or a name gives statements that repeat the question instead."""
    assert places("はい。" if language == "ja" else "Yes.", ["The bridge is open."] * seed, language) == [[0]] * seed


@pytest.mark.parametrize(
    ("language", "text", "statements", "expected"),
    [
        (
            "en",
            "Sure, happy to help! The ferry runs hourly. It costs 4 euros, and bicycles ride free.",
            ["The ferry runs every hour.", "The ferry costs 4 euros.", "Bicycles travel free of charge on the ferry."],
            [[1], [2], [2]],
        ),
        (
            "en",
            "The kit has three parts:\n- a red cable\n- a charger\n- a manual",
            ["The kit has three parts.", "The kit contains a red cable, a charger and a manual."],
            [[0], [1, 2, 3]],
        ),
        (
            "en",
            "Members pay as follows:\n- children: 3 euros\n- adults: 9 euros",
            ["Members pay 3 euros for children.", "Members pay 9 euros for adults."],
            [[1], [2]],
        ),
        (
            "ja",
            "この部屋は禁煙です。\n予約方法:\n・電話で予約できます。\n・窓口でも予約できます。",
            ["会議室は禁煙である。", "会議室は電話で予約できる。", "会議室は窓口で予約できる。"],
            [[0], [2], [3]],
        ),
        (
            "ja",
            "持ち物は次の通りです。\n・上履き\n・弁当\n・雨具",
            ["遠足の持ち物は上履き、弁当、雨具である。"],
            [[1, 2, 3]],
        ),
        ("en", "It opens at nine. It closes at five.", ["Der Eintritt ist frei.", "It closes at five."], [[], [1]]),
        ("en", "It opens at nine. It closes at five.", ["", "It opens at nine."], [[0], [0]]),
        ("en", "", ["Nothing was said."], [[]]),
    ],
    ids=["reworded", "merged", "colon", "subject added", "merged, no verbs", "lost", "between", "empty"],
)
def test_reworded_statements_are_found_at_their_sentences(language, text, statements, expected):
    """Pronouns replaced, subjects added, items merged: words and order decide, the best sentence first."""
    found = places(text, statements, language)
    assert [each[:1] for each in found] == [each[:1] for each in expected] or len(expected) == 1
    assert [sorted(each) for each in found] == expected


def test_a_long_text_does_not_take_long_products():
    """What all sentences share is ignored: a text of one sentence repeated places nothing, but ends."""
    assert set(map(tuple, places("The same again. " * 3_000, ["The same again."] * 3_000))) == {()}
