"""A criterion in one line: its scale, its words, its files, and what the judge sees of them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import saiten
from saiten.errors import CannotJudge, ConfigurationError
from saiten.judges.offline import OfflineJudge
from saiten.judges.panel import Panel
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metric, make_metrics
from saiten.metrics.judged.aspects import aspect_of_metric
from saiten.metrics.judged.criterion import Criterion
from saiten.metrics.rubrics.criteria import read_criterion
from saiten.metrics.rubrics.scales import WrittenScale, read_scale
from saiten.records import Sample
from saiten.tasks.aspects import RateAspect, Rating

ENGLISH = Sample("1", question="May I park here?", answer="No.")
JAPANESE = Sample("2", question="ここに停めてもよいですか。", answer="だめ。", language="ja")
BETWEEN = ("{} to {}", "{}to{}", "{}-{}", "{} – {}", "{}~{}", "{}〜{}", "{}～{}", "{}..{}", "{}から{}", "{}から{}まで")


def rating(*grades):
    """Judges that each give one of these grades."""
    return [ScriptedJudge({RateAspect: Rating(reason="r", grade=grade)}) for grade in grades]


@given(st.integers(-1000, 1000), st.integers(1, 1000), st.sampled_from(BETWEEN), st.booleans())
def test_a_scale_is_read_as_people_write_it(low, steps, form, wide):
    """Words, dashes and waves of every kind, in either width; its canonical form is read as the same scale."""
    text = form.format(low, low + steps)
    if wide:
        text = text.translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    scale = read_scale(text)
    assert (scale.low, scale.high, scale.yes_no) == (low, low + steps, False)
    assert read_scale(str(scale)) == scale
    assert (scale.values[0], scale.values[-1], len(scale.values)) == (low, low + steps, steps + 1)


@pytest.mark.parametrize(
    "text", ["yes/no", "Yes / No", "no/yes", "yes or no", "はい/いいえ", "はい・いいえ", "ＹＥＳ/ＮＯ"]
)
def test_yes_and_no_are_1_and_0(text):
    """In both languages; the canonical form is `yes/no`."""
    assert read_scale(text) == WrittenScale(0, 1, yes_no=True) == read_scale(str(read_scale(text)))


@given(st.text())
def test_any_other_text_is_refused_with_an_example(text):
    """Nothing raises another exception, and nothing that is refused was a scale."""
    found = _scale_or_fault(text)
    assert "1 to 5" in found or "grades" in found if isinstance(found, str) else found.low < found.high


def _scale_or_fault(text):
    try:
        return read_scale(text)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize(
    ("typed", "name", "bounds", "higher"),
    [
        ("criterion[polite and brief, 1 to 5]", "criterion[polite and brief]", (1, 5), True),
        ("criterion[polite and brief]", "criterion[polite and brief]", (1, 5), True),
        ("criterion[丁寧か, １〜５]", "criterion[丁寧か]", (1, 5), True),
        ("criterion[polite, 0-10]", "criterion[polite,scale=0 to 10]", (0, 10), True),
        ("criterion[scale=0..10, polite]", "criterion[polite,scale=0 to 10]", (0, 10), True),
        ('criterion["polite, brief", yes/no]', 'criterion["polite, brief",scale=yes/no]', (0, 1), True),
        ("criterion[wordy, best=1]", "criterion[wordy,best=1]", (1, 5), False),
        ("criterion[long, -1 to 1, best=0]", "criterion[long,scale=-1 to 1,best=0]", (-1, 1), None),
        ('criterion[x, grades="1: rude; 5: kind"]', "criterion[x,grades=1: rude; 5: kind]", (1, 5), True),
    ],
)
def test_one_line_makes_a_metric_whose_name_makes_it_again(typed, name, bounds, higher):
    """The default scale is left out of the name; the best grade gives the direction."""
    metric = make_metric(typed)
    assert (metric.name, metric.bounds, metric.higher_is_better) == (name, bounds, higher)
    assert make_metric(name) == metric


@given(st.text(min_size=1, max_size=60).filter(str.strip), st.integers(0, 3), st.integers(1, 9))
def test_any_words_survive_the_name(words, low, steps):
    """Commas, brackets, quotation marks and line ends included; different words never share a name."""
    metric = Criterion(words, f"{low} to {low + steps}")
    if not metric.scale:  # 1 to 5, so that words that end with another scale are refused
        assume(not re.search(r"[,、，]", words))
    assert make_metric(metric.name) == metric


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("criterion", "criterion needs the setting criterion: criterion[…]"),
        ('criterion[""]', "the criterion is empty"),
        ("criterion[polite, 1 too 5]", "'1 too 5' is not a scale; expected two whole numbers or yes/no: 1 to 5"),
        ("criterion[polite, 5 to 1]", "does not rise"),
        ("criterion[polite, 0 to 5000]", "more than 1001 grades"),
        ("criterion[polite, brief, 1 to 5]", 'put a value that contains a comma in quotation marks: criterion["…"]'),
        ("criterion[丁寧で簡潔か、1〜5]", "ends with a scale, '1〜5'; separate it by a comma: [\"…\", 1〜5]"),
        ('criterion["polite, brief, yes/no"]', "ends with a scale, 'yes/no'"),
        ("criterion[polite, best=6]", "the best grade 6 is not on the scale 1 to 5"),
        ("criterion[polite, best=x]", "best takes int, not 'x'"),
        ("criterion[polite, grades=6: saintly]", "the grade 6 is not on the scale 1 to 5"),
        ("criterion[polite, grades=yes: kind]", "the grade yes is not on the scale 1 to 5"),
        ("criterion[polite, grades=kind]", "grades are written like `1: rude; 5: polite`, not 'kind'"),
        ('criterion[polite, grades="1: rude; 1: worse"]', "the grade 1 has two meanings"),
        (
            "criterion[polite, strict=yes]",
            "its settings are: criterion (str); scale (str); best (int); grades (str); given",
        ),
        ("criterion[polite, given=all]", "given takes nothing | contexts | reference, not 'all'"),
        ("criterion[gone.txt]", "gone.txt: cannot be read: No such file or directory; expected a criterion"),
    ],
)
def test_a_mistake_is_reported_with_what_was_expected(typed, message):
    """Before the run."""
    with pytest.raises(ConfigurationError) as refusal:
        make_metric(typed)
    assert message in str(refusal.value)


async def test_the_judge_sees_the_words_and_the_ends_of_the_scale_in_the_samples_language():
    """The criterion is in any language, the meanings of the ends in the sample's."""
    (judge,) = rating(4)
    for sample in (ENGLISH, JAPANESE):
        score = await make_metric("criterion[丁寧で簡潔か, 1〜5]").score(sample, judge)
        assert (score.value, score.reason) == (4.0, "r")
        assert score.details == {"aspect": "criterion", "grade": 4, "best": 5}
    english, japanese = judge.asked
    assert english.asks == japanese.asks == "丁寧で簡潔か"
    assert english.grades.splitlines()[:2] == ["1: does not meet the criterion at all", "5: meets the criterion fully"]
    assert japanese.grades.splitlines()[:2] == ["1: 基準をまったく満たしていない", "5: 基準を完全に満たしている"]
    assert (japanese.question, japanese.answer, japanese.values) == (JAPANESE.question, "だめ。", (1, 2, 3, 4, 5))


