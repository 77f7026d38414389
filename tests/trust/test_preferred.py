"""The pick of each question: how often a system's answer is preferred, and how many annotators agree on it."""

from collections import Counter
from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.records import Label
from saiten.results.place import Place
from saiten.trust.agreement import agreement_report
from saiten.trust.inputs.picks import pairs_of, picks, unanimity
from saiten.trust.meta_evaluation.preferred import preferred_and_top


def ranking(question, annotator, *groups, adjudicated=False, systems="abc"):
    """Every pair of a ranking, best group first: `ranking("q1", "Aiko", "a", "bc")`."""
    place = {system: n for n, group in enumerate(groups) for system in group}
    for one, other in combinations(systems, 2):
        if one in place and other in place:
            value = float((place[one] > place[other]) - (place[one] < place[other]))
            yield Label(f"{question}/{one} vs {question}/{other}", value, annotator, "preference", adjudicated)


def known(questions, systems="abc"):
    """The answers of all systems to this many questions."""
    return {f"q{n}/{system}": Place(f"Question {n}?", system) for n in range(questions) for system in systems}


def rows(labels, items):
    """System → its row, with acceptability 3 as the top grade."""
    return {row.system: row for row in preferred_and_top(labels, items, overall="acceptability", best=3)}


def test_a_third_decision_settles_the_question_and_is_no_annotator():
    """Two annotators, three questions of three pairs: 18 comparisons, whoever decided between them."""
    said = [label for n in range(3) for label in (*ranking(f"q{n}", "A", "a", "bc"), *ranking(f"q{n}", "B", "b", "ac"))]
    plain = rows(said, known(3))
    decided = [label for n in range(3) for label in ranking(f"q{n}", "chief", "b", "a", "c", adjudicated=True)]
    settled = rows([*said, *decided], known(3))
    for found in (plain, settled):
        assert sum(row.comparisons for row in found.values()) / 2 == 18
    assert {system: (row.preferred, row.tied) for system, row in plain.items()} == {
        "a": (0, 1),
        "b": (0, 1),
        "c": (0, 0),
    }
    assert {system: (row.preferred, row.tied) for system, row in settled.items()} == {
        "a": (0, 0),
        "b": (1, 0),
        "c": (0, 0),
    }


def test_a_third_decision_on_one_pair_leaves_the_other_pairs_to_the_annotators():
    """Only a against b was settled: c, which two of three put first, is still the pick."""
    said = [*ranking("q0", "A", "c", "a", "b"), *ranking("q0", "B", "c", "b", "a"), *ranking("q0", "C", "b", "a", "c")]
    decided = Label("q0/a vs q0/b", -1.0, "chief", "preference", adjudicated=True)
    found = rows([*said, decided], known(1))
    assert {system: row.preferred for system, row in found.items()} == {"a": 0, "b": 0, "c": 1}


def test_preferred_in_is_a_share_of_questions():
    """Second in every question and never the pick: preferred in none, although it wins half of the comparisons."""
    said = [label for n in range(4) for label in ranking(f"q{n}", "A", *("abc" if n else "cba"))]
    found = rows(said, known(4))
    assert [(row.system, row.questions, row.preferred) for row in found.values()] == [
        ("a", 4, 0.75),
        ("c", 4, 0.25),
        ("b", 4, 0),
    ]


def test_the_top_grade_of_the_preferred_is_a_share_of_picks():
    """Each question counts once, however many answers its pick beats; a third decision settles the grade, too."""
    said = [*ranking("q0", "A", "a", "b", "c"), *ranking("q1", "A", "a", "b", systems="ab")]
    said += [Label("q0/a", 3, "A", "acceptability"), Label("q1/a", 1, "A", "acceptability")]
    assert rows(said, known(2))["a"].top_of_preferred == pytest.approx(1 / 2)
    said += [Label("q1/a", 3, "chief", "acceptability", adjudicated=True)]
    found = rows(said, known(2))["a"]
    assert (found.answers, found.top, found.top_of_preferred) == (2, 1, 1)


def test_the_last_label_of_an_annotator_counts():
    """Somebody who ranks again has changed their mind."""
    found = rows([*ranking("q0", "A", "a", "bc"), *ranking("q0", "A", "c", "ab")], known(1))
    assert {system: row.preferred for system, row in found.items()} == {"a": 0, "b": 0, "c": 1}


