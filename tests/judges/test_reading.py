"""Reading: what a messy reply means, and which replies mean nothing; other forms are in messy_replies.toml."""

import contextlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.judges.faults import fault_in
from saiten.judges.reading import read_reply
from saiten.protocols import Reply, Task
from saiten.tasks.contexts import ContextVerdict, JudgeContext, RelevantSentences, SelectRelevantSentences
from saiten.tasks.correctness import (
    DecideCorrect,
    DecideCorrectGrounded,
    Decision,
    Grade,
    GradeAnswer,
    GroundedDecision,
)
from saiten.tasks.gist import FindMissingAndExtra, MissingAndExtra, ReferenceUnits, SplitGist
from saiten.tasks.similarity import Questions, WriteQuestions
from saiten.tasks.statements import (
    Classification,
    ClassifyStatements,
    Entities,
    ListEntities,
    SplitStatements,
    Statements,
    StatementVerdicts,
    VerifyStatements,
)
from saiten.tasks.verdicts import Verdict

"""The same examples on every run, and no clock."""

CONTEXT = JudgeContext("q", "c", "r", language="en")
SPLIT = SplitStatements("q", "t", language="en")
VERIFY = VerifyStatements(("a", "b"), ("c",), language="ja")
PARTIAL = VerifyStatements(("a", "b"), ("c",), partial=True, language="ja")
CLASSIFY = ClassifyStatements("q", ("a",), ("b",), language="en")
SELECT = SelectRelevantSentences("q", ("a", "b", "c"), language="en")
ENTITIES = ListEntities("t", language="en")
WRITE = WriteQuestions("a", count=2, language="en")
GRADE = GradeAnswer("q", "a", ("r",), language="en")
PROMETHEUS = GradeAnswer("q", "a", ("r",), form="prometheus", language="ja")
DECIDE = DecideCorrect("q", "a", ("r",), language="en")
GROUNDED = DecideCorrectGrounded("q", "a", ("r",), contexts=("c",), language="en")
MARKER = DecideCorrect("q", "a", ("r",), form="marker", language="ja")

YES = ContextVerdict(reason="x", useful=True)
NO = ContextVerdict(reason="x", useful=False)
AB = Statements(statements=["a", "b"])
BOTH = StatementVerdicts(
    verdicts=[Verdict(number=1, reason="x", verdict=True), Verdict(number=2, reason="y", verdict=False)]
)
ONE_VERDICT = '{"number": 1, "reason": "x", "verdict": true}'
TWO_NUMBERED = '{{"verdicts": [{{"number": "{}", "reason": "x", "verdict": true}}, {{"number": "{}", "reason": "y", "verdict": false}}]}}'
TWO_VERDICTS = ONE_VERDICT + ', {"number": 2, "reason": "y", "verdict": false}'

