from dataclasses import fields, replace

import pytest
from talking import UNION, ScriptedSystem, in_turn

from saiten.dialogue.leak import find_leak
from saiten.dialogue.lines import dialogue_from_json, dialogue_to_json
from saiten.dialogue.loop import converse
from saiten.errors import BudgetSpent, CallFailed, ConfigurationError, SystemFailed, Unreadable
from saiten.records import Passage, Retrieved, Turn, Usage
from saiten.tasks.correctness import Grade, GradeAnswer
from saiten.tasks.dialogue import (
    AskIfNeeded,
    AskNext,
    ComposeAnswer,
    DecideNext,
    FollowUp,
    NextQuestion,
    ReviseAnswer,
)
from saiten.tasks.same_question import same_question

SWAPPED = "UNION keeps duplicate rows, UNION ALL eliminates them."
CONFIRMED = "Yes, UNION eliminates duplicate rows."
ASKS = "Does UNION eliminate duplicates?"


def asked(judge):
    """The names of the agents' tasks, in order."""
    return [type(task).__name__ for task in judge.asked]


def said(dialogue):
    """The steps, in order."""
    return [step.name for step in dialogue.steps]


@pytest.mark.parametrize(
    ("questioning", "between", "steps"),
    [("merged", ["AskIfNeeded"], ["T5"]), ("published", ["DecideNext", "AskNext"], ["T4", "T5"])],
)
async def test_the_story_of_union_and_union_all(agents, questioning, between, steps):
    """Spec 02: turn 1 swaps the two (grade 3), the questioner asks, turn 2 says it (grade 5): σ = [3, 5].

    Deciding and asking is one call of the questioner, or two as published; each call is one step.
    """
    judge, system = agents([3, 5], [ASKS]), ScriptedSystem([SWAPPED, CONFIRMED])
    dialogue = await converse(UNION, system, judge, questioning=questioning)
    assert (dialogue.grades, dialogue.ended, dialogue.reason) == ((3, 5), "grade 5", None)
    assert [inquiry.question for inquiry in system.asked] == [UNION.question, ASKS]
    assert asked(judge) == ["ComposeAnswer", "GradeAnswer", *between, "ComposeAnswer", "GradeAnswer"]
    assert said(dialogue) == ["T1", "T2", "T3", *steps, "T1", "T2", "T3"]
    assert dialogue.scores == {"wscore": pytest.approx(65 / 15), "lscore": 2, "mscore": 5}


async def test_the_system_sees_the_questions_and_its_own_history_alone(agents):
    """There is one session per dialogue, so that the system can keep its own history."""
    system = ScriptedSystem([SWAPPED, CONFIRMED])
    await converse(UNION, system, agents([3, 5], [ASKS]))
    first, second = system.asked
    assert (first.history, second.history) == ((), (Turn(UNION.question, SWAPPED),))
    assert first.session == second.session == "union"
    assert {field.name for field in fields(first)} == {"question", "id", "history", "session", "language"}


async def test_a_follow_up_question_comes_after_what_was_said_before(agents):
    """The system gets the history before each question, and the agents are shown it; the turns are the dialogue's own."""
    before = Turn("What does UNION do?", "It combines two results.")
    judge, system = agents([3, 5], [ASKS]), ScriptedSystem([SWAPPED, CONFIRMED])
    dialogue = await converse(replace(UNION, history=(before,)), system, judge)
    first, second = system.asked
    assert (first.history, second.history) == ((before,), (before, Turn(UNION.question, SWAPPED)))
    assert {task.conversation for task in judge.asked} == {(before,)}
    assert next(task for task in judge.asked if isinstance(task, ComposeAnswer)).history == (UNION.question, SWAPPED)
    assert (dialogue.earlier, dialogue.asked, dialogue.scores["lscore"]) == ((before,), (UNION.question, ASKS), 2)


