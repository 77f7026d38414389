"""How much of the data labels cover."""

from saiten.records import Label, Sample, Span
from saiten.results.labeled_answers import answer_digest
from saiten.trust.label_coverage import LabeledItems

SAMPLES = [Sample(name, f"Question {name}?", f"Answer {name}.") for name in "abcd"]


def covered(labels, *sets):
    """The coverage after these data sets have passed."""
    items = LabeledItems("labels.csv", labels)
    for samples in sets or (SAMPLES,):
        assert list(items.noting(samples)) == list(samples)
    return items.coverage()


def test_labels_of_one_aspect_counted_by_hand():
    """Items, annotators, third decisions, items that the data does not have, and the most frequent value."""
    labels = [
        Label("a", 1, "anna", "correct"),
        Label("a", 0, "ben", "correct"),
        Label("a", 1, "carl", "correct", adjudicated=True),
        Label("b", 1, "anna", "correct"),
        Label("b", 1, "anna", "correct"),
        Label("z", 1, "anna", "correct"),
    ]
    found = covered(labels)
    (of,) = found.aspects
    assert (found.name, found.samples) == ("labels.csv", 4)
    assert (of.aspect, of.labels, of.items, of.annotators, of.twice) == ("correct", 6, 2, 2, 1)
    assert (of.adjudicated, of.repeated, of.unknown.n, of.unknown.examples) == (1, 1, 1, ("z",))
    assert (of.most_frequent, of.share, dict(of.kinds)) == (1, 5 / 6, {"verdicts": 6})


def test_kinds_of_labels():
    """0 and 1 are verdicts unless the aspect has other grades; a pair of answers is a preference about both."""
    labels = [
        *(Label("a", value, aspect="grade") for value in (0, 1, 5)),
        *(Label("a", value, aspect="verdict") for value in (0, 1)),
        Label("a vs b", 1, aspect="preference"),
        Label("a", 1, aspect="marked", spans=(Span("x", 0, 1),)),
        Label("a", 0, aspect="tone", category="neutral"),
    ]
    found = {of.aspect: of for of in covered(labels).aspects}
    assert {aspect: dict(of.kinds) for aspect, of in found.items()} == {
        "grade": {"grades": 3},
        "verdict": {"verdicts": 2},
        "preference": {"preferences": 1},
        "marked": {"spans": 1},
        "tone": {"categories": 1},
    }
    assert (found["preference"].items, found["preference"].unknown.n) == (2, 0)
    assert found["tone"].most_frequent == "neutral"


def test_an_id_with_vs_is_an_item_and_no_pair():
    """If the data has it."""
    (of,) = covered([Label("cats vs dogs", 4)], [Sample("cats vs dogs", "Which?", "Dogs.")]).aspects
    assert (dict(of.kinds), of.items) == ({"grades": 1}, 1)


def test_a_label_of_another_text_under_the_same_id_is_left_out():
    """It is counted; one of the same text stays."""
    other = answer_digest(Sample("a", "Question a?", "Another answer."))
    labels = [Label("a", 1, answer_digest=other), Label("b", 1, answer_digest=answer_digest(SAMPLES[1]))]
    found = covered(labels)
    assert (found.other_answers, [of.labels for of in found.aspects]) == (1, [1])


def test_ids_in_several_data_sets():
    """A label may be of either; one data set may not have an id twice."""
    found = covered([Label("a", 1), Label("c", 1)], SAMPLES[:2], [Sample("a", "Other?", "Other."), SAMPLES[2]])
    assert (found.samples, found.in_several.n, found.in_several.examples) == (4, 1, ("a",))
