"""Weights learned from human grades: the result, what is held out, and what is refused."""

import json
import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from saiten.errors import BadInput
from saiten.metrics.rubrics import read_rubric
from saiten.metrics.rubrics.weights import read_weights, weights_text
from saiten.records import Label, Score, Scored, Span
from saiten.stats.regression import least_squares
from saiten.tuning.mate import learn_weights
from saiten.tuning.rated import rated_by_judge, rated_by_people
from saiten.tuning.splitting import FEWEST_QUESTIONS

RUBRIC = read_rubric()
TRUE = {"formality": 0.3, "amount_info": 0.7, "factuality": 2.0}
DATA = Path(os.environ.get("SAITEN_DATA") or "/nowhere")


def graded(n=120, noise=0.0, seed=0, per_question=3):
    """Labels of answers whose acceptability follows TRUE, and the questions."""
    draw = random.Random(seed)
    labels, questions = [], {}
    for at in range(n):
        item = f"a{at}"
        grades = {
            "formality": draw.choice([-1, 0, 1]),
            "amount_info": draw.choice([-1, 0, 1]),
            "factuality": draw.choice([0, 1, 2, 3]),
        }
        parts = {"formality": -abs(grades["formality"]), "amount_info": -abs(grades["amount_info"])}
        parts["factuality"] = (grades["factuality"] - 3) / 3
        whole = 3 + sum(TRUE[name] * part for name, part in parts.items()) + draw.gauss(0, noise)
        grades["acceptability"] = min(3.0, max(0.0, whole))
        labels += [Label(item, value, "A", aspect) for aspect, value in grades.items()]
        questions[item] = f"q{at // per_question}"
    return labels, questions


def learned(labels, questions, rubric=RUBRIC, target="acceptability", aspects=(), **settings):
    """Weights learned from labels."""
    return learn_weights(
        rated_by_people(labels, questions, target=target, aspects=aspects), rubric, resamples=100, **settings
    )


def by_name(found):
    """Aspect → weight."""
    return {one.name: one.weight for one in found.weights.aspects}


def test_the_weights_behind_the_grades_are_found():
    """They are exact without noise; the score then equals the grade, on unseen questions, too."""
    found = learned(*graded())
    assert by_name(found) == pytest.approx(TRUE, abs=1e-9)
    assert found.held_out.value == pytest.approx(1)
    assert found.weights.best == 3
    grades = {"formality": [1], "amount_info": [0], "factuality": [0]}
    assert found.weights.score(grades) == pytest.approx(3 - 0.3 - 2)


def test_with_noise_the_intervals_hold_the_weights():
    """The held-out Pearson has an interval and a number of answers."""
    found = learned(*graded(n=600, noise=0.2))
    for one in found.weights.aspects:
        assert one.low < TRUE[one.name] + 0.15
        assert one.high > TRUE[one.name] - 0.15
        assert one.low < one.weight < one.high
    assert 0.9 < found.held_out.low < found.held_out.value < found.held_out.high <= 1
    assert (found.held_out.n, found.held_out.clusters) == (120, 40)


def test_a_fifth_of_the_questions_is_held_out_and_none_is_on_both_sides():
    """40 questions of 3 answers: 96 answers to learn from, 24 held out."""
    made = learned(*graded()).weights.learned
    assert (made.items, made.questions, made.held_out_items, made.held_out_questions) == (96, 32, 24, 8)


def test_neither_the_order_of_rows_nor_of_aspects_matters():
    """The file is identical to the last byte; aspects in another order have the same weights."""
    labels, questions = graded(noise=0.3)
    mixed = random.Random(1).sample(labels, len(labels))
    one, other = learned(labels, questions), learned(mixed, questions)
    assert weights_text(one.weights) == weights_text(other.weights)
    turned = learned(labels, questions, aspects=("formality", "factuality", "amount_info"))
    assert by_name(turned) == pytest.approx(by_name(one), rel=1e-9)


def test_a_grade_or_a_seed_changes_the_fingerprint():
    """The file identifies its training data."""
    labels, questions = graded(noise=0.3)
    other = [replace(labels[0], value=labels[0].value * -1 or 1.0), *labels[1:]]
    prints = {
        learned(labels, questions).weights.learned.fingerprint,
        learned(other, questions).weights.learned.fingerprint,
        learned(labels, questions, seed=1).weights.learned.fingerprint,
        learned(labels, questions, intercept=True).weights.learned.fingerprint,
    }
    assert len(prints) == 4