async def test_what_was_said_before_is_not_asked_again_and_is_no_leak(agents):
    """A proposed question that repeats one of the history is refused; a word of the history may be in the answer."""
    before = Turn(ASKS, "UNION eliminates duplicate rows.")
    judge, system = agents([3, 5], [ASKS, "And UNION ALL?"], needed=[True]), ScriptedSystem(["Rows.", "It keeps them."])
    dialogue = await converse(replace(UNION, history=(before,)), system, judge)
    assert [inquiry.question for inquiry in system.asked] == [UNION.question, "And UNION ALL?"]
    said = replace(dialogue, steps=tuple(replace(step, text="UNION eliminates duplicate rows.") if step.name == "T2" else step for step in dialogue.steps))  # fmt: skip
    assert find_leak(said).words == ()
    assert find_leak(replace(said, earlier=())).words != ()


async def test_the_composer_cannot_see_the_reference():
    """Its first task has no field for it; the questioner's tasks do."""
    assert {field.name for field in fields(ComposeAnswer)} == {"question", "history", "language", "conversation"}
    assert all("reference" in {field.name for field in fields(task)} for task in (AskIfNeeded, AskNext, DecideNext))


async def test_the_composer_and_the_questioner_get_the_history_in_order(agents):
    """Question, answer, question, answer; and the questioner knows the earlier questions."""
    judge = agents([3, 2, 5], [ASKS, "And UNION ALL?"])
    await converse(UNION, ScriptedSystem([SWAPPED, CONFIRMED, "It keeps them."]), judge)
    second = [task for task in judge.asked if isinstance(task, ComposeAnswer)][1]
    assert second.history == (UNION.question, SWAPPED, ASKS, CONFIRMED)
    asking = [task for task in judge.asked if isinstance(task, AskIfNeeded)][1]
    assert (asking.earlier, asking.answer, asking.review) == ((UNION.question, ASKS), "tentative 2", "review 2")


async def test_a_right_first_answer_ends_the_dialogue(agents):
    """There is one system call, and no next question is requested."""
    judge = agents([5])
    dialogue = await converse(UNION, ScriptedSystem([CONFIRMED]), judge)
    assert (dialogue.grades, dialogue.ended, asked(judge)) == ((5,), "grade 5", ["ComposeAnswer", "GradeAnswer"])


async def test_where_no_question_is_needed_the_answer_is_revised_and_graded_again(agents):
    """T6 and T7: σ has one grade per turn, so T7's replaces that of its turn, higher or lower; both are kept."""
    judge = agents([4, 3], needed=[False])
    dialogue = await converse(UNION, ScriptedSystem([CONFIRMED]), judge)
    assert (dialogue.grades, dialogue.ended, dialogue.answer) == ((3,), "no question needed", "final")
    assert [(step.name, step.grade) for step in dialogue.steps if step.grade is not None] == [("T3", 4), ("T7", 3)]
    assert dialogue.scores == {"wscore": 3, "lscore": 1, "mscore": 3}
    assert said(dialogue) == ["T1", "T2", "T3", "T4", "T6", "T7"]
    revising = next(task for task in judge.asked if isinstance(task, ReviseAnswer))
    assert (revising.reference, revising.answer) == (UNION.reference, "tentative 1")


async def test_a_revision_on_a_later_turn_replaces_the_grade_of_that_turn_alone(agents):
    """σ = [1, 5] of two turns, as in the worked example (n = 3): wscore 3, lscore 2, mscore 5."""
    judge = agents([1, 3, 5], [ASKS], needed=[True, False])
    dialogue = await converse(UNION, ScriptedSystem([SWAPPED, CONFIRMED]), judge, max_turns=3)
    assert (dialogue.grades, dialogue.ended) == ((1, 5), "no question needed")
    assert dialogue.scores == {"wscore": pytest.approx(3), "lscore": 2, "mscore": 5}


