"""Correctness, grades, critiques, and everything written rather than judged."""

import math

import pytest

from saiten.errors import BadInput, CannotJudge
from saiten.judges.offline import Calibration, CalibrationFigure, OfflineJudge
from saiten.tasks.contexts import JudgeContext, SelectRelevantSentences
from saiten.tasks.correctness import DecideCorrect, DecideCorrectGrounded, GradeAnswer
from saiten.tasks.critique import CritiqueAspect
from saiten.tasks.similarity import WriteQuestions
from saiten.tasks.statements import ListEntities, SplitStatements
from saiten.tasks.summaries import AnswerFromSummary, ExtractKeyphrases, WriteClosedQuestions
from saiten.text.numbers import canonical, claimed_numbers, known_numbers
from saiten.text.quantities import quantities
from saiten.text.words import normalize, stem

JUDGE = OfflineJudge()

DECISIONS = [
    ("Who discovered radium?", "It was Marie Curie.", ("Marie Curie",), "en", True),
    ("Who discovered radium?", "Albert Einstein", ("Marie Curie",), "en", False),
    ("Who discovered radium?", "The Curies did: Marie Curie.", ("nobody", "Marie Curie"), "en", True),
    ("How many workers?", "There are 1200 workers.", ("1,200",), "en", True),
    ("How many workers?", "There are 3000 workers.", ("1,200",), "en", False),
    (
        "How long is leave?",
        "Full-time staff have 28 days of paid annual leave.",
        ("Full-time staff have 26 days of paid annual leave.",),
        "en",
        False,
    ),
    (
        "How long is leave?",
        "Full-time staff have 26 days of paid annual leave, since 1994⁶.",
        ("Full-time staff have 26 days of paid annual leave.",),
        "en",
        True,
    ),
    ("Is it open?", "Yes, it is open.", ("No",), "en", False),
    ("Is it open?", "No.", ("no, it is closed",), "en", True),
    ("Who?", "I don't know.", ("Marie Curie",), "en", False),
    ("Who?", "I don't know.", ("The documents do not mention it.",), "en", True),
    ("Who?", "", ("Marie Curie",), "en", False),
    ("ラジウムの発見者は？", "マリー・キュリーです。", ("マリー・キュリー",), "ja", True),
    ("ラジウムの発見者は？", "アインシュタインです。", ("マリー・キュリー",), "ja", False),
    ("従業員は何人？", "従業員は1,200人です。", ("千二百人（1200人）",), "ja", True),
    ("有給休暇は何日ですか。", "年に12日の有給休暇があります。", ("年に20日の有給休暇があります。",), "ja", False),
    ("営業していますか。", "はい、営業しています。", ("いいえ",), "ja", False),
    ("営業していますか。", "いいえ。", ("いいえ、休業中です。",), "ja", True),
    ("誰？", "わかりません。", ("マリー・キュリー",), "ja", False),
]


@pytest.mark.parametrize(("question", "answer", "references", "language", "correct"), DECISIONS)
async def test_decisions(question, answer, references, language, correct):
    """An answer is correct if it says what one of the references says, and p agrees with the verdict."""
    decision = await JUDGE.perform(DecideCorrect(question, answer, references, language=language))
    assert decision.correct is correct
    assert (decision.p >= 0.5) is correct
    assert decision.explanation.startswith("Judged by overlap alone" if language == "en" else "語の重なりのみ")


async def test_long_references():
    """Against a long reference the F1 of content words decides: sigmoid(-2.2 + 6 F1), 0.98 for a copy."""
    reference = " ".join(f"al{chr(97 + n)}mix" for n in range(26))
    half = " ".join(reference.split()[:13])
    copy = await JUDGE.perform(DecideCorrect("?", reference, (reference,), language="en"))
    part = await JUDGE.perform(DecideCorrect("?", half, (reference,), language="en"))
    assert copy.p == pytest.approx(1 / (1 + math.exp(2.2 - 6)))
    assert part.p == pytest.approx(1 / (1 + math.exp(2.2 - 6 * 26 / 39)))


LODGING = "名古屋での宿泊費の上限はいくらですか。"


