"""The items on which a judge and people differ most: order, counts, filters, and the unsupported part of an answer."""

import pytest

from saiten.errors import BadInput, ConfigurationError
from saiten.records import Label, Sample, Score, Span
from saiten.results.place import Place
from saiten.stats.wilson import wilson
from saiten.trust.disagreements import DisagreementSettings, disagreements
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.inputs.scales import declared_bounds
from saiten.trust.spans.differing import differing_marks
from saiten.trust.spans.marks import PeopleMarks
from saiten.trust.unsupported import unsupported_part


def compared(values, labels, *, metric="m", systems=None, **settings):
    """The first comparison of a judge's values by item with labels."""
    items = {item: Place(f"about {item}", (systems or {}).get(item)) for item in values}
    outputs = [Output(item, metric, value) for item, value in values.items()]
    report = disagreements(
        pair(items, outputs, labels), labels, DisagreementSettings(**settings), bounds=declared_bounds([metric])
    )
    return report.compared[0]


def labels_of(said):
    """Labels of item → values of the annotators a, b, …"""
    return [
        Label(item, value, name) for item, values in said.items() for name, value in zip("abcdef", values, strict=False)
    ]


VERDICTS = labels_of({"q1": [0, 0], "q2": [1, 1], "q3": [0, 0, 1], "q4": [1, 1], "q5": [0, 1]})
JUDGED = {"q1": 1.0, "q2": 1.0, "q3": 1.0, "q4": 0.0, "q5": 1.0}


def test_verdicts_are_counted_by_side_with_wilsons_interval():
    """An evenly split item has no verdict and is counted apart; agreement is over the others."""
    found = compared(JUDGED, VERDICTS)
    assert (found.verdicts, found.n, found.grades) == ((2, 1), 4, None)
    assert (found.agreement.value, found.agreement.low, found.agreement.high) == (0.25, *wilson(0.25, 4))
    assert [(one.key, dict(one.values)) for one in found.remarks] == [("people_split", {"n": 1})]


def test_the_published_rate_of_agreement_has_its_interval():
    """Of 1,800 verdicts, 86.7 % agreed."""
    low, high = wilson(0.867, 1_800)
    said = {f"q{n}": 1.0 for n in range(1_800)}
    found = compared(said, labels_of({f"q{n}": [float(n < 1_560)] for n in range(1_800)}))
    assert found.agreement.value == pytest.approx(0.867, abs=1e-3)
    assert (found.agreement.low, found.agreement.high) == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))
    assert found.verdicts == (240, 0)


def test_equal_differences_are_ordered_by_peoples_agreement():
    """Items on which people agree come first, then those with more labels, then by id; others are marked."""
    labels = labels_of({"z": [0, 0, 0], "y": [0, 0], "b": [0, 0], "c": [0, 1, 0]})
    found = compared(dict.fromkeys("zybc", 1.0), labels)
    assert [(each.item, each.people_differ) for each in found.listed] == [
        ("z", False), ("b", False), ("y", False), ("c", True)
    ]  # fmt: skip
    assert [each.difference for each in found.listed] == [1, 1, 1, pytest.approx(2 / 3)]


def test_only_items_of_a_kind_are_listed():
    """Judge yes and people no, the cases that a judge wrongly took for correct, or the other way round."""
    for only, items in (("judge-yes-people-no", ["q1", "q3"]), ("judge-no-people-yes", ["q4"])):
        found = compared(JUDGED, VERDICTS, only=only)
        assert [each.item for each in found.listed] == items
        assert {each.kind for each in found.listed} == {only}
        assert found.found == len(items)


def test_most_items_are_counted_but_not_listed():
    """The number of all that differ stays known."""
    found = compared(JUDGED, VERDICTS, most=1)
    assert (len(found.listed), found.found) == (1, 4)