@pytest.mark.parametrize(
    ("last_grade", "grades", "scores"),
    [
        ("replaces", (5,), {"wscore": 5, "lscore": 1, "mscore": 5}),
        ("appended", (3, 5), {"wscore": (3 * 3 + 2 * 5 + 1 * 5) / 6, "lscore": 2, "mscore": 5}),
    ],
)
async def test_the_last_grade_replaces_that_of_its_turn_or_is_one_more(agents, last_grade, grades, scores):
    """Turn 1 of at most 3: T3 gives 3, and T7 gives 5. Replaced, wscore is 5, and appended 4; the calls are the same."""
    judge = agents([3, 5], needed=[False])
    dialogue = await converse(UNION, ScriptedSystem([CONFIRMED]), judge, max_turns=3, last_grade=last_grade)
    assert (dialogue.grades, dialogue.scores) == (grades, scores)
    assert asked(judge) == ["ComposeAnswer", "GradeAnswer", "AskIfNeeded", "ReviseAnswer", "GradeAnswer"]
    assert dialogue_from_json(dialogue_to_json(dialogue)) == dialogue


@pytest.mark.parametrize(("most", "grades"), [(2, (1, 5)), (3, (1, 3, 5))])
async def test_an_appended_grade_replaces_where_all_turns_were_used(agents, most, grades):
    """σ never has more grades than turns are allowed: in turn 2 of 2, the last grade takes the place of that turn's."""
    judge = agents([1, 3, 5], [ASKS], needed=[True, False])
    system = ScriptedSystem([SWAPPED, CONFIRMED])
    dialogue = await converse(UNION, system, judge, max_turns=most, last_grade="appended")
    assert (dialogue.grades, dialogue.ended) == (grades, "no question needed")


@pytest.mark.parametrize("turns", [1, 2, 5])
async def test_the_turn_limit_ends_a_dialogue_that_needs_another_question(agents, turns):
    """On turn n T4 says so, and T5 is skipped: n system calls, n grades, and nobody writes an unused question."""
    questions = [f"Question {n}?" for n in range(1, turns)]
    judge = agents([2] * turns, questions, needed=[True] * turns)
    system = ScriptedSystem([SWAPPED] * turns)
    dialogue = await converse(UNION, system, judge, max_turns=turns)
    assert (dialogue.ended, len(dialogue.grades), len(system.asked)) == ("turn limit", turns, turns)
    assert said(dialogue)[-2:] == ["T3", "T4"]


@pytest.mark.parametrize("turns", [1, 2, 5])
async def test_the_last_turn_may_end_with_a_revision_too(agents, turns):
    """Spec 02: T6 and T7 may happen in any turn, including the nth; σ still has at most n grades."""
    questions = [f"Question {n}?" for n in range(1, turns)]
    judge = agents([2] * turns + [4], questions, needed=[True] * (turns - 1) + [False])
    dialogue = await converse(UNION, ScriptedSystem([SWAPPED] * turns), judge, max_turns=turns)
    assert (dialogue.ended, dialogue.grades) == ("no question needed", (2,) * (turns - 1) + (4,))
    assert said(dialogue)[-4:] == ["T3", "T4", "T6", "T7"]
    assert dialogue.scores["lscore"] == turns


async def test_grade_5_on_the_last_turn_is_grade_5(agents):
    """The better reason wins."""
    assert (await converse(UNION, ScriptedSystem(["x"]), agents([5]), max_turns=1)).ended == "grade 5"


@pytest.mark.parametrize(("questioning", "task"), [("merged", AskIfNeeded), ("published", AskNext)])
async def test_a_repeated_question_is_refused_once_with_the_earlier_ones_shown(agents, questioning, task):
    """Spacing and punctuation do not matter; the reason is shown, and the second proposal is taken."""
    again = "what is the difference between  UNION and UNION ALL ？"
    judge, system = agents([3, 5], [again, ASKS], needed=[True]), ScriptedSystem([SWAPPED, CONFIRMED])
    dialogue = await converse(UNION, system, judge, questioning=questioning)
    first, second = (each for each in judge.asked if isinstance(each, task))
    assert (first.refused, second.refused[::2], second.earlier) == ((), (again,), (UNION.question,))
    assert second.refused[1] == "This question was asked before."
    assert [inquiry.question for inquiry in system.asked] == [UNION.question, ASKS]
    assert dialogue.history == (Turn(UNION.question, SWAPPED), Turn(ASKS, CONFIRMED))