@pytest.mark.parametrize(("question", "reference", "right", "wrong", "language"), [
    (LODGING, "東京23区と大阪市以外なので宿泊費の上限は10,000円、日当は1日2,800円です。", "宿泊費の上限は10,000円、日当は2,800円です。", "宿泊費の上限は13,000円、日当は1日2,800円です。", "ja"),
    (LODGING, "宿泊費の上限は１０，０００円です。", "上限は一万円です。", "上限は一万三千円です。", "ja"),
    (LODGING, "宿泊費の上限は1万3千円です。", "宿泊費の上限は13,000円です。", "宿泊費の上限は1万5千円です。", "ja"),
    ("返品の期限はいつですか。", "返品の期限は届いた日から三日以内です。", "届いた日から3日以内です。", "返品の期限は届いた日から五日以内です。", "ja"),
    ("値引き率は。", "値引き率は20パーセントです。", "値引き率は２０％です。", "値引き率は30%です。", "ja"),
    ("How much is the hotel limit?", "The limit for hotels is $1.2 million, and $30 a day for meals.", "The limit for hotels is $1,200,000, with $30 a day for meals.", "The limit for hotels is $1.5 million, and $30 a day for meals.", "en"),
    ("How long is the warranty?", "The warranty lasts 10 years on the motor, 2 years on parts and 3 years on the door.", "The warranty lasts 10 years on the motor, 2 years on parts, 3 years on the door.", "The warranty lasts 12 years on the motor, 2 years on parts and 3 years on the door.", "en"),
    ("When did it open?", "It opened on March 5, 2024.", "It opened on 5 March 2024.", "It opened on March 8, 2024.", "en"),
])  # fmt: skip
async def test_another_number_in_the_place_of_the_references_is_a_mistake(question, reference, right, wrong, language):
    """However well the rest agrees, in any spelling: the same unit with another number is wrong, and named."""
    judged = []
    for answer in (right, wrong):
        decision = await JUDGE.perform(DecideCorrect(question, answer, (reference,), language=language))
        judged.append((decision, await JUDGE.perform(GradeAnswer(question, answer, (reference,), language=language))))
    kept, swapped = judged
    assert kept[0].correct
    assert not swapped[0].correct
    assert swapped[1].grade <= 2 < kept[1].grade
    assert {"ja": "になっている", "en": "in the place of"}[language] in swapped[1].feedback


@pytest.mark.parametrize(("reference", "answer", "language"), [
    ("It was rebuilt in 1912, 1934, 1956, 1978 and 1990.", "It was rebuilt in 1912, 1934, 1956, 1978 and 1995.", "en"),
    ("男性2人と女性1人です。", "合わせて3人です。", "ja"),
    ("会議は3日間、費用は1人5,000円です。", "会議は3日間、参加者は40人、費用は1人5,000円です。", "ja"),
])  # fmt: skip
async def test_what_only_looks_like_another_number_is_left_alone(reference, answer, language):
    """One of many years, a sum, a number of something else: none takes the place of the reference's."""
    feedback = (await JUDGE.perform(GradeAnswer("?", answer, (reference,), language=language))).feedback
    assert "になっている" not in feedback
    assert "in the place of" not in feedback


async def test_grounded():
    """In the grounded form an addition that neither reference nor contexts support is a mistake, and is quoted."""
    question, answer = "Where is the plant?", "It is in Osaka. It was destroyed by Godzilla in 2031."
    plain = await JUDGE.perform(DecideCorrect(question, answer, ("Osaka",), language="en"))
    contexts = ("The plant in Osaka makes tyres.",)
    grounded = await JUDGE.perform(
        DecideCorrectGrounded(question, answer, ("Osaka",), contexts=contexts, language="en")
    )
    more_contexts = ("Godzilla destroyed it in 2031: it was destroyed.", *contexts)
    supported = await JUDGE.perform(
        DecideCorrectGrounded(question, answer, ("Osaka",), contexts=more_contexts, language="en")
    )
    assert (plain.holds, grounded.holds, supported.holds) == (True, False, True)
    assert (grounded.correct, grounded.supported) == (True, False)
    assert "“It was destroyed by Godzilla in 2031.”" in grounded.explanation


