"""Marked units compared with marked units: worked examples by hand, and properties of any lists."""

import dataclasses
import random
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from saiten.errors import BadInput
from saiten.records import Label, Sample, Score, Scored, Span
from saiten.trust.spans import pairing as spans_pairing
from saiten.trust.spans.comparison import combine, compare_spans
from saiten.trust.spans.marks import judges_of, misplaced, people_of
from saiten.trust.spans.pairing import UnitPair, overlap_of, pair_units


def spans(*ends):
    """Units by their ends; None is one without offsets."""
    return tuple(Span("gone") if each is None else Span("", *each) for each in ends)


def label(item, aspect, *ends, by="anna", adjudicated=False):
    """One annotator's marks."""
    return Label(item, len(ends), by, aspect, adjudicated, spans=spans(*ends))


def report(people, judge=None, **how):
    """People's labels against a judge's."""
    judges = {} if judge is None else {"judge": next(iter(people_of(judge).by.values()))}
    return compare_spans(people_of(people), judges, **how)


# ------------------------------------------------------------------------------------------------ pairing


@pytest.mark.parametrize(
    ("human", "judge", "pairs", "recall", "precision"),
    [
        pytest.param([(0, 10)], [(0, 10)], [(0, 0, 10)], 1, 1, id="the same"),
        pytest.param([(0, 10)], [(5, 25)], [(0, 0, 5)], 1 / 2, 1 / 4, id="half of one, a quarter of the other"),
        pytest.param([(0, 4), (4, 10)], [(0, 10)], [(1, 0, 6)], 1, 6 / 10, id="two human units on one judge unit"),
        pytest.param([(0, 10)], [(0, 4), (4, 10)], [(0, 1, 6)], 6 / 10, 1, id="two judge units on one human unit"),
        pytest.param([(0, 5)], [(5, 9)], [], 0, 0, id="adjacent units are no pair"),
        pytest.param([(0, 5)], [], [], 0, 0, id="nothing on the judge's side"),
        pytest.param([], [(0, 5), (7, 9)], [], 0, 0, id="nothing on the people's side"),
        pytest.param([], [], [], 0, 0, id="nothing on both sides"),
        pytest.param([None, (0, 5)], [(0, 5), None], [(1, 0, 5)], 1, 1, id="without offsets nothing is met"),
        pytest.param([(0, 6), (4, 10)], [(0, 5), (1, 10)], [(0, 0, 5), (1, 1, 6)], 5 / 6 + 1, 1 + 6 / 9, id="best sum"),
        pytest.param([(2, 5), (0, 9)], [(0, 9)], [(1, 0, 9)], 1, 1, id="nested: the whole meets the whole"),
        pytest.param([(0, 9), (0, 3)], [(0, 3)], [(1, 0, 3)], 1, 1, id="equal overlap: where the shares are larger"),
        pytest.param([(3, 5), (3, 5)], [(3, 5)], [(0, 0, 2)], 1, 1, id="the same marked twice counts twice"),
        pytest.param([(0, 4), (2, 8)], [(1, 3), (3, 9)], [(0, 0, 2), (1, 1, 5)], 2 / 4 + 5 / 6, 1 + 5 / 6, id="chain"),
    ],
)
def test_worked_examples(human, judge, pairs, recall, precision):
    """Counted by hand: pairs, the sum of recalls over human units, the sum of precisions over the judge's."""
    assert [(p.human, p.judge, p.overlap) for p in pair_units(spans(*human), spans(*judge))] == pairs
    found = combine("i", "", spans(*human), spans(*judge))
    assert (found.recall, found.precision) == pytest.approx((recall, precision))
    assert (found.human, found.judge, found.pairs) == (len(human), len(judge), len(pairs))


ENDS = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda two: (two[0], two[0] + two[1]))
UNITS = st.lists(st.one_of(ENDS, st.none()), max_size=7)