async def test_a_second_repeat_ends_the_dialogue_and_says_so(agents):
    """The same question is not repeated endlessly; the grades so far count."""
    judge = agents([3], [UNION.question, UNION.question.upper()], needed=[True])
    dialogue = await converse(UNION, ScriptedSystem([SWAPPED]), judge)
    assert (dialogue.ended, dialogue.grades, dialogue.scores["wscore"]) == ("repeated question", (3,), 3)
    assert dialogue.reason == f"asked before: {UNION.question} / asked before: {UNION.question.upper()}"


async def test_the_transcript_says_in_the_language_of_the_dialogue_why_a_question_was_refused(agents):
    """A Japanese transcript stays Japanese; repeating and revealing are worded apart."""
    pair = replace(UNION, question="何が違いますか。", reference="重複行を除くかどうかが違う。", language="ja")
    judge = agents([3], [pair.question, "重複行はどうなりますか。"], needed=[True])
    dialogue = await converse(pair, ScriptedSystem(["どちらも結果を結合します。"]), judge)
    assert [step.explanation for step in dialogue.steps if step.name == "T5"] == [
        "すでに尋ねた質問：何が違いますか。",
        "参照回答にしかない言葉（重複行）：重複行はどうなりますか。",
    ]


COMBINES = "Both combine the results of two queries."
REVEALS = "Does UNION eliminate duplicate rows?"
PLAIN = "How do the results of UNION and UNION ALL differ?"


async def test_a_question_in_words_that_only_the_reference_has_is_refused_and_another_one_is_asked(agents):
    """The questioner reads which words; the system never sees the refused question, and the transcript keeps it."""
    judge, system = agents([3, 5], [REVEALS, PLAIN], needed=[True]), ScriptedSystem([COMBINES, CONFIRMED])
    dialogue = await converse(UNION, system, judge)
    second = [task for task in judge.asked if isinstance(task, AskIfNeeded)][1]
    assert second.refused[0] == REVEALS
    assert "eliminate, duplicate" in second.refused[1]
    assert [inquiry.question for inquiry in system.asked] == [UNION.question, PLAIN]
    assert [step.explanation for step in dialogue.steps if step.name == "T5" and not step.text] == [
        f"only the reference has eliminate, duplicate: {REVEALS}"
    ]


async def test_a_second_question_that_gives_the_reference_away_ends_the_dialogue_and_says_so(agents):
    """As after repetitions, the grades so far count."""
    judge = agents([3], [REVEALS, "What about duplicates?"], needed=[True])
    dialogue = await converse(UNION, ScriptedSystem([COMBINES]), judge)
    assert (dialogue.ended, dialogue.grades) == ("revealing question", (3,))
    assert dialogue.reason.startswith("only the reference has eliminate, duplicate: ")


async def test_the_published_questioner_may_ask_for_confirmation_but_not_state(agents):
    """Spec 02: what only the reference says may be asked, and not be told."""
    told = "UNION eliminates duplicate rows. What does UNION ALL do?"
    judge, system = agents([3, 5], [told, REVEALS], needed=[True]), ScriptedSystem([COMBINES, CONFIRMED])
    dialogue = await converse(UNION, system, judge, questioning="published")
    assert [inquiry.question for inquiry in system.asked] == [UNION.question, REVEALS]
    assert dialogue.ended == "grade 5"
    second = [task for task in judge.asked if isinstance(task, AskNext)][1]
    assert second.refused[1].startswith("It states what only the reference has: ")


async def test_after_a_refusal_the_questioner_may_find_that_nothing_can_be_asked(agents):
    """A merged call decides each time; the answer is then revised as usual."""
    replies = [FollowUp(explanation="e", needed=True, question=REVEALS), FollowUp(explanation="e", needed=False)]
    judge = agents([3, 4], follow=in_turn(*replies))
    dialogue = await converse(UNION, ScriptedSystem([COMBINES]), judge)
    assert (dialogue.ended, dialogue.grades) == ("no question needed", (4,))
    assert said(dialogue) == ["T1", "T2", "T3", "T5", "T4", "T6", "T7"]


