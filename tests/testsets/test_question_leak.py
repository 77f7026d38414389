"""The check of leaks: questions that hold their answer, and those that do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.demo.samples import demo_questions
from saiten.testsets.items import SetItem
from saiten.testsets.rules.leak import check_leak, leaked_share


def checked(question: str, reference: str, kind="single"):
    """The result for a pair."""
    return check_leak(SetItem("1", question, reference, kind, "en" if question.isascii() else "ja"))


@pytest.mark.parametrize(
    ("question", "reference"),
    [
        ("What album is Help by the Beatles on?", "Help!"),
        ("How do you spell Padawan?", "Padawan"),
        ("Which mirror is used in vehicles for rear view?", "The rear view mirror."),
        (
            "Why do employees need a doctor's note for absences of sick leave?",
            "Absences of sick leave need a doctor's note.",
        ),
        ("社内システム「ホシナビ」の名前は何ですか。", "ホシナビ"),
        ("有給休暇の申請は勤怠システムで行う場合、どう行いますか。", "申請は勤怠システムで行う。"),
    ],
)
def test_a_question_that_holds_its_answer_is_a_leak(question, reference):
    """The reference adds nothing: it is in the question, word for word or nearly so."""
    found = checked(question, reference)
    assert found.passed is False
    assert found.reason


@pytest.mark.parametrize(
    ("question", "reference"),
    [
        ("How long is the warranty of the dishwasher?", "The warranty of the dishwasher is 3 years."),
        ("Where is the laboratory of Tarnwick?", "The laboratory of Tarnwick is in Leeds."),
        ("Which is longer, probation or the notice period?", "Probation"),
        ("Who approves business trips?", "The head of department."),
        ("What are exceptions to the rule?", ""),
        ("保証期間は何年ですか。", "保証期間は2年です。"),
        ("会議室「すみれ」と「かえで」のどちらが広いですか。", "かえで"),
        ("製品の保証はどこに申し込みますか。", "ヤマト商会に申し込みます。"),
    ],
)
def test_an_answer_that_adds_a_number_or_a_name_is_no_leak(question, reference):
    """However much of the rest the reference repeats; nor is one of the things that the question lets choose from."""
    assert checked(question, reference).passed


@pytest.mark.parametrize(
    "question",
    [
        "Is a receipt needed for bus fares?",
        "Can unused days be carried over?",
        "If a note is missing, does the leave lapse?",
        "領収書は必要ですか。",
        "有給休暇は繰り越せますか。",
        "喫茶店で働いてもよいですか。",
    ],
)
def test_yes_or_no_is_suggested_by_the_form(question):
    """A system that always says yes would be right half of the time; false premises are meant to suggest it."""
    assert checked(question, "Yes, as the handbook says.").details == {"form": "yes_no"}
    assert checked(question, "No.", "false_premise").passed is None


@pytest.mark.parametrize(
    "question",
    [
        "Can you explain how receipts are kept?",
        "Are there exceptions to the rule of 14 days?",
        "Is the card valid, and from which amount is a receipt needed?",
        "Is it red or blue?",
        "Do I know what to do when I'm ill, and when do I call?",
        "経費の締め切りを教えていただけますか。",
        "故障の原因は何でしょうか。",
        "例外はありますか。",
        "現金か、それともカードですか。",
    ],
)
def test_requests_and_choices_are_not_yes_or_no(question):
    """They begin like such a question, but ask for more."""
    assert checked(question, "Something else entirely, and 12 more.").passed


def test_an_unanswerable_question_has_nothing_to_give_away():
    """Its reference repeats it to say that there is no answer, so the check is not made."""
    found = checked(
        "How long is the warranty in Canada?", "The documents do not say how long it is in Canada.", "unanswerable"
    )
    assert found.passed is None
    assert found.reason


def test_the_questions_of_the_demo_only_leak_by_their_form():
    """People wrote them; some of them can be answered by yes or no."""
    found = [
        check_leak(SetItem(one.id, one.question, one.reference, language=one.language)) for one in demo_questions()
    ]
    assert {check.details.get("form") for check in found if check.passed is False} == {"yes_no"}
    assert sum(check.passed is True for check in found) >= 40


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_share_is_one_for_equal_texts_and_nothing_ever_fails(question, reference):
    """Whatever the texts are, the share is between 0 and 1, and the check decides."""
    assert 0 <= leaked_share(question, reference) <= 1
    assert leaked_share(reference, reference) in {0, 1}
    assert check_leak(SetItem("1", question or " ", reference)).passed in {True, False}
