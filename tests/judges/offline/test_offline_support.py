import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.judges.offline import Calibration, CalibrationFigure, OfflineJudge
from saiten.tasks.statements import ClassifyStatements, VerifyStatements

ENGLISH = (
    "The plant in Osaka opened on 3 May 1998 with 1,200 workers. It does not make engines.",
    "Marie Curie won the Nobel Prize in Physics in 1903. She was born in Warsaw.\r\n\r\nTurnover: 1.2 million yen.",
)
JAPANESE = (
    "大阪工場は1998年5月3日に開業し、従業員は千二百人である。エンジンは製造していない。",
    "有給休暇は入社後６か月で10日付与される。\r\n規程は山田太郎氏が改定した。売上は3億5000万円である。",
)

YES, NO, UNCLEAR = "yes", "no", "unclear"
TABLE = [
    ("The Osaka plant opened in May 1998.", "en", YES, ("100 % of the content words in the best sentence",), ("check",)),
    ("The Osaka plant opened with 1200 workers.", "en", YES, (), ("number",)),
    ("The Osaka plant opened with 3,000 workers in 1997.", "en", NO, ("number 3,000, 1997 in no context", "has 3,000 workers in the place of 1,200 workers"), ()),
    ("The turnover: 1,200,000 yen.", "en", None, (), ("number",)),
    ("In 12 strikes Toyota closed the Kyoto factory.", "en", NO, ("to check", "name Toyota, Kyoto", "number 12"), ()),
    ("Marie Curie was born in Warsaw.", "en", UNCLEAR, ("50 %",), ("name",)),
    ("Marie Curie won the Nobel Prize.", "en", YES, (), ("name",)),
    ("The plant in Osaka does make engines.", "en", None, ("% of the content words",), ("name",)),
    ("The plant makes engines.", "en", None, ("negation differs",), ()),
    ("Bananas are yellow fruit.", "en", NO, ("to check: 0 % of the content words",), ()),
    ("Yes, it is.", "en", UNCLEAR, ("no content words",), ()),
    ("…", "en", UNCLEAR, ("no content words",), ()),
    ("大阪工場の従業員は1,200人です。", "ja", YES, ("内容語の",), ("数値", "要確認")),
    ("大阪工場の従業員は１２００人です。", "ja", YES, (), ("数値",)),
    ("大阪工場の従業員は3,000人です。", "ja", NO, ("要確認", "数値 3,000 がどのコンテキストにもない", "のところが 3,000人 になっている"), ()),
    ("売上は35000万円である。", "ja", YES, (), ("数値",)),
    ("名古屋市のトヨタ工場は閉鎖された。", "ja", NO, ("要確認", "名称 トヨタ、名古屋市 がどのコンテキストにもない"), ()),
    ("エンジンを製造している。", "ja", YES, ("否定の有無が異なる",), ()),
    ("有給休暇は6か月で10日付与される。", "ja", YES, (), ("数値", "否定")),
    ("バナナは黄色い果物である。", "ja", NO, ("内容語の 0 %",), ()),
    ("はい。", "ja", UNCLEAR, ("比べられる",), ()),
]  # fmt: skip


async def verify(statements, contexts, language, judge=None):
    """The verdicts on the statements."""
    task = VerifyStatements(tuple(statements), tuple(contexts), language=language)
    return (await (judge or OfflineJudge()).perform(task)).verdicts


LODGING = "宿泊費は実費を支給し、上限は東京23区と大阪市が13,000円、その他の地域が10,000円です。"
DINNERS = "接待飲食費は1人あたり税込10,000円までとし、事前に部長の承認を得てください。"


@pytest.mark.parametrize(("contexts", "statement", "supported", "unclear", "said"), [
    ((DINNERS,), "接待飲食費は1人あたり税込13,000円までです。", False, False, "10,000円 のところが 13,000円 になっている"),
    ((DINNERS,), "接待飲食費は1人あたり税込1万3千円までです。", False, False, "10,000円 のところが 1万3千円 になっている"),
    ((DINNERS, "社員は13,000人です。"), "接待飲食費は1人あたり税込13,000円までです。", False, False, "になっている"),
    ((DINNERS,), "接待飲食費は1人あたり税込一万円までです。", True, True, "内容語の"),
    ((LODGING,), "宿泊費の上限は13,000円です。", False, True, "同じ文には 10,000円 もあり"),
    ((LODGING,), "宿泊費の上限は東京23区と大阪市が13,000円です。", True, False, "内容語の"),
    (("待機時の消費電力は3ワット、スリープ時は0.8ワットです。",), "待機時は3ワットです。", True, False, "内容語の"),
    (("給湯温度は35度から60度まで設定できます。",), "60度までです。", True, False, "内容語の"),
    (("給紙カセットには250枚、手差しトレイには50枚まで入ります。",), "250枚まで入ります。", True, False, "内容語の"),
])  # fmt: skip
async def test_numbers_count_with_their_units(contexts, statement, supported, unclear, said):
    """A number that the contexts have only for something else, or not at all, gives no support; the reason says so."""
    (verdict,) = await verify([statement], contexts, "ja")
    assert (verdict.verdict, verdict.unclear) == (supported, unclear)
    assert said in verdict.reason


@pytest.mark.parametrize(("statement", "language", "outcome", "holds", "lacks"), TABLE)
async def test_table(statement, language, outcome, holds, lacks):
    """The verdict follows from shared words, numbers and names, and its reason names what is missing."""
    (verdict,) = await verify([statement], JAPANESE if language == "ja" else ENGLISH, language)
    assert outcome in (None, UNCLEAR if verdict.unclear else YES if verdict.verdict else NO)
    assert all(part in verdict.reason for part in holds)
    assert not any(part in verdict.reason for part in lacks)


