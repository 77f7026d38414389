"""Probabilities of verdicts and grades, found in the tokens of a reply."""

import json
from dataclasses import replace
from itertools import pairwise
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.judges.decided_values import places_in_json
from saiten.judges.llm import LLMJudge
from saiten.judges.probabilities import decides, with_probabilities
from saiten.judges.reading import read_reply
from saiten.models.scripted import ScriptedChat
from saiten.protocols import Completion, Token
from saiten.tasks.aspects import RateAspect
from saiten.tasks.contexts import JudgeContext
from saiten.tasks.correctness import DecideCorrect, DecideCorrectGrounded, GradeAnswer
from saiten.tasks.critique import CritiqueAspect
from saiten.tasks.statements import ClassifyStatements, SplitStatements, VerifyStatements

DECIDE = DecideCorrect("q", "a", ("r",), language="en")
GROUNDED = DecideCorrectGrounded("q", "a", ("r",), contexts=("c",), language="en")
GRADE = GradeAnswer("q", "a", ("r",), language="en")
RATE = RateAspect("amount", "How much?", "-1: too little\n0: right\n1: too much", "q", "a", (-1, 0, 1), language="en")


def tokens_of(*pieces):
    """Tokens from texts and (text, probability, {other: probability}); a text alone is certain, with one rival."""
    made = []
    for piece in pieces:
        text, p, others = piece if isinstance(piece, tuple) else (piece, 1.0, {"~": 1e-9})
        likeliest = tuple((as_bytes(other), log(q)) for other, q in others.items())
        made.append(Token(as_bytes(text), log(p), ((as_bytes(text), log(p)), *likeliest)))
    return tuple(made)


def as_bytes(text):
    """The bytes of a token."""
    return text if isinstance(text, bytes) else text.encode()


def read(task, *pieces, text=None):
    """The reply to a task, written in these tokens."""
    tokens = tokens_of(*pieces)
    text = b"".join(token.text for token in tokens).decode() if text is None else text
    return with_probabilities(task, read_reply(task, text), Completion(text, tokens=tokens))


@pytest.mark.parametrize(
    "pieces",
    [
        ('{"explanation": "so", "correct":', (" true", 0.7, {" false": 0.3}), "}"),
        ('{"explanation": "so", "correct": ', ("true", 0.7, {"false": 0.3}), "}"),
        ('{"explanation": "so", "correct": ', ("true}", 0.7, {"false}": 0.2, "false": 0.1})),
        ('{"explanation": "so", "correct"', (': "yes"', 0.7, {': "no"': 0.3}), "}"),
        ('{"explanation": "so", "correct": "', ("はい", 0.7, {"いいえ": 0.3}), '"}'),
        ('{"explanation": "so", "正誤":', ("true", 0.7, {"false": 0.3}), "}"),
        ("{'explanation': 'so', 'correct': ", ("True", 0.7, {"False": 0.3}), "}"),
        ("```json\n", '{"explanation": "so", "correct": ', ("1", 0.7, {"0": 0.3}), "}\n```"),
        ('{"explanation": "so", "correct": ', ("t", 0.7, {"f": 0.3}), "rue", "}"),
        ("It agrees. [[", ("True", 0.7, {"False": 0.3}), "]]"),
        ("一致する。[[", ("正解", 0.7, {"不正解": 0.3}), "]]"),
        ('<think>{"explanation": "x", "correct": false}</think>{"explanation": "so", "correct":', (" true", 0.7, {" false": 0.3}), "}"),
        ('{"explanation": "not \\"correct\\": false, {really}", "correct": ', ("true", 0.7, {"false": 0.3}), "}"),
    ],
)  # fmt: skip
def test_the_probability_of_yes_is_found_in_each_form(pieces):
    """Spaces, quotation marks and brackets in the token, Japanese, markers, thinking and quotations before it."""
    reply = read(DECIDE, *pieces)
    assert reply.correct
    assert reply.p == pytest.approx(0.7)


def test_a_grounded_decision_passes_with_the_product_of_both_probabilities():
    """The metric is 1 only if the answer is correct and supported; the marker has one verdict on both."""
    pieces = (" {'explanation': 'so', 'correct':", (" true", 0.8, {" false": 0.2}), ", 'supported':", (" true", 0.5, {" false": 0.5}), "}")  # fmt: skip
    assert read(GROUNDED, *pieces).p == pytest.approx(0.4)
    assert read(GROUNDED, "It agrees. [[", ("True", 0.7, {"False": 0.3}), "]]").p == pytest.approx(0.7)


def test_verdicts_keyed_by_number_have_their_own_probabilities():
    """Their order is that of the reply, not of the numbers; bare verdicts, whose places have no key, have none."""
    task = VerifyStatements(("a", "b"), ("c",), language="en")
    pieces = (
        '{"2": {"verdict": ',
        ("true", 0.9, {"false": 0.1}),
        '}, "1": {"verdict": ',
        ("true", 0.6, {"false": 0.4}),
        "}}",
    )
    verdicts = read(task, *pieces).verdicts
    assert {verdict.number: verdict.p for verdict in verdicts} == pytest.approx({2: 0.9, 1: 0.6})
    assert [verdict.p for verdict in read(task, "[true, ", ("false", 0.9, {"true": 0.1}), "]").verdicts] == [None, None]