async def test_the_judge_is_shown_what_is_given():
    """Contexts or reference, which the sample must then have; by default neither."""
    sample = replace(ENGLISH, contexts=("Parking is free.",), reference="Yes.")
    (judge,) = rating(2)
    shown = {"nothing": ((), ""), "contexts": (("Parking is free.",), ""), "reference": ((), "Yes.")}
    for material, expected in shown.items():
        metric = make_metric(f"criterion[true, given={material}]")
        assert (await metric.score(sample, judge)).value == 2
        assert (judge.asked[-1].contexts, judge.asked[-1].reference) == expected
        assert set(metric.needs) == {"question", "answer", material} - {"nothing"}
    metric = make_metric("criterion[true, given=contexts]")
    assert metric.name == "criterion[true,given=contexts]"
    assert (await metric.score(replace(sample, contexts=()), judge)).status == "undefined"


async def test_yes_and_no_are_two_grades():
    """A grade between them is refused."""
    metric = make_metric("criterion[cites a rule, yes/no]")
    (judge,) = rating(1)
    assert (await metric.score(ENGLISH, judge)).value == 1.0
    assert judge.asked[0].grades == "0: no\n1: yes"
    assert make_metric("criterion[x, yes/no, grades=yes: it does]").aspect.texts["ja"].grades == "0: いいえ\n1: it does"
    (beyond,) = rating(2)
    with pytest.raises(ValueError, match="must be one of 0, 1"):
        await metric.score(ENGLISH, beyond)


