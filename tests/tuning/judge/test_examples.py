"""Examples for a custom judge: the metrics' own tasks, human grades averaged, every omission reported."""

from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.data import read_labels
from saiten.errors import BadInput
from saiten.judges.reading import read_reply
from saiten.metrics.judged.accuracy import Accuracy
from saiten.metrics.judged.aspects import Aspects
from saiten.metrics.judged.correctness import Correctness
from saiten.metrics.rubrics import read_rubric
from saiten.records import Label, Sample
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.correctness import DecideCorrect, Decision, Grade, GradeAnswer
from saiten.tuning.judge.examples import build
from saiten.tuning.judge.held_out import value_of
from saiten.tuning.judge.target import nearest, scale_of, target

RUBRIC = read_rubric()
SAMPLE = Sample("a", "Who?", "Ann.", reference="Ann.", evidence=("Ann did it.",))


def built(labels, samples=(SAMPLE,), aspects=()):
    """The examples built from these."""
    return build(labels, samples, RUBRIC, aspects)


class Heard:
    """A judge that only records."""

    def __init__(self):
        self.tasks = []

    async def perform(self, task):
        self.tasks.append(task)
        replies = {
            Rating: Rating(reason="", grade=0),
            Grade: Grade(feedback="", grade=3),
            Decision: Decision(explanation="", correct=True),
        }
        return replies[task.reply]


@pytest.mark.parametrize(
    ("aspect", "metric"),
    [
        ("factuality", Aspects("factuality")),
        ("correctness", Correctness()),
        ("grade", Correctness()),
        ("correct", Accuracy()),
        ("accuracy", Accuracy()),
    ],
)
async def test_the_task_is_the_one_that_the_metric_asks(aspect, metric):
    """They are equal in every field, evidence included: equal tasks have equal prompts."""
    judge = Heard()
    await metric.score(SAMPLE, judge)
    assert [one.task for one in built([Label("a", 1, aspect=aspect)]).examples] == judge.tasks


@pytest.mark.parametrize(("said", "value"), [((0, 4, 5), 4.5), ((0, 0, 5), 0.0), ((0, 3), 3.0)])
def test_a_refusal_is_no_part_of_a_mean_grade(said, value):
    """Graded correctness: the majority decides that an answer declines; otherwise the mean is that of the grades."""
    (one,) = built([Label("a", grade, f"P{at}", "correctness") for at, grade in enumerate(said)]).examples
    assert one.value == value
    assert one.declines == (value == 0)


def test_annotators_are_averaged_and_a_third_decision_settles():
    """The value is not rounded; the reason is from whoever is nearest to it; an adjudicated label replaces all."""
    labels = [
        Label("a", 3, "P", "factuality", reason="all true"),
        Label("a", 2, "Q", "factuality"),
        Label("a", 0, "R", "factuality", reason="no"),
        Label("a", 1, "P", "formality"),
        Label("a", -1, "Z", "formality", adjudicated=True, reason="slang"),
    ]
    found = {one.aspect: one for one in built(labels).examples}
    assert found["factuality"].value == pytest.approx(5 / 3)
    assert found["factuality"].reason == "all true"
    assert (found["formality"].value, found["formality"].reason) == (-1, "slang")
    assert built(labels).annotators == 4


def test_grades_on_both_sides_of_the_best_one_teach_nothing():
    """Too little and too much average to just right, which nobody said; a majority for just right is different."""
    samples = [replace(SAMPLE, id=item) for item in "abc"]
    votes = {"a": (-1, 1), "b": (0, 1), "c": (0, 0, 0, -1, 1)}
    labels = [Label(item, v, f"P{n}", "amount_info") for item, each in votes.items() for n, v in enumerate(each)]
    found = built(labels, samples)
    assert [one.item for one in found.examples] == ["b", "c"]
    assert found.left_out == {"people's grades are on both sides of the best one, so their mean is not one of them": 1}


def test_the_rows_order_is_no_matter():
    """Neither that of labels nor of samples; a changed word or grade changes the fingerprint."""
    samples = [replace(SAMPLE, id=str(n), question=f"Who {n}?") for n in range(5)]
    labels = [Label(str(n), n % 4, who, "factuality", reason=who) for n in range(5) for who in "PQ"]
    one, other = built(labels, samples), built(labels[::-1], samples[::-1])
    assert one.examples == other.examples
    assert one.fingerprint == other.fingerprint
    assert built(labels, [*samples[:4], replace(samples[4], answer="Bob.")]).fingerprint != one.fingerprint
    assert built([*labels[:9], replace(labels[9], value=3)], samples).fingerprint != one.fingerprint


