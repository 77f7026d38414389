import pytest

from saiten.judges.offline import OfflineJudge
from saiten.tasks.dialogue import AskNext, ComposeAnswer, DecideNext, ReviseAnswer

QUESTION = "What is the difference between UNION and UNION ALL?"
REFERENCE = "UNION eliminates duplicate rows from the result set. UNION ALL runs faster because it keeps them."
FIRST = "Both combine the results of two queries."
JA_QUESTION = "経費の精算はどうしますか。"
JA_REFERENCE = "精算書に領収書を添えて提出する。1万円を超える場合は部長の承認が必要である。"


@pytest.fixture
def judge():
    """The one that needs no model."""
    return OfflineJudge()


async def test_the_composer_strings_the_systems_sentences_together(judge):
    """In order, each once, refusals left out; nothing is added."""
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
    """Held against what the system said, not against what was composed."""
    reply = await judge.perform(DecideNext(QUESTION, REFERENCE, (QUESTION, heard), heard, "", language="en"))
    assert reply.needed == needed


@pytest.mark.parametrize(
    ("question", "reference", "heard", "language"),
    [(QUESTION, REFERENCE, FIRST, "en"), (JA_QUESTION, JA_REFERENCE, "精算書を提出します。", "ja")],
)
async def test_questions_name_the_topic_and_do_not_state_the_answer(judge, question, reference, heard, language):
    """At most half of the words of what is missing, no number, and each question is another one."""
    history = (question, heard)
    asked = []
    for _ in range(2):
        reply = await judge.perform(AskNext(question, reference, history, heard, "", language=language))
        asked.append(reply.question)
        history += (reply.question, "I don't know." if language == "en" else "分かりません。")
    assert len({question, *asked}) == 3
    assert not any(character.isdigit() for each in asked for character in each)
    assert all(each.endswith(("?", "教えてください。")) for each in asked)


async def test_a_refused_question_is_not_proposed_again(judge):
    """As long as there is another topic."""
    task = AskNext(QUESTION, REFERENCE, (QUESTION, FIRST), FIRST, "", language="en")
    first = (await judge.perform(task)).question
    again = AskNext(QUESTION, REFERENCE, (QUESTION, FIRST), FIRST, "", (first,), language="en")
    assert (await judge.perform(again)).question != first


async def test_the_reviser_leaves_out_what_the_reference_does_not_have(judge):
    """And adds nothing of the reference."""
    said = "UNION eliminates duplicate rows. The command was introduced by a committee in Geneva."
    reply = await judge.perform(ReviseAnswer(QUESTION, REFERENCE, (QUESTION, said), said, language="en"))
    assert reply.answer == "UNION eliminates duplicate rows."


async def test_an_answer_that_the_reference_supports_nowhere_stays_as_it_is(judge):
    """An empty answer would be no revision."""
    reply = await judge.perform(ReviseAnswer(QUESTION, REFERENCE, (QUESTION, "Bananas."), "Bananas.", language="en"))
    assert reply.answer == "Bananas."