READABLE = [
    # --- prose, fences, thinking
    (CONTEXT, '{"reason": "x", "useful": true}', YES),
    (CONTEXT, '```json\n{"reason": "x", "useful": true}\n```', YES),
    (CONTEXT, '```\n{"reason": "x", "useful": true}', YES),
    (CONTEXT, '以下のとおりです。\n{"reason": "x", "useful": true}\n以上です。', YES),
    (CONTEXT, '\ufeff {"reason": "x", "useful": true}', YES),
    (CONTEXT, 'The set {1, 2} is not meant, {this} neither: {"reason": "x", "useful": true}', YES),
    (CONTEXT, '<think>{"reason": "x", "useful": false}</think>{"reason": "x", "useful": true}', YES),
    (CONTEXT, '<think>so { "…</think>\n{"reason": "x", "useful": true}', YES),
    (CONTEXT, 'maybe {"reason": "x", "useful": false} hm </think> {"reason": "x", "useful": true}', YES),
    (CONTEXT, 'it {"a: </think> {"reason": "x", "useful": true}', YES),
    (CONTEXT, '<think>a</think><Thinking>b</Thinking>\n{"reason": "x", "useful": true}', YES),
    (CONTEXT, '[THINK]これは…[/THINK]{"reason": "x", "useful": true}', YES),
    (CONTEXT, '◁think▷…◁/think▷{"reason": "x", "useful": true}', YES),
    (
        CONTEXT,
        '<|channel|>analysis<|message|>{"useful": 1}<|end|><|start|>assistant<|channel|>final<|message|>{"reason": "x", "useful": false}<|return|>',
        NO,
    ),
    (CONTEXT, '{"reason": "writes <think> and </think>", "useful": true}', ContextVerdict(reason="writes <think> and </think>", useful=True)),
    # --- several objects, wrappers, lists
    (CONTEXT, '{"reason": "w", "useful": true} So: {"reason": "x", "useful": true}', YES),
    (CONTEXT, '{"reason": "x", "useful": true}\n{"note": "end"}', YES),
    (CONTEXT, '{"reason": "x", "useful": true} {"reason": "only that"}', YES),
    (CONTEXT, '{"reason": "x", "useful": true}\n{"note": "it was useful"}', YES),
    (CONTEXT, '[{"reason": "x", "useful": true}]', YES),
    (SPLIT, '["a", "b"]', AB),
    (SPLIT, '```json\n["a", "b"]\n```', AB),
    (SPLIT, 'Statements:\n["a", "b",]', AB),
    (SPLIT, '{"statements": []}', Statements(statements=[])),
    (SPLIT, "[]", Statements(statements=[])),
    (VERIFY, f"[{TWO_VERDICTS}]", BOTH),
    (VERIFY, f'{{"verdicts": [{TWO_VERDICTS}]}}', BOTH),
    (PARTIAL, f'{{"verdicts": [{ONE_VERDICT}]}}', StatementVerdicts(verdicts=BOTH.verdicts[:1])),
    (SELECT, "They are:\n[1, 3]", RelevantSentences(numbers=[1, 3])),
    (
        CLASSIFY,
        f'{{"answer": [{ONE_VERDICT}], "reference": [{ONE_VERDICT}]}}',
        Classification(answer=BOTH.verdicts[:1], reference=BOTH.verdicts[:1]),
    ),
    # --- invalid JSON
    (CONTEXT, '{"reason": "x", "useful": true,}', YES),
    (CONTEXT, "{'reason': 'x', 'useful': True}", YES),
    (CONTEXT, "{'reason': 'well…, ok', 'useful': True}", ContextVerdict(reason="well…, ok", useful=True)),
    (CONTEXT, "{'reason': 'it's', 'useful': False}", ContextVerdict(reason="it's", useful=False)),
    (CONTEXT, '{"reason": "he said "no" to it", "useful": true}', ContextVerdict(reason='he said "no" to it', useful=True)),
    (CONTEXT, '{reason: "x", useful: true}', YES),
    (CONTEXT, '{"reason": "a\nb\tc", "useful": true}', ContextVerdict(reason="a\nb\tc", useful=True)),
    (CONTEXT, '{"reason": "\\u3042\\ud83d\\ude00 \\ud83d", "useful": true,}', ContextVerdict(reason="あ😀 \ufffd", useful=True)),
    (CONTEXT, "｛“reason”：“x”，“useful”：ｔｒｕｅ｝", YES),
    (CONTEXT, '{"reason"："x"，"useful"：true}', YES),
    (GRADE, '｛"feedback"："全角：４，そのまま"，"grade"：４｝', Grade(feedback="全角：４，そのまま", grade=4)),
    # --- keys and values
    (CONTEXT, '{"Reason": "x", "USEFUL": "Yes"}', YES),
    (CONTEXT, '{"reason": "x", "useful": 0.0}', NO),
    (CONTEXT, '{"reason": 5, "useful": true, "confidence": 0.9}', ContextVerdict(reason="5", useful=True)),
    (
        VERIFY,
        '{"verdicts": [{"番号": "１", "理由": "x", "判定": "はい"}, {"number": "Statement 2", "reason": "y", "verdict": "No"}]}',
        BOTH,
    ),
    (VERIFY, TWO_NUMBERED.format("S1", "s2"), BOTH),
    (VERIFY, TWO_NUMBERED.format("[1]", "文2"), BOTH),
    (VERIFY, TWO_NUMBERED.format("S#1", "Ｓ２"), BOTH),
    (SELECT, '{"numbers": ["[1]", "文3"]}', RelevantSentences(numbers=[1, 3])),
    (VERIFY, f'{{"verdicts": [{ONE_VERDICT[:-1]}, "p": NaN, "unclear": "?"}}, {{"number": 2.0, "reason": "y", "verdict": 0}}]}}', BOTH),
    (ENTITIES, '{"entities": ["IBM", 1999]}', Entities(entities=["IBM", "1999"])),
    (GRADE, '{"feedback": "x", "grade": "4"}', Grade(feedback="x", grade=4)),
    (GRADE, '{"feedback": "x", "grade": "４/５"}', Grade(feedback="x", grade=4)),
    (GRADE, '{"feedback": "x", "grade": 4.0, "mean": 1.0}', Grade(feedback="x", grade=4)),
    (DECIDE, '{"explanation": "x", "correct": "[[True]]", "p": 0.1}', Decision(explanation="x", correct=True)),
    # --- Prometheus
    (PROMETHEUS, "Feedback: x [RESULT] 4", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "**Feedback:** x\n\n**[RESULT]** 4", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "フィードバック：よい。\n［結果］ ４", Grade(feedback="よい。", grade=4)),
    (PROMETHEUS, "x [RESULT] (4)", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "x [ Result ]: 4/5", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "x [RESULT: 4]", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "x \\[RESULT\\] 4.0", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "x [RESULT] 4 out of 5", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "x [RESULT] 2 no: [RESULT] 4", Grade(feedback="x [RESULT] 2 no:", grade=4)),
    (PROMETHEUS, "x [RESULT] 4\n(Score: 2/5 would be for less)", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "x\nScore: 4/5", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "よい。\n評点：４点", Grade(feedback="よい。", grade=4)),
    (PROMETHEUS, "[RESULT] 0\nFeedback: declines", Grade(feedback="Feedback: declines", grade=0)),
    (PROMETHEUS, "<think>[RESULT] 1</think>x [RESULT] 4", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "[RESULT] 1? </think>x [RESULT] 4", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "old <think>a<think>b</think>c</think>x [RESULT] 4", Grade(feedback="x", grade=4)),
    (PROMETHEUS, "It prints <think> and stops. [RESULT] 4", Grade(feedback="It prints <think> and stops.", grade=4)),
    (PROMETHEUS, '{"feedback": "x", "grade": 4}', Grade(feedback="x", grade=4)),
    (GRADE, "Feedback: x [RESULT] 4", Grade(feedback="x", grade=4)),
    # --- markers
    (GROUNDED, '{"explanation": "x", "correct": true, "supported": "いいえ"}', GroundedDecision(explanation="x", correct=True, supported=False)),
    (GROUNDED, "x [[True]]", GroundedDecision(explanation="x", correct=True)),
    (MARKER, "x [[True]]", Decision(explanation="x", correct=True)),
    (MARKER, "x [[ False ]].", Decision(explanation="x", correct=False)),
    (MARKER, "x ［［Ｔｒｕｅ］］", Decision(explanation="x", correct=True)),
    (MARKER, "x **[[false]]**", Decision(explanation="x", correct=False)),
    (MARKER, "[[True]] no, wait: [[False]]", Decision(explanation="[[True]] no, wait:", correct=False)),
    (MARKER, "I choose between [[True]] or [[False]]. See [[1]]. [[True]]", Decision(explanation="I choose between [[True]] or [[False]]. See [[1]].", correct=True)),
    (MARKER, "誤りはない。［［はい］］", Decision(explanation="誤りはない。", correct=True)),
    (MARKER, "\\[\\[Incorrect\\]\\]\nsince it is", Decision(explanation="since it is", correct=False)),
    (MARKER, '{"explanation": "x", "correct": false}', Decision(explanation="x", correct=False)),
    (DECIDE, "x [[True]]", Decision(explanation="x", correct=True)),
]  # fmt: skip