def test_what_was_written_is_read_and_scores_alike(tmp_path):
    """The file fits the rubric that it was learned with."""
    found = learned(*graded(noise=0.3), intercept=True)
    file = tmp_path / "w.toml"
    file.write_text(weights_text(found.weights), encoding="utf-8")
    read = read_weights(str(file))
    read.check(RUBRIC, "w")
    assert replace(read, digest="") == found.weights


def test_annotators_are_averaged_by_their_deductions():
    """Too little and too much do not average to just right; a third decision counts alone."""
    labels, questions = graded()
    doubled = labels + [replace(label, annotator="B", value=-label.value) for label in labels if label.aspect in {"formality", "amount_info"}]  # fmt: skip
    assert by_name(learned(doubled, questions)) == pytest.approx(TRUE, abs=1e-9)
    wrong = [replace(label, value=0.0) for label in labels if label.aspect == "factuality"]
    others = [label for label in labels if label.aspect != "factuality"]
    settled = [replace(label, adjudicated=True) for label in labels if label.aspect == "factuality"]
    assert by_name(learned(others + wrong + settled, questions)) == pytest.approx(TRUE, abs=1e-9)


def test_answers_without_all_grades_are_counted_and_reported():
    """They are never dropped silently."""
    labels, questions = graded()
    fewer = [label for label in labels if (label.item, label.aspect) != ("a0", "formality")]
    del questions["a1"]
    found = learned(fewer, questions)
    assert found.rated.left_out == {"no grade of formality": 1, "no sample of this id, so no question": 1}
    assert "left out 1 answers: no grade of formality" in found.notes


def test_preferences_marks_and_words_in_the_same_file_are_passed_over():
    """Only grades of answers explain grades of answers."""
    labels, questions = graded()
    more = [
        Label("a0 vs a1", -1.0, "A", "preference"),
        Label("a0", 2.0, "A", "gist", spans=(Span("x"),)),
        Label("a0", 1.0, "A", "tone", category="warm"),
    ]
    assert set(by_name(learned(labels + more, questions, rubric=None))) == set(TRUE)


def test_a_negative_weight_is_reported():
    """It may be chance, or an aspect that people like to see overdone."""
    labels, questions = graded()
    turned = [replace(label, value=3 - label.value) if label.aspect == "factuality" else label for label in labels]
    found = learned(turned, questions, intercept=True)
    assert by_name(found)["factuality"] == pytest.approx(-2)
    assert any(note.startswith("the weight of factuality is negative") for note in found.notes)


def without_spread(labels):
    """Every answer has the same formality."""
    return [replace(label, value=0.0) if label.aspect == "formality" else label for label in labels]


def copied(labels):
    """The amount has the same grades as formality."""
    same = {label.item: label.value for label in labels if label.aspect == "formality"}
    return [replace(label, value=same[label.item]) if label.aspect == "amount_info" else label for label in labels]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_spread, "the same grade of 'formality'"),
        (copied, "amount_info and formality are collinear"),
        (lambda labels: [replace(label, value=2.0) if label.aspect == "acceptability" else label for label in labels], "the same grade of 'acceptability'"),
        (lambda labels: [replace(label, value=label.value + 1) if label.aspect == "factuality" else label for label in labels], "the scale of the rubric 'long_answers' is 0 to 3"),
        (lambda labels: labels[: 4 * 3 * (FEWEST_QUESTIONS - 1)], "cover 9 questions; at least 10 are needed"),
        (lambda labels: [label for label in labels if label.aspect != "acceptability"], "no label of 'acceptability'; there are labels of 'amount_info'"),
        (lambda labels: [label for label in labels if label.aspect == "acceptability"], "of 'acceptability' only"),
        (lambda labels: [*labels, *(replace(label, aspect="warmth") for label in labels if label.aspect == "formality")], "no aspect 'warmth'"),
        (lambda _: [], "there are labels of nothing"),
    ],
)  # fmt: skip
def test_what_nothing_can_be_learned_from_is_refused(change, message):
    """Constant or collinear aspects, too few questions, missing aspects, another scale: no weight is made up."""
    labels, questions = graded()
    with pytest.raises(BadInput, match=message):
        learned(change(labels), questions)


def test_a_missing_aspect_that_was_named_is_reported():
    """The message lists the valid ones."""
    labels, questions = graded()
    with pytest.raises(BadInput, match="no label of 'warmth'; there are labels of 'acceptability', 'amount_info'"):
        learned(labels, questions, aspects=("warmth",))
    elsewhere = [*labels, Label("zz", 1, "A", "warmth")]
    with pytest.raises(BadInput, match="no answer has everything that is needed"):
        learned(elsewhere, questions, aspects=("warmth",))