@pytest.mark.parametrize(
    ("answer", "reference", "language"),
    [
        ("I don't know.", "The documents do not mention it.", "en"),
        ("I don't know.", "The documents do not say who won it. They only say when it was held.", "en"),
        ("The documents do not say who won it. They say when it was held.", "The documents do not say who won.", "en"),
        ("分かりません。", "文書に記載がありません。", "ja"),
        ("文書からは分かりません。", "勝者は文書に書かれていません。書かれているのは開催日だけです。", "ja"),
    ],
)
async def test_an_answer_that_declines_as_the_reference_does_is_right(answer, reference, language):
    """Nothing can be known, and both say so: that is the best grade, not grade 0."""
    reply = await JUDGE.perform(GradeAnswer("Who won it?", answer, (reference,), language=language))
    assert reply.grade == 5


@pytest.mark.parametrize(
    ("answer", "references", "language", "right"),
    [
        ("A guided tour costs 12 euros.", ["The documents do not say how much a guided tour costs."], "en", False),
        ("It costs 12 euros.", ["This cannot be answered.", "The documents do not mention it."], "en", False),
        ("館内ツアーの料金は500円です。", ["文書には、館内ツアーの料金についての記載がありません。"], "ja", False),
        (
            "Guided tours start at 11:00, and cost 12 euros.",
            ["The documents do not say what a guided tour costs. They only say that tours start at 11:00."],
            "en",
            False,
        ),
        (
            "館内ツアーは11時に始まり、料金は500円です。",
            ["館内ツアーの料金は、文書に書かれていません。書かれているのは、ツアーが11時に始まることだけです。"],
            "ja",
            False,
        ),
        ("Citizens were allowed to vote.", ["unknown", "Citizens were allowed to vote."], "en", True),
        ("On Mondays it is closed.", ["It is not open on Mondays; it is closed then."], "en", True),
    ],
)
async def test_an_answer_is_wrong_where_all_references_say_that_there_is_none(answer, references, language, right):
    """An invented answer shares most words with such a reference; a reference that answers is compared as always."""
    question = "What does a guided tour cost?"
    graded = await JUDGE.perform(GradeAnswer(question, answer, tuple(references), language=language))
    decided = await JUDGE.perform(DecideCorrect(question, answer, tuple(references), language=language))
    assert (graded.grade > 1, decided.correct) == (right, right), (graded, decided)
    if not right:
        assert ("gives one" in decided.explanation) or ("答えている" in decided.explanation)


@pytest.mark.parametrize("references", [(), ("",), (" ",)])
async def test_without_a_reference(references):
    """Without a reference nothing is decided: the judge says that it cannot."""
    with pytest.raises(CannotJudge, match="reference"):
        await JUDGE.perform(DecideCorrect("?", "Paris.", references, language="en"))
    with pytest.raises(CannotJudge, match="reference"):
        await JUDGE.perform(GradeAnswer("?", "Paris.", references, language="en"))


@pytest.mark.parametrize(("answer", "language", "grade", "feedback"), [
    ("Marie Curie won it in 1903.", "en", 5, "not calibrated"),
    ("I don't know.", "en", 0, "declines"),
    ("Albert Einstein, in 1921.", "en", 1, "possibly missing: “Marie Curie in 1903”"),
    ("", "en", 1, "empty"),
    ("記載がありません。", "ja", 0, "断っている"),
    ("アインシュタインです。", "ja", 1, "不足の疑い"),
])  # fmt: skip
async def test_grades(answer, language, grade, feedback):
    """Grades run from 1 to 5 with the probability, 0 is an answer that declines; the feedback names what is missing."""
    reply = await JUDGE.perform(
        GradeAnswer("Who won it, and when?", answer, ("Marie Curie in 1903",), language=language)
    )
    assert reply.grade == grade
    assert feedback in reply.feedback


async def test_calibrated_grades():
    """A calibration of grades replaces 1 + 4 p by its own line, and the feedback no longer calls it uncalibrated."""
    measured = CalibrationFigure(0.7, 0.6, 0.8)
    made = Calibration("grade", 50, 2.0, 1.0, "abc", JUDGE.constants.digest, "mean absolute error", measured, measured)
    task = GradeAnswer("Who?", "Marie Curie", ("Marie Curie",), language="en")
    plain, moved = await JUDGE.perform(task), await OfflineJudge(calibration=(made,)).perform(task)
    assert moved.mean == pytest.approx(2 + (plain.mean - 1) / 4)
    assert moved.grade == 3
    assert "not calibrated" not in moved.feedback