UNREADABLE = [
    (CONTEXT, "", "no JSON"),
    (CONTEXT, "申し訳ありませんが、お答えできません。", "no JSON"),
    (CONTEXT, '{"reason": "x", "useful": maybe}', "`useful`"),
    (CONTEXT, '{"reason": "x", "useful": true}</think>I cannot say.', "no JSON"),
    (CONTEXT, '{"reason": "x", "useful": true} no: {"reason": "y", "useful": true or false}', "not valid"),
    (CONTEXT, '{"reason":' * 50_000 + "1" + "}" * 50_000, "not closed"),
    (SPLIT, "[" * 50_000 + "]" * 50_000, "not closed"),
    (CONTEXT, '{"reason": "x", "useful": true or false}', "not valid"),
    (CONTEXT, '{"reason": "x", "useful": "unclear"}', "`useful`"),
    (CONTEXT, '{"reason": "x", "useful": 2}', "`useful`"),
    (CONTEXT, '{"reason": "x", "useful": null}', "`useful`"),
    (CONTEXT, '{"reason": "x", "useful": true, "useful": false}', "twice"),
    (CONTEXT, '{"reason": "x", "useful": true, "Useful": false}', "twice"),
    (CONTEXT, '{"reason": "…", "useful": true}', "repeats the requested form"),
    (CONTEXT, '{"reason": "x", "useful": true} {"reason": "x", "useful": "?"}', "`useful`"),
    (CONTEXT, '{"reason": "x", "useful": true} {"useful": "?"}', "`useful`"),
    (CONTEXT, '{"reason": "x", "useful": true} {"reason": "on second thou', "incomplete"),
    (CONTEXT, '{"reason": "5" wide", "useful": true}', "quotation mark"),
    (CONTEXT, "[[True]]", "list"),
    (SPLIT, '{"statements": ["a", "b', "incomplete"),
    (SPLIT, '["a", "b', "incomplete"),
    (SPLIT, '```json\n{"statements": ["a", "b"]', "incomplete"),
    (SPLIT, '{"statements": ["a", "b", ...]}', "ellipsis"),
    (SPLIT, '{"statements": ["a", "b", "..."]}', "ellipsis"),
    (SPLIT, '["a", "…"]', "ellipsis"),
    (SPLIT, '{"statements": ["a" "b"]}', "not valid"),
    (SPLIT, "{'statements': ['a ] b', 'c']}", "not closed"),
    (SPLIT, '{"statements": [{"a": "b"}]}', "`statements.0`"),
    (SELECT, "Sentences [1] and [3] are needed.", "no JSON"),
    (SELECT, "[1] and [3] are needed.", "no JSON"),
    (SELECT, "[1] is needed.", "no JSON"),
    (SELECT, '{"numbers": [4]}', "1 to 3"),
    (SELECT, '{"numbers": [true]}', "`numbers.0`"),
    (SELECT, '{"numbers": [1.5]}', "`numbers.0`"),
    (VERIFY, f'{{"verdicts": [{ONE_VERDICT}]}}', "2 of 2 has no verdict"),
    (VERIFY, f'{{"verdicts": [{TWO_VERDICTS}, {ONE_VERDICT}]}}', "more than one verdict"),
    (WRITE, '{"questions": [], "noncommittal": false}', "2 questions"),
    (GRADE, '{"feedback": "x", "grade": 6}', "`grade`"),
    (GRADE, '{"feedback": "x", "grade": -1}', "`grade`"),
    (GRADE, '{"feedback": "x", "grade": true}', "`grade`"),
    (GRADE, '{"feedback": "x", "grade": "4/10"}', "`grade`"),
    (GRADE, '{"feedback": "x", "grade": 1e999}', "`grade`"),
    (GRADE, '{"feedback": "x", "grade": NaN}', "`grade`"),
    (PROMETHEUS, "Feedback: x", "[RESULT]"),
    (PROMETHEUS, "Feedback: x. Result: 2 mistakes", "[RESULT]"),
    (PROMETHEUS, "Score: 3 mistakes were found", "[RESULT]"),
    (PROMETHEUS, "x [RESULT] 7", "`grade`"),
    (PROMETHEUS, "x [RESULT] 2</think>Done.", "[RESULT]"),
    (PROMETHEUS, "x [RESULT] -1", "whole number"),
    (PROMETHEUS, "x [RESULT] 4.5", "whole number"),
    (PROMETHEUS, "x [RESULT] 4-5", "whole number"),
    (PROMETHEUS, "x [RESULT] ４〜５", "whole number"),
    (PROMETHEUS, "x [RESULT] 4 or 5", "whole number"),
    (PROMETHEUS, "x [RESULT] 8/10", "whole number"),
    (PROMETHEUS, "x [RESULT] 4 and then [RESULT]", "whole number"),
    (PROMETHEUS, "x [RESULT] (the grade, an integer from 0 to 5)", "whole number"),
    (MARKER, "It is true.", "[[True]]"),
    (GROUNDED, '{"explanation": "x", "correct": true}', "`supported` is missing"),
    (GROUNDED, '{"explanation": "x", "correct": true, "supported": null}', "true or false was expected"),
    (MARKER, "[[True]] or [[False]]?", "[[True]]"),
    (MARKER, "[[1]]", "[[True]]"),
    (MARKER, "<think>[[True]]", "thinking"),
    (MARKER, "[[maybe]]", "[[True]]"),
]


