from dataclasses import replace

import pytest
from talking import UNION, ScriptedSystem

from saiten.dialogue.dialogue import Dialogue, DialogueStep
from saiten.dialogue.leak import find_leak


def talk(*said: str, final: str, reference: str = UNION.reference, language="en") -> Dialogue:
    """A dialogue: answer, question, answer, …, and the final composed answer."""
    steps = [DialogueStep("T1", 1, "system", said[0])]
    for turn, (question, answer) in enumerate(zip(said[1::2], said[2::2], strict=True), start=1):
        steps += [DialogueStep("T5", turn, "questioner", question), DialogueStep("T1", turn + 1, "system", answer)]
    steps.append(DialogueStep("T2", 1, "composer", final))
    return Dialogue("1", UNION.question, reference, 5, tuple(steps), "turn limit", language=language)


def test_an_answer_from_the_history_leaks_nothing():
    """All its content words were said by the system, or in a question."""
    leak = find_leak(talk("UNION eliminates duplicate rows.", final="Duplicate rows are eliminated by UNION."))
    assert (leak.share, leak.words, leak.questions) == (0, (), ())


def test_what_only_the_reference_says_is_a_leak():
    """Two of five content words: eliminates and duplicate were never said by the system."""
    leak = find_leak(talk("They differ in speed.", final="UNION eliminates duplicate rows, speed aside."))
    assert leak.words == ("eliminates", "duplicate", "rows")
    assert leak.share == pytest.approx(3 / 6)


def test_a_word_that_neither_says_is_no_leak():
    """It is made up, which the grader sees; it does not come from the reference."""
    assert find_leak(talk("They differ.", final="Quaternions differ.")).words == ()


def test_japanese_is_compared_by_its_content_words():
    """重複 is only in the reference."""
    dialogue = talk(
        "速度が異なります。", final="UNIONは重複行を除きます。", reference="UNIONは重複行を除く。", language="ja"
    )
    assert "重複行" in find_leak(dialogue).words


def test_a_verb_that_only_helps_a_noun_is_no_leak():
    """支払いは社員証で行います says no more than 社員証で支払います."""
    said, reference = "支払いには社員証を使います。", "支払いは社員証で行います。"
    assert find_leak(talk(said, final=reference, reference=reference, language="ja")).words == ()


def test_a_claim_before_a_semicolon_is_not_negated_by_what_follows():
    """The part after it says something else."""
    reference = "Up to 5 days, to be taken by 31 March."
    said = (
        "Leave not taken by a leaver is paid out.",
        "Until when?",
        "It has to be taken by 31 March; the rest is not paid.",
    )
    assert find_leak(talk(*said, final="It has to be taken by 31 March.", reference=reference)).words == ()


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("Does UNION eliminate duplicate rows from the result?", ()),
        ("UNION eliminates duplicate rows from the result. Is there more?", (2,)),
        ("Please explain the difference.", ()),
        ("Thank you. What else?", ()),
        ("Since UNION eliminates duplicate rows from the result, what does UNION ALL do?", (2,)),
        ("I know UNION eliminates duplicate rows; what about ALL?", (2,)),
        ("When UNION is used, duplicate rows are eliminated.", (2,)),
        ("Please note that UNION eliminates duplicate rows from the result.", (2,)),
        ("Please say that UNION eliminates duplicate rows.", (2,)),
        ("UNION eliminates duplicate rows from the result. Is that right?", ()),
        ("UNION eliminates duplicate rows from the result. Can you confirm this?", ()),
        ("UNION eliminates duplicate rows, right?", ()),
        ("Please say whether UNION eliminates duplicate rows.", ()),
        ("When are duplicate rows eliminated from the result?", ()),
    ],
)
def test_a_question_may_ask_for_what_only_the_reference_says_but_not_state_it(question, flagged):
    """Spec 02: the system may be asked to confirm it."""
    assert find_leak(talk("They differ.", question, "Yes.", final="Yes.")).questions == flagged


@pytest.mark.parametrize(
    ("question", "flagged"),
    [("期限は30日です。他に条件はありますか。", (2,)), ("期限は30日ですか。", ()), ("期限を教えてください。", ())],
)
def test_a_number_that_only_the_reference_has_is_enough(question, flagged):
    """This holds in Japanese and in English."""
    dialogue = talk("期限があります。", question, "はい。", final="x", reference="期限は30日である。", language="ja")
    assert find_leak(dialogue).questions == flagged


def test_a_dialogue_without_an_answer_has_no_share():
    """The share is None, not 0: nothing was composed."""
    empty = replace(talk("x", final=""), steps=())
    assert find_leak(empty).share is None