def test_grades_as_they_are_need_no_rubric():
    """Any aspects work on any scale; a name that the file cannot contain is refused."""
    labels, questions = graded()
    plain = [replace(label, aspect={"acceptability": "whole"}.get(label.aspect, label.aspect)) for label in labels]
    found = learned(plain, questions, rubric=None, target="whole", aspects=("factuality",), intercept=True)
    assert found.weights.features == "values"
    assert by_name(found)["factuality"] == pytest.approx(2 / 3, abs=0.2)
    huge = [replace(label, value=1e300) if label.item == "a3" else label for label in plain]
    with pytest.raises(BadInput, match="'a3' has a grade beyond 1e"):
        learned(huge, questions, rubric=None, target="whole", aspects=("factuality",))
    spaced = [replace(label, aspect="my aspect") if label.aspect == "factuality" else label for label in plain]
    with pytest.raises(BadInput, match="cannot have an aspect 'my aspect'"):
        learned(spaced, questions, rubric=None, target="whole")


def scored(labels, votes=()):
    """A judge's grades, as the scores of a run."""
    return [
        Scored(
            label.item, f"aspects[{label.aspect}]", Score(label.value, details={"given": list(votes)} if votes else {})
        )
        for label in labels
        if label.aspect in TRUE
    ]


def test_a_judges_grades_can_take_the_place_of_peoples():
    """The overall grade is human, those of the aspects are the judge's; the file says whose they were."""
    labels, questions = graded()
    whole = [label for label in labels if label.aspect == "acceptability"]
    rated = rated_by_judge(whole, scored(labels), questions, target="acceptability", aspects=tuple(TRUE))
    found = learn_weights(rated, RUBRIC, resamples=100)
    assert by_name(found) == pytest.approx(TRUE, abs=1e-9)
    assert found.weights.learned.source == "judge"


def test_a_judges_votes_are_averaged_by_their_deductions():
    """As in the score itself; manipulated votes are not trusted."""
    labels, questions = graded()
    for votes, grades in (((-1, 1), (-1.0, 1.0)), (("x",), (labels[0].value,)), ((True,), (labels[0].value,))):
        one = scored(labels[:1], votes)
        rated = rated_by_judge(labels, one, questions, target="acceptability", aspects=("formality",))
        assert rated.grades == ((grades,),)


def test_one_aspect_by_two_rubrics_is_refused():
    """The scale would be ambiguous."""
    labels, questions = graded()
    both = [*scored(labels), Scored("a0", "aspects[formality,rubric=ours.toml]", Score(1.0))]
    with pytest.raises(BadInput, match="score it with one rubric"):
        rated_by_judge(labels, both, questions, target="acceptability", aspects=())
    with pytest.raises(BadInput, match="no scores of aspects"):
        rated_by_judge(labels, [Scored("a0", "length", Score(1.0))], questions, target="acceptability", aspects=())


@pytest.mark.skipif(not DATA.is_dir(), reason="SAITEN_DATA does not name the folder with the evaluation sets")
def test_squality_overall_from_correctness_and_coverage():
    """OLS with intercept over all 300 answers: -0.591, 0.177, 0.841, r 0.992, as published with the data."""
    with (DATA / "squality_human" / "responses.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    labels = [
        Label(f"{row['qid']}/{row['system']}", value, who, aspect)
        for row in rows
        for aspect in ("correctness", "coverage", "overall")
        for who, value in row["human"][aspect].items()
    ]
    questions = {f"{row['qid']}/{row['system']}": row["qid"] for row in rows}
    rated = rated_by_people(labels, questions, target="overall", aspects=("correctness", "coverage"))
    columns = [np.array([np.mean(grades[at]) for grades in rated.grades]) for at in range(2)]
    fit = least_squares(columns, rated.targets, rated.questions, names=rated.aspects, intercept=True)
    assert fit.intercept.value == pytest.approx(-0.5912, abs=5e-5)
    assert [weight.value for weight in fit.weights] == pytest.approx([0.177, 0.8413], abs=5e-5)
    assert np.corrcoef(fit.predict(columns), rated.targets)[0, 1] == pytest.approx(0.9916, abs=5e-5)
    design = np.column_stack([np.ones(300), *columns])
    expected = np.linalg.lstsq(design, np.array(rated.targets), rcond=None)[0]
    assert [fit.intercept.value, *(weight.value for weight in fit.weights)] == pytest.approx(expected, rel=1e-9)
    split = learn_weights(rated, None, intercept=True)
    assert (split.held_out.n, split.held_out.clusters) == (60, 20)
    assert split.held_out.value == pytest.approx(0.995, abs=5e-4)
