"""Agreement by aspect, from labels; and the figures published for real annotators."""

import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from saiten.errors import BadInput
from saiten.records import Label, Span
from saiten.trust.agreement import agreement_report
from saiten.views.tables.agreement import agreement_glance, agreement_tables

DATA = os.environ.get("SAITEN_DATA")
real = pytest.mark.skipif(not DATA, reason="SAITEN_DATA does not name the folder with the evaluation sets")


def of(rows, **settings):
    """The only aspect of labels given as (item, annotator, value)."""
    labels = [Label(item, value, annotator) for item, annotator, value in rows]
    return agreement_report(labels, **({"resamples": 0} | settings)).aspects[0]


TWO = [("i", "a", 1.0), ("i", "b", 1.0), ("j", "a", 0.0), ("j", "b", 1.0), ("k", "a", 0.0), ("k", "b", 0.0)]


def test_each_aspect_is_a_matter_of_its_own():
    """Labels of two aspects do not mix, and come in order of appearance, or of the request."""
    labels = [Label(item, value, who, aspect) for aspect in ("b", "a") for item, who, value in TWO]
    report = agreement_report(labels, resamples=0)
    assert [one.aspect for one in report.aspects] == ["b", "a"]
    assert {one.labels for one in report.aspects} == {6}
    assert [one.aspect for one in agreement_report(labels, aspects=["a"], resamples=0).aspects] == ["a"]


@pytest.mark.parametrize(
    ("labels", "aspects", "message"),
    [([], (), "no labels"), ([Label("i", 1.0, "a", "fluency")], ("grace",), "'grace'; there are labels of 'fluency'")],
)
def test_nothing_to_compare_is_an_error(labels, aspects, message):
    """Without any labels, or any of the aspect, the message says what there is."""
    with pytest.raises(BadInput, match=message):
        agreement_report(labels, aspects=aspects)


def test_a_third_decision_is_no_annotators():
    """Adjudicated labels are counted by item and change no figure, even if the adjudicator is also an annotator."""
    plain = of(TWO)
    third = [Label(item, value, who) for item, who, value in TWO]
    third += [Label("j", 1.0, "a", adjudicated=True), Label("z", 1.0, "chief", adjudicated=True)]
    settled = agreement_report(third, resamples=0).aspects[0]
    assert (settled.adjudicated, plain.adjudicated) == (2, 0)
    assert (settled.figures, settled.rates, settled.items) == (plain.figures, plain.rates, plain.items)


def test_figures_over_numbers_of_spans_say_so():
    """Two who mark one span each at different positions have the same count: kappa ignores positions, and says so."""
    labels = [
        Label(f"i{at}", 1.0 + at % 2, who, "e", spans=tuple(Span("x", at + place + n, 9) for n in range(1 + at % 2)))
        for at in range(6)
        for place, who in enumerate("ab")
    ]
    report = agreement_report(labels, resamples=0)
    tables = {str(table.title): table for table in agreement_tables(report)}
    assert all("number of marked spans" in str(row[-1]) for row in tables["Agreement"].rows)
    assert all("number of marked spans" in str(row[-1]) for row in tables["Each two annotators"].rows)
    assert "--spans" in str(tables["Labels"].rows[0][-1])
    assert of(TWO).of_numbers is None


@pytest.mark.parametrize(
    ("values", "level", "levels"),
    [
        ([0, 1], None, ("nominal",)),
        ([1, 5], None, ("nominal",)),
        ([1, 2, 3], None, ("ordinal", "interval")),
        ([-1, 0, 1], None, ("ordinal", "interval")),
        ([1, 2, 3], "nominal", ("nominal",)),
        ([0, 1], "ordinal", ("ordinal",)),
    ],
)
def test_two_values_are_verdicts_and_more_are_grades(values, level, levels):
    """The level follows from the values unless it is given."""
    rows = [(str(value), who, float(value)) for value in values for who in "ab"]
    assert of(rows, level=level).levels == levels


def words(*said, aspect=""):
    """Labels of two annotators with categories, numbered in order of appearance."""
    numbers = {}
    return [
        Label(str(item), numbers.setdefault(word, float(len(numbers))), "ab"[who], aspect, category=word)
        for item, pair in enumerate(said)
        for who, word in enumerate(pair)
    ]


def test_words_are_categories():
    """Categories are nominal whatever their number, and their names appear in the base rates, sorted."""
    one = agreement_report(words(("無関係", "含意"), ("含意", "含意"), ("矛盾", "矛盾")), resamples=0).aspects[0]
    assert one.levels == ("nominal",)
    assert one.rates == {"a": {"含意": 1, "無関係": 1, "矛盾": 1}, "b": {"含意": 2, "矛盾": 1}}
    assert one.figures.percent.value == pytest.approx(2 / 3)
    with pytest.raises(BadInput, match="have no ordinal level"):
        agreement_report(words(("x", "y")), level="ordinal")