@given(human=UNITS, judge=UNITS, order=st.randoms(use_true_random=False))
def test_the_order_of_the_units_changes_nothing(human, judge, order):
    """They are identical to the last bit, although several pairings may have the same overlap."""
    before = combine("i", "", spans(*human), spans(*judge))
    order.shuffle(human)
    order.shuffle(judge)
    assert combine("i", "", spans(*human), spans(*judge)) == before


@given(human=UNITS, judge=UNITS)
def test_each_unit_has_one_partner_and_the_overlap_is_best(human, judge):
    """The result equals solving the whole table at once."""
    ours, theirs = spans(*human), spans(*judge)
    pairs = pair_units(ours, theirs)
    assert len({p.human for p in pairs}) == len({p.judge for p in pairs}) == len(pairs)
    assert all(0 < p.overlap == overlap_of(ours[p.human], theirs[p.judge]) for p in pairs)
    table = np.array([[overlap_of(a, b) for b in theirs] for a in ours]).reshape(len(ours), len(theirs))
    assert sum(p.overlap for p in pairs) == table[linear_sum_assignment(table, maximize=True)].sum()


@given(human=UNITS, judge=UNITS)
def test_sides_that_change_places_change_recall_and_precision(human, judge):
    """The counts at least, and the total overlap; and no share leaves [0, 1]."""
    one = combine("i", "", spans(*human), spans(*judge))
    other = combine("i", "", spans(*judge), spans(*human))
    assert (one.human, one.judge) == (other.judge, other.human)
    assert 0 <= one.recall <= one.human
    assert 0 <= one.precision <= one.judge


@given(units=st.lists(ENDS, min_size=1, max_size=8))
def test_the_same_units_give_1(units):
    """Recall, precision and F are 1, even with overlapping and repeated units."""
    people = [label("i", "gist", *units)]
    (figures,) = report(people, people).judges[0].aspects
    assert (figures.per_unit.recall.value, figures.per_unit.precision.value, figures.per_unit.f.value) == (
        1.0,
        1.0,
        1.0,
    )


@given(st.lists(st.tuples(UNITS, UNITS), min_size=1, max_size=4))
def test_figures_stay_between_0_and_1(answers):
    """Or they are None, with a reason; so are their intervals."""
    people = [label(f"i{n}", "gist", *human) for n, (human, _) in enumerate(answers)]
    judge = [label(f"i{n}", "gist", *units) for n, (_, units) in enumerate(answers)]
    (figures,) = report(people, judge, resamples=50).judges[0].aspects
    for figure in (figures.per_unit.recall, figures.per_unit.precision, figures.per_unit.f):
        if figure.value is None:
            assert figure.reason
            continue
        assert all(0 <= end <= 1 for end in (figure.low, figure.value, figure.high) if end is not None)


def test_two_thousand_units_on_one_text_are_paired_in_blocks():
    """Disjoint units do not compete; the total is that of the whole table."""
    draw = random.Random(1)

    def side():
        starts = [draw.randrange(60_000) for _ in range(2_000)]
        return tuple(Span("", start, start + draw.randint(1, 60)) for start in starts)

    human, judge = side(), side()
    blocks = [(len(a), len(b)) for a, b in spans_pairing._blocks(human, judge)]
    assert sum(a for a, _ in blocks) == sum(b for _, b in blocks) == 2_000
    assert sum(a * b for a, b in blocks) < 2_000 * 2_000 / 10
    pairs = pair_units(human, judge)
    a, b = (np.array([(unit.start, unit.end) for unit in units]) for units in (human, judge))
    table = np.minimum(a[:, 1:], b[:, 1]) - np.maximum(a[:, :1], b[:, 0])
    table = np.maximum(table, 0)
    assert sum(p.overlap for p in pairs) == table[linear_sum_assignment(table, maximize=True)].sum()


def test_more_than_can_be_paired_is_refused_with_its_place():
    """Memory is not exhausted: tens of thousands of overlapping units are not a plausible annotation."""
    heap = tuple(Span("", 0, 10) for _ in range(5_001))
    with pytest.raises(BadInput, match="q1, gist: 5,001 units by people and 5,001 by the judge"):
        combine("q1", "gist", heap, heap)