def test_what_no_metric_would_ask_is_counted():
    """Blank answers and questions, a task without its reference, items without a sample."""
    samples = [
        SAMPLE,
        replace(SAMPLE, id="b", answer=" "),
        replace(SAMPLE, id="c", answer=None),
        replace(SAMPLE, id="d", reference=None),
        replace(SAMPLE, id="e", question=" "),
    ]
    labels = [Label(item, 1, aspect=aspect) for item in "abcdef" for aspect in ("correct", "factuality")]
    found = built(labels, samples)
    assert {(one.item, one.aspect) for one in found.examples} == {
        ("a", "correct"),
        ("a", "factuality"),
        ("d", "factuality"),
    }
    assert sorted(found.left_out.values()) == [1, 2, 2, 4]


@pytest.mark.parametrize(
    ("labels", "aspects", "said"),
    [
        ([Label("a", 1, aspect="charm")], (), "there is no task for 'charm'"),
        ([Label("a", 1, aspect="charm"), Label("a", 1, aspect="correct")], ("wit",), "no labels of 'wit'"),
        ([Label("a", 4, "P", "factuality")], (), "for 'a' by 'P' is 4; its scale is 0 to 3"),
        ([Label("a", 6, aspect="grade")], (), "its scale is 0 to 5"),
        ([Label("a", 1, aspect="grade"), Label("a", 1, aspect="correctness")], (), "mean the same"),
        ([Label("z", 1, aspect="correct")], (), "no sample of this id"),
        ([Label("a", 0, aspect="correct", category="neutral")], (), "no grades among the labels"),
        ([Label("a", 2, aspect="correct", spans=())], (), "no grades among the labels"),
        ([], (), "no grades among the labels"),
        ([Label("a", 1)], (), "there is no task for ''"),
    ],
)
def test_what_cannot_be_learned_is_refused(labels, aspects, said):
    """The message has what there is and what to do."""
    with pytest.raises(BadInput, match=said):
        built(labels, aspects=aspects)


def test_chosen_aspects():
    """--aspect ignores the others, even unknown ones; labels without an aspect belong to the chosen one."""
    labels = [Label("a", 1, aspect="charm"), Label("a", 1, aspect="correct")]
    assert [one.aspect for one in built(labels, aspects=("correct",)).examples] == ["correct"]
    assert [one.aspect for one in built([Label("a", 1)], aspects=("grade",)).examples] == ["grade"]


@pytest.mark.parametrize(
    ("value", "values", "grade"),
    [
        (0.5, (0, 1), 0),
        (0.51, (0, 1), 1),
        (1.5, (0, 1, 2, 3), 2),
        (2.5, (0, 1, 2, 3), 2),
        (-0.5, (-1, 0, 1), 0),
        (0.5, (-1, 0, 1), 0),
        (3.0, (1, 5), 1),
        (2.4, (0, 5), 0),
        (5.0, (0, 1, 2, 3, 4, 5), 5),
    ],
)
def test_the_nearest_grade(value, values, grade):
    """Ties go to the even grade, or else to the lower one: a tie among verdicts is a no."""
    assert nearest(value, values) == grade


TASKS = [
    RateAspect("factuality", "true?", "0: no", "Q?", "A.", (-1, 0, 1, 7), language="en"),
    GradeAnswer("Q?", "A.", ("R.",), language="ja"),
    DecideCorrect("Q?", "A.", ("R.",), language="en"),
]
MESSY = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["…", "...", '{"reason": "x", "grade": 0}', "[RESULT] 2", "[[False]]", "<think>", "```json\n{}"]),
    st.lists(st.sampled_from(['"', "\\", "{", "}", "[", "]", "…", "\n", "</think>", "grade", ":", "0"])).map("".join),
)


@given(st.sampled_from(TASKS), st.floats(0, 1), st.lists(MESSY, max_size=3).map("".join))
def test_every_target_is_read_back_to_its_grade(task, where, reason):
    """The judge's own reader reads the grade back, whatever the annotator wrote, as a grade of the scale."""
    scale = scale_of(task)
    value = scale[0] + where * (scale[-1] - scale[0])
    reply = read_reply(task, target(task, value, reason))
    assert value_of(reply) == nearest(value, scale)


def test_a_plain_reason_is_in_the_target():
    """A target without a reason still has the field, as the schema requires."""
    assert target(TASKS[0], 0.2, "Newton did not.") == '{"reason": "Newton did not.", "grade": 0}'
    assert target(TASKS[1], 4.4, "惜しい。") == '{"feedback": "惜しい。", "grade": 4}'
    assert target(TASKS[2], 1) == '{"explanation": "", "correct": true}'
    assert target(TASKS[0], 0.2, "…") == '{"reason": "", "grade": 0}'


def test_a_reason_is_read_with_its_label():
    """It comes from its column or from `comment`; `asdict` of a label can be read back."""
    label = Label("a", 2.0, "P", "grade", reason="Nearly, 惜しい。")
    rows = [asdict(label), {"item": "a", "value": 2, "annotator": "P", "aspect": "grade", "comment": label.reason}]
    assert [next(read_labels([row])) for row in rows] == [label, label]