@pytest.mark.parametrize("word", ["Reply:\n", "返答: ", "**Reply:** "])
def test_the_word_before_an_examples_reply_is_no_part_of_the_feedback(word: str):
    """A prompt that begins with material shows examples after this word, and a model may repeat it."""
    assert read_reply(PROMETHEUS, f"{word}Feedback: x [RESULT] 4") == Grade(feedback="x", grade=4)


@pytest.mark.parametrize(("task", "text", "expected"), READABLE, ids=range(len(READABLE)))
def test_a_messy_reply_is_read_as_what_it_says(task: Task, text: str, expected: Reply):
    """Whatever a model wraps around its answer, exactly that answer is found."""
    assert read_reply(task, text) == expected


@pytest.mark.parametrize(("task", "text", "fault"), UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_reply_that_could_mean_two_things_is_refused_with_the_reason(task: Task, text: str, fault: str):
    """Cut off, contradictory, out of range or empty: never a verdict, always a sentence that a model can act on."""
    with pytest.raises(ValueError, match=r".") as refusal:
        read_reply(task, text)
    assert fault in str(refusal.value)
    assert len(str(refusal.value)) < 300


ITEM_2 = '{"number": 2, "reason": "y", "verdict": false}'
GIST = SplitGist("q", "a b", language="en")
FIND = FindMissingAndExtra("q", "x", ("a", "b"), ("c",), language="en")

PARTS = [
    (SPLIT, 'First: {"statements": ["a"]}. Then: {"statements": ["b"]}.', AB),
    (SPLIT, '```json\n{"statements": ["a"]}\n```\n```json\n{"statements": ["b"]}\n```', AB),
    (SPLIT, '["a"]\n\nand:\n```\n["b"]\n```', AB),
    (SPLIT, '[{"statements": ["a"]}, {"statements": ["b"]}]', AB),
    (SPLIT, '{"statements": ["a"]} Wait. {"statements": ["a", "b"]}', AB),
    (SPLIT, '{"statements": ["a", "b"]} Again: {"statements": ["a", "b"]}', AB),
    (SPLIT, '{"note": "x"}\n{"statements": ["a", "b"]}', AB),
    (VERIFY, f'{{"verdicts": [{ONE_VERDICT}]}}\n{{"verdicts": [{ITEM_2}]}}', BOTH),
    (PARTIAL, f'{{"verdicts": [{ONE_VERDICT}]}}\n{ITEM_2}', BOTH),
    (VERIFY, f'{{"verdicts": [{ONE_VERDICT}]}} so: {{"verdicts": [{TWO_VERDICTS}]}}', BOTH),
    (SELECT, "Sentence [2] is about something else.\n[1, 3]", RelevantSentences(numbers=[1, 3])),
    (
        WRITE,
        '{"questions": ["a"], "noncommittal": false}\n{"questions": ["b"], "noncommittal": false}',
        Questions(questions=["a", "b"], noncommittal=False),
    ),
    (
        GIST,
        '{"gist": ["a"], "supplement": []} {"gist": [], "supplement": ["b"]}',
        ReferenceUnits(gist=["a"], supplement=["b"]),
    ),
    (
        FIND,
        (
            '{"missing_gist": [1], "missing_supplement": [], "extra_gist": [], "extra_supplement": []}\n'
            '{"missing_gist": [2], "missing_supplement": [1], "extra_gist": ["x"], "extra_supplement": []}'
        ),
        MissingAndExtra(missing_gist=[1, 2], missing_supplement=[1], extra_gist=["x"], extra_supplement=[]),
    ),
]

CONTRADICTIONS = [
    (CONTEXT, '{"reason": "x", "useful": false} Wait. {"reason": "x", "useful": true}', "differ in `useful`"),
    (SPLIT, '{"statements": ["a", "b"]} no: {"statements": ["a"]}', "differ in"),
    (SPLIT, '{"statements": ["a"]}\n["b"]', "several JSON values"),
    (SPLIT, '["a"]\n  and ["b"]', "several JSON values"),
    (SPLIT, '{"statements": ["a"]}\n{"statements": "b"}', "`statements`"),
    (SPLIT, '{"statements": ["a"]}\n{"statements": ["b", ...]}', "ellipsis"),
    (SPLIT, '{"statements": ["a" "c"]}\n{"statements": ["b"]}', "not valid"),
    (SPLIT, "\n".join(f'{{"statements": ["{n}"]}}' for n in range(200)), "64 or more JSON values"),
    (
        PARTIAL,
        f'{{"verdicts": [{ONE_VERDICT}]}} {{"verdicts": [{ONE_VERDICT.replace("true", "false")}]}}',
        "`verdicts`",
    ),
    (VERIFY, f'{{"verdicts": [{ONE_VERDICT}]}} {{"verdicts": [{ONE_VERDICT}]}}', "2 of 2 has no verdict"),
    (
        WRITE,
        '{"questions": ["a"], "noncommittal": false} {"questions": ["b"], "noncommittal": true}',
        "differ in `noncommittal`",
    ),
    (GIST, '{"gist": ["a"], "supplement": []} {"gist": ["b"]}', "`supplement` is missing"),
]


@pytest.mark.parametrize(("task", "text", "expected"), PARTS, ids=range(len(PARTS)))
def test_parts_of_one_list_are_one_reply(task: Task, text: str, expected: Reply):
    """A list in two pieces is one list, a list and a longer version are the longer one, and nothing is lost."""
    assert read_reply(task, text) == expected


@pytest.mark.parametrize(("task", "text", "fault"), CONTRADICTIONS, ids=range(len(CONTRADICTIONS)))
def test_values_that_contradict_each_other_are_refused(task: Task, text: str, fault: str):
    """Neither is taken for the whole: a dropped statement would never be judged."""
    with pytest.raises(ValueError, match=r".") as refusal:
        read_reply(task, text)
    assert fault in str(refusal.value)


@pytest.mark.parametrize(
    ("task", "text", "fault"), [*UNREADABLE, *CONTRADICTIONS], ids=range(len(UNREADABLE) + len(CONTRADICTIONS))
)
def test_every_fault_has_its_japanese(task: Task, text: str, fault: str):
    """A Japanese repair request is Japanese, apart from names of fields and what it quotes."""
    with pytest.raises(ValueError, match=r".") as refusal:
        read_reply(task, text)
    said = fault_in("ja", str(refusal.value))
    assert said != fault_in("ja", "something unheard of")
    ours = re.sub(r"`.*?`|'.*?'|“.*?”|でなければなりませんが、.*でした", "", said, flags=re.DOTALL)
    assert not re.search(r"[A-Za-z]{3,}", ours.replace("JSON", "").replace("true", "").replace("false", "")), said
    assert fault_in("en", str(refusal.value)) == str(refusal.value)


@pytest.mark.parametrize(
    ("task", "text"),
    [(GRADE, "It deserves 4 of 5."), (GRADE, "x [RESULT] 4.5"), (DECIDE, "It is true."), (DECIDE, "[[maybe]]")],
)
def test_a_model_that_was_asked_for_json_is_not_asked_for_a_mark(task, text):
    """The fault is about the form of the prompt, even though a marker would have been read, too."""
    with pytest.raises(ValueError, match="JSON") as refusal:
        read_reply(task, text)
    assert "[[" not in str(refusal.value)
    assert "[RESULT]" not in str(refusal.value)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
HARD_TEXTS = TEXTS | st.sampled_from(
    ['{"a": 1}', "</think>", "<think>", "```", '"', "\\", "[[True]]", "[RESULT] 3", "｛", "…", "x\u2028y"]
)
REPLIES = st.one_of(
    st.builds(Statements, statements=st.lists(HARD_TEXTS, max_size=4)).map(lambda reply: (SPLIT, reply)),
    st.builds(ContextVerdict, reason=HARD_TEXTS, useful=st.booleans()).map(lambda reply: (CONTEXT, reply)),
    st.builds(Grade, feedback=HARD_TEXTS, grade=st.sampled_from(range(6))).map(lambda reply: (GRADE, reply)),
    st.builds(Decision, explanation=HARD_TEXTS, correct=st.booleans()).map(lambda reply: (DECIDE, reply)),
    st.builds(Questions, questions=st.lists(HARD_TEXTS, min_size=2, max_size=2), noncommittal=st.booleans()).map(
        lambda reply: (WRITE, reply)
    ),
    st.tuples(st.booleans(), HARD_TEXTS, st.booleans(), HARD_TEXTS).map(
        lambda v: (
            VERIFY,
            StatementVerdicts(
                verdicts=[Verdict(number=1, reason=v[1], verdict=v[0]), Verdict(number=2, reason=v[3], verdict=v[2])]
            ),
        )
    ),
)
PROSE = st.text(st.characters(categories=["L", "Zs", "Nd"], include_characters=".,:;!?。、：'\n-*#"), max_size=60)


@given(
    REPLIES, st.tuples(PROSE, PROSE), st.sampled_from(["", "```", "```json"]), st.booleans(), st.sampled_from([None, 2])
)
def test_a_reply_that_was_written_as_json_is_read_as_it_was(pair, around, fence, ascii_only, indent):
    """Reading undoes writing exactly, whatever the strings contain and whatever prose surrounds them."""
    task, reply = pair
    texts = [text for text in json.dumps(reply.model_dump(), ensure_ascii=False).split('"') if text]
    if any("…" in text for text in texts):
        return  # "…" is the form's own placeholder; a table row covers it
    written = json.dumps(reply.model_dump(), ensure_ascii=ascii_only, indent=indent)
    assert read_reply(task, f"{around[0]}\n{fence}\n{written}\n{fence and '```'}\n{around[1]}") == reply


@given(
    st.text(st.characters(categories=["L", "Zs", "Nd"], include_characters=".。、,!?\n"), max_size=60),
    st.integers(0, 5),
    st.booleans(),
)
def test_a_marked_reply_is_read_as_it_was_written(feedback, grade, correct):
    """`Feedback: … [RESULT] n` and `… [[True]]` come back unchanged, except for white space at the ends."""
    read = read_reply(PROMETHEUS, f"Feedback: {feedback} [RESULT] {grade}")
    assert (read.feedback, read.grade) == (feedback.strip(), grade)
    decision = read_reply(MARKER, f"{feedback} [[{correct}]]")
    assert (decision.explanation, decision.correct) == (feedback.strip(), correct)


PIECES = ["{", "}", "[", "]", '"', "'", ",", ":", "\\", "true", "4", "[RESULT]", "[[True]]", "<think>", "</think>", '"reason"', '"useful"',
          '"statements"', "｛", "｝", "“", "”", "\n", " ", "…", "あ", "\ud800", "\x00", "NaN", "1e999", "<|channel|>final", "Score:", "```"]  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join),
    st.sampled_from([SPLIT, CONTEXT, VERIFY, SELECT, GRADE, PROMETHEUS, MARKER]),
)
def test_nothing_but_a_value_error_ever_comes_out(text, task):
    """Garbage in, a reply of the right type or a ValueError out; the judge knows no third outcome."""
    with contextlib.suppress(ValueError):
        assert isinstance(read_reply(task, text), task.reply)


