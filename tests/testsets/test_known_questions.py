"""Near duplicates among questions: the same in other words, and questions that differ in what matters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saiten.demo.samples import demo_questions
from saiten.protocols import Embeddings
from saiten.records import Turn
from saiten.testsets.items import SetItem
from saiten.testsets.rules.duplicates import KnownQuestions

SAME = """
How long is the warranty? | How long is the warranty period?
How long does the warranty last? | How long does the warranty last for?
What is the maximum file size? | What's the maximum size of a file?
Who approves business trips? | Who has to approve business trips?
When must expenses be submitted? | By when must expenses be submitted?
How many days of annual leave do employees get? | How many annual leave days does an employee get?
WHAT IS THE DAILY ALLOWANCE | What is the daily allowance?
How do I reset my password? | How can I reset my password?
会議室は何日前から予約できますか。 | 会議室の予約は何日前からできますか？
有給休暇は何日まで繰り越せますか。 | 有給休暇を繰り越せるのは何日までですか。
パスワードの変更方法を教えてください。 | パスワードを変更する方法を教えてください。
会議室の定員は何人ですか。 | 会議室の定員は何名ですか。
フィルターはどのくらいの頻度で掃除しますか。 | フィルターの掃除はどのくらいの頻度でしますか。
欧州連合の加盟国はいくつですか？ | 欧州連合の加盟国はいくつ？
"""

DIFFERENT = """
How long is the warranty of model A? | How long is the warranty of model B?
How long is the warranty of the DX-40? | How long is the warranty of the DX-45?
What is the fee for 10 people? | What is the fee for 100 people?
Who approves trips to Japan? | Who approves trips to Korea?
How long is the warranty? | How long is the warranty of the battery?
When does probation start? | When does probation end?
What is the minimum file size? | What is the maximum file size?
What happens before the audit? | What happens after the audit?
When was the bridge built? | Where was the bridge built?
What is the salary of a plumber? | What is the salary of an electrician?
What is covered by the warranty? | What is not covered by the warranty?
How much does a replacement badge cost? | How long does a replacement badge take?
How do I add a printer? | How do I remove a printer?
How often is the filter cleaned? | How often is the nozzle cleaned?
A型の保証期間は何年ですか。 | B型の保証期間は何年ですか。
会議室には10人入れますか。 | 会議室には100人入れますか。
「すみれ」の定員は何名ですか。 | 「かえで」の定員は何名ですか。
HK-500の保証期間は何年ですか。 | HK-700の保証期間は何年ですか。
最大の容量は何GBですか。 | 最小の容量は何GBですか。
申請はいつまでに行いますか。 | 申請はどこで行いますか。
保証の対象になるものは何ですか。 | 保証の対象にならないものは何ですか。
結婚祝金はいくらですか。 | 出産祝金はいくらですか。
集じんフィルターの交換の目安は何年ですか。 | 脱臭フィルターの交換の目安は何年ですか。
電源を入れるにはどうすればよいですか。 | 電源を切るにはどうすればよいですか。
東京駅の営業時間は何時からですか。 | 大阪駅の営業時間は何時からですか。
会議室を予約する方法を教えてください。 | 会議室の予約を取り消す方法を教えてください。
入社日に有給休暇は何日付与されますか。 | 入社6か月後に有給休暇は何日付与されますか。
E01は何を表しますか。 | E02は何を表しますか。
"""


def pairs(table: str) -> list[tuple[str, ...]]:
    """The pairs of a table."""
    return [tuple(line.split(" | ")) for line in table.strip().splitlines()]


async def nearest(first, second):
    """The nearest question to the second, if only the first is known."""
    known = KnownQuestions()
    await known.add("first", *first)
    return await known.nearest(*second)


@pytest.mark.parametrize(("first", "second"), pairs(SAME))
async def test_the_same_in_other_words_is_found(first, second):
    """In either order; the similarity is high."""
    for one, other in ((first, second), (second, first)):
        near = await nearest((one,), (other,))
        assert near is not None
        assert near.id == "first"
        assert 0.85 <= near.similarity <= 1


@pytest.mark.parametrize(("first", "second"), pairs(DIFFERENT))
async def test_what_differs_in_a_name_a_number_or_the_thing_asked_for_is_new(first, second):
    """However many words two questions share."""
    assert await nearest((first,), (second,)) is None
    assert await nearest((second,), (first,)) is None


async def test_equal_short_answers_make_similar_questions_the_same_and_other_answers_keep_them_apart():
    """Two years and three years are the answers to different questions, or one of them is wrong."""
    first, second = "When is season 4 of the Flash out?", "When does the Flash season 4 come out?"
    assert await nearest((first, "10 October 2017"), (second, "10 October 2017")) is not None
    assert await nearest((first, "10 October 2017"), (second, "27 February 2018")) is None


async def test_the_nearest_of_many_is_returned():
    """Of a family that differs in a number, only the same one is near."""
    known = KnownQuestions()
    await known.add_all([(f"q{n}", f"What is the fee for {n} people?", "") for n in range(5_000)])
    near = await known.nearest("What is the fee for 4,711 people?")
    assert near is not None
    assert (near.id, len(known)) == ("q4711", 5_000)
    assert await known.nearest("What is the fee for 9999 people?") is None


async def test_questions_of_people_are_not_called_duplicates():
    """The demo's questions ask different things."""
    known = KnownQuestions()
    for one in demo_questions():
        assert (await known.check(SetItem(one.id, one.question, one.reference))).passed
        await known.add(one.id, one.question, one.reference)


async def test_follow_ups_are_compared_with_what_was_said_before():
    """*And for part-timers?* is new after another question, and known after the same one."""

    def item(identity, before):
        return SetItem(identity, "And for part-timers?", "It depends.", "follow_up", history=(Turn(before, "5."),))

    known = KnownQuestions()
    await known.add_item(item("a", "How many days of annual leave do employees get?"))
    assert (await known.check(item("b", "How long is the notice period?"))).passed
    found = await known.check(item("c", "How many days of annual leave does an employee get?"))
    assert (found.passed, found.details["id"]) == (False, "a")
    assert "a" in found.reason


class MeaningEmbedder:
    """Knows that a refund is a reimbursement."""

    name = "meaning"

    async def embed(self, texts):
        """Return the same vector for both."""
        return Embeddings(
            np.array([[1, 0] if "fund" in text or "burse" in text else [0, 1] for text in texts], np.float32)
        )

    async def close(self):
        """Hold nothing."""


async def test_an_embedder_of_meaning_finds_other_words_but_no_other_name():
    """Vectors decide where no word does; a number or a name still keeps questions apart."""
    known = KnownQuestions(MeaningEmbedder())
    await known.add("a", "How do I get a refund?")
    near = await known.nearest("How am I reimbursed?")
    assert near is not None
    assert near.similarity == pytest.approx(1)
    assert await known.nearest("How am I reimbursed in Japan?") is None
    assert await known.nearest("How do I enter the building?") is None
    assert await KnownQuestions().nearest("How am I reimbursed?") is None


@settings(max_examples=60)
@given(st.text(max_size=80), st.text(max_size=80))
async def test_every_question_is_the_same_as_itself(one, other):
    """Whatever is written, nothing fails, and equal questions have the similarity 1."""
    near = await nearest((one,), (one,))
    assert near is not None
    assert near.similarity == 1
    found = await nearest((one,), (other,))
    assert found is None or 0.85 <= found.similarity <= 1.0001