def test_each_person_is_quoted_with_the_remark():
    """Third decisions are last, and they are the people's value."""
    labels = [
        Label("q1", 0, "a", reason="no source"),
        Label("q1", 1, "b"),
        Label("q1", 0, "boss", adjudicated=True),
        Label("q2", 1, "a"),
    ]
    (each,) = compared({"q1": 1.0, "q2": 1.0}, labels).listed
    assert [(one.annotator, one.value, one.adjudicated, one.reason) for one in each.voices] == [
        ("a", 0, False, "no source"), ("b", 1, False, ""), ("boss", 0, True, "")
    ]  # fmt: skip
    assert (each.people, each.people_differ) == (0, True)


GRADES = labels_of({"q1": [5, 4], "q2": [1], "q3": [3], "q4": [2]})
GRADED = {"q1": 5.0, "q2": 4.0, "q3": 2.0, "q4": 2.0}


def test_grades_differ_by_at_least_one_whole_grade():
    """Both sides are rounded, as in meta-evaluate; half a grade is a difference in the list, but not in the counts."""
    found = compared(GRADED, GRADES, metric="correctness")
    assert (found.grades, found.verdicts, found.agreement.value) == ((1, 1), None, 0.5)
    assert [(each.item, each.difference, each.kind) for each in found.listed] == [
        ("q2", 3, "judge-higher"), ("q3", -1, "judge-lower"), ("q1", 0.5, "judge-higher")
    ]  # fmt: skip
    assert [each.item for each in compared(GRADED, GRADES, metric="correctness", only="judge-higher").listed] == ["q2"]


def test_grades_become_verdicts_from_a_threshold():
    """The same threshold counts for both sides."""
    found = compared(GRADED, GRADES, metric="correctness", yes_from=4, only="judge-yes-people-no")
    assert (found.verdicts, [each.item for each in found.listed]) == ((1, 0), ["q2"])


def test_declined_answers_are_not_compared():
    """Grade 0 of graded correctness is no grade on either side."""
    labels = [*(Label(each.item, each.value, each.annotator, "correctness") for each in GRADES),
              Label("q5", 0, "a", "correctness"), Label("q6", 5, "a", "correctness")]  # fmt: skip
    values = {**GRADED, "q5": 5.0, "q6": "declined"}
    found = compared(values, labels, metric="correctness")
    assert {each.item for each in found.listed} == {"q1", "q2", "q3"}
    assert "1 declined" in " ".join(map(str, found.remarks))


def test_without_a_common_scale_ranks_are_compared():
    """Nothing is counted then, with the reason; verdicts are asked for in vain."""
    labels = labels_of({"q1": [100], "q2": [50], "q3": [0]})
    values = {"q1": 3.0, "q2": 250.0, "q3": 7.5}
    found = compared(values, labels, metric="words")
    assert (found.measure, found.grades, found.verdicts, found.agreement.value) == ("ranks", None, None, None)
    assert [(each.item, each.difference) for each in found.listed] == [("q1", -1), ("q2", 0.5), ("q3", 0.5)]
    with pytest.raises(ConfigurationError, match="--yes-from"):
        compared(values, labels, metric="words", only="judge-yes-people-no")


def test_verdicts_are_compared_with_grades_from_a_threshold():
    """A judge of yes and no has no grade, but people's grades can be verdicts."""
    labels = labels_of({"q1": [5], "q2": [1], "q3": [2]})
    found = compared({"q1": 1.0, "q2": 1.0, "q3": 0.0}, labels, metric="accuracy", yes_from=4)
    assert (found.measure, found.verdicts) == ("verdicts", (1, 0))
    assert [(each.item, each.difference) for each in found.listed] == [("q2", 1)]


def test_preferences_differ_by_their_signs():
    """A judge that prefers the other answer comes before one that ties; clear preferences come first."""
    labels = labels_of({"a vs b": [2], "c vs d": [1], "e vs f": [-1], "g vs h": [1]})
    found = compared({"a vs b": -0.5, "c vs d": -1.0, "e vs f": 0.0, "g vs h": 0.7}, labels)
    assert (found.measure, found.grades, found.agreement.value) == ("preferences", (1, 2), 0.25)
    assert [(each.item, each.difference) for each in found.listed] == [("a vs b", -2), ("c vs d", -2), ("e vs f", 1)]