@given(REPLIES, st.data())
def test_what_is_cut_off_is_never_read_as_a_whole(pair, data):
    """A prefix of a reply is not a reply, however little is missing: a list without its end looks just as good."""
    task, reply = pair
    written = json.dumps(reply.model_dump(), ensure_ascii=False)
    prefix = written[: data.draw(st.integers(1, len(written) - 1))]
    with pytest.raises(ValueError, match=r"."):
        read_reply(task, prefix)


HOSTILE = ["{", "}", "{}", '{"', '{"a":', "[[", "[\n", "{'a':1}", "<think>", "<think></think>", "[RESULT]", "[[True]] or [[False]]", '"', "“", "｛",
           '\\"', '{"statements":["', '{"" "}"', "\n[ ", "{ ", "<|channel|>final", "＂", "Score: ", "{a ", "[結果", " ", "\n", "< ", "[true,", "{1:true}", '{"1":true}', '"{\\"', '{"a":"[1]"}', '{"statement":"a"}\n', "yes ", "、", '"\\']  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_mountain_of_brackets_costs_no_more_than_its_length(piece):
    """Reading is linear: input built to make it quadratic is refused in some 0.02 s, not in minutes."""
    for task in (SPLIT, VERIFY, PROMETHEUS, MARKER):
        with pytest.raises(ValueError, match=r"."):
            read_reply(task, piece * (100_000 // len(piece)))


@pytest.mark.timeout(60)
def test_a_duplicate_key_is_found_in_one_pass():
    """This includes a hundred thousand keys, the last of which repeats the first."""
    keys = ",".join(f'"k{number}":1' for number in range(100_000))
    with pytest.raises(ValueError, match="the key 'k0' occurs twice"):
        read_reply(CONTEXT, f'{{{keys},"k0":1}}')
