import pytest

from saiten.dialogue.revealing import revealed
from saiten.judges.offline import OfflineJudge
from saiten.tasks.dialogue import AskIfNeeded, AskNext, ComposeAnswer, DecideNext, ReviseAnswer

QUESTION = "What is the difference between UNION and UNION ALL?"
REFERENCE = "UNION eliminates duplicate rows from the result set. UNION ALL runs faster because it keeps them."
FIRST = "Both combine the results of two queries."
JA_QUESTION = "経費の精算はどうしますか。"
JA_REFERENCE = "精算書に領収書を添えて提出する。1万円を超える場合は部長の承認が必要である。"


@pytest.fixture
def judge():
    """The judge that needs no model."""
    return OfflineJudge()


async def test_the_composer_joins_the_systems_sentences(judge):
    """They are in order, each once, without refusals; nothing is added."""
    history = (QUESTION, FIRST, "And duplicates?", "I don't know.", "Again?", f"{FIRST} UNION eliminates duplicates.")
    reply = await judge.perform(ComposeAnswer(QUESTION, history, language="en"))
    assert reply.answer == f"{FIRST} UNION eliminates duplicates."


async def test_a_system_that_said_nothing_leaves_nothing_to_compose(judge):
    """The answer says that it is not known, which the grader declines."""
    assert (
        await judge.perform(ComposeAnswer(QUESTION, (QUESTION, "I don't know."), language="en"))
    ).answer == "I do not know."
    assert (
        await judge.perform(ComposeAnswer(JA_QUESTION, (JA_QUESTION, "分かりません。"), language="ja"))
    ).answer == "分かりません。"


@pytest.mark.parametrize(("heard", "needed"), [(FIRST, True), (REFERENCE, False)])
async def test_another_question_is_needed_while_something_is_missing(judge, heard, needed):
    """The reference is compared with what the system said, not with what was composed."""
    reply = await judge.perform(DecideNext(QUESTION, REFERENCE, (QUESTION, heard), heard, "", language="en"))
    assert reply.needed == needed


@pytest.mark.parametrize(
    ("question", "reference", "heard", "language"),
    [(QUESTION, REFERENCE, FIRST, "en"), (JA_QUESTION, JA_REFERENCE, "精算書を提出します。", "ja")],
)
async def test_questions_name_the_topic_and_give_nothing_away(judge, question, reference, heard, language):
    """Each differs, and has no number, name or rare word that only the reference has."""
    history = (question, heard)
    for _ in range(4):
        reply = await judge.perform(AskIfNeeded(question, reference, history, heard, "", language=language))
        assert reply.needed
        assert reply.question not in history
        assert revealed(reply.question, reference, history) == ()
        assert reply.question.endswith(("?", "教えてください。"))
        history += (reply.question, "I don't know." if language == "en" else "分かりません。")


async def test_a_refused_question_is_not_proposed_again(judge):
    """This holds as long as there is another topic."""
    task = AskNext(QUESTION, REFERENCE, (QUESTION, FIRST), FIRST, "", language="en")
    first = (await judge.perform(task)).question
    refused = (first, "This question was asked before.")
    again = AskNext(QUESTION, REFERENCE, (QUESTION, FIRST), FIRST, "", refused, language="en")
    assert (await judge.perform(again)).question != first


async def test_the_reviser_leaves_out_what_the_reference_does_not_have(judge):
    """Nothing of the reference is added."""
    said = "UNION eliminates duplicate rows. The command was introduced by a committee in Geneva."
    reply = await judge.perform(ReviseAnswer(QUESTION, REFERENCE, (QUESTION, said), said, language="en"))
    assert reply.answer == "UNION eliminates duplicate rows."


async def test_an_answer_that_the_reference_supports_nowhere_stays_as_it_is(judge):
    """An empty answer would not be a revision."""
    reply = await judge.perform(ReviseAnswer(QUESTION, REFERENCE, (QUESTION, "Bananas."), "Bananas.", language="en"))
    assert reply.answer == "Bananas."


async def test_no_question_is_needed_when_all_that_is_missing_was_asked_for(judge):
    """It would only repeat a question; what is left is to phrase the answer well."""
    history = (QUESTION, FIRST)
    for _ in range(9):
        need = await judge.perform(DecideNext(QUESTION, REFERENCE, history, FIRST, "", language="en"))
        if not need.needed:
            break
        reply = await judge.perform(AskNext(QUESTION, REFERENCE, history, FIRST, "", language="en"))
        assert reply.question not in history[::2]
        history += (reply.question, "I don't know.")
    assert not need.needed
    assert len(history) > 2


async def test_japanese_topics_are_whole_words(judge):
    """They are neither single characters nor the rest of a number (2週間前 does not contain 週間前)."""
    reference = "セイサン君で2週間前までに申請し、部長の承認を得る。"
    history = (JA_QUESTION, "セイサン君を使います。")
    reply = await judge.perform(AskNext(JA_QUESTION, reference, history, "", "", language="ja"))
    assert reply.question == "セイサン君、申請について教えてください。"


async def test_the_reviser_keeps_a_sentence_that_brings_what_the_reference_says(judge):
    """It says other things, too, but without it the answer would be worse."""
    reference = "Do not join two hoses. Use the extension EH-200."
    said = "Never join two hoses. The hose is 1.5 m long and reaches 3.5 m with the extension EH-200. Lunch is at noon."
    reply = await judge.perform(
        ReviseAnswer("May I join hoses?", reference, ("May I join hoses?", said), said, language="en")
    )
    assert "EH-200" in reply.answer
    assert "Lunch" not in reply.answer


async def test_clauses_of_one_sentence_stay_one_sentence(judge):
    """A sentence read in two parts does not become one that begins with a small letter."""
    said = "If the hose lies too low the water runs out; if the hose lies too high the pump cannot empty it."
    reply = await judge.perform(ComposeAnswer("Where?", ("Where?", said), language="en"))
    assert reply.answer == said


async def test_a_sentence_without_content_words_is_joined_once(judge):
    """However often the system says it: "What?" three times is no longer an answer than once."""
    history = (QUESTION, "What? UNION is fast.", "And?", "What?", "And?", "What?")
    reply = await judge.perform(ComposeAnswer(QUESTION, history, language="en"))
    assert reply.answer.count("What?") == 1