@pytest.mark.parametrize(
    ("said", "leaked"),
    [
        ("No, there is another limit.", ("500",)),
        ("That is not correct.", ("500",)),
        ("I don't know.", ("500",)),
        ("No, 500 is the limit of the other edition.", ()),
        ("Yes.", ()),
        ("That is what the manual says.", ()),
    ],
)
def test_a_number_that_only_the_questioner_stated_counts_as_heard_unless_the_system_denies_it(said, leaked):
    """The final answer says 500: from the system, or from a question whose claim the system denied."""
    dialogue = talk(
        "There is a limit on connections.",
        "Is the limit 500 connections?",
        said,
        final="The limit is 500 connections.",
        reference="At most 500 connections are allowed.",
    )
    assert find_leak(dialogue).words == leaked


def test_a_denied_number_that_the_system_confirms_later_was_said():
    """The last statement counts, whichever turn it is in."""
    asks = "Is the limit 500 connections?"
    dialogue = talk(
        "There is a limit.", asks, "No.", "So 500 connections are too many?", "Sorry, yes: 500 are allowed.",
        final="The limit is 500 connections.", reference="At most 500 connections are allowed.",
    )  # fmt: skip
    assert find_leak(dialogue).words == ()


@pytest.mark.parametrize(
    ("asked", "said", "final", "leaks"),
    [
        ("Does UNION eliminate duplicate rows?", "No.", "UNION eliminates duplicate rows.", True),
        ("Does UNION eliminate duplicate rows?", "No, UNION does not eliminate them.", "UNION eliminates duplicate rows.", True),
        ("What about duplicates?", "UNION does not eliminate duplicate rows.", "UNION eliminates duplicate rows.", True),
        ("Does UNION eliminate duplicate rows?", "Yes.", "UNION eliminates duplicate rows.", False),
        ("Does UNION eliminate duplicate rows?", "No.", "UNION does not eliminate duplicate rows.", False),
        ("Does UNION eliminate duplicate rows?", "No, it sorts the result.", "UNION sorts the result.", False),
        ("Does UNION keep duplicate rows?", "No, UNION eliminates duplicate rows.", "UNION eliminates duplicate rows.", False),
        ("Does UNION eliminate duplicate rows?", "I think so.", "UNION eliminates duplicate rows.", False),
    ],
)  # fmt: skip
def test_a_claim_whose_contrary_the_system_stated_is_a_leak(asked, said, final, leaks):
    """All its words were heard; only the reference says that it is so."""
    leak = find_leak(talk("Both combine the rows of UNION queries.", asked, said, final=final))
    assert bool(leak.words) is leaks
    assert leak.share == (1 if leaks else 0)


@pytest.mark.parametrize(("said", "leaks"), [("いいえ。", True), ("そうではありません。", True), ("はい。", False)])
def test_a_japanese_claim_that_the_system_denied_is_a_leak(said, leaks):
    """いいえ negates the question's claim, はい confirms it."""
    dialogue = talk(
        "行を結合します。", "UNIONは重複行を除去しますか。", said,
        final="UNIONは重複行を除去します。", reference="UNIONは重複行を除去する。", language="ja",
    )  # fmt: skip
    assert bool(find_leak(dialogue).words) is leaks


async def test_the_loop_checks_every_dialogue(agents):
    """The leak is part of the result."""
    from saiten.dialogue.loop import converse

    dialogue = await converse(UNION, ScriptedSystem(["tentative"]), agents([5]))
    assert dialogue.leak.share == 0


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("UNIONは結果から重複する行を除去しますが、UNION ALLはどうですか。", (2,)),
        ("UNIONは重複する行を除去するので、UNION ALLとの違いを教えてください。", (2,)),
        ("UNIONは重複する行を除去すると答えてください。", (2,)),
        ("UNIONは重複する行を除去するとのことですが、正しいですか。", ()),
        ("UNIONは重複する行を除去します。この理解でよろしいでしょうか。", ()),
        ("UNIONは重複する行を除去すると理解してよいですか。", ()),
        ("重複する行の除去についてですが、どのように行われますか。", ()),
        ("結果から、重複する行は除去されますか。", ()),
    ],
)
def test_a_japanese_clause_that_the_question_takes_for_granted_states(question, flagged):
    """…ですが、…か。 and …ので、…ください。 inform the system; a request to confirm does not."""
    reference = "UNIONは結果から重複する行を除去し、UNION ALLは残します。"
    dialogue = talk("どちらも結合します。", question, "はい。", final="x", reference=reference, language="ja")
    assert find_leak(dialogue).questions == flagged
