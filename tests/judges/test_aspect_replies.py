"""Replies with an aspect's rating as models write them, and how several votes are merged."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.judges.faults import fault_in
from saiten.judges.panel import Panel
from saiten.judges.reading import read_reply
from saiten.judges.reply_schema import schema_of
from saiten.judges.scripted import ScriptedJudge
from saiten.prompts import BUILT_IN
from saiten.tasks.aspects import AspectExample, RateAspect, Rating

TASK = RateAspect("formality", "Is it?", "-1: casual\n0: right\n1: stiff", "Why?", "So.", (-1, 0, 1), language="en")


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ('{"reason": "r", "grade": -1}', -1),
        ('{"reason": "r", "grade": "-1"}', -1),
        ('{"reason": "r", "grade": "−1"}', -1),
        ('{"reason": "r", "grade": "–1"}', -1),
        ('{"reason": "r", "grade": "－１"}', -1),
        ('{"reason": "r", "grade": "+1"}', 1),
        ('{"reason": "r", "grade": "１"}', 1),
        ('{"reason": "r", "grade": 1.0}', 1),
        ('{"reason": "r", "grade": "-1.0"}', -1),
        ('{"reason": "r", "grade": "-1: casual"}', -1),
        ('{"reason": "r", "grade": "-1 (casual)"}', -1),
        ('{"reason": "r", "grade": "Grade: -1"}', -1),
        ('{"reason": "r", "grade": "**-1**"}', -1),
        ('{"理由": "くだけすぎ", "評点": "-1点"}', -1),
        ('<think>{"reason": "draft", "grade": 1}</think>\n```json\n{"reason": "r", "grade": 0,}\n```', 0),
        ('{"grade": 0}', 0),
        ('First {"reason": "a", "grade": 0}, again: {"reason": "b", "grade": 0}', 0),
    ],
)
def test_a_grade_is_read_in_many_forms(text, grade):
    """Minus signs of every kind, other widths, the grade with its meaning next to it, fences and drafts."""
    assert read_reply(TASK, text).grade == grade


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"reason": "r", "grade": 2}', "one of -1, 0, 1, got 2"),
        ('{"reason": "r", "grade": -3}', "got -3"),
        ('{"reason": "r", "grade": 0.5}', "grade"),
        ('{"reason": "r", "grade": true}', "grade"),
        ('{"reason": "r", "grade": null}', "grade"),
        ('{"reason": "r", "grade": "casual"}', "grade"),
        ('{"reason": "r", "grade": "0 or 1"}', "grade"),
        ('{"reason": "r", "grade": "1/3"}', "grade"),
        ('{"reason": "r", "grade": "-"}', "grade"),
        ('{"reason": "r", "grade": [0]}', "grade"),
        ('{"reason": "r"}', "`grade` is missing"),
        ('First {"reason": "a", "grade": 1}, no: {"reason": "b", "grade": 0}', "differ in `grade`"),
        ('{"reason": "r", "grade": NaN}', "grade"),
        ("It is fine.", "no JSON"),
        ('{"reason": "…", "grade": 0}', "fill it in"),
    ],
)
def test_what_is_no_grade_of_the_scale_is_refused(text, fault):
    """The message is a sentence that the model can act on; nothing is guessed, and true is not 1."""
    with pytest.raises(ValueError, match=fault) as refusal:
        read_reply(TASK, text)
    assert fault_in("ja", str(refusal.value)) != fault_in("ja", "something unheard of")


@pytest.mark.parametrize("grade", ["null", '"null"'])
def test_null_is_read_where_the_aspect_allows_for_it(grade):
    """It says that there is nothing to grade; where this is not offered, it is refused like any other word."""
    text = f'{{"reason": "r", "grade": {grade}}}'
    reply = read_reply(replace(TASK, ungraded=True), text)
    assert (reply.grade, reply.ungraded, reply.grades) == (None, True, ())
    with pytest.raises(ValueError, match="nothing to grade: r"):
        _ = reply.value
    with pytest.raises(ValueError, match="one of -1, 0, 1, got null"):
        read_reply(TASK, text)
    with pytest.raises(ValueError, match="one of -1, 0, 1, null, got 7"):
        read_reply(replace(TASK, ungraded=True), '{"reason": "r", "grade": 7}')


def test_votes_without_a_grade_count_if_they_are_half_or_more():
    """Of three votes two grades decide; if half of the votes or more have none, there is none, with a reason for that."""
    one, two = Rating(reason="a", grade=0), Rating(reason="b", grade=1)
    none = Rating(reason="c", grade=None)
    merged = TASK.merge([one, none, two])
    assert (merged.value, merged.given, merged.ungraded) == (0.5, (0, 1), False)
    assert TASK.merge([one, none]) == none
    assert TASK.merge([none, one, none]) == none


def test_a_long_scale_is_named_by_its_ends():
    """A hundred grades are not listed one by one."""
    task = RateAspect("a", "?", "0: no\n100: yes", "q", "a", tuple(range(101)), language="en")
    with pytest.raises(ValueError, match="one of 0 to 100, got 101"):
        read_reply(task, '{"reason": "r", "grade": 101}')


def test_a_model_that_is_held_to_the_schema_writes_a_reason_and_then_a_whole_number():
    """What only the judge fills in is not requested."""
    properties = schema_of(Rating, "en")["properties"]
    assert list(properties) == ["reason", "grade"]
    assert [each["type"] for each in properties["grade"]["anyOf"]] == ["integer", "null"]


def test_an_aspects_own_example_is_shown_instead_of_the_prompts():
    """One example, in the form of a reply, with the aspect's own texts; the answer cannot close its block."""
    example = AspectExample("Why?", "</answer> lol", "Slang.", -1)
    shown = BUILT_IN.render(RateAspect("formality", "Is it?", "-1: x", "Q", "A", (-1, 0), (example,), language="en"))
    assert [message.role for message in shown] == ["system", "user", "assistant", "user"]
    assert "<answer-2>\n</answer> lol\n</answer-2>" in shown[1].content
    assert shown[2].content == '{"reason": "Slang.", "grade": -1}'
    plain = BUILT_IN.render(TASK)
    assert [message.role for message in plain] == ["system", "user", "assistant", "user"]
    assert "directness" in plain[1].content


@given(st.lists(st.sampled_from((-1, 0, 1)), min_size=1, max_size=7))
def test_votes_are_averaged_and_kept(grades):
    """The value is their mean, each grade is kept, and the reason is that of a vote nearest to the mean."""
    merged = TASK.merge([Rating(reason=f"{grade}", grade=grade) for grade in grades])
    assert merged.grades == tuple(grades)
    assert merged.value == pytest.approx(sum(grades) / len(grades))
    assert abs(merged.grade - merged.value) == pytest.approx(min(abs(grade - merged.value) for grade in grades))
    assert merged.reason == str(merged.grade)


async def test_a_panel_of_panels_keeps_every_vote():
    """Merged replies can be merged again."""
    inner = Panel(tuple(ScriptedJudge({RateAspect: Rating(reason="", grade=grade)}) for grade in (-1, 1)))
    outer = Panel((inner, ScriptedJudge({RateAspect: Rating(reason="", grade=0)})))
    assert (await outer.perform(TASK)).grades == (-1, 1, 0)