@pytest.mark.parametrize(
    "text",
    [
        "𠮷野家は𩸽を🍣と出す。",
        "👨‍👩‍👧の帳簿\N{VARIATION SELECTOR-16}。",
        unicodedata.normalize("NFD", "ガラスのコップ、café。"),
        "ＡＢＣ１２３（株）の㈱と①",
        "one\r\ntwo\r\nthree",
        "a\n\n\u2028b\u3000c",
    ],
)
def test_offsets_count_characters(text):
    """Offsets are code points: a piece cut at its offsets is the piece, and overlap counts them."""
    places = [(start, end) for start in range(len(text)) for end in range(start + 1, len(text) + 1)]
    marks = {("s", "extra_gist"): tuple(Span(text[a:b], a, b) for a, b in places)}
    assert misplaced(marks, {"s": Sample("s", answer=text)}) == (0, "")
    whole = Span(text, 0, len(text))
    half = Span(text[: len(text) // 2], 0, len(text) // 2)
    assert pair_units([whole], [half]) == (UnitPair(0, 0, len(text) // 2),)
    found = combine("s", "", [whole], [half])
    assert found.recall == pytest.approx((len(text) // 2) / len(text))


def test_offsets_of_another_kind_are_noticed():
    """UTF-16, bytes and changed line ends: the text is not at the offsets."""
    answer = "🍣は\r\n旨い"
    good = Span("旨い", 4, 6)
    wrong = (Span("旨い", 5, 7), Span("旨い", 3, 5), Span("", 4, 60))
    sample = {"s": Sample("s", answer=answer, reference="x")}
    assert misplaced({("s", "extra_gist"): (good, *wrong)}, sample) == (3, "s, extra_gist")
    assert misplaced({("s", "mistakes"): wrong, ("t", "extra_gist"): wrong}, sample) == (0, "")


# ---------------------------------------------------------------------------------------------- counting


def test_the_whole_example_by_hand():
    """Three answers: means over units and over answers, F from each; what neither marked is left out and counted.

    missing_gist: recalls 1 (i1), 1/2 and 0 (i2); precisions 1 (i1), 1 (i2), 0 (i3); nobody marked anything in i4.
    """
    people = [
        label("i1", "missing_gist", (0, 10)),
        label("i2", "missing_gist", (0, 10), (20, 30)),
        label("i3", "missing_gist"),
        label("i4", "missing_gist"),
    ]
    judge = [
        label("i1", "missing_gist", (0, 10)),
        label("i2", "missing_gist", (0, 5)),
        label("i3", "missing_gist", (3, 4)),
        label("i4", "missing_gist"),
    ]
    (one,) = report(people, judge).judges
    (figures,) = one.aspects
    assert (figures.combinations, figures.empty) == (3, 1)
    assert (figures.human, figures.judge, figures.pairs) == (3, 3, 2)
    assert figures.per_unit.recall.value == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert figures.per_unit.precision.value == pytest.approx((1 + 1 + 0) / 3)
    r, p = 1 / 2, 2 / 3
    assert figures.per_unit.f.value == pytest.approx(2 * r * p / (r + p))
    assert figures.per_unit.recall.low <= r <= figures.per_unit.recall.high
    r = (1 + (1 / 2 + 0) / 2) / 2  # i1 and i2; i3 has no human units
    assert (figures.per_answer.recall.value, figures.per_answer.recall.n) == (pytest.approx(r), 2)
    assert (figures.per_answer.precision.value, figures.per_answer.precision.n) == (pytest.approx(p), 3)
    assert figures.per_answer.f.value == pytest.approx(2 * r * p / (r + p))
    assert one.overall is None
    assert one.empties is None


def test_an_answer_with_many_units_weighs_no_more_than_one_with_few():
    """Ten units that all match, and one that does not: 10/11 per unit, 1/2 per answer."""
    ten = [(at, at + 2) for at in range(0, 40, 4)]
    (figures,) = (
        report([label("a", "e", *ten), label("b", "e", (0, 5))], [label("a", "e", *ten), label("b", "e")])
        .judges[0]
        .aspects
    )
    assert figures.per_unit.recall.value == pytest.approx(10 / 11)
    assert figures.per_answer.recall.value == pytest.approx(1 / 2)
    assert figures.per_answer.recall.low < 1 / 2 < figures.per_answer.recall.high


@given(st.lists(st.tuples(UNITS, UNITS), min_size=1, max_size=5))
def test_both_averages_are_those_of_adding_up_by_hand(answers):
    """Shares of each pair, added up unit by unit and answer by answer."""
    people = [label(f"i{n}", "e", *human) for n, (human, _) in enumerate(answers)]
    judge = [label(f"i{n}", "e", *units) for n, (_, units) in enumerate(answers)]
    (figures,) = report(people, judge, resamples=10).judges[0].aspects
    for name, side in (("recall", 0), ("precision", 1)):
        each = []
        for two in answers:
            length = {at: end[1] - end[0] for at, end in enumerate(two[side]) if end}
            shares = dict.fromkeys(range(len(two[side])), 0.0)
            for pair in pair_units(spans(*two[0]), spans(*two[1])):
                at = (pair.human, pair.judge)[side]
                shares[at] = pair.overlap / length[at]
            each.append(list(shares.values()))
        units, means = [one for of in each for one in of], [sum(of) / len(of) for of in each if of]
        expected = (sum(units) / len(units), sum(means) / len(means)) if units else (None, None)
        got = (getattr(figures.per_unit, name).value, getattr(figures.per_answer, name).value)
        assert got == pytest.approx(expected) if units else got == expected


@pytest.mark.parametrize(
    ("human", "judge", "undefined", "reason"),
    [
        ([(0, 3)], [], ("precision", "f"), "the judge marked nothing"),
        ([], [(0, 3)], ("recall", "f"), "people marked nothing"),
        ([], [], ("recall", "precision", "f"), "neither side marked anything"),
    ],
)
def test_nothing_to_average_is_said_and_is_no_zero(human, judge, undefined, reason):
    """The side that marked something has 0; F requires both."""
    (figures,) = report([label("i", "gist", *human)], [label("i", "gist", *judge)]).judges[0].aspects
    for name in ("recall", "precision", "f"):
        figure = getattr(figures.per_unit, name)
        if name in undefined:
            assert figure.value is None
            assert reason in str(figure.reason)
        else:
            assert figure.value == 0


def test_units_that_never_meet_have_an_f_of_0():
    """Both averages are defined, and both are 0."""
    (figures,) = report([label("i", "gist", (0, 3))], [label("i", "gist", (5, 9))]).judges[0].aspects
    assert (figures.per_unit.recall.value, figures.per_unit.precision.value, figures.per_unit.f.value) == (0, 0, 0)


def test_units_without_offsets_are_counted_and_meet_nothing():
    """They lower the mean of their side, and are reported."""
    people = [label("i", "gist", (0, 4), None)]
    judge = [label("i", "gist", (0, 4), None, None)]
    (figures,) = report(people, judge).judges[0].aspects
    assert figures.adrift == (1, 2)
    assert (figures.per_unit.recall.value, figures.per_unit.precision.value) == pytest.approx((1 / 2, 1 / 3))


FOUR = ("extra_gist", "extra_supplement", "missing_gist", "missing_supplement")


def test_answers_are_counted_by_their_empty_combinations():
    """Table 1 of the paper: 0 to 4 of the four, for answers in which all four were examined."""
    people = [
        *(label("full", aspect, (0, 2)) for aspect in FOUR),
        *(label("half", aspect, *([(0, 2)] if n < 2 else [])) for n, aspect in enumerate(FOUR)),
        *(label("none", aspect) for aspect in FOUR),
        label("some", "extra_gist", (0, 2)),
    ]
    judge = [
        *(label("full", aspect) for aspect in FOUR),
        *(label("half", aspect, *([(5, 6)] if n == 2 else [])) for n, aspect in enumerate(FOUR)),
        *(label("none", aspect) for aspect in FOUR),
        label("some", "extra_gist", (0, 2)),
    ]
    (one,) = report(people, judge).judges
    assert one.empties == (1, 1, 0, 0, 1)
    assert [figures.aspect for figures in one.aspects] == list(FOUR)
    assert [figures.empty for figures in one.aspects] == [1, 1, 1, 2]
    assert one.overall.human == 4 + 2 + 1


def test_the_references_own_units_are_no_part_of_the_four_together():
    """How the reference was split says nothing about what the answer lacks."""
    people = [label("i", "gist", (0, 9)), label("i", "missing_gist", (0, 9)), label("i", "extra_gist", (0, 9))]
    judge = [label("i", "gist"), label("i", "missing_gist", (0, 9)), label("i", "extra_gist", (0, 9))]
    (one,) = report(people, judge).judges
    assert [figures.aspect for figures in one.aspects] == ["extra_gist", "missing_gist", "gist"]
    assert one.overall.per_unit.recall.value == 1
    assert one.overall.human == 2


def test_each_annotator_is_compared_with_the_judge_and_with_each_other():
    """The judge is compared with all of them; people both ways, so recall and precision of the ceiling are equal."""
    people = [label("i", "e", (0, 10), by="a"), label("i", "e", (0, 5), by="b"), label("j", "e", (0, 2), by="a")]
    judge = [label("i", "e", (0, 5), by="m"), label("j", "e", by="m")]
    found = report(people, judge)
    (figures,) = found.judges[0].aspects
    assert figures.per_unit.recall.value == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert figures.per_unit.precision.value == pytest.approx((1 + 1) / 2)
    (top,) = found.ceiling.aspects
    assert top.per_unit.recall.value == top.per_unit.precision.value == pytest.approx((1 / 2 + 1) / 2)
    assert [(one.human, one.judge) for one in found.people] == [("a", "b")]


def test_a_third_decision_replaces_all():
    """It does so for its item and aspect; the ceiling uses only the annotators' own labels."""
    people = [
        label("i", "e", (0, 10), by="a"),
        label("i", "e", (0, 5), by="b"),
        label("i", "e", (20, 30), by="c", adjudicated=True),
        label("j", "e", (0, 2), by="a"),
    ]
    judge = [label("i", "e", (20, 30)), label("j", "e", (0, 2))]
    found = report(people, judge)
    (figures,) = found.judges[0].aspects
    assert (figures.human, figures.per_unit.recall.value) == (2, 1)
    assert found.ceiling.aspects[0].human == 2
    assert any("third decisions" in str(note) for note in found.notes)


def test_rows_of_one_annotator_are_put_together():
    """A file may have one row per span."""
    people = people_of([label("i", "e", (0, 1)), label("i", "e", (3, 4)), label("i", "e")])
    assert people.by["anna"]["i", "e"] == spans((0, 1), (3, 4))


def test_labels_about_other_things_are_counted():
    """A grade does not mean "nothing marked", nor does a verdict of 0 on an aspect without spans."""
    labels = [
        label("i", "e", (0, 1)),
        Label("i", 4, "anna", "grade"),
        Label("i", 0, "anna", "correct"),
        label("j", "e"),
    ]
    people = people_of(labels)
    assert people.others == 2
    assert set(people.by["anna"]) == {("i", "e"), ("j", "e")}


def test_intervals_draw_questions():
    """Two answers to one question are one cluster, and one cluster has no interval."""
    people = [label(item, "e", (0, 9)) for item in "ab"]
    judge = [label("a", "e", (0, 9)), label("b", "e")]
    apart = report(people, judge).judges[0].aspects[0].per_unit.recall
    assert (apart.clusters, apart.low is None) == (2, False)
    together = report(people, judge, questions={"a": "q", "b": "q"}).judges[0].aspects[0].per_unit.recall
    assert (together.clusters, together.low) == (1, None)


def test_items_without_a_counterpart_are_counted_on_both_sides():
    """Examples are given."""
    people = [label("a", "e", (0, 1)), label("b", "e", (0, 1))]
    judge = [label("b", "e", (0, 1)), label("c", "e", (0, 1)), label("d", "e")]
    one = report(people, judge).judges[0]
    assert (one.unlabeled.n, one.unlabeled.examples) == (2, ("c", "d"))
    assert (one.unmatched.n, one.unmatched.examples) == (1, ("a",))


@pytest.mark.parametrize(
    ("people", "judge", "words"),
    [
        ([Label("a", 3.0, "x", "grade")], None, "none of the 1 labels has spans"),
        ([label("a", "e", (0, 1))], [label("b", "e", (0, 1))], "none of the 1 items of judge is among the 1 labeled"),
        ([label("a", "e", (0, 1))], [label("a", "f", (0, 1))], "share 1 items, but no aspect: judge has 'f'"),
        ([label("a", "e", (0, 1))], None, "nothing to compare: no judge's spans, and only anna"),
        ([label("a", "e", (0, 1)), label("b", "e", (0, 1), by="b")], None, "no two annotators of the same item"),
    ],
)
def test_what_cannot_be_compared_is_said(people, judge, words):
    """The message says what was expected and what is there."""
    with pytest.raises(BadInput, match=words.replace("(", r"\(")):
        report(people, judge)


# --------------------------------------------------------------------------------------- out of a run's scores

UNITS_OF_A_RUN = {
    "spans": {
        "extra_gist": [],
        "extra_supplement": [{"text": "b", "start": 1, "end": 2}],
        "missing_gist": [{"text": "c", "start": None, "end": None}],
        "missing_supplement": [{"text": "damaged", "start": 5, "end": "x"}],
    },
    "reference": {"gist": [{"text": "a", "start": 0, "end": 1}], "supplement": []},
}


def gist(sample="s", metric="gist[missing_gist]", details=UNITS_OF_A_RUN):
    """One score with units."""
    return Scored(sample, metric, Score(1.0, details=details))


def test_a_runs_units_are_found_in_its_scores():
    """Those of the answer and of the reference; one without a position stays one."""
    (name, marks), *others = judges_of([gist(), gist(metric="gist[extra_gist]")], "run").items()
    assert (name, others) == ("run", [])
    assert marks["s", "extra_gist"] == marks["s", "supplement"] == ()
    assert marks["s", "extra_supplement"] == (Span("b", 1, 2),)
    assert marks["s", "missing_gist"] == (Span("c"),)
    assert marks["s", "missing_supplement"] == (Span("damaged"),)
    assert marks["s", "gist"] == (Span("a", 0, 1),)


def test_two_settings_of_the_metric_are_two_judges():
    """Settings identify each."""
    found = judges_of([gist(), gist(metric="gist[missing_gist,role=auditor]")], "run")
    assert list(found) == ["run, as it is", "run, gist[role=auditor]"]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([], "there are no gist scores"),
        ([Scored("s", "rouge_l", Score(0.5))], "Its metrics: rouge_l"),
        ([gist(details={})], "its gist scores have no units"),
        (
            [Scored("s", "gist[missing_gist]", Score(None, "failed", "no reply"))],
            r"have no units \(failed 1\); `saiten score … --retry-failed`",
        ),
        ([gist(details={"spans": "rubbish", "reference": [1]})], "have no units"),
    ],
)
def test_a_run_without_units_says_what_it_has(scores, words):
    """It also says what to do."""
    with pytest.raises(BadInput, match=words):
        judges_of(scores, "run")


def test_the_report_is_frozen():
    """All outputs are made from it."""
    people = [label("i", "e", (0, 1))]
    with pytest.raises(dataclasses.FrozenInstanceError):
        report(people, people).by_question = True