def test_the_scale_of_a_part_is_that_of_the_whole():
    """Restricted to a system whose values happen to be 0 and 1, a metric does not become a judge of yes and no."""
    labels = labels_of({"q1": [5], "q2": [1], "q3": [3]})
    found = compared({"q1": 1.0, "q2": 1.0, "q3": 4.0}, labels, systems={"q1": "a", "q2": "a", "q3": "b"}, system="a")
    assert (found.measure, found.n, [each.item for each in found.listed]) == ("values", 2, ["q1"])
    with pytest.raises(BadInput, match="no labeled item is of the system 'c'; the systems are: none"):
        compared({"q1": 1.0}, labels[:1], system="c")


def test_the_judge_closest_to_people_is_listed_unless_metrics_are_named():
    """A baseline such as the length of the answer is listed only by name; a name that nobody has is refused."""
    items = {each: Place(each) for each in ("q1", "q2", "q3")}
    labels = labels_of({"q1": [0], "q2": [1], "q3": [1]})
    good, bad, length = ("good", (0, 1, 1)), ("bad", (1, 0, 0)), ("length", (0, 1, 1))
    outputs = [
        Output(f"q{n}", name, value) for name, values in (length, bad, good) for n, value in enumerate(values, 1)
    ]
    aspects = pair(items, outputs, labels)
    assert [one.metric for one in disagreements(aspects).lists] == ["good"]
    named = disagreements(aspects, labels, DisagreementSettings(metrics=("length", "bad")))
    assert [one.metric for one in named.compared] == [one.metric for one in named.lists] == ["length", "bad"]
    with pytest.raises(BadInput, match="no values of 'nobody'; there are length, bad, good"):
        disagreements(aspects, labels, DisagreementSettings(metrics=("nobody",)))


def test_a_judge_of_another_aspect_is_not_listed_if_one_of_this_aspect_is_there():
    """However well it ranks: not even if the judge of this aspect always says the same, or nothing at all."""
    items = {each: Place(each) for each in ("q1", "q2", "q3")}
    said = {
        "direct": (0, 0, 0),
        "aspects[amount_info]": (-1, 0, 1),
        "aspects[formality]": (1, 0, -1),
        "aspects[factuality]": ("undefined",) * 3,
    }
    outputs = [Output(f"q{n}", name, value) for name, values in said.items() for n, value in enumerate(values, 1)]
    labels = [
        Label(f"q{n}", n, "a", aspect)
        for aspect in ("acceptability", "formality", "factuality", "style")
        for n in (1, 2, 3)
    ]
    listed = {one.aspect: one.metric for one in disagreements(pair(items, outputs, labels), labels).lists}
    assert listed == {"acceptability": "direct", "formality": "aspects[formality]", "style": "aspects[amount_info]"}
    silent = pair(items, outputs, [label for label in labels if label.aspect == "factuality"])
    only = DisagreementSettings(only="judge-yes-people-no")
    assert disagreements(silent, labels, only).lists == []
    outputs += [Output(f"q{n}", "mate", value) for n, value in enumerate((1, 2, 3), 1)]
    lists = disagreements(pair(items, outputs, labels), labels).lists
    assert [one.metric for one in lists if one.aspect == "acceptability"] == ["mate"]


ANSWER = "Fees are paid monthly. Cats sleep."
SAMPLE = Sample("q1", "When are fees paid?", ANSWER, reference="Fees are paid yearly.", contexts=("Ask the desk.",))


def refused(*numbers):
    """A score of faithfulness that refuses some of the two statements."""
    places = [[[0, 0, 22]], [[1, 23, 34]]]
    verdicts = [{"number": n, "verdict": n not in numbers} for n in (1, 2)]
    return Score(0.5, details={"statements": ["fees", "cats"], "places": places, "verdicts": verdicts})


def test_the_part_that_the_judge_refused_is_marked_in_its_sentence():
    """The metric of the list is asked first, and named."""
    spans = Score(0.1, details={"spans": [{"text": "monthly", "start": 14, "end": 21}]})
    scores = {"faithfulness": refused(2), "hallucination_spans": spans}
    found = unsupported_part(SAMPLE, scores, "faithfulness")
    assert (found.passages, found.marked_by) == ((Span("Cats sleep.", 23, 34),), "faithfulness")
    found = unsupported_part(SAMPLE, scores, "hallucination_spans")
    assert (found.passages, found.marked_by) == ((Span("monthly", 14, 21),), "hallucination_spans")