def test_a_few_words_among_grades_are_left_out_and_said():
    """A comment in a column of grades does not turn the grades into categories."""
    labels = [Label(item, value, who) for item, who, value in TWO] + [Label("l", 0.0, "a", category="unsure")]
    one = agreement_report(labels, resamples=0).aspects[0]
    assert one.figures == of(TWO).figures
    assert [str(note) for note in one.notes] == ["1 non-numeric label left out, for example 'unsure'"]
    kept = agreement_report(labels, resamples=0, level="nominal").aspects[0]
    assert kept.rates["a"] == {"0": 2, "1": 1, "unsure": 1}


def test_the_last_label_of_an_annotator_counts():
    """Somebody who labels an item again has changed their mind; repeating a label changes nothing."""
    one = of([("j", "a", 1.0), ("k", "b", 0.0), *TWO])
    assert one.figures == of(TWO).figures
    assert one.labels == 6
    assert [str(note) for note in one.notes] == ["1 label later changed by its annotator"]


def test_labels_without_names_are_votes():
    """If annotators are not named, all labels of an item count, and no two annotators are compared."""
    one = of([(item, "", value) for item, _, value in TWO])
    assert one.figures.percent == of(TWO).figures.percent
    assert one.figures.nominal.value == of(TWO).figures.nominal.value
    assert one.figures.kappa.value is None
    assert one.rates == {"": {"0": 3, "1": 3}}
    assert [str(note) for note in one.notes] == ["6 of 6 labels do not name their annotator"]


def test_the_paradox_is_pointed_out():
    """If nearly all labels are the same, a note gives what chance alone would."""
    rows = [(str(at), who, float(at == 7 and who == "a")) for at in range(50) for who in "ab"]
    one = of(rows)
    assert one.figures.percent.value == pytest.approx(0.98)
    assert one.figures.nominal.value < 0.01
    assert str(one.notes[0]).startswith("99.0% of all labels are 0: 98.0% would agree by chance")


def test_questions_are_drawn_where_they_are_known():
    """Items of one question are resampled together; an item without a known question is its own cluster."""
    rows = [(f"{at}", who, float(at % 3 == 0 or who == "b")) for at in range(30) for who in "ab"]
    questions = {str(at): f"q{at // 3}" for at in range(27)}
    assert of(rows, resamples=50).figures.percent.clusters == 30
    assert of(rows, resamples=50, questions=questions).figures.percent.clusters == 12


def test_tables_hold_every_figure_and_every_reason():
    """Each figure is a row, graded or not; base rates are long for files and one line for people; pairs have rows."""
    graded = [Label(str(at), float((at * who) % 4), f"a{who}", "grade") for at in range(12) for who in (1, 2, 3)]
    report = agreement_report(
        [*graded, *words(("x", "y"), ("x", "x"), aspect="kind"), Label("only", 1.0, "a1", "alone")]
    )
    long = {str(table.title): table for table in agreement_tables(report)}
    short = {str(table.title): table for table in agreement_glance(report)}
    figures = {(row[0], str(row[1])): row for row in long["Agreement"].rows}
    assert ("grade", "alpha, interval") in figures
    assert ("kind", "alpha, nominal") in figures
    assert ("kind", "kappa, linear") not in figures
    assert figures["alone", "percent"][2:-1] == (None, None, None, 0)
    assert str(figures["alone", "percent"][-1]) == "no item has labels from two annotators"
    assert len(long["Each two annotators"].rows) == 4
    assert long["Base rates"].rows[0] == ("grade", "a1", "0", 3, 0.25)
    assert [str(cell) for cell in short["Base rates"].rows[0][:3]] == ["grade", "all", "36"]
    assert short["Base rates"].rows[1] == ("grade", "a1", 12, "0: 25.0% · 1: 25.0% · 2: 25.0% · 3: 25.0%")


# ------------------------------------------------------------------------------------------- published figures


def lines(path):
    """The objects of a file of the shared data."""
    with (Path(DATA) / path).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def found(labels, **settings):
    """Aspect → figures."""
    report = agreement_report(labels, **({"resamples": 0} | settings))
    return {one.aspect: one.figures for one in report.aspects}


def near(value, within=0.0001):
    """Equal up to the rounding of what was published."""
    return pytest.approx(value, abs=within)


@real
def test_jsick():
    """Three Japanese annotators: relatedness alpha .591 (ordinal) and .594 (interval), entailment .659 (nominal)."""
    numbers = {"neutral": 0.0, "entailment": 1.0, "contradiction": 2.0}
    labels = []
    for row in lines("ja_sim_nli/jsick_annotators.jsonl"):
        for who, (grade, word) in enumerate(zip(row["relatedness"], row["entailment"], strict=True)):
            labels.append(Label(row["id"], float(grade), f"a{who}", "relatedness"))
            labels.append(Label(row["id"], numbers[word], f"a{who}", "entailment", category=word))
    figures = found(labels)
    assert figures["relatedness"].ordinal.value == near(0.5908)
    assert figures["relatedness"].interval.value == near(0.5944)
    assert figures["entailment"].nominal.value == near(0.6591)


