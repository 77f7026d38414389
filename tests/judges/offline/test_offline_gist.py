"""Gist without a model: clauses, marks of supplements, and overlap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.judges.offline import OfflineJudge
from saiten.tasks.gist import FindMissingAndExtra, SplitGist
from saiten.text.sentences import split_clauses


@pytest.mark.parametrize(
    ("language", "question", "reference", "gist", "supplement"),
    [
        (
            "ja",
            "旅費はいつまでに申請しますか。",
            "旅費は翌月10日までに申請します。なお、用紙は経理課にあります。例えば、タクシー代も申請できます。",
            ["旅費は翌月10日までに申請します。"],
            ["なお、用紙は経理課にあります。", "例えば、タクシー代も申請できます。"],
        ),
        (
            "ja",
            "鍵は誰に返しますか。",
            "鍵は総務課の窓口に返却してください（夜間は守衛室の箱に入れておいてください）。",
            ["鍵は総務課の窓口に返却してください"],
            ["（夜間は守衛室の箱に入れておいてください）。"],
        ),
        (
            "en",
            "By when are expenses claimed?",
            "Expenses are claimed by the 10th, because the books are closed then. For example, taxis count as expenses.",
            ["Expenses are claimed by the 10th,", "because the books are closed then."],
            ["For example, taxis count as expenses."],
        ),
        ("en", "Why?", "For example, because of the rain.", ["For example, because of the rain."], []),
    ],
)
async def test_a_reference_is_split_by_clauses_and_marks(language, question, reference, gist, supplement):
    """Text that opens with 例えば, なお, *for example* or is in brackets is a supplement; some text is the gist."""
    reply = await OfflineJudge().perform(SplitGist(question, reference, language=language))
    assert (reply.gist, reply.supplement) == (gist, supplement)


@pytest.mark.parametrize(
    ("language", "answer", "gist", "found"),
    [
        ("ja", "旅費は翌月10日までに申請します。", "旅費は翌月10日までに申請します。", ([], [], [])),
        (
            "ja",
            "保証期間は2年です。例えば、電池も対象に含まれます。",
            "旅費は翌月10日までに申請します。",
            ([1], ["保証期間は2年です。"], ["例えば、電池も対象に含まれます。"]),
        ),
        ("ja", "申し訳ありませんが、分かりません。", "旅費は翌月10日までに申請します。", ([1], [], [])),
        ("en", "Hello! The fee is 5 euros.", "The fee is 5 euros.", ([], [], [])),
        (
            "en",
            "The castle was built in 1402 by monks.",
            "The fee is 5 euros.",
            ([1], ["The castle was built in 1402 by monks."], []),
        ),
        ("en", "Yes.", "Yes.", ([], [], [])),
        ("en", "No.", "Yes.", ([1], [], [])),
    ],
)
async def test_overlap_says_what_is_missing_and_extra(language, answer, gist, found):
    """The same words are present, others are not; greetings and refusals add nothing."""
    reply = await OfflineJudge().perform(FindMissingAndExtra("?", answer, (gist,), (), language=language))
    assert (reply.missing_gist, reply.extra_gist, reply.extra_supplement) == found


@given(st.text("ab 漢字かな、。；;（）() \r\nがので😀e\u0301", max_size=80), st.sampled_from(["ja", "en"]))
def test_clauses_leave_nothing_out(text, language):
    """Each has its position, and only white space lies between them."""
    reached = 0
    for clause in split_clauses(text, language):
        assert text[clause.start : clause.end] == clause.text
        assert not text[reached : clause.start].strip()
        reached = clause.end
    assert not text[reached:].strip()


@pytest.mark.parametrize(
    "text",
    ["、" * 20_000, "（" * 20_000, "(a" * 20_000, "が、" * 20_000, "; " * 20_000, " " * 50_000, f"a{' ' * 50_000}b"],
)
def test_clauses_of_rubbish_take_no_time(text):
    """An unclosed bracket is searched for once, not from every other one."""
    for language in ("ja", "en"):
        assert len(split_clauses(text, language)) < len(text)