CRITERIA = ["Is the answer harmful?", "Is the answer concise?", "Is the answer incorrect?", "Is it polite?", "回答は有害か。", "回答は誤りか。", "首尾一貫しているか。"]  # fmt: skip


@pytest.mark.parametrize("criterion", CRITERIA)
async def test_criteria_beyond_its_means(criterion):
    """A criterion that overlap says nothing about is not judged: no word list acts as the judge."""
    with pytest.raises(CannotJudge):
        await JUDGE.perform(CritiqueAspect(criterion, "?", "Paris.", ("Paris is a city.",), language="en"))


async def test_the_criterion_within_its_means():
    """Whether an answer is correct by its contexts is judged outside the undecided band, and only with contexts."""
    contexts = ("The plant in Osaka opened in 1998 with 1,200 workers.",)

    async def ask(answer, contexts):
        return await JUDGE.perform(CritiqueAspect("Is the answer correct?", "?", answer, contexts, language="en"))

    assert (await ask("The plant in Osaka opened in 1998.", contexts)).verdict
    assert not (await ask("Bananas from Peru are yellow.", contexts)).verdict
    with pytest.raises(CannotJudge, match="without contexts"):
        await ask("The plant opened.", ())
    with pytest.raises(CannotJudge, match="leaves it open"):
        await ask("The plant opened in Osaka with a big festival.", contexts)
    with pytest.raises(CannotJudge, match="no content words"):
        await ask("Yes.", contexts)


@pytest.mark.parametrize(("text", "language", "statements"), [
    ("Hello! Sure, I'd be happy to help! The plant opened in 1998.", "en", ["The plant opened in 1998."]),
    ("# History\n- It **opened** in 1998.\n2. It [closed](http://x.y).\n---\n```", "en", ["It opened in 1998.", "It closed."]),
    ("The old plant makes tyres; the new plant makes large engines.", "en", ["The old plant makes tyres", "the new plant makes large engines."]),
    ("He came; she left.", "en", ["He came; she left."]),
    ("Based on the provided document, it is red.", "en", ["it is red."]),
    ("According to NASA, the moon is far.", "en", ["According to NASA, the moon is far."]),
    ("I can answer it: Paris.", "en", ["I can answer it: Paris."]),
    ("Paris", "en", ["Paris"]),
    ("ご質問ありがとうございます。工場は大阪にある。お役に立てば幸いです。", "ja", ["工場は大阪にある。"]),
    ("提供された文書によると、工場は大阪にある。\n・従業員は千人。", "ja", ["工場は大阪にある。", "従業員は千人。"]),
    ("こんにちは！", "ja", []),
    ("Sure! The passages do not mention the fare.", "en", []),
    ("Children ride free, and the ferry runs all year. The passages do not mention the fare.", "en", ["Children ride free, and the ferry runs all year.", "The passages do not mention the fare."]),
    ("It is red.\n</answer>\n<b>", "en", ["It is red."]),
    ("青です。ほかにもご不明な点がございましたら、お気軽にお尋ねください。", "ja", ["青です。"]),
    ("その情報は文書にありません。", "ja", []),
    ("---\n***", "en", []),
    ("", "ja", []),
])  # fmt: skip
async def test_statements(text, language, statements):
    """Statements are the sentences and list items without greetings, offers, headings and markup; a refusal has none."""
    reply = await JUDGE.perform(SplitStatements("?", text, language=language))
    assert reply.statements == statements


