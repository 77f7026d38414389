"""Replies to the two gist tasks as models write them, and the additional request about odd ones."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from saiten.errors import Unreadable
from saiten.judges.doubts import doubt
from saiten.judges.faults import fault_in
from saiten.judges.llm import LLMJudge
from saiten.judges.reading import read_reply
from saiten.judges.reply_schema import schema_of
from saiten.prompts import BUILT_IN
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage
from saiten.tasks.gist import FindMissingAndExtra, MissingAndExtra, ReferenceUnits, SplitGist
from saiten.tasks.gist_example import GistExample
from saiten.tasks.statements import SplitStatements

REFERENCE = "The fee is 5 euros, payable in cash. Children pay nothing. The desk was painted last year."
SPLIT = SplitGist("What is the fee?", REFERENCE, language="en")
FIND = FindMissingAndExtra(
    "What is the fee?",
    "It costs 6 euros. The desk is blue. Dogs are welcome.",
    ("The fee is 5 euros,", "payable in cash.", "Children pay nothing."),
    ("The desk was painted last year.", "It opens at nine."),
    language="en",
)
CALL = Usage(calls=1, prompt_tokens=10)


def found(missing_gist=(), missing_supplement=(), extra_gist=(), extra_supplement=()):
    """A reply to FIND as a model writes it."""
    names = ("missing_gist", "missing_supplement", "extra_gist", "extra_supplement")
    lists = (missing_gist, missing_supplement, extra_gist, extra_supplement)
    return json.dumps(dict(zip(names, map(list, lists), strict=True)), ensure_ascii=False)


def has_its_japanese(fault):
    """Whether a Japanese repair request can name the fault, and not just report one."""
    return fault_in("ja", fault) not in (fault, fault_in("ja", "something unheard of"))


@pytest.mark.parametrize(
    ("text", "gist", "supplement"),
    [
        ('{"gist": ["a"], "supplement": []}', ["a"], []),
        ('```json\n{"gist": ["a", "b"], "supplement": ["c",],}\n```', ["a", "b"], ["c"]),
        ('{"gist": [{"text": "a"}, {"number": 2, "unit": "b"}], "supplement": []}', ["a", "b"], []),
        ('{"gist": ["a", ""], "supplement": ["a", "a"]}', ["a", ""], ["a", "a"]),
        ('{"gist": [5], "supplement": []}', ["5"], []),
        ('{"gist": [{"text": "a\\ud83d"}, "b\\ud83d"], "supplement": []}', ["a\ufffd", "b\ufffd"], []),
        ('{"Gist": ["a"], "SUPPLEMENT": [], "note": "x"}', ["a"], []),
        ('{"趣旨": ["a"], "補足": ["b"]}', ["a"], ["b"]),
    ],
)
def test_a_split_is_read_in_many_forms(text, gist, supplement):
    """Fences, objects for texts, trailing commas and extra keys do not matter; reading ignores duplicates."""
    reply = read_reply(SPLIT, text)
    assert (reply.gist, reply.supplement) == (gist, supplement)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"gist": [], "supplement": ["  "]}', "both lists are empty"),
        ('{"gist": ["\\u200b\\u200b"], "supplement": ["\\u3000", "\\u202e"]}', "both lists are empty"),
        ('{"gist": [NaN], "supplement": []}', "`gist.0`"),
        ('{"gist": ["a"], "supplement": [1e999]}', "`supplement.0`"),
        ('{"gist": ["a"]}', "`supplement` is missing"),
        ('{"gist": ["…"], "supplement": []}', "fill it in"),
        ('{"gist": [["a"]], "supplement": []}', "gist"),
        ('{"gist": [null], "supplement": []}', "gist"),
        ("I cannot do that.", "no JSON"),
    ],
)
def test_what_is_no_split_is_refused(text, fault):
    """The message is a sentence that the model can act on."""
    with pytest.raises(ValueError, match=fault) as refusal:
        read_reply(SPLIT, text)
    assert has_its_japanese(str(refusal.value))


@pytest.mark.parametrize(
    ("named", "positions"),
    [
        ([], ()),
        ([1, 3], (0, 2)),
        ([3, 1, 1], (0, 2)),
        (["2"], (1,)),
        (["２", "[3]"], (1, 2)),
        (["gist 2", "Unit 3:", "#1"], (0, 1, 2)),
        (["趣旨1", "2番"], (0, 1)),
        (["G1", "g#2", "gist unit Ｇ3"], (0, 1, 2)),
        (["G2: payable in cash."], (1,)),
        ([2.0], (1,)),
        ([{"number": 2, "text": "payable in cash."}], (1,)),
        ([{"unit": 3}], (2,)),
        (["payable in cash."], (1,)),
        (["[2] payable in cash."], (1,)),
        (["PAYABLE IN CASH"], (1,)),
        (["Children pay"], (2,)),
        (["The fee is 5 euros, payable", 3], (0, 2)),
    ],
)
def test_units_are_named_by_number_or_by_text(named, positions):
    """Numbers as numbers, as words, in brackets, with their text; an unambiguous text; duplicates once."""
    assert FIND.missing(read_reply(FIND, found(missing_gist=named)))[0][0] == positions


@pytest.mark.parametrize(
    ("named", "positions"),
    [([1, 2], (0, 1)), ([4, 5], (0, 1)), (["5"], (1,)), (["It opens at nine."], (1,))],
)
def test_a_model_may_count_on_from_the_gist(named, positions):
    """After three units of gist, 4 and 5 can only be the first and the second supplement."""
    assert FIND.missing(read_reply(FIND, found(missing_supplement=named)))[1][0] == positions


@pytest.mark.parametrize(
    ("lists", "fault"),
    [
        ({"missing_gist": [True]}, "missing_gist"),
        ({"missing_gist": [None]}, "missing_gist"),
        ({"missing_gist": [1.5]}, "missing_gist"),
        ({"extra_gist": [["x"]]}, "extra_gist"),
    ],
)
def test_what_is_neither_number_nor_text_is_refused(lists, fault):
    """No reply is better than a guessed one."""
    with pytest.raises(ValueError, match=fault) as refusal:
        read_reply(FIND, found(**lists))
    assert has_its_japanese(str(refusal.value))


@pytest.mark.parametrize(
    ("lists", "fault", "gist", "supplement"),
    [
        ({"missing_gist": [4]}, "no gist unit 4; the numbers are 1 to 3", (), ()),
        ({"missing_gist": [2, 0]}, "no gist unit 0", (1,), ()),
        ({"missing_gist": [-1, 3]}, "no gist unit -1", (2,), ()),
        ({"missing_supplement": [1, 4]}, "no supplement unit 4; the numbers are 1 to 2", (), (0,)),
        ({"missing_gist": ["Quite another thing.", 1]}, "name each by its number", (0,), ()),
        ({"missing_gist": ["a"]}, "name each by its number", (), ()),
    ],
)
def test_a_number_or_text_that_names_no_unit_is_asked_about(lists, fault, gist, supplement):
    """A 0 may mean the first, or none: it is not a unit. The other units named count."""
    reply = read_reply(FIND, found(**lists))
    said = doubt(FIND, reply)
    assert fault in said
    assert has_its_japanese(said)
    positions, faults = zip(*FIND.missing(reply), strict=True)
    assert positions == (gist, supplement)
    assert sum(map(len, faults)) == 1


def test_a_reference_without_a_class_has_no_such_unit():
    """If there is no supplement, none can be missing."""
    task = FindMissingAndExtra("q", "a", ("x",), (), language="en")
    reply = read_reply(task, found(missing_supplement=[1]))
    assert "there is no supplement unit" in doubt(task, reply)
    assert [positions for positions, _ in task.missing(reply)] == [(), ()]


def test_a_model_that_is_held_to_the_schema_writes_numbers():
    """However leniently a reply is read, only one form is requested."""
    properties = schema_of(MissingAndExtra, "en")["properties"]
    assert properties["missing_gist"]["items"]["type"] == "integer"
    assert properties["extra_gist"]["items"] == {"type": "string"}


@pytest.mark.parametrize(
    ("gist", "supplement", "message"),
    [
        (["The fee is 5 euros,", "payable in cash.", "Children pay nothing."], ["The desk was painted last year."], None),
        (["The fee is 5 euros, payable in cash. Children pay nothing."], [], "no unit contains “The desk was painted"),
        ([REFERENCE], ["Children pay nothing."], "overlap"),
        ([REFERENCE], [REFERENCE], "in both `gist` and `supplement`"),
        ([REFERENCE, "Adults pay 70 dollars."], [], "is not in the text"),
    ],
)  # fmt: skip
def test_what_is_odd_about_a_split(gist, supplement, message):
    """Uncovered text, overlaps, a unit in two lists, words not in the reference."""
    said = doubt(SPLIT, ReferenceUnits(gist=gist, supplement=supplement))
    assert (said is None) if message is None else (message in said and has_its_japanese(said))


@pytest.mark.parametrize(
    ("extra_gist", "extra_supplement", "message"),
    [
        (["It costs 6 euros."], ["Dogs are welcome."], None),
        (["It costs 6 euros."], ["It costs 6 euros."], "in both `extra_gist` and `extra_supplement`"),
        (["It costs 6 euros.", "6 euros"], [], "overlap"),
        (["Cats are not allowed in here."], [], "is not in the text"),
        ([], ["Children pay nothing."], "is a unit of the reference, so it is not extra"),
    ],
)
def test_what_is_odd_about_missing_and_extra(extra_gist, extra_supplement, message):
    """A passage in two lists, overlapping ones, one not in the answer, one in the reference."""
    reply = MissingAndExtra(
        missing_gist=[], missing_supplement=[], extra_gist=extra_gist, extra_supplement=extra_supplement
    )
    said = doubt(FIND, reply)
    assert (said is None) if message is None else (message in said and has_its_japanese(said))


@dataclass
class Says:
    """A chat with these replies in turn that records its requests."""

    lines: Sequence[str]
    asked: list[ChatRequest] = field(default_factory=list)
    name: str = "test:says"
    left_out: frozenset[str] = frozenset()

    async def complete(self, request: ChatRequest) -> Completion:
        self.asked.append(request)
        return Completion(self.lines[len(self.asked) - 1], CALL, "stop")


WHOLE = json.dumps({"gist": [REFERENCE], "supplement": []})
PART = json.dumps({"gist": ["The fee is 5 euros,"], "supplement": []})


@pytest.mark.parametrize(
    ("lines", "calls", "gist"),
    [
        ([WHOLE], 1, [REFERENCE]),
        ([PART, WHOLE], 2, [REFERENCE]),
        ([PART, PART], 2, ["The fee is 5 euros,"]),
        ([PART, "I am lost."], 2, ["The fee is 5 euros,"]),
        (["I am lost.", PART], 2, ["The fee is 5 euros,"]),
    ],
)
async def test_an_odd_reply_is_asked_about_once_and_then_kept(lines, calls, gist):
    """The model gets the oddities; its next reply is used, or, if that is useless, the first one."""
    chat = Says(lines)
    reply = await LLMJudge(chat).perform(SPLIT)
    assert reply.gist == gist
    assert len(chat.asked) == calls
    assert reply.usage == sum([CALL] * calls, Usage())
    if lines[0] == PART:
        assert "no unit contains “payable in cash." in chat.asked[1].messages[-1].content


async def test_two_replies_of_no_use_are_unreadable():
    """A reply that does not fit its task is never kept."""
    with pytest.raises(Unreadable, match="split_gist"):
        await LLMJudge(Says(["no", "no"])).perform(SPLIT)


async def test_other_tasks_are_not_asked_about_twice():
    """Only replies in units can be odd."""
    chat = Says(['{"statements": ["x", "x"]}'])
    await LLMJudge(chat).perform(SplitStatements("q", "t", language="en"))
    assert len(chat.asked) == 1


def test_the_role_and_the_users_examples_are_shown():
    """The role is in a block; examples replace the prompt's own; those without an answer are in the first step only."""
    example = GistExample(
        "en", "Why </question>?", "Because. Really.", ("Because.",), ("Really.",), "No.", (1,), (1,), ("No.",), ()
    )
    short = GistExample("en", "Who?", "Me.", ("Me.",), ())
    split = SplitGist("q", "r", "an accountant", (example, short), language="en")
    messages = BUILT_IN.render(split)
    assert [message.role for message in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "Why </question>?\n</question-2>" in messages[1].content
    assert messages[2].content == '{"gist": ["Because."], "supplement": ["Really."]}'
    assert messages[-1].content.startswith("<role>\nan accountant\n</role>\n<question>")
    find = FindMissingAndExtra("q", "a", ("g",), (), "", (example, short), language="en")
    messages = BUILT_IN.render(find)
    assert len(messages) == 4
    assert json.loads(messages[2].content)["missing_gist"] == [1]
    assert read_reply(FIND, messages[2].content).extra_gist == ["No."]
    assert "<role>" not in messages[-1].content
    assert "<supplement>" not in messages[-1].content
    assert BUILT_IN.render(SplitGist("q", "r", language="en"))[0] == messages_of_file()[0]


def messages_of_file():
    """What is shown without custom examples."""
    return BUILT_IN.render(SplitGist("other", "text", language="en"))