def test_unreadable_tokens_that_do_not_fit_the_text_give_no_probability_and_do_not_hang():
    """Each of them may be 0 to 4 bytes; a server that sends forty of them for another text costs no endless search."""
    pieces = [b"\xef\xbf\xbd"] * 40
    text = "漢" * 20 + '{"explanation": "so", "correct": true}'
    assert read(DECIDE, *pieces, text=text).p is None
    fitting = [*pieces, '{"explanation": "so", "correct":', (" true", 0.7, {" false": 0.3}), "}"]
    assert read(DECIDE, *fitting, text=text).p == pytest.approx(0.7)


def test_a_word_in_several_tokens_counts_each_alternative_by_what_precedes_it():
    """は begins both はい and (here) nothing else, but its first byte begins いいえ, too: the second token decides."""
    yes, no = "はい".encode(), "いいえ".encode()
    assert yes[:2] == no[:2]
    reply = read(
        DECIDE,
        '{"explanation": "so", "correct": "',
        (yes[:2], 0.9, {"no": 0.1}),
        (yes[2:], 0.5, {no[2:3]: 0.5}),
        '"}',
    )
    assert reply.p == pytest.approx(0.45)


def test_alternatives_beyond_the_scale_are_left_out():
    """A grade's probabilities are scaled to the valid grades; `5` in 50 and words are none of them."""
    reply = read(
        GRADE, '{"feedback": "so", "grade": ', ("4", 0.6, {"5": 0.15, "３": 0.05, "50": 0.1, "null": 0.1}), "}"
    )
    assert reply.probabilities == pytest.approx({4: 0.75, 5: 0.1875, 3: 0.0625})
    assert reply.expected == pytest.approx((4 * 0.6 + 5 * 0.15 + 3 * 0.05) / 0.8)
    assert reply.value == 4.0


@pytest.mark.parametrize(
    "pieces",
    [
        ("Feedback: fine. [RESULT] ", ("4", 0.5, {"2": 0.5})),
        ("Feedback: 4 of 5 points are there. [RESULT]", (" 4", 0.5, {" 2": 0.5}), "\n"),
        ("Feedback: よい。【評点】", ("４", 0.5, {"２": 0.5})),
    ],
)
def test_a_grade_after_a_marker_is_found(pieces):
    """The number after the last marker, not one in the feedback."""
    reply = read(replace(GRADE, form="prometheus"), *pieces)
    assert reply.probabilities == pytest.approx({4: 0.5, 2: 0.5})


def test_a_rating_may_be_negative():
    """The sign is a token of its own: each alternative counts with the digit that follows."""
    reply = read(RATE, '{"reason": "so", "grade": ', ("-", 0.6, {"0": 0.3, "1": 0.1}), "1", "}")
    assert reply.probabilities == pytest.approx({-1: 0.6, 0: 0.3, 1: 0.1})
    assert reply.expected == pytest.approx(-0.5)


def test_each_verdict_of_a_list_has_its_own_probability():
    """In the order of the text, whatever their numbers."""
    reply = read(
        VerifyStatements(("a", "b"), ("c",), language="en"),
        '{"verdicts": [{"number": 2, "reason": "so", "verdict": ', ("true", 0.9, {"false": 0.1}),
        '}, {"number": 1, "reason": "\\"verdict\\": true", "verdict": ', ("false", 0.8, {"true": 0.2}), "}]}",
    )  # fmt: skip
    assert {verdict.number: verdict.p for verdict in reply.verdicts} == pytest.approx({2: 0.9, 1: 0.2})


def test_two_lists_of_verdicts_are_told_apart():
    """By their keys, even if the reply has them in the other order."""
    reply = read(
        ClassifyStatements("q", ("a",), ("b",), language="en"),
        '{"reference": [{"number": 1, "reason": "r", "verdict": ', ("true", 0.9, {"false": 0.1}),
        '}], "answer": [{"number": 1, "reason": "r", "verdict": ', ("true", 0.6, {"false": 0.4}), "}]}",
    )  # fmt: skip
    assert (reply.answer[0].p, reply.reference[0].p) == pytest.approx((0.6, 0.9))


@pytest.mark.parametrize("task", [CritiqueAspect("Brief?", "q", "a", language="en"), JudgeContext("q", "c", "r", language="en")])  # fmt: skip
def test_a_critique_and_a_context_have_one(task):
    """Every verdict of the tasks is covered."""
    key = "verdict" if isinstance(task, CritiqueAspect) else "useful"
    assert read(task, f'{{"reason": "r", "{key}": ', ("false", 0.8, {"true": 0.2}), "}").p == pytest.approx(0.2)