@pytest.mark.parametrize(("statement", "contexts", "language", "evidence"), [
    ("She was born in Warsaw.", ENGLISH, "en", (1, "She was born in Warsaw.")),
    ("規程は山田太郎氏が改定した。", JAPANESE, "ja", (1, "規程は山田太郎氏が改定した。")),
    ("It does not make engines.", ENGLISH, "en", (0, "It does not make engines.")),
])  # fmt: skip
async def test_evidence(statement, contexts, language, evidence):
    """The evidence is the best sentence, given by the index of its context and its position there."""
    (verdict,) = await verify([statement], contexts, language)
    ((context, start, end),) = verdict.evidence
    assert (context, contexts[context][start:end]) == evidence


async def test_the_formula():
    """P is the documented formula: here coverage 1, characters 1, and nothing missing, so sigmoid(-1.7 + 2.5 + 1.2)."""
    (verdict,) = await verify(["the cat sleeps"], ["the cat sleeps"], "en")
    assert verdict.p == pytest.approx(0.8807970779778823, abs=1e-15)
    (nothing,) = await verify(["purple quokkas"], ["the cat sleeps"], "en")
    assert nothing.p == pytest.approx(0.127892519, abs=1e-9)  # sigmoid(-1.7 - 0.2 ln 3)


@pytest.mark.parametrize("contexts", [(), ("",), ("\n",)])
async def test_no_contexts(contexts):
    """Without text nothing is supported."""
    (verdict,) = await verify(["The cat sleeps."], contexts, "en")
    assert not verdict.verdict
    assert verdict.p < 0.25
    assert verdict.evidence == ()


async def test_the_wrong_language():
    """Japanese taken for English, and English taken for Japanese, is judged all the same: never silently 0."""
    japanese = await verify(["大阪工場は1998年に開業した。"], JAPANESE, "en")
    english = await verify(["The plant in Osaka opened in 1998."], ENGLISH, "ja")
    assert [verdict.verdict for verdict in (*japanese, *english)] == [True, True]


WORDS = st.lists(
    st.sampled_from(["plant", "Osaka", "1,200", "opened", "名古屋", "工場", "three", "Tokyo", "は"]),
    min_size=1,
    max_size=8,
)


@given(WORDS.map(" ".join), st.permutations([*ENGLISH, *JAPANESE]))
def test_order_of_contexts(statement, contexts):
    """The order of the contexts changes neither p nor verdict, to the last bit."""
    runs = [_perform(statement, given) for given in (contexts, [*ENGLISH, *JAPANESE])]
    assert runs[0].p == runs[1].p
    assert runs[0].verdict == runs[1].verdict


@given(WORDS.map(" ".join), st.sampled_from(["  ", "\n", "\t", "　"]))
def test_white_space(statement, blank):
    """White space around the statement, or more of it between words, changes nothing."""
    wide = blank + statement.replace(" ", blank) + blank
    assert _perform(wide, ENGLISH).p == _perform(statement, ENGLISH).p


@given(WORDS.map(" ".join))
def test_a_copy_is_supported_best(statement):
    """No contexts support a statement better than a copy of it, and a copy is never marked for checking."""
    copy, other = _perform(statement, (statement,)), _perform(statement, ENGLISH)
    assert copy.p is None or other.p <= copy.p + 1e-12
    assert copy.p is None or copy.verdict


def _perform(statement, contexts):
    task = VerifyStatements((statement,), tuple(contexts), language="en")
    coroutine = OfflineJudge().perform(task)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value.verdicts[0]
    raise AssertionError("the offline judge waits for nothing")


async def test_classify():
    """Answer and reference are compared both ways; the reasons name the other side."""
    task = ClassifyStatements(
        "When did the plant open?",
        ("The plant opened in 1998.", "It has 5 cats."),
        ("The plant opened in 1998.", "It employs 1,200 people in Osaka."),
        language="en",
    )
    reply = await OfflineJudge().perform(task)
    assert [verdict.verdict for verdict in reply.answer] == [True, False]
    assert [verdict.verdict for verdict in reply.reference] == [True, False]
    assert "number 5 not in the reference" in reply.answer[1].reason
    assert "number 1,200 not in the answer" in reply.reference[1].reason


async def test_calibrated_verdicts():
    """A calibration moves p, and with it verdict and band; the same statement then gets another verdict."""
    judge = OfflineJudge()
    (plain,) = await verify(["The plant in Osaka makes tyres and rubber."], ENGLISH, "en")
    measured = CalibrationFigure(0.7, 0.6, 0.8)
    made = Calibration("support", 50, 3.0, 1.0, "abc", judge.constants.digest, "balanced accuracy", measured, measured)
    (moved,) = await verify(
        ["The plant in Osaka makes tyres and rubber."], ENGLISH, "en", OfflineJudge(calibration=(made,))
    )
    assert plain.p < 0.5
    assert moved.p > 0.7
    assert (plain.verdict, moved.verdict) == (False, True)
    assert made.threshold == pytest.approx(0.04743, abs=1e-5)


async def test_long_contexts_are_read_in_full():
    """Beyond the limit of sentences neighbors are merged, so a sentence at the far end is still found."""
    context = "Filler of no use. " * 30_000 + "Quokkas live on Rottnest."
    (verdict,) = await verify(["Quokkas live on Rottnest."], [context], "en")
    assert verdict.verdict
    ((_, start, end),) = verdict.evidence
    assert "Quokkas live on Rottnest." in context[start:end]


async def test_too_long_contexts():
    """What lies beyond two million characters is not read, and the reason says so."""
    (verdict,) = await verify(["Quokkas live on Rottnest."], ["x " * 1_100_000 + "Quokkas live on Rottnest."], "en")
    assert not verdict.verdict
    assert "too long" in verdict.reason