@real
def test_pandalm():
    """Three annotators of 999 pairs of answers: kappas .852, .879, .862; alpha .864."""
    labels = [
        Label(str(row["id"]), {0: 0.0, 1: -1.0, 2: 1.0}[value], who)
        for row in lines("pandalm_pairs/pairs.jsonl")
        for who, value in row["human"].items()
    ]
    figures = found(labels)[""]
    assert [pair.kappa.value for pair in figures.pairs] == [near(0.852, 0.0005), near(0.8789), near(0.8617)]
    assert figures.nominal.value == near(0.8642)


@real
@pytest.mark.parametrize("name", ["clapnq_human", "squality_human"])
def test_graded_sets_with_incomplete_crossing(name):
    """Three of several annotators per item: alpha of every aspect equals the set's own figures."""
    published = json.loads((Path(DATA) / name / "baselines.json").read_text())
    labels = [
        Label(f"{row['qid']}/{row['system']}", float(value), who, aspect)
        for row in lines(f"{name}/responses.jsonl")
        for aspect, said in row["human"].items()
        for who, value in said.items()
    ]
    figures = found(labels)
    for aspect, figure in figures.items():
        assert figure.interval.value == near(published[aspect]["krippendorff_interval"])
        ordinal = published[aspect].get("krippendorff_ordinal")
        assert ordinal is None or figure.ordinal.value == near(ordinal)
    assert len(figures) >= 3


@real
def test_jhars_flags():
    """Sentences flagged by three annotators: 95.9 % of the pairs agree, alpha is .174: rare flags hardly ever match."""
    labels = [
        Label(f"{row['qid']}/{row['system']}/{at}", float(flag), f"a{who}")
        for row in lines("jhars_dev/responses.jsonl")
        for at, sentence in enumerate(row["sentences"])
        for who, flag in enumerate(sentence["flags"])
    ]
    one = agreement_report(labels, resamples=0).aspects[0]
    assert one.figures.percent.value == near(0.9589)
    assert one.figures.nominal.value == near(0.174, 0.0005)
    assert "would agree by chance" in str(one.notes[0])


@real
def test_nq301():
    """Two annotators, a third where they differ: agreement .869 and kappa .736 of the first two; no Fleiss' kappa."""
    labels = [
        Label(row["id"], float(value), f"a{who}")
        for row in lines("qa_correctness/nq301_judged.jsonl")
        for who, value in enumerate(row["human"]["annotators"])
    ]
    figures = found(labels)[""]
    first = figures.pairs[0]
    assert (first.percent, first.kappa.value) == (near(0.8691), near(0.7357))
    assert "2 to 3" in str(figures.fleiss.reason)


def test_a_refusal_is_a_value_of_its_own_and_at_no_distance_from_a_grade():
    """Grade 0 of graded correctness counts for equality; weighted figures are those of the grades."""
    random = Random(3)
    rows = [(f"i{i}", who, float(min(5, max(1, i % 5 + random.randint(0, 2))))) for i in range(40) for who in "ab"]
    refused = [*rows, ("i40", "a", 0.0), ("i40", "b", 0.0), ("i41", "a", 0.0)]
    labels = [Label(item, value, who, "correctness") for item, who, value in refused]
    found = agreement_report(labels, resamples=0).aspects[0]
    plain, with_0 = of(rows), of(refused)
    for name in ("kappa_linear", "kappa_quadratic", "ordinal", "interval"):
        assert getattr(found.figures, name) == getattr(plain.figures, name)
        assert getattr(found.figures, name) != getattr(with_0.figures, name)
    for name in ("percent", "kappa", "fleiss", "nominal"):
        assert getattr(found.figures, name) == getattr(with_0.figures, name)
    assert found.figures.pairs[0].quadratic == plain.figures.pairs[0].quadratic
    assert "3 labels of grade 0 mean that the answer declines" in str(found.notes[0])


CROWD = [
    Label(f"i{item}", float(1 + (item + (person == 0)) % 3), f"p{person:04}")
    for person in range(600)
    for item in range(person % 7, person % 7 + 3)
]
"""600 annotators with three items each, of whom only the first disagrees with all others."""


@pytest.mark.parametrize("zero", [False, True])
def test_many_annotators_are_summed_up(zero):
    """600 annotators are not 180,000 lines: what is left out is counted, and whoever differs most is named first."""
    labels = [replace(label, aspect="correctness" if zero else "", value=label.value - zero) for label in CROWD]
    report = agreement_report(labels, resamples=10)
    tables = {table.key: table.in_language("en") for table in agreement_glance(report)}
    assert max(len(table.rows) for table in tables.values()) <= 26
    files = {table.key: table for table in agreement_tables(report)}
    assert len(files["annotator_pairs"].rows) == len(tables["annotator_pairs"].rows) == 20
    assert len(files["annotators_apart"].rows) == 600  # grows with the annotators, not with their pairs
    assert files["annotators_apart"].rows[0][1] == "p0000"
    left = report.aspects[0].figures.spread.pairs - 20
    assert f"{left:,} pairs are left out" in tables["annotator_pairs"].caption
    assert "575 are left out" in tables["base_rates"].caption
    assert "575 are left out" in tables["annotators_apart"].caption