@pytest.mark.parametrize(
    "pieces",
    [
        ('{"explanation": "so", "correct": ', ("true", 0.7, {}), "}"),
        ('{"explanation": "so", "correct": ', ("true", 0.7, {"maybe": 0.3}), "} x"),
    ],
)
def test_nothing_is_made_up_where_the_alternatives_are_unknown(pieces):
    """A single token has no alternatives; without another value of the scale, the verdict is certain."""
    p = read(DECIDE, *pieces).p
    assert p == (None if not pieces[1][2] else 1.0)


@pytest.mark.parametrize("text", ['{"explanation": "other", "correct": true}', ""])
def test_tokens_of_another_text_are_ignored(text):
    """If the tokens are not those of the text, no probability is read."""
    reply = read_reply(DECIDE, '{"explanation": "so", "correct": true}')
    tokens = tokens_of('{"explanation": "so", "correct": ', ("true", 0.7, {"false": 0.3}), "}")
    assert with_probabilities(DECIDE, reply, Completion(text, tokens=tokens)).p is None


def test_characters_that_a_server_writes_as_unknown_are_bridged():
    """SGLang and TGI write U+FFFD for each part of a character; the tokens around it still have their places."""
    text = '{"explanation": "鮨は酢飯", "correct": true}'
    reply = read(DECIDE, '{"explanation": "', "\ufffd", "\ufffd", "は酢", "\ufffd\ufffd", '", "correct": ', ("true", 0.7, {"false": 0.3}), "}", text=text)  # fmt: skip
    assert reply.p == pytest.approx(0.7)


@st.composite
def replies(draw):
    """A reply in JSON, cut into tokens at any byte, with rivals for the token that decides."""
    explanation = draw(st.text(st.characters(exclude_categories=("Cs",)), max_size=20))
    correct, p = draw(st.booleans()), draw(st.floats(0.01, 0.99))
    spaces = draw(st.sampled_from(["", " ", "\n  "]))
    text = json.dumps({"explanation": explanation, "correct": correct}, ensure_ascii=draw(st.booleans()))
    text = text.replace('"correct": ', f'"correct":{spaces}')
    whole = text.encode()
    word = b"true" if correct else b"false"
    start = whole.rindex(word)
    cuts = sorted({0, len(whole), *draw(st.lists(st.integers(0, len(whole)), max_size=12))})
    tokens = []
    for begin, end in pairwise(cuts):
        piece = whole[begin:end]
        likeliest = [(piece, log(0.999)), (b"~", log(0.001))]
        if begin <= start < end:
            rival = piece[: start - begin] + (b"false" if correct else b"true")
            likeliest = [(rival, log(1 - p)), (piece, log(p))]
        tokens.append(Token(piece, dict(likeliest)[piece], tuple(likeliest)))
    return text, tuple(tokens), correct, p


@given(replies())
def test_the_offset_of_a_value_leads_to_its_token(reply):
    """However a reply is cut into tokens, the probability is that of the token with the value's first byte."""
    text, tokens, correct, p = reply
    found = with_probabilities(DECIDE, read_reply(DECIDE, text), Completion(text, tokens=tokens))
    assert found.correct is correct
    assert found.p == pytest.approx(p if correct else 1 - p)


@given(st.text(st.sampled_from('{}[]:,"\\ aé9\n'), max_size=40))
def test_any_text_can_be_searched_for_values(text):
    """Broken JSON has fewer places, but never an error; each place is in the text."""
    assert all(0 <= place.start <= place.end <= len(text) for place in places_in_json(text, "a"))


async def test_the_judge_requests_probabilities_only_where_something_is_decided():
    """Splitting needs none; the repaired reply has those of its own tokens."""
    good = tokens_of('{"explanation": "so", "correct": ', ("true", 0.7, {"false": 0.3}), "}")
    lines = ["no idea", Completion('{"explanation": "so", "correct": true}', tokens=good), '{"statements": ["a"]}']
    chat = ScriptedChat(lines)
    judge = LLMJudge(chat, logprobs=5)
    assert (await judge.perform(DECIDE)).p == pytest.approx(0.7)
    await judge.perform(SplitStatements("q", "a", language="en"))
    assert [request.logprobs for request in chat.requests] == [5, 5, None]
    assert decides(DECIDE.reply)
    assert judge.describe([DecideCorrect])["logprobs"] == "5"
    assert "logprobs" not in LLMJudge(chat).describe([DecideCorrect])


async def test_a_first_call_without_probabilities_is_reported():
    """A server that refuses or ignores the parameter is noticed before the run, not after it."""
    said = []
    await LLMJudge(ScriptedChat(['{"ok": true}']), logprobs=5, notify=said.append).preflight()
    assert len(said) == 1
    assert "no token probabilities" in said[0]
    with_tokens = Completion('{"ok": true}', tokens=tokens_of('{"ok": true}'))
    await LLMJudge(ScriptedChat([with_tokens]), logprobs=5, notify=said.append).preflight()
    assert len(said) == 1
