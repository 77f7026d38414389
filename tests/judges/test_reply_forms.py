"""Any valid reply, in any composition of the forms that are read, is read as the same; a part of it never is."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from saiten.judges.reading import read_reply
from saiten.protocols import Reply, Task
from saiten.tasks.contexts import ContextVerdict, JudgeContext
from saiten.tasks.correctness import DecideCorrect, Decision, Grade, GradeAnswer
from saiten.tasks.statements import ListEntities, SplitStatements, VerifyStatements
from saiten.tasks.verdicts import Verdict

JAPANESE = {
    "reason": "理由", "explanation": "説明", "feedback": "講評", "verdict": "判定", "useful": "有用", "correct": "正誤", "grade": "評点",
    "number": "番号", "verdicts": "判定一覧", "statements": "主張", "entities": "固有表現", "statement": "文", "entity": "固有表現",
}  # fmt: skip
YES_NO: Sequence[tuple[Any, Any]] = [
    (True, False), (1, 0), ("yes", "no"), ("TRUE", "False"), ("Ｙｅｓ．", "Ｎｏ．"), ("はい", "いいえ"), ("○", "×"), ("✓", "✗"),
]  # fmt: skip
HARD = [
    '{"a": 1}',
    "```",
    '"',
    "\\",
    "[[True]]",
    "[RESULT] 3",
    "｛",
    "x\u2028y",
    "○",
    '", "verdict": false}',
    "[1]",
    "a: b,",
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="…."), min_size=1, max_size=20) | (
    st.sampled_from(HARD)
)
VERDICTS = st.lists(st.tuples(TEXTS | st.just(""), st.booleans()), min_size=1, max_size=3)

Written = tuple[str, bool]
"""A reply, and whether it is a single JSON value."""


def dumped(value: Any) -> str:
    """JSON with the characters as they are."""
    return json.dumps(value, ensure_ascii=False)


def lines(values: Sequence[Any]) -> str:
    """JSON lines."""
    return "\n".join(map(dumped, values))


def verdict_forms(
    name: Callable[[str], str], said: Mapping[bool, Any], items: Sequence[tuple[str, bool]]
) -> dict[str, Written]:
    """The verdicts in every form of the list."""
    whole = [
        {name("number"): n, name("reason"): reason, name("verdict"): said[yes]}
        for n, (reason, yes) in enumerate(items, 1)
    ]
    keyed = {
        f"S{item[name('number')]}": {name("reason"): item[name("reason")], name("verdict"): item[name("verdict")]}
        for item in whole
    }
    forms = {
        "object": (dumped({name("verdicts"): whole}), True),
        "list": (dumped(whole), True),
        "keyed": (dumped(keyed), True),
        "keyed in an object": (dumped({name("verdicts"): keyed}), True),
        "in order": (dumped({name("verdicts"): list(keyed.values())}), True),
        "a list in a string": (dumped({name("verdicts"): dumped(whole)}), True),
        "lines": (lines(whole), False),
    }
    if not any(reason for reason, _ in items):
        bare = [said[yes] for _, yes in items]
        forms |= {"without reasons": (dumped({name("verdicts"): dict(enumerate(bare, 1))}), True)}
        forms |= (
            {}
            if 1 in bare or (0 in bare and not any(isinstance(each, bool) for each in bare))
            else {"bare": (dumped(bare), True)}
        )
    return forms


def text_forms(name: Callable[[str], str], field: str, item: str, texts: Sequence[str]) -> dict[str, Written]:
    """The texts in every form of the list."""
    numbered = [
        {name("number"): n, item if name("number") == "number" else name(item): text} for n, text in enumerate(texts, 1)
    ]
    return {
        "object": (dumped({name(field): texts}), True),
        "list": (dumped(texts), True),
        "keyed": (dumped(dict(enumerate(texts, 1))), True),
        "keyed in an object": (dumped({name(field): {f"[{n}]": text for n, text in enumerate(texts, 1)}}), True),
        "objects": (dumped({name(field): numbered}), True),
        "a list in a string": (dumped({name(field): dumped(texts)}), True),
        "lines": (lines([{item: text} for text in texts]), False),
    }


WRAPPINGS: Mapping[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "result": lambda text: f'{{"result": {text}}}',
    "tool call": lambda text: f'{{"name": "reply", "arguments": {text}}}',
    "arguments in a string": lambda text: f'{{"name": "reply", "arguments": {dumped(text)}}}',
    "string": dumped,
}
FENCES = ["{}", "```json\n{}\n```", "```\n{}\n```", "\n{}\n\n"]


@st.composite
def written(draw: st.DrawFn) -> tuple[Task[Any], Reply, str, bool]:
    """A task, a reply, one way to write it, and whether that is a single JSON value."""
    japanese = draw(st.booleans())
    said = dict(zip((True, False), draw(st.sampled_from(YES_NO)), strict=True))

    def name(key: str) -> str:
        return JAPANESE[key] if japanese else key

    kind = draw(st.sampled_from(["verdicts", "statements", "entities", "context", "decision", "grade"]))
    task: Task[Any]
    reply: Reply
    if kind == "verdicts":
        items = draw(VERDICTS)
        task = VerifyStatements(tuple("abc"[: len(items)]), ("c",), language="en")
        made = [Verdict(number=n, reason=reason, verdict=yes) for n, (reason, yes) in enumerate(items, 1)]
        reply, forms = task.reply(verdicts=made), verdict_forms(name, said, items)
    elif kind in ("statements", "entities"):
        texts = draw(st.lists(TEXTS, min_size=1, max_size=4))
        task = SplitStatements("q", "t", language="en") if kind == "statements" else ListEntities("t", language="en")
        forms = text_forms(name, kind, "statement" if kind == "statements" else "entity", texts)
        reply = task.reply(**{kind: texts})
    else:
        why, yes, grade = draw(TEXTS | st.just("")), draw(st.booleans()), draw(st.integers(0, 5))
        field, key, value = {
            "context": ("reason", "useful", said[yes]), "decision": ("explanation", "correct", said[yes]), "grade": ("feedback", "grade", grade),
        }[kind]  # fmt: skip
        task, reply = {
            "context": (JudgeContext("q", "c", "r", language="en"), ContextVerdict(reason=why, useful=yes)),
            "decision": (DecideCorrect("q", "a", ("r",), language="en"), Decision(explanation=why, correct=yes)),
            "grade": (
                GradeAnswer("q", "a", ("r",), language="en"),
                Grade.model_validate({"feedback": why, "grade": grade}),
            ),
        }[kind]
        forms = {"object": (dumped({name(field): why, name(key): value}), True)}
        forms |= {} if why else {"without a reason": (dumped({name(key): value}), True)}
    text, single = draw(st.sampled_from(list(forms.values())))
    text = WRAPPINGS[draw(st.sampled_from(list(WRAPPINGS)))](text) if single else text
    return task, reply, draw(st.sampled_from(FENCES)).replace("{}", text), single


@given(written())
def test_a_reply_is_read_as_the_same_in_every_form(case: tuple[Task[Any], Reply, str, bool]):
    """Language of keys, form of yes and no, form of the list, wrapper and fences do not matter, in any composition."""
    task, reply, text, _ = case
    assert read_reply(task, text) == reply


@given(written(), st.data())
def test_a_part_of_a_reply_is_refused_or_says_the_whole(case: tuple[Task[Any], Reply, str, bool], data: st.DataObject):
    """Wherever it ends, no item is lost. Only JSON lines need the server's word that the model was stopped."""
    task, reply, text, single = case
    part = text[: data.draw(st.integers(1, len(text) - 1))]
    cut_off = not single or data.draw(st.booleans())
    try:
        found = read_reply(task, part, cut_off=cut_off)
    except ValueError:
        return
    assert found == reply


@given(st.lists(st.booleans(), min_size=2, max_size=3), st.integers(1, 3), st.sampled_from(YES_NO))
def test_verdicts_without_numbers_are_never_fewer_or_more_than_the_items(verdicts, count, said):
    """Also where a reply may omit items: which one is missing could not be known."""
    assume(len(verdicts) != count and said[0] != 1)
    bare = [said[0] if yes else said[1] for yes in verdicts]
    for partial in (True, False):
        task = VerifyStatements(tuple("abc"[:count]), ("c",), partial=partial, language="en")
        for text in (dumped(bare), dumped({"verdicts": [{"reason": "x", "verdict": each} for each in bare]})):
            with pytest.raises(ValueError, match="unnumbered verdicts"):
                read_reply(task, text)
