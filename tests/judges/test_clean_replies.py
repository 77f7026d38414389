"""Replies that are nothing but the requested JSON are read at once, with the same result as all others."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messy_replies import TASKS, rows

from saiten.judges.clean_replies import read_clean
from saiten.judges.reading import read_reply
from saiten.judges.reply_schema import schema_of
from saiten.tasks.contexts import JudgeContext, RelevantSentences
from saiten.tasks.correctness import GroundedDecision
from saiten.tasks.gist import MissingAndExtra
from saiten.tasks.statements import SplitStatements, VerifyStatements
from servers import instance

UNUSUAL = {GroundedDecision, RelevantSentences, MissingAndExtra}
VERIFY = VerifyStatements(("a", "b"), ("c",), language="en")
VERDICTS = (
    '{"verdicts": [{"number": 1, "reason": "r", "verdict": true}, {"number": 2, "reason": "s", "verdict": false}]}'
)
SAID = st.text(alphabet='ab {}[]<>\\"…./think\n日、', max_size=12)


def outcome(task, text):
    """The reply, or the sentence with which it is refused."""
    try:
        return read_reply(task, text)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("task", [each for each, *_ in TASKS.values()], ids=list(TASKS))
def test_the_requested_json_is_read_at_once(task):
    """A minimal instance of the schema is read without a search for faults, but for three types with unusual fields."""
    value = instance(schema_of(task.reply, "en"))
    clean = read_clean(task, json.dumps(value), ("a text", "日本語"))
    assert clean == (None if task.reply in UNUSUAL else task.reply.model_validate(value))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.form)
def test_it_gives_the_result_of_the_table(row):
    """Where a messy reply is read at once, it is read as its row says."""
    task = TASKS[row.task][0]
    clean = None if row.cut_off or task.written != "json" else read_clean(task, row.reply, ())
    assert clean is None or row.read is None or clean == task.reply.model_validate(row.read)


@pytest.mark.parametrize(
    ("text", "materials"),
    [
        (VERDICTS, ('it says {"verdicts": []}',)),
        (VERDICTS, ("a closing }",)),
        (VERDICTS, ("full-width ｛",)),
        (VERDICTS, ("escaped \\u007b",)),
        (VERDICTS.replace('"r"', '"r…"'), ()),
        (VERDICTS.replace('"r"', '"r..."'), ()),
        (VERDICTS.replace('"r"', '"r\\n"'), ()),
        (VERDICTS.replace('"r"', '"r\ue000"'), ()),
        (VERDICTS.replace('"reason": "r"', '"reason": "r", "reason": "t"'), ()),
        (VERDICTS.replace('"r"', '"verdict"'), ()),
        (VERDICTS.replace('"reason": "r", ', ""), ()),
        (VERDICTS.replace("true", '"yes"'), ()),
        (VERDICTS.replace("1", "1.0"), ()),
        (VERDICTS.replace('"number": 1', '"number": true'), ()),
        (VERDICTS.replace('"s"', '"s", "p": 0.9'), ()),
        (VERDICTS + " Done.", ()),
        (f"```json\n{VERDICTS}\n```", ()),
        (f"[{VERDICTS}]", ()),
        (VERDICTS[:-1], ()),
    ],
)
def test_whatever_needs_a_closer_look_is_left_to_it(text, materials):
    """Possible quotations, abbreviations, escapes, keys that occur twice, other types, hidden fields, anything around."""
    assert read_clean(VERIFY, text, materials) is None
    assert read_clean(VERIFY, VERDICTS, ("a text",)) is not None


@given(st.lists(SAID, max_size=3), SAID, SAID)
def test_texts_are_read_as_in_a_fence(statements, question, text):
    """Whatever the statements and the material, a reply means the same with a fence, which is always looked at closely."""
    task, reply = SplitStatements(question, text, language="en"), json.dumps({"statements": statements})
    assert outcome(task, reply) == outcome(task, f"```json\n{reply}\n```")


@given(SAID, st.sampled_from(["true", "false", "1", '"yes"', "null"]), SAID, st.sampled_from(["useful", "Useful", "x"]))
def test_verdicts_are_read_as_in_a_fence(reason, verdict, context, key):
    """Likewise for an object with a verdict."""
    task = JudgeContext("q", context, "r", language="en")
    reply = f'{{"reason": {json.dumps(reason, ensure_ascii=False)}, "{key}": {verdict}}}'
    assert outcome(task, reply) == outcome(task, f"```json\n{reply}\n```")
