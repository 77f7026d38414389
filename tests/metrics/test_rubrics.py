"""Rubrics and weights as files: what is read, what is refused, and that both are read back unchanged."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.annotation.forms.aspects import AspectsForm
from saiten.errors import ConfigurationError
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metric, make_metrics
from saiten.metrics.judged.aspects import rating_task
from saiten.metrics.judged.direct import Direct
from saiten.metrics.judged.mate import Mate
from saiten.metrics.rubrics import SHIPPED, read_rubric
from saiten.metrics.rubrics.weights import AspectWeight, Learned, Weights, read_weights, weights_text
from saiten.records import Sample
from saiten.tasks.aspects import RateAspect, Rating

GOOD = """overall = "use"
[[aspects]]
name = "clarity"
best = 2
grades = [{ value = 0, ja = "不明" }, { value = 2, ja = "明快" }]
ja.asks = "明快ですか。"
[[aspects]]
name = "use"
best = 100
between = true
grades = [{ value = 0, ja = "無用" }, { value = 100, ja = "有用" }]
ja.asks = "役に立ちますか。"
[aspects.ja.example]
question = "q"
answer = "a"
reason = "r"
grade = 40
"""


@pytest.fixture
def rubric(tmp_path, monkeypatch):
    """A custom rubric, in one language."""
    monkeypatch.chdir(tmp_path)
    Path("ours.toml").write_text(GOOD, encoding="utf-8")
    return read_rubric("ours.toml")


def test_the_rubric_that_ships_has_the_four_aspects_of_the_paper():
    """Scales and best grades of spec 06, texts and an example in both languages, acceptability as the whole."""
    shipped = read_rubric()
    assert {aspect.name: (aspect.values, aspect.best) for aspect in shipped.aspects} == {
        "formality": ((-1, 0, 1), 0),
        "factuality": ((0, 1, 2, 3), 3),
        "amount_info": ((-1, 0, 1), 0),
        "acceptability": ((0, 1, 2, 3), 3),
    }
    assert shipped.overall == "acceptability"
    for aspect in shipped.aspects:
        assert set(aspect.texts) == {"en", "ja"}
        for language, worded in aspect.texts.items():
            assert len(worded.grades.split("\n")) == len(aspect.values)
            assert worded.example.grade in aspect.values
            assert any("ぁ" <= letter <= "ん" for letter in worded.asks) == (language == "ja")


def test_a_rubric_can_say_when_there_is_nothing_to_grade(rubric):
    """It is offered to the judge as null; people, who see only the grades, are not offered it."""
    text = GOOD.replace('ja.asks = "明快ですか。"', 'ungraded = { ja = "無言である" }\nja.asks = "明快ですか。"')
    Path("mute.toml").write_text(text, encoding="utf-8")
    sample = Sample("1", question="q", answer="a", language="ja")
    with_null, without = (rating_task(each.aspects[0], sample) for each in (read_rubric("mute.toml"), rubric))
    assert with_null.grades == f"{without.grades}\nnull: 無言である"
    assert (with_null.ungraded, without.ungraded) == (True, False)
    assert "無言" not in repr(AspectsForm(read_rubric("mute.toml")).texts("ja")["aspects"])


def test_the_weights_that_ship_are_the_published_ones():
    """They are for the built-in rubric."""
    weights = read_weights()
    assert {one.name: one.weight for one in weights.aspects} == {
        "formality": 0.335,
        "amount_info": 0.739,
        "factuality": 2.048,
    }
    weights.check(read_rubric(), "x")


async def test_a_custom_rubric_gives_its_aspects(rubric):
    """Aspects are addressed by name, with their scale; a language that is missing gets the other."""
    names = [metric.name for metric in make_metrics(["aspects[rubric=ours.toml]"])]
    assert names == ["aspects[clarity,rubric=ours.toml]", "aspects[use,rubric=ours.toml]"]
    judge = ScriptedJudge({RateAspect: Rating(reason="r", grade=41)})
    score = await make_metric(names[1]).score(Sample("1", "Q?", "A."), judge)
    assert score.value == 41
    assert judge.asked[0].grades == "0: 無用\n100: 有用\n(整数なら途中の値も可)"
    assert (judge.asked[0].language, judge.asked[0].examples[0].grade) == ("en", 40)
    assert Direct("ours.toml").bounds == (0, 100)


def test_a_comment_changes_no_digest(rubric):
    """Only what the judge sees, or what enters the computation, changes it."""
    Path("ours.toml").write_text("# a remark\r\n" + GOOD.replace("\n", "\r\n"), encoding="utf-8-sig")
    assert read_rubric("ours.toml").digest == rubric.digest
    Path("ours.toml").write_text(GOOD.replace("無用", "不用"), encoding="utf-8")
    assert read_rubric("ours.toml").digest != rubric.digest


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "[[", "not a TOML file"),
        ('overall = "use"', 'overall = "nothing"', "overall is 'nothing'; it must be an aspect: clarity, use"),
        ('overall = "use"', "overall = 3", "overall: expected a valid string, not 3"),
        ('overall = "use"', 'ovrall = "use"', "ovrall is not a known key"),
        ('name = "clarity"', 'name = "cla,rity"', "aspects[1].name: expected a word of letters"),
        ('name = "clarity"', "name = 3", "aspects[1].name: expected a valid string, not 3"),
        ('name = "clarity"', 'name = "use"', "'use' occurs more than once"),
        ("best = 2", "best = 1", "best of aspect 'clarity' is 1, which is not one of its grades (0, 2)"),
        ("best = 2", "best = true", "aspects[1].best: expected a valid integer, not True"),
        ("best = 2", "best = 2.5", "expected a valid integer, not 2.5"),
        ("best = 2", "best = 1000001", "aspects[1].best: expected less than or equal to 1000000, not 1000001"),
        (
            "value = 0, ja",
            "value = -1000001, ja",
            "aspects[1].grades[1].value: expected greater than or equal to -1000000",
        ),
        ("grade = 40", "grade = 1000001", "aspects[2].ja.example.grade: expected less than or equal to 1000000"),
        ("best = 2\n", "", "aspects[1].best is missing"),
        ("best = 2", "best = 2\nbset = 2", "aspects[1].bset is not a known key"),
        ("value = 0, ja", "value = 2, ja", "must be rising, each once, not [2, 2]"),
        (', { value = 2, ja = "明快" }', "", "at least 2"),
        ('ja = "明快"', 'ja = " "', "aspects[1].grades[2].ja: expected a text"),
        ('ja = "明快"', "ja = 1", "expected a valid string, not 1"),
        ('{ value = 2, ja = "明快" }', "{ value = 2 }", "grade 2 of aspect 'clarity' lacks ja"),
        ('ja.asks = "明快ですか。"', "", "aspect 'clarity' has no texts; expected ja.asks or en.asks"),
        ('ja.asks = "明快ですか。"', 'en.asks = "?"', "grade 0 of aspect 'clarity' lacks en"),
        ("between = true", 'between = "yes"', "aspects[2].between: expected a valid boolean"),
        ("value = 100", "value = 5000", "has more than 1001 grades"),
        (
            'ja.asks = "明快ですか。"',
            'ungraded = { en = "mute" }\nja.asks = "?"',
            "ungraded of aspect 'clarity' lacks ja",
        ),
        ("grade = 40", "grade = 400", "the ja example of aspect 'use' has a grade that the aspect lacks: 400"),
        ('reason = "r"\n', "", "aspects[2].ja.example.reason is missing"),
        (GOOD, "", "aspects is missing"),
        (GOOD, "aspects = []", "aspects: List should have at least 1 item"),
        (GOOD, "aspects = [1]", "aspects[1]: expected an object, not 1"),
        (GOOD, "a = " + "[" * 3000, "not a TOML file"),
    ],
)
def test_a_rubric_that_is_wrong_is_named_with_its_fault(rubric, old, new, message):
    """The message has file, aspect, what came and what was expected; before the run."""
    Path("ours.toml").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError) as error:
        make_metric("aspects[rubric=ours.toml]")
    assert str(error.value).startswith(("ours.toml: ", "ours.toml, line "))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('overall = "use"', 'overall = "nothing"'),
        ('name = "clarity"', 'name = "cla,rity"'),
        ("best = 2", "best = 1"),
        ("best = 2", "best = 2.5"),
        ("best = 2", "best = 2\nbset = 2"),
        ("between = true", 'between = "yes"'),
        ("grade = 40", "grade = 400"),
        ("value = 100", 'value = "100"'),
        ('ja = "明快"', "ja = 1"),
    ],
)
def test_a_fault_in_a_rubric_is_reported_with_its_line(rubric, old, new):
    """The line is that of the changed value, or of its aspect for an unknown key."""
    faulty = GOOD.replace(old, new, 1)
    Path("ours.toml").write_text(faulty, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"ours\.toml, line (\d+): ") as error:
        make_metric("aspects[rubric=ours.toml]")
    line = int(re.search(r"line (\d+)", str(error.value))[1])
    assert new.splitlines()[-1] in faulty.splitlines()[line - 1]


def test_aspects_of_different_languages_are_refused(rubric):
    """Otherwise half of the figures would be made with texts in another language."""
    mixed = (
        GOOD
        + '[[aspects]]\nname = "en"\nbest = 0\nen.asks = "?"\ngrades = [{value = 0, en = "a"}, {value = 1, en = "b"}]\n'
    )
    Path("ours.toml").write_text(mixed, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="has texts in ja, 'en' in en"):
        read_rubric("ours.toml")


@pytest.mark.parametrize("name", ["nothing.toml", "."])
def test_a_file_that_cannot_be_read_is_reported(tmp_path, monkeypatch, name):
    """A missing file, a folder, no text."""
    monkeypatch.chdir(tmp_path)
    for metric in (f"aspects[rubric={name}]", f"direct[rubric={name}]", f"mate[weights={name}]"):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            make_metric(metric)


def test_bytes_that_are_no_text_are_reported(tmp_path):
    """There is no traceback."""
    file = tmp_path / "b.toml"
    file.write_bytes(b"\xff\x00")
    with pytest.raises(ConfigurationError, match="not a TOML file"):
        read_rubric(str(file))


def test_a_rubric_without_a_whole_cannot_be_asked_directly(rubric):
    """The error says which line to add."""
    Path("ours.toml").write_text(GOOD.replace('overall = "use"\n', ""), encoding="utf-8")
    with pytest.raises(ConfigurationError, match='add a line such as overall = "use"'):
        make_metric("direct[rubric=ours.toml]")


# ------------------------------------------------------------------------------------------------------ weights

LEARNED = Learned("abc", 80, 20, 20, 5, 0.9, 0.8, 0.95, 7, "d1", "people")
WEIGHTS = Weights(
    "use", 100.0, "deductions", (AspectWeight("clarity", 12.5, 2.0, 2.0, 10.0, 15.0),), 0.25, -1.0, 1.5, learned=LEARNED
)


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=4),
    st.sampled_from([None, 0.1]),
    st.sampled_from([None, LEARNED, replace(LEARNED, pearson=None, pearson_low=None, pearson_high=None, rubric=None)]),
    st.sampled_from(["deductions", "values"]),
)
def test_weights_are_read_as_they_were_written(tmp_path_factory, figures, end, learned, features):
    """Every figure is identical to the last bit, in both forms, with and without intervals."""
    aspects = tuple(AspectWeight(f"軸_{at}", figure, figure, 3.0, end, end) for at, figure in enumerate(figures))
    made = Weights("使", 3.0, features, aspects, 0.5, end, end, learned=learned)
    file = tmp_path_factory.mktemp("w") / "w.toml"
    file.write_text(weights_text(made), encoding="utf-8")
    assert replace(read_weights(str(file)), digest="") == made


@pytest.fixture
def weights(rubric):
    """A file with learned weights for the rubric."""
    Path("w.toml").write_text(weights_text(WEIGHTS), encoding="utf-8")


async def test_learned_weights_take_the_place_of_the_published_ones(weights):
    """Best grade, scale, intercept and bounds are those of the file; its fingerprint is in the signature."""
    metric = make_metric("mate[weights=w.toml,rubric=ours.toml]")
    assert metric.name == "mate[weights=w.toml,rubric=ours.toml]"
    assert make_metric(metric.name) == metric
    assert metric.bounds == (100.25 - 12.5, 100.25)
    assert metric.describe()["weights"] == f"{metric.weighing.digest}:abc"
    score = await metric.score(Sample("1", "Q?", "A."), ScriptedJudge({RateAspect: Rating(reason="", grade=0)}))
    assert score.value == 100.25 - 12.5


def test_negative_weights_and_values_have_bounds_too():
    """The ends of the scale that make the score lowest and highest count."""
    aspects = (AspectWeight("formality", -1.0, 0, 1), AspectWeight("factuality", 2.0, 3, 3))
    assert Weights("x", 3.0, "deductions", aspects).bounds(read_rubric()) == (1.0, 4.0)
    assert Weights("x", 0.0, "values", aspects, 1.0).bounds(read_rubric()) == (0.0, 8.0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('target = "use"\n', "", "target is missing"),
        ("deductions", "squares", "features: expected 'deductions' or 'values', not 'squares'"),
        ("weight = 12.5", "weight = nan", "aspects[1].weight: expected a finite number, not nan"),
        ("weight = 12.5", "weight = inf", "expected a finite number, not inf"),
        (
            "weight = 12.5",
            "weight = 1.1e12",
            "aspects[1].weight: expected less than or equal to 1000000000000, not 1100000000000.0",
        ),
        ("weight = 12.5", "weight = -1.1e12", "expected greater than or equal to -1000000000000"),
        ("span = 2.0", "span = 1.1e12", "aspects[1].span: expected less than or equal to"),
        ("items = 80", "items = 1000000000001", "learned.items: expected less than or equal to"),
        ("weight = 12.5", 'weight = "12"', "expected a valid number, not '12'"),
        ("span = 2.0", "span = 0", "aspects[1].span: expected greater than 0"),
        ("weight = 12.5", "wieght = 12.5", "aspects[1].weight is missing"),
        ("items = 80", 'items = "x"', "learned.items: expected a valid integer"),
        ("seed = 7", "", "learned.seed is missing"),
        ("[learned]", "[lerned]", "lerned is not a known key"),
    ],
)
def test_a_file_of_weights_that_is_wrong_is_named_with_its_fault(rubric, old, new, message):
    """The message says what came, what was expected, and what writes such a file."""
    text = weights_text(WEIGHTS)
    assert old in text
    Path("w.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError) as error:
        Mate("w.toml", "ours.toml")
    assert str(error.value).startswith(("w.toml: ", "w.toml, line "))
    assert message in str(error.value)
    assert "saiten tune mate" in str(error.value)


def test_weights_and_rubric_must_fit_each_other(rubric):
    """Another rubric's weights, or the same aspect on another scale, are refused before the run."""
    Path("w.toml").write_text(weights_text(WEIGHTS), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="the aspect 'clarity', which the rubric 'long_answers' lacks"):
        Mate("w.toml")
    with pytest.raises(ConfigurationError, match="the aspect 'formality', which the rubric 'ours' lacks"):
        Mate(rubric="ours.toml")
    Path("ours.toml").write_text(GOOD.replace("value = 2", "value = 3").replace("best = 2", "best = 3"), "utf-8")
    with pytest.raises(ConfigurationError, match="learn the weights again"):
        Mate("w.toml", "ours.toml")


def test_the_rubric_that_ships_can_be_copied(tmp_path):
    """As a custom file it gives the same digest."""
    file = tmp_path / "long_answers.toml"
    file.write_bytes(SHIPPED.read_bytes())
    assert read_rubric(str(file)).digest == read_rubric().digest