@pytest.mark.parametrize(
    ("kind", "message"),
    [("failed", "it failed"), ("timeout", "no answer in time"), ("unreadable", "what came was no answer")],
)
async def test_a_system_that_fails_at_turn_2_is_no_wrong_answer(agents, kind, message):
    """The dialogue is kept, with whose fault it was; no score is made up."""
    system = ScriptedSystem([SWAPPED, SystemFailed("HTTP 500", kind, Usage(calls=3))])
    dialogue = await converse(UNION, system, agents([3], [ASKS]))
    assert (dialogue.ended, dialogue.fault, dialogue.grades) == ("failed", "system", (3,))
    assert dialogue.reason == f"T1 (system), turn 2: {message}: HTTP 500"
    assert dialogue.scores == {"wscore": None, "lscore": None, "mscore": None}
    assert dialogue.usage.calls == 1 + 3
    assert said(dialogue) == ["T1", "T2", "T3", "T5"]


UNREADABLE = Unreadable("the reply could not be read", "garbage", Usage(calls=2))


@pytest.mark.parametrize(
    ("script", "where", "steps", "questioning"),
    [
        ({"compose": UNREADABLE}, "T2 (composer), turn 1", ["T1"], "merged"),
        ({"grade": UNREADABLE}, "T3 (grader), turn 1", ["T1", "T2"], "merged"),
        ({"follow": UNREADABLE}, "T5 (questioner), turn 1", ["T1", "T2", "T3"], "merged"),
        ({"decide": UNREADABLE}, "T4 (questioner), turn 1", ["T1", "T2", "T3"], "published"),
        ({"ask": UNREADABLE}, "T5 (questioner), turn 1", ["T1", "T2", "T3", "T4"], "published"),
    ],
)
async def test_a_reply_that_cannot_be_read_keeps_what_there_is(agents, script, where, steps, questioning):
    """At each of the tasks; a judge that replies garbage is distinguished from a bad answer."""
    judge = agents([3], [ASKS], **script)
    dialogue = await converse(UNION, ScriptedSystem([SWAPPED]), judge, questioning=questioning)
    assert (dialogue.ended, dialogue.fault, said(dialogue)) == ("failed", "judge", steps)
    assert dialogue.reason == f"{where}: the reply could not be read"
    assert dialogue.lost.calls == 2


@pytest.mark.parametrize(
    ("script", "where"),
    [({"revise": UNREADABLE}, "T6 (composer)"), ({"grade": None}, "T7 (grader)")],
)
async def test_a_reply_that_cannot_be_read_at_the_end_keeps_what_there_is(agents, script, where):
    """This includes T6 and T7: the grade of T3 counts."""
    given = {} if "grade" in script else script
    grades = [4, UNREADABLE] if "grade" in script else [4, 4]
    dialogue = await converse(UNION, ScriptedSystem([SWAPPED]), agents(grades, needed=[False], **given))
    assert (dialogue.ended, dialogue.grades) == ("failed", (4,))
    assert dialogue.reason.startswith(where)


@pytest.mark.parametrize("error", [ConfigurationError("no such model"), BudgetSpent("all spent")])
async def test_what_concerns_the_whole_run_goes_up(agents, error):
    """All other dialogues would fail as well."""
    with pytest.raises(type(error)):
        await converse(UNION, ScriptedSystem([SWAPPED]), agents([3], compose=error))


async def test_the_grader_sees_the_evidence_that_question_and_reference_retrieve(agents):
    """Spec 01, mode `reference`; retrieved once per dialogue, and its cost is counted."""
    pairs = []

    async def find(pair):
        pairs.append(pair)
        return Retrieved((Passage("From the manual."),), Usage(calls=1))

    judge = agents([3, 5], [ASKS])
    dialogue = await converse(UNION, ScriptedSystem([SWAPPED, CONFIRMED]), judge, find_evidence=find)
    assert pairs == [UNION]
    assert [task.evidence for task in judge.asked if isinstance(task, GradeAnswer)] == [("From the manual.",)] * 2
    assert dialogue.usage.calls == 2 + 1