@pytest.mark.parametrize(("text", "language", "entities"), [
    ("Marie Curie met the University of Tokyo on March 5, 2024 in Paris.", "en", ["Marie Curie", "University of Tokyo", "March 5, 2024", "Paris"]),
    ("It cost $1.2 million, 43 % of it for 5 km. NASA paid. Wine is good.", "en", ["$1.2 million", "43 %", "5 km", "NASA"]),
    ("2024年3月5日、田中太郎氏が大阪市でサイテンを1,200円で買った。", "ja", ["2024年3月5日", "田中太郎氏", "大阪市", "サイテン", "1,200円"]),
    ("東京大学のSaitenは３時間動く。", "ja", ["東京大学", "Saiten", "３時間"]),
    ("nothing here", "en", []),
    ("", "ja", []),
])  # fmt: skip
async def test_entities(text, language, entities):
    """Names, dates and amounts with their units are found by their form, in order and verbatim."""
    assert (await JUDGE.perform(ListEntities(text, language=language))).entities == entities


async def test_contexts():
    """A context is useful if it contains a part of the reference; a short one counts together with the question."""
    useful = JudgeContext("Who won in 1903?", "Marie Curie won the prize in 1903.", "Marie Curie", language="en")
    useless = JudgeContext("Who won in 1903?", "Tyres are made of rubber.", "Marie Curie", language="en")
    assert (await JUDGE.perform(useful)).useful
    assert not (await JUDGE.perform(useless)).useful
    with pytest.raises(CannotJudge):
        await JUDGE.perform(JudgeContext("?", "Tyres.", "…", language="en"))


@pytest.mark.parametrize(
    ("language", "question", "reference", "about_it", "elsewhere"),
    [
        (
            "ja",
            "加湿フィルターの水あかはどのように取りますか。",
            "クエン酸を溶かしたぬるま湯で2時間つけ置きします。",
            "加湿フィルターの水あかは、クエン酸を溶かしたぬるま湯で落ちます。",
            "衣類の黄ばみは、クエン酸を溶かしたぬるま湯で落ちます。",
        ),
        (
            "en",
            "How often must the filter of the pump be cleaned?",
            "Once a month with warm water, in winter every second week.",
            "The filter of the pump is cleaned with warm water in winter, too.",
            "The boots are cleaned with warm water in winter, too.",
        ),
    ],
)
async def test_a_context_about_the_subject_can_serve_the_answer(language, question, reference, about_it, elsewhere):
    """If overlap with the reference is undecided, a sentence about the subject is enough; another side of it is not."""
    near = await JUDGE.perform(JudgeContext(question, about_it, reference, language=language))
    far = await JUDGE.perform(JudgeContext(question, elsewhere, reference, language=language))
    assert near.useful
    assert not far.useful
    assert near.reason[:4] == far.reason[:4] == {"ja": "判定保留", "en": "uncl"}[language]


async def test_relevant_sentences():
    """Sentences with half of the weight of the question's words are selected; without such words none is."""
    sentences = ("有給休暇は10日である。休めるのは半年後から。", "工場は大阪にある。", "有給休暇は何日でも繰り越せる。")
    reply = await JUDGE.perform(SelectRelevantSentences("有給休暇は何日ですか。", sentences, language="ja"))
    assert reply.numbers == [1, 3]
    with pytest.raises(CannotJudge):
        await JUDGE.perform(SelectRelevantSentences("What is it?", sentences, language="en"))


async def test_questions():
    """The answer's statements serve as questions, in turn; a refusal is noncommittal; an empty answer yields none."""
    answer = "The plant opened in 1998. It makes tyres."
    first = await JUDGE.perform(WriteQuestions(answer, 3, language="en"))
    assert first.questions == ["The plant opened in 1998?", "It makes tyres?", "The plant opened in 1998?"]
    assert not first.noncommittal
    second = await JUDGE.perform(WriteQuestions(answer, 1, 1, language="en"))
    assert second.questions == ["It makes tyres?"]
    assert (await JUDGE.perform(WriteQuestions("わかりません。", language="ja"))).noncommittal
    with pytest.raises(CannotJudge):
        await JUDGE.perform(WriteQuestions("", language="ja"))


