"""Contradictions between references without a model: what words can show, and nothing else."""

import pytest

from saiten.judges.offline import OfflineJudge
from saiten.judges.panel import Panel
from saiten.judges.scripted import ScriptedJudge
from saiten.records import Language
from saiten.tasks.contradiction import Contradiction, FindContradiction

OPENED = "When was the bridge opened?"
CONTRADICTORY = {
    "another year": ("en", OPENED, "It was opened in 1998.", OPENED, "In 2001."),
    "another date": ("en", OPENED, "On 15 March 1998.", OPENED, "On 2 May 1998."),
    "another amount": ("en", "What does a ticket cost?", "8 euros.", "What does a ticket cost?", "A ticket costs 9 euros."),
    "a number without a unit": ("en", "Which port does it use?", "Port 443.", "Which port does it use?", "Port 8443."),
    "another name": ("en", "Who wrote it?", "It was written by Ada Moreau.", "Who wrote it?", "It was written by Ben Okri."),
    "yes and no": ("en", "May dogs enter?", "Yes, on a lead.", "May dogs enter?", "No."),
    "one denies it": ("en", "What about trucks?", "Trucks may use the tunnel.", "What about trucks?", "Trucks may not use the tunnel."),
    "one declines": ("en", "Where is it?", "On the second floor.", "Where is it?", "The documents do not mention where it is."),
    "nothing in common": ("en", "Where is it held?", "Lisbon", "Where is it held?", "Oslo"),
    "別の年": ("ja", "橋はいつ開通しましたか。", "1998年です。", "橋はいつ開通しましたか？", "2001年に開通しました。"),
    "別の金額": ("ja", "一日券はいくらですか。", "800円です。", "一日券の料金はいくらですか。", "900円です。"),
    "別の名前": ("ja", "課長は誰ですか。", "課長は加藤氏です。", "課長は誰ですか。", "課長は長谷川氏です。"),
    "可否": ("ja", "犬は入れますか。", "はい、入れます。", "犬は入れますか。", "いいえ、入れません。"),
    "片方だけ否定": ("ja", "夜間の通行について教えてください。", "夜間は通行できます。", "夜間の通行について教えてください。", "夜間は通行できません。"),
    "片方だけ回答なし": ("ja", "窓口はどこですか。", "2階です。", "窓口はどこですか。", "窓口の場所は文書に記載されていません。"),
}  # fmt: skip
COMPATIBLE = {
    "the same in other words": ("en", OPENED, "It was opened in 1998.", OPENED, "In the year 1998."),
    "a sum": ("en", "How many rooms are there?", "2 large rooms and 1 small room.", "How many rooms are there?", "3 rooms."),
    "another bridge": ("en", "When was bridge A opened?", "In 1998.", "When was bridge B opened?", "In 2001."),
    "another year asked about": ("en", "How many came in 2019?", "410.", "How many came in 2021?", "120."),
    "another thing asked": ("en", "When was the hall closed?", "In 2016.", "Why was the hall closed?", "Because of 3 leaks."),
    "opposite things asked": ("en", "What is the minimum age?", "6 years.", "What is the maximum age?", "12 years."),
    "one says more": ("en", OPENED, "It was opened in 1998.", OPENED, "It was opened in April 1998, after 7 years of work."),
    "the negation of the question": ("en", "Why is it not open?", "Because it rains.", "Why is it not open?", "It is not open, because it rains."),
    "units that differ": ("en", "How long is it?", "3 hours.", "How long is it?", "180 minutes."),
    "言い方が違う": ("ja", "橋はいつ開通しましたか。", "1998年です。", "橋はいつ開通しましたか。", "1998年に開通しました。"),
    "漢数字": ("ja", "何人いますか。", "12人です。", "何人いますか。", "十二人です。"),
    "別の系統": ("ja", "A系統の終点はどこですか。", "競技場です。", "B系統の終点はどこですか。", "空港です。"),
    "別の年の質問": ("ja", "2019年の来館者数は何人ですか。", "410人です。", "2021年の来館者数は何人ですか。", "120人です。"),
    "表記の違い": ("ja", "何に使いますか。", "サーバーの設定です。", "何に使いますか。", "サーバの設定です。"),
    "長い文章": ("ja", "特徴は何ですか。", "軽いです。強くありません。安いです。", "特徴は何ですか。", "軽いです。安いです。"),
}  # fmt: skip


async def found(case: tuple[Language, str, str, str, str]) -> Contradiction:
    """What the offline judge says of a case, which is the same in either order."""
    language, *texts = case
    one = await OfflineJudge().perform(FindContradiction(*texts, language=language))
    other = await OfflineJudge().perform(FindContradiction(*texts[2:], *texts[:2], language=language))
    assert one.verdict == other.verdict
    return one


@pytest.mark.parametrize("case", CONTRADICTORY.values(), ids=CONTRADICTORY)
async def test_references_that_differ_in_words_are_found(case):
    """A number, a name, yes or no, a negation, a refusal: the reason says which, in the language of the items."""
    reply = await found(case)
    assert reply.verdict
    assert any("ぁ" <= sign <= "ん" for sign in reply.reason) == (case[0] == "ja")


@pytest.mark.parametrize("case", COMPATIBLE.values(), ids=COMPATIBLE)
async def test_references_that_can_both_be_right_are_left_alone(case):
    """Other words, other things, other conditions: overlap shows no contradiction, and the judge claims none."""
    assert not (await found(case)).verdict


@pytest.mark.parametrize("text", ["", " ", "\u3000", "?", "🙂" * 50, "1" * 5_000, "a " * 20_000, "\x00\ud800"])
async def test_any_text_can_be_compared(text):
    """Empty, long and broken texts are no error."""
    for texts in (("q", text, "q", "r"), (text, "In 1998.", text, "In 2001."), (text,) * 4):
        await OfflineJudge().perform(FindContradiction(*texts, language="en"))


async def test_several_votes_are_merged_by_majority():
    """A panel asks repeatedly; the reason is one of the majority's."""
    votes = [Contradiction(reason=f"r{n}", verdict=verdict) for n, verdict in enumerate((True, False, True))]
    members = tuple(ScriptedJudge({FindContradiction: vote}) for vote in votes)
    merged = await Panel(members).perform(FindContradiction("q", "r", "p", "s", language="en"))
    assert (merged.verdict, merged.reason) == (True, "r0")
    assert merged.p == pytest.approx(2 / 3)