async def test_votes_are_averaged():
    """Three grades, and each of them in the details."""
    score = await Criterion("polite").score(ENGLISH, Panel(tuple(rating(2, 3, 5))))
    assert score.value == pytest.approx(10 / 3)
    assert score.details["given"] == [2, 3, 5]


async def test_a_blank_answer_is_undefined_without_a_call():
    """There is nothing to rate."""
    (judge,) = rating(1)
    assert (await Criterion("polite").score(Sample("1", "Q?", " \n"), judge)).status == "undefined"
    assert judge.asked == []


async def test_the_offline_judge_says_why_it_cannot():
    """The reason names the criterion and what to use."""
    with pytest.raises(CannotJudge, match=r"polite and brief.*Use an LLM judge"):
        await Criterion("polite and brief").score(ENGLISH, OfflineJudge())


def test_criteria_of_one_run_have_names_and_signatures_of_their_own():
    """Words, scale and meanings are in the digest."""
    typed = ["criterion[polite]", "criterion[brief]", "criterion[polite,0-10]", 'criterion[polite,grades="1: rude"]']
    metrics = make_metrics([", ".join(typed)])
    assert len(metrics) == len({metric.name for metric in metrics}) == 4
    assert len({metric.describe()["criterion"] for metric in metrics}) == 4


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a file in the current folder."""
    monkeypatch.chdir(tmp_path)
    return lambda name, text: Path(name).write_text(text, encoding="utf-8")


TEXT = """Is the answer polite?
It does not blame the reader.

