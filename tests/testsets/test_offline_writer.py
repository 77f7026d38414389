"""Questions without a model: what sentences give which question, and what the writer promises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saiten.demo.samples import corpus
from saiten.rag.knowledge.chunking import cut
from saiten.testsets.drafting import NothingToAsk
from saiten.testsets.items import SetPassage
from saiten.testsets.offline.statements import statements_in
from saiten.testsets.offline.writer import OFFLINE_KINDS, OfflineWriter
from saiten.testsets.plan.slots import Slot
from saiten.text.language import detect_language


def slot(text: str, language=None, number=1, **fields) -> Slot:
    """A slot for one passage."""
    language = language or detect_language(text)
    passages = (SetPassage(text, "rules.md", 0, len(text)),)
    return Slot(
        **(
            {
                "id": f"single-{number}",
                "kind": "single",
                "passages": passages,
                "language": language,
                "difficulty": "easy",
            }
            | fields
        )
    )


def questions(text: str, language=None) -> list[str]:
    """All questions that are not cloze texts."""
    found = OfflineWriter().candidates(slot(text, language))
    return [item.question for item in found if item.made["form"] != "cloze"]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("Laptops are replaced every 4 years.", "How often are laptops replaced?"),
        ("Probation lasts 6 months.", "How long does probation last?"),
        ("The laboratory doors are locked at 19:00.", "At what time are the laboratory doors locked?"),
        ("Passwords have at least 14 characters.", "At least how many characters do passwords have?"),
        ("Hotels are reimbursed up to £130 per night.", "Up to what amount are hotels reimbursed per night?"),
        ("The inlet hose is 1.5 m long and can be extended.", "How long is the inlet hose?"),
        ("Visitors may park for up to 2 hours.", "For how long may visitors park?"),
        ("Up to 5 unused days are carried over.", "How many unused days are carried over?"),
        (
            "During probation the notice period is 2 weeks on either side.",
            "What is the notice period on either side during probation?",
        ),
        (
            "After probation, employees may work from home on up to 3 days a week, as agreed.",
            "On up to how many days a week may employees work from home after probation?",
        ),
        ("The company paid £250 for a desk in March.", "How much did the company pay for a desk in March?"),
        ("E7 means that the door is not closed.", "What does E7 mean?"),
        ("A morpheme is the smallest grammatical unit in a language.", "What is a morpheme?"),
        ("If you smell burning, pull the plug and leave.", "What should you do if you smell burning?"),
        ("To switch on the child lock, hold Delay for 3 seconds.", "How do you switch on the child lock?"),
        ("A receipt is needed for every item of £10 or more.", "What is needed for every item of £10 or more?"),
        ("Votes are refused, because all would be equal.", "Why are votes refused?"),
    ],
)
def test_english_sentences_become_questions(sentence, question):
    """The thing asked for moves to the front, with its preposition and the auxiliary."""
    assert question in questions(sentence)


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("会議室は30日前から予約でき、1回の利用は最長2時間です。", "会議室は何日前から予約できますか。"),
        ("保証期間はお買い上げの日から1年間です。", "保証期間はお買い上げの日から何年間ですか。"),
        ("結婚祝金は3万円、出産祝金は子1人につき2万円です。", "結婚祝金はいくらですか。"),
        (
            "仮払いを希望する方は、出発の5営業日前までに経理課へ申し出てください。",
            "仮払いを希望する方は、出発の何営業日前までに経理課へ申し出る必要がありますか。",
        ),
        (
            "背面のプレフィルターは2週間に1回、掃除機でホコリを吸い取ってください。",
            "背面のプレフィルターはどのくらいの頻度で掃除機でホコリを吸い取る必要がありますか。",
        ),
        ("タンクの容量は、HK-700が4.0L、HK-500が2.8Lです。", "タンクの容量は、HK-500が何Lですか。"),
        (
            "チャイルドロックは、「タイマー」ボタンを3秒以上押し続けると設定されます。",
            "チャイルドロックは、どのボタンを3秒以上押し続けると設定されますか。",
        ),
        ("パスワードは12文字以上とし、他のサービスと同じものを使わないでください。", "パスワードは何文字以上ですか。"),
        ("ヴァルナ空港は2011年に1,181,830人の旅客を扱った。", "ヴァルナ空港は2011年に何人の旅客を扱いましたか。"),
        (
            "ストックホルム市庁舎は、スウェーデンの首都ストックホルムの市庁舎である。",
            "ストックホルム市庁舎とは何ですか。",
        ),
        (
            "不審なメールが届いたら、開かずに「通報」ボタンを押してください。",
            "不審なメールが届いたら、どうすればよいですか。",
        ),
        ("税込3,000円以上の支払いには領収書が必要です。", "税込3,000円以上の支払いには何が必要ですか。"),
        (
            "酸っぱいにおいがするのは、フィルターのにおいが湿気で出てくるためです。",
            "酸っぱいにおいがするのはなぜですか。",
        ),
    ],
)
def test_japanese_sentences_become_questions(sentence, question):
    """What is asked for is replaced in its place, and the predicate becomes a polite question."""
    assert question in questions(sentence)


def test_a_heading_says_what_a_general_topic_belongs_to():
    """申請 alone could be any application."""
    text = "## 1. 有給休暇\n\n申請は勤怠システム「ホシナビ」で前日の17時までに行ってください。"
    assert "有給休暇の申請は勤怠システム「ホシナビ」で前日の何時までに行う必要がありますか。" in questions(text)
    assert questions("申請は前日の17時までに行ってください。") == []


@pytest.mark.parametrize(
    "text",
    [
        "It lasts 6 months.",
        "They are replaced every 4 years.",
        "Those days may be taken until 30 June.",
        "それは2年間です。",
        "その期限は30日前です。",
        "以降は毎年4月1日にまとめて付与します。",
        "以前より早く届くことが5回ありました。",
    ],
)
def test_a_sentence_that_refers_to_others_gives_no_question(text):
    """Its question would not be clear by itself."""
    assert questions(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "| Plan | 5 days |\n|---|---|\n| A | 3 days |",
        "```\nLaptops are replaced every 4 years.\n```",
        "![A picture of 5 cats sleeping on the mat.](cat.png)",
        "How many days are left in 4 years?",
        "- 5 days\n- 3 weeks\n",
        "2・4・8時間から選べます。",
        "",
        "\n\n",
    ],
)
def test_what_is_no_sentence_gives_nothing(text):
    """Code, tables, pictures, questions and fragments are left out."""
    assert OfflineWriter().candidates(slot(text)) == []


def test_a_heading_that_is_a_question_is_asked_as_it_is():
    """As in lists of frequent questions; the paragraph below is the reference."""
    text = "# Help\n\n## 3. How do I reset the lock?\n\nHold both keys for 5 seconds.\nThe lamp goes out.\n\nMore text."
    item = OfflineWriter().candidates(slot(text))[0]
    assert (item.question, item.reference) == (
        "How do I reset the lock?",
        "Hold both keys for 5 seconds. The lamp goes out.",
    )
    assert item.made == {"by": "offline", "form": "heading"}


def test_cloze_texts_come_last_and_say_where_they_are_from():
    """For sentences that no rule can ask about; nothing for sentences that say too little."""
    text = (
        "Laptops are replaced every 4 years. "
        "Partners of a mother who has given birth, and adoptive parents, receive 4 weeks of leave at full pay."
    )
    first, second = OfflineWriter().candidates(slot(text))
    assert first.question == "How often are laptops replaced?"
    assert second.question.startswith("Complete the statement from rules.md: “Partners of a mother")
    assert "receive ____ of leave" in second.question
    assert "4 weeks" in second.reference


async def test_a_passage_that_is_taken_again_gives_another_question():
    """Until it has no more; the plan may grow, and tells what earlier slots took, also after an interruption."""
    text = "Laptops are replaced every 4 years. Probation lasts 6 months."
    plan = {f"single-{n}": slot(text, number=n) for n in (1, 2, 3)}
    writer = OfflineWriter(plan)
    last = (await writer.write(plan["single-2"])).item
    first = (await OfflineWriter(plan).write(plan["single-1"])).item
    assert {first.question, last.question} == {"How often are laptops replaced?", "How long does probation last?"}
    assert (first.id, last.id) == ("single-1", "single-2")
    with pytest.raises(NothingToAsk, match="2 questions"):
        await writer.write(plan["single-3"])
    plan["single-4"] = slot("The inlet hose is 1.5 m long.", number=4)
    assert (await writer.write(plan["single-4"])).item.question == "How long is the inlet hose?"


@pytest.mark.parametrize(
    ("a_slot", "reason"),
    [
        (slot("Laptops are replaced every 4 years.", kind="comparison"), "comparison"),
        (slot("Laptops are replaced every 4 years.", "ja"), "another language"),
        (slot("Nothing at all here."), "no rule"),
        (slot("x", passages=()), "no rule"),
    ],
)
async def test_the_reason_is_said_if_nothing_can_be_asked(a_slot, reason):
    """The kind, the language, or the passage is in the way."""
    with pytest.raises(NothingToAsk, match=reason):
        await OfflineWriter().write(a_slot)
    assert a_slot.kind in OFFLINE_KINDS or a_slot.kind == "comparison"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_demo_corpus_gives_questions_all_over(language):
    """Nearly every passage gives one, its reference is the marked sentence, and the marks are in the passage."""
    chunks = [chunk for path in sorted(corpus(language).glob("*.md")) for chunk in cut(path.read_text("utf-8"), 800)]
    found = [OfflineWriter().candidates(slot(chunk.text, language)) for chunk in chunks]
    assert sum(map(bool, found)) >= 0.9 * len(chunks)
    for item in (item for items in found for item in items):
        ((start, end),) = item.passages[0].quotes
        assert item.passages[0].text[start:end].replace("\n", " ").replace("**", "") == item.reference
        assert item.language == language
        assert item.kind == "single"


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(
            ["# 見出し\n", "会議室は", "30日", "前から", "予約でき、", "です。", "。", "「", "」", "3万円", "、", "てください。", "ため", "のは",
             "The ", "hose ", "is ", "5 days ", "long", ". ", "for ", "up to ", "£5 ", ", and ", "If ", "\n", "has ", "to ", "of "]
        ),
        max_size=20,
    ).map("".join),
    st.sampled_from(["en", "ja"]),
)  # fmt: skip
def test_any_text_is_read_without_fail_and_alike_each_time(text, language):
    """Marks slice to visible text in the passage, and the same passage gives the same items."""
    for statement in statements_in(text, language):
        assert text[statement.start : statement.end].strip()
    items = OfflineWriter().candidates(slot(text, language))
    assert items == OfflineWriter().candidates(slot(text, language))
    for item in items:
        ((start, end),) = item.passages[0].quotes
        assert 0 <= start < end <= len(text)