def test_where_the_judge_marked_nothing_new_words_are_marked():
    """A judge that wrongly accepts an answer marks nothing in it, which is said."""
    found = unsupported_part(SAMPLE, {"faithfulness": refused(), "accuracy": Score(1.0)})
    assert [span.text for span in found.passages] == ["monthly", "Cats sleep"]
    assert (found.marked_by, found.cleared_by) == ("", ("faithfulness",))


def test_extra_units_of_gist_are_unsupported():
    """One whose words are not at its offsets has no place."""
    units = {"extra_gist": [{"text": "Cats sleep.", "start": 23, "end": 34}],
             "extra_supplement": [{"text": "dogs", "start": 0, "end": 4}],
             "missing_gist": [{"text": "yearly", "start": 0, "end": 6}]}  # fmt: skip
    found = unsupported_part(SAMPLE, {"gist[extra_gist]": Score(1.0, details={"spans": units})})
    assert found.passages == (Span("Cats sleep.", 23, 34), Span("dogs"))


@pytest.mark.parametrize(
    "details", [{}, {"verdicts": 3}, {"verdicts": [{"number": 9, "verdict": False}], "statements": ["a"], "places": 1}]
)
def test_damaged_details_mark_nothing(details):
    """A run may come from anywhere."""
    assert unsupported_part(SAMPLE, {"faithfulness": Score(0.0, details=details)}).marked_by == ""


def span(start, end):
    """A span of these offsets."""
    return Span("x" * (end - start), start, end)


def test_marks_with_least_in_common_come_first():
    """F is by characters over all aspects and people of an answer; an answer that nobody marked is left out."""
    human = {
        ("apart", "extra_gist"): (span(0, 10),),
        ("half", "extra_gist"): (span(0, 10),),
        ("same", "extra_gist"): (span(0, 10),),
        ("more apart", "extra_gist"): (span(0, 40),),
        ("nothing", "extra_gist"): (),
    }
    judge = {
        ("apart", "extra_gist"): (span(20, 30),),
        ("half", "extra_gist"): (span(0, 20),),
        ("same", "extra_gist"): (span(0, 10),),
        ("more apart", "extra_gist"): (),
        ("nothing", "extra_gist"): (),
        ("unseen", "extra_gist"): (span(0, 3),),
    }
    (found,) = differing_marks(PeopleMarks({"a": human}, {}), {"m": judge}, most=2)
    assert ([each.item for each in found.listed], found.found) == (["more apart", "apart"], 3)
    (counts,) = found.counts
    assert (counts.both, counts.judge_only, counts.people_only, counts.neither) == (3, 0, 1, 1)
    assert (counts.agreement.value, counts.agreement.low, counts.agreement.high) == (0.8, *wilson(0.8, 5))
    (_, _, half) = differing_marks(PeopleMarks({"a": human}, {}), {"m": judge}, most=3)[0].listed
    assert half.f == pytest.approx(2 * 0.5 / 1.5)  # recall 1, precision 1/2


def test_units_of_both_sides_say_who_marked_them():
    """A unit of several people is listed once, and an overlap with the other side makes it marked by both."""
    people = PeopleMarks(
        {"a": {("q1", "extra_gist"): (span(0, 5), span(8, 9))}, "b": {("q1", "extra_gist"): (span(0, 5),)}}, {}
    )
    (found,) = differing_marks(people, {"m": {("q1", "extra_gist"): (span(4, 6), span(20, 22))}}, most=1)
    (each,) = found.listed
    assert [(unit.span.start, unit.by, unit.met) for unit in each.people] == [(0, ("a", "b"), True), (8, ("a",), False)]
    assert [(unit.span.start, unit.by, unit.met) for unit in each.judge] == [(4, ("m",), True), (20, ("m",), False)]
    assert not each.people_differ
