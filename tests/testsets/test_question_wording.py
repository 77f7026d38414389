"""The check of wording, on tables of questions as models write them, and as people ask them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.records import Turn
from saiten.testsets.items import SetItem
from saiten.testsets.rules.wording import LONGEST, check_wording

UNSEEN = """
What is the main argument according to the text above?
What does the passage say about refunds?
According to the document, how many days of leave are there?
What limit is mentioned in this document?
Based on the provided context, who approves trips?
As mentioned earlier, what is the fee?
In this section, which exceptions apply?
Which of the following is correct?
What does the author think about taxes?
What is shown in Figure 3?
What is the deadline in the above example?
What information is provided in the passage about sick pay?
上記の表によると、料金はいくらですか。
この文書では、保証期間は何年とされていますか。
本文によると、申請の期限はいつですか。
次の図は何を表していますか。
前述の条件とは何ですか。
文中で述べられている例外は何ですか。
提供されたコンテキストに基づいて、上限を答えてください。
次のうち正しいものはどれですか。
この規程によれば、誰が承認しますか。
資料に記載されている上限はいくらですか。
筆者は何を主張していますか。
"""

PRONOUNS = """
What does it cost?
How long is it?
When do they have to be returned?
What is his role in the company?
What are its limits?
What are the requirements of this policy?
How much does this cost?
Why is that important?
それはいくらですか。
これを使うには何が必要ですか。
その期限はいつですか。
同社の売上高はいくらですか。
彼は何年に生まれましたか。
そこでは何が売られていますか。
この手続きには何日かかりますか。
"""

CLEAR = """
How do I print this document?
How long does it take to ship an order to Japan?
Is it possible to work from abroad during probation?
Who signs the contract when it is renewed?
How do I insert a picture in this document?
What does the section "Annual leave" of the handbook say about unused days?
If a laptop is stolen, when must it be reported?
What does `{name}` mean in a template?
Which documents must be attached to the application?
What is the document retention period?
How many paragraphs may an abstract have?
What does Section 4 of the Employment Act regulate?
Explain how the softener is set.
Complete the statement from "Meeting rooms" (handbook.md): "Curlew seats ____ people."
What time is it in Tokyo when it is noon in London?
How can I reset this device?
who got the first nobel prize in physics
Who decides whether those who joined in June receive a bonus?
How do employees submit their receipts?
What are the consequences of this year's price increase?
Where in the manual is the article number of the DX-40 printed?
この文書を印刷するには、どうすればよいですか。
この製品の保証期間は何年ですか。
有給休暇が残った場合、それは翌年度に何日まで繰り越せますか。
『指輪物語』の著者は誰ですか？
それぞれの会議室の定員は何名ですか。
その他の地域の宿泊費の上限はいくらですか。
文書の保存期間は何年ですか。
資料請求はどこから行えますか。
契約書に記載すべき項目は何ですか。
会議室を予約する手順を説明してください。
この度の値上げの理由は何ですか。
表計算ソフトで表を作るには？
トンネルの構造についてご教示いただけると助かります。
次の空欄に入る数はいくつですか：「会議室は____日前から予約できます。」
"""


def rows(table: str) -> list[str]:
    """The lines of a table."""
    return table.strip().splitlines()


def checked(question: str, **fields):
    """The result for a question in its own language."""
    language = "en" if question.isascii() else "ja"
    return check_wording(SetItem("1", question, "r", **({"language": language} | fields)))


@pytest.mark.parametrize("question", rows(UNSEEN))
def test_a_question_about_a_text_that_nobody_sees_is_dropped(question):
    """The person who is asked has only the question; the reason quotes the words."""
    found = checked(question)
    assert (found.passed, found.details["fault"]) == (False, "unseen_text")
    assert found.reason.partition("“")[2].rstrip("”") in question


@pytest.mark.parametrize("question", rows(PRONOUNS))
def test_a_pronoun_that_nothing_explains_is_a_fault(question):
    """Nothing before it in the question says what it stands for."""
    found = checked(question)
    assert (found.passed, found.details["fault"]) == (False, "pronoun")


@pytest.mark.parametrize("question", rows(PRONOUNS))
def test_a_follow_up_question_may_use_pronouns(question):
    """What was said before explains them."""
    assert checked(question, history=(Turn("Is there a warranty?", "Yes."),)).passed


@pytest.mark.parametrize("question", rows(CLEAR))
def test_a_clear_question_passes(question):
    """Among them questions about documents, and pronouns that the question explains."""
    assert checked(question).passed, checked(question).reason


@pytest.mark.parametrize(
    ("question", "language", "fault"),
    [
        ("Question: How long is the warranty?", "en", "leftover"),
        ("Sure, here is a question: How long is the warranty?", "en", "leftover"),
        ("What is the price of {product}?", "en", "leftover"),
        ("What is the price of [insert product]?", "en", "leftover"),
        ("<question>What is the price of tea?</question>", "en", "leftover"),
        ('{"question": "What is the price of tea?"}', "en", "leftover"),
        ("質問：保証期間は何年ですか。", "ja", "leftover"),
        ("The warranty lasts two years.", "en", "no_question"),
        ("warranty period", "en", "no_question"),
        ("保証期間は2年間です。", "ja", "no_question"),
        ("How long is the warranty? Who grants it? What is excluded?", "en", "several"),
        ("保証は何年ですか。誰が行いますか。費用はいくらですか。", "ja", "several"),
        ("保証期間は何年ですか", "en", "language"),
        ("How long is the warranty?", "ja", "language"),
        ("How long is the warranty of a dishwasher" + " of great size" * 30 + "?", "en", "long"),
    ],
)
def test_other_faults(question, language, fault):
    """Parts of a form, no question, several, another language, too long: the first fault found is named."""
    found = check_wording(SetItem("1", question, "r", language=language))
    assert (found.check, found.passed, found.details["fault"]) == ("wording", False, fault)
    assert found.reason


def test_the_limit_of_length_is_inclusive():
    """A question of exactly that many characters passes."""
    question = "What is " + "x" * (LONGEST["en"] - 9) + "?"
    assert checked(question).passed
    assert not checked(question + "?").passed


@given(st.text(max_size=300), st.sampled_from(["en", "ja"]))
def test_it_never_fails_and_always_decides(text, language):
    """Whatever is written, it passes or there is a reason; equal questions get equal results."""
    item = SetItem("1", text or " ", "r", language=language)
    found = check_wording(item)
    assert bool(found.reason) is (found.passed is False)
    assert found == check_wording(item)