scale: 1 to 4
best: 4
4: polite throughout
２：correct, but cold
1: rude
"""


def test_a_text_file_holds_the_criterion_and_meanings(written):
    """Lines of the criterion stay lines; grades without a meaning may be given, too."""
    written("polite.txt", TEXT)
    metric = make_metric("criterion[polite.txt]")
    assert metric == saiten.Criterion("polite.txt")
    assert (metric.name, metric.bounds) == ("criterion[polite.txt]", (1, 4))
    worded = metric.aspect.texts["en"]
    assert worded.asks == "Is the answer polite?\nIt does not blame the reader."
    assert worded.grades.splitlines() == [
        "1: rude",
        "2: correct, but cold",
        "4: polite throughout",
        "(whole numbers between them may be given, too)",
    ]
    before = metric.describe()["criterion"]
    assert before.startswith("polite.txt:")
    written("polite.txt", TEXT.replace("rude", "very rude"))
    assert make_metric("criterion[polite.txt]").describe()["criterion"] != before


def test_a_grade_below_zero_may_have_any_minus_sign(written):
    """As in replies of judges."""
    written("tone.txt", "The tone fits.\nscale: −1 to 1\nbest: 0\n−1: too casual\n1: too stiff\n")
    grades = make_metric("criterion[tone.txt]").aspect.texts["en"].grades
    assert grades.splitlines()[:2] == ["-1: too casual", "1: too stiff"]


def test_a_japanese_text_file(written):
    """Keys in Japanese; the lowest grade may be the best."""
    written("くどさ.txt", "回答がくどい。\n尺度：0〜3\n最良：0\n3: 同じことを何度も述べている\n")
    metric = make_metric("criterion[くどさ.txt]")
    assert (metric.bounds, metric.higher_is_better) == ((0, 3), False)
    assert metric.aspect.texts["ja"].grades.splitlines()[0] == "0: 基準をまったく満たしていない"
    assert aspect_of_metric(metric.name) == "くどさ"


@pytest.mark.parametrize(
    ("text", "typed", "message"),
    [
        ("", "criterion[c.txt]", "c.txt, line 1: the criterion is empty"),
        ("5: good\n", "criterion[c.txt]", "c.txt, line 1: the criterion is empty"),
        ("Polite?\n\n7: saintly\n", "criterion[c.txt]", "c.txt, line 3: the grade 7 is not on the scale 1 to 5"),
        ("Polite?\n5: a\n5: b\n", "criterion[c.txt]", "c.txt, line 3: the grade 5 has two meanings"),
        ("Polite?\n5: a\nand kind?\n", "criterion[c.txt]", "c.txt, line 3: expected `GRADE: meaning`, not 'and kind?'"),
        ("Polite?\nscale: five\n", "criterion[c.txt]", "c.txt, line 2: 'five' is not a scale"),
        ("Polite?\nscale: 0-9\nscale: 1-5\n", "criterion[c.txt]", "c.txt, line 3: scale is set twice; it is 0 to 9"),
        ("Polite?\nscale: 0-9\n", "criterion[c.txt, 1 to 5]", "c.txt, line 2: scale is set twice; it is 1 to 5"),
        ("Polite?\nbest: 9\n", "criterion[c.txt]", "c.txt, line 2: the grade 9 is not on the scale 1 to 5"),
        ("Polite?\n", "criterion[c.txt, grades=5: a]", "write the meanings of the grades into c.txt"),
        ("x" * 10_001, "criterion[c.txt]", "c.txt, line 1: the criterion has 10,001 characters"),
    ],
)
def test_a_mistake_in_a_text_file_is_reported_with_its_line(written, text, typed, message):
    """The text says what was expected."""
    written("c.txt", text)
    with pytest.raises(ConfigurationError) as refusal:
        make_metric(typed)
    assert message in str(refusal.value)


@given(st.text(st.sampled_from("ab?5３:：;-\n \u3000scalebestyesno尺度最良はい〜"), max_size=60))
def test_any_text_is_a_criterion_or_a_fault_with_its_line(tmp_path_factory, text):
    """Nothing else is raised; every grade with a meaning is on the scale."""
    file = tmp_path_factory.getbasetemp() / "any.txt"
    file.write_text(text, encoding="utf-8")
    try:
        found = read_criterion(file, None, None)
    except ConfigurationError as error:
        fault = str(error)
        assert re.match(rf"{re.escape(str(file))}, line \d+: ", fault), fault
    else:
        assert found.words
        assert set(found.meanings) <= set((found.scale or WrittenScale(1, 5)).values)


def test_the_scale_of_a_text_file_may_be_typed(written):
    """If the file names none."""
    written("c.txt", "Polite?\n9: saintly\n")
    assert make_metric("criterion[c.txt, 0-9]").bounds == (0, 9)


TOML = """
[[aspects]]
name = "warmth"
best = 1
grades = [
    { value = 0, en = "cold", ja = "冷たい" },
    { value = 1, en = "warm", ja = "温かい" },
]
en.asks = "Is the answer warm?"
ja.asks = "回答は温かいですか。"
[aspects.en.example]
question = "May I?"
answer = "No."
reason = "Curt."
grade = 0
"""


async def test_a_rubric_with_one_aspect_is_a_criterion(written):
    """Its texts in both languages, and its example; two aspects are not one criterion."""
    written("warmth.toml", TOML)
    metric = make_metric("criterion[warmth.toml]")
    (judge,) = rating(1)
    for sample in (ENGLISH, JAPANESE):
        assert (await metric.score(sample, judge)).value == 1
    english, japanese = judge.asked
    assert (english.asks, english.examples[0].reason, japanese.grades) == (
        "Is the answer warm?",
        "Curt.",
        "0: 冷たい\n1: 温かい",
    )
    with pytest.raises(ConfigurationError, match=r"warmth\.toml sets the grades; leave out scale"):
        make_metric("criterion[warmth.toml, 1 to 5]")
    written("two.toml", TOML + TOML.replace("warmth", "cold"))
    with pytest.raises(ConfigurationError, match=r"2 aspects \(warmth, cold\).*aspects\[rubric=two.toml\]"):
        make_metric("criterion[two.toml]")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("best = 1", "best = 3", "warmth.toml, line 4: best of aspect 'warmth' is 3"),
        ('ja = "温かい"', 'jp = "温かい"', "warmth.toml, line 7: aspects[1].grades[2].jp is not a known key"),
        ("grade = 0", 'grade = "0"', "warmth.toml, line 15: aspects[1].en.example.grade: expected a valid integer"),
        ("best = 1", "best = ", "warmth.toml: not a TOML file: Invalid value (at line 4"),
    ],
)
def test_a_mistake_in_a_rubric_is_reported_with_its_line(written, old, new, message):
    """Schema, meaning and syntax."""
    written("warmth.toml", TOML.replace(old, new))
    with pytest.raises(ConfigurationError) as refusal:
        make_metric("criterion[warmth.toml]")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("metric", "aspect"),
    [
        ("criterion[polite and brief]", "polite and brief"),
        ('criterion["polite, brief",scale=0 to 10]', "polite, brief"),
        ("criterion[criteria/polite.toml]", "polite"),
        ("aspects[factuality]", "factuality"),
        ("correctness", None),
    ],
)
def test_labels_of_a_criterion_are_called_like_it(metric, aspect):
    """By this name labels are paired with scores."""
    assert aspect_of_metric(metric) == aspect