@pytest.mark.parametrize(("contexts", "summary", "language"), [
    (("The Osaka plant makes tyres. The Osaka plant opened in 1998.",), "The Osaka plant.", "en"),
    (("大阪工場はタイヤを製造する。大阪工場は1998年に開業した。",), "大阪工場である。", "ja"),
])  # fmt: skip
async def test_summaries(contexts, summary, language):
    """Key phrases are in the contexts, each gives one question, and a full summary answers more than a thin one."""
    phrases = (await JUDGE.perform(ExtractKeyphrases(contexts, language=language))).keyphrases
    assert phrases
    assert all(phrase in contexts[0] for phrase in phrases)
    asked = await JUDGE.perform(WriteClosedQuestions(contexts, tuple(phrases), language=language))
    assert len(asked.questions) == len(phrases)
    counts = []
    for text in (contexts[0], summary, ""):
        reply = await JUDGE.perform(AnswerFromSummary(text, tuple(asked.questions), language=language))
        counts.append(sum(verdict.verdict for verdict in reply.verdicts))
    assert counts[0] == len(phrases) > counts[1] > counts[2] == 0


@pytest.mark.parametrize(("text", "known"), [
    ("1,200 people", {"1200"}), ("千二百人", {"1200"}), ("1万2千円", {"12000"}), ("3億5000万円", {"350000000"}),
    ("二〇二四年", {"2024"}), ("二十一", {"21"}), ("twelve men", {"12"}), ("1.2 million", {"1.2", "1200000"}),
    ("3.50 kg", {"3.5"}), ("007", {"7"}), ("2024-03-05", {"2024", "3", "5"}), ("version 3.11.4", {"3.11.4"}),
])  # fmt: skip
def test_numbers_of_sources(text, known):
    """A source's numbers are recognized in every spelling."""
    assert known <= known_numbers(text)


def test_numbers_of_claims():
    """A claim's numbers are those in digits, without the mark of its list item; big ones are read without problems."""
    assert [claim.written for claim in claimed_numbers("2. it cost 1.2 million in 1998")] == ["1.2 million", "1998"]
    assert claimed_numbers("no number, but two words") == []
    assert claimed_numbers("9" * 5_000 + "万")[0].readings
    (claim,) = claimed_numbers("費用は1万3千円です。")
    assert (claim.written, claim.readings) == ("1万3千", {"13000"})


@pytest.mark.parametrize(("text", "found"), [
    ("¥500 or $1.2 million, 43 percent on March 5, 2024 at 8:30", [("500", "円"), ("1.2 million", "$"), ("43 percent", "%"), ("5", "日"), ("2024", "年"), ("8", "時"), ("30", "分")]),
    ("一万円まで、三日以内、数十人、一人で", [("一万円", "円"), ("三日", "日")]),
    ("第3営業日に3,776メートル、２０％", [("3営業日", "営業日"), ("3,776 m", "m"), ("20%", "%")]),
    ("(一次判定)5.5名以上", []),
])  # fmt: skip
def test_quantities_are_numbers_with_what_they_count(text, found):
    """Signs, words, counters, months and clocks are units; a list mark that runs into its text is not a number."""
    assert [(one.written, one.unit) for one in quantities(normalize(text).lower())] == found
    assert canonical("1,000.0") == "1000"


def test_stems():
    """Inflected forms of an English word coincide; short words stay as they are."""
    assert len({stem(word) for word in ("study", "studies", "studied", "studying")}) == 1
    assert len({stem(word) for word in ("make", "makes", "making")}) == 1
    assert (stem("bus"), stem("gas"), stem("it's")) == ("bus", "gas", "it")


def test_saved_calibrations(tmp_path):
    """A calibration is read back from its file unchanged; other files give an error that says what is wrong."""
    made = Calibration(
        "support",
        50,
        -0.5,
        0.9,
        "abc",
        "def",
        "balanced accuracy",
        CalibrationFigure(0.7, 0.6, 0.8),
        CalibrationFigure(0.75, None, None),
    )
    file = tmp_path / "calibration.json"
    made.save(file)
    assert Calibration.load(file) == made
    with pytest.raises(BadInput, match="cannot be read"):
        Calibration.load(tmp_path / "none.json")
    for bad in ("", "[]", "{}", '{"aspect": 1}', "\x00", "nul"):
        file.write_text(bad)
        with pytest.raises(BadInput, match="no calibration"):
            Calibration.load(file)
    made.save(file)
    file.write_text(file.read_text().replace("0.9", "-0.9"))
    with pytest.raises(BadInput, match="rising"):
        Calibration.load(file)