def test_annotators_have_one_vote_to_share_and_circles_have_none():
    """Two tied answers get half a vote each; a > b > c > a gives no pick, but the question counts."""
    shared = [*ranking("q0", "A", "ab", "c"), *ranking("q0", "B", "b", "ac")]
    assert {system: row.preferred for system, row in rows(shared, known(1)).items()} == {"a": 0, "b": 1, "c": 0}
    circle = [
        Label(f"q0/{one} vs q0/{other}", value, "A")
        for one, other, value in (("a", "b", -1), ("b", "c", -1), ("a", "c", 1))
    ]
    assert {(row.questions, row.preferred, row.tied) for row in rows(circle, known(1)).values()} == {(1, 0, 0)}


RANKINGS = st.lists(  # per question: per annotator a rank for each of four answers, and perhaps a decision
    st.tuples(
        st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=4),
        st.none() | st.lists(st.integers(0, 2), min_size=4, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


@given(RANKINGS)
def test_shares_and_counts_are_those_of_counting_by_hand(questions):
    """Best ranks, votes and agreement are counted directly from the rankings, without pairs."""
    labels, outcomes, agreed = [], [], Counter()
    for n, (places, decision) in enumerate(questions):
        for who, each in [*((f"p{i}", each) for i, each in enumerate(places)), ("chief", decision)]:
            if each is not None:
                groups = ["".join(s for s, place in zip("abcd", each, strict=True) if place == at) for at in range(3)]
                labels += ranking(f"q{n}", who, *groups, adjudicated=who == "chief", systems="abcd")
        best = [{s for s, place in zip("abcd", each, strict=True) if place == min(each)} for each in places]
        agreed[len(best), max(map(best.count, best))] += 1
        if decision is not None:
            best = [{s for s, place in zip("abcd", decision, strict=True) if place == min(decision)}]
        votes = {s: sum(1 / len(one) for one in best if s in one) for s in "abcd"}
        outcomes.append({s for s, n in votes.items() if n == pytest.approx(max(votes.values()))})
    found = rows(labels, known(len(questions), "abcd"))
    for system, row in found.items():
        assert row.questions == len(questions)
        assert row.preferred == pytest.approx(fmean(one == {system} for one in outcomes))
        assert row.tied == pytest.approx(fmean(system in one and len(one) > 1 for one in outcomes))
    counted = unanimity(picks(labels, pairs_of(labels, {})))
    assert {(one.annotators, same): n for one in counted for same, n in one.agreed.items() if n} == {
        key: n for key, n in agreed.items() if key[0] > 1
    }


@pytest.mark.parametrize("samples", [True, False])
def test_the_pairs_of_a_ranking_are_one_question(samples):
    """Six pairs each: four questions are resampled, known from the samples or from the answers that pairs share."""
    said = [*ranking("q0", "A", *"abcd", systems="abcd"), *ranking("q0", "B", *"abcd", systems="abcd")]
    for n in (1, 2, 3):
        for who, order in (("A", "abcd"), ("B", "dcba")):
            said += ranking(f"q{n}", who, *order, systems="abcd")
    questions = {item: place.question for item, place in known(4, "abcd").items()} if samples else None
    one = agreement_report(said, questions=questions, resamples=50).aspects[0]
    assert (one.questions, one.items, one.figures.percent.clusters) == (4, 24, 4)
    assert [(found.annotators, dict(found.agreed)) for found in one.unanimity] == [(2, {2: 1, 1: 3})]


def test_votes_without_names_are_annotators_each():
    """Three anonymous labels on two answers are from three people."""
    said = [Label("q0/a vs q0/b", value) for value in (-1, -1, 1)]
    assert [dict(one.agreed) for one in unanimity(picks(said, pairs_of(said, {})))] == [{3: 0, 2: 1, 1: 0}]


def test_grades_of_items_with_vs_in_their_names_are_no_preferences():
    """`cats vs dogs/1` is one answer, and its own item."""
    said = [Label(f"cats vs dogs/{n}", float((n + who) % 4), f"p{who}") for n in range(5) for who in (1, 2)]
    one = agreement_report(said, resamples=50).aspects[0]
    assert (one.questions, one.unanimity, one.figures.percent.clusters) == (None, (), 5)
    known_items = {label.item: "q" for label in said}
    assert agreement_report(said, questions=known_items, resamples=0).aspects[0].questions == 1