async def test_evidence_that_cannot_be_retrieved_fails_the_dialogue_before_anything_is_asked(agents):
    """It is not graded without the requested evidence."""

    async def find(pair):
        raise CallFailed("the server is gone")

    judge, system = agents([5]), ScriptedSystem([CONFIRMED])
    dialogue = await converse(UNION, system, judge, find_evidence=find)
    assert (dialogue.ended, dialogue.reason) == ("failed", "retrieving the evidence: the server is gone")
    assert (judge.asked, system.asked) == ([], [])


@pytest.mark.parametrize(
    "pair", [replace(UNION, question=" "), replace(UNION, reference=None), replace(UNION, reference="")]
)
async def test_a_pair_without_question_or_reference_is_refused(agents, pair):
    """There is nothing to measure with."""
    with pytest.raises(ValueError, match="question and a reference"):
        await converse(pair, ScriptedSystem(["x"]), agents([5]))


async def test_a_question_in_another_language_keeps_its_language(agents):
    """The agents are asked in the pair's language."""
    pair = replace(UNION, question="UNIONとUNION ALLの違いは？", language="ja")
    judge, system = agents([5]), ScriptedSystem(["重複を除きます。"])
    await converse(pair, system, judge)
    assert {task.language for task in judge.asked} == {system.asked[0].language} == {"ja"}


def test_in_turn_ends(agents):
    """The script itself: more calls than lines are an error, so the tests above count exactly."""
    line = in_turn(NextQuestion(explanation="", question="x"))
    line(None)
    with pytest.raises(StopIteration):
        line(None)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What is C?", "What is C++?"),
        ("What is C++?", "What is C#?"),
        ("Is x > 5?", "Is x < 5?"),
        ("What is in 1.5?", "What is in 15?"),
        ("Is it -5?", "Is it 5?"),
        ("What is A/B?", "What is AB?"),
    ],
)
def test_questions_that_differ_in_a_sign_are_two(first, second):
    """A name or a number may consist of a single sign; refusing such a question would end the dialogue."""
    assert not same_question(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ＵＮＩＯＮ　とは？", "unionとは"),
        ("*UNION*, `ALL`?", "Union all"),
        ("e-mail?", "E‑mail"),
        ("1,000 rows?", "1000 rows"),
        ("What is “it” ～?", "What is it?"),
    ],
)
def test_questions_are_one_however_they_are_written(first, second):
    """Width, case, spaces, punctuation and emphasis do not make another question."""
    assert same_question(first, second)


async def test_a_question_of_invisible_signs_does_not_count():
    """Nobody could answer it."""
    task = AskNext("q", "r", ("q", "a"), "a", "", language="en")
    with pytest.raises(ValueError, match="empty"):
        task.check(NextQuestion(explanation="", question="\u200b\u2060 "))
    merged = AskIfNeeded("q", "r", ("q", "a"), "a", "", language="en")
    with pytest.raises(ValueError, match="empty"):
        merged.check(FollowUp(explanation="", needed=True, question="\u200b"))
    merged.check(FollowUp(explanation="", needed=False))


@pytest.mark.parametrize(
    ("votes", "ended"), [([5, 5, 4], "grade 5"), ([4, 5], "grade 5"), ([5, 4], "grade 5"), ([5, 5, 1], "turn limit")]
)
async def test_of_several_votes_the_mean_ends_the_dialogue(agents, votes, ended):
    """4.5 rounds to 5, in any order of votes; 5, 5 and 1 do not make 5, though the nearest vote does."""
    graded = GradeAnswer("q", "a", ("r",), language="en").merge([Grade(feedback="so", grade=vote) for vote in votes])
    judge = agents([], needed=[True], grade=lambda _: graded)
    assert (await converse(UNION, ScriptedSystem([CONFIRMED]), judge, max_turns=1)).ended == ended
