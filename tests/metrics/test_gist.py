"""Gist: the four ratios, counted by hand; the units with their positions; human units, examples and roles."""

import json
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.demo.gist import gist_labels, load_gist
from saiten.errors import ConfigurationError
from saiten.judges.memo import Memo
from saiten.judges.offline import OfflineJudge
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metric, make_metrics
from saiten.metrics.judged.gist import Gist
from saiten.metrics.judged.gist_counts import WHICH, layout_of_reference
from saiten.metrics.judged.gist_files import units_of
from saiten.metrics.judged.gist_profiles import PROFILES
from saiten.records import Label, Sample, Span
from saiten.tasks.gist import FindMissingAndExtra, MissingAndExtra, ReferenceUnits, SplitGist

SAMPLE = Sample(
    "1",
    question="旅費の締切は？",
    answer="締切は月末😀です。会議室は3階です。\r\n用紙は白です。",
    reference="翌月10日までに申請します。\r\n上司の承認も必要です。領収書を付けます。なお、用紙は新しくなりました。",
    language="ja",
)
UNITS = ReferenceUnits(
    gist=["翌月10日までに申請します。", "上司の承認も必要です。", "領収書を付けます。"],
    supplement=["なお、用紙は新しくなりました。"],
)
FOUND = MissingAndExtra(
    missing_gist=[1, 3],
    missing_supplement=[],
    extra_gist=["締切は月末😀です。"],
    extra_supplement=["会議室は３階です。", "用紙は白です。", "駐車場は有料だとのこと。"],
)


def judge_saying(units=UNITS, found=FOUND):
    """A judge with these two replies."""
    return ScriptedJudge({SplitGist: units, FindMissingAndExtra: found})


@pytest.mark.parametrize(
    ("which", "value"),
    [("missing_gist", 2 / 3), ("missing_supplement", 0), ("extra_gist", 1 / 3), ("extra_supplement", 3)],
)
async def test_each_ratio_is_what_one_counts_by_hand(which, value):
    """Units found / units of the class in the reference: 2 of 3, 0 of 1, 1 per 3, and 3 per 1, which is above 1."""
    score = await Gist(which).score(SAMPLE, judge_saying())
    assert score.value == pytest.approx(value)
    assert score.details["profile"] == "missing gist, extra gist, extra supplement"
    assert score.details["counts"] == {
        "gist": 3,
        "supplement": 1,
        "missing_gist": 2,
        "missing_supplement": 0,
        "extra_gist": 1,
        "extra_supplement": 3,
    }


@pytest.mark.parametrize(
    ("named", "missing_gist"),
    [([7], 0), ([1, 7], 1 / 2), ([1, 2, 3, 7], 1), ([7, 8], 0), ([7, 7, 1], 1 / 2), ([7, 8, 9], None), ([0, 2], 1 / 2)],
)
async def test_a_number_out_of_range_makes_one_unit_unreadable(named, missing_gist):
    """A unit that cannot be identified is left out of its own ratio, and reported; the other three are unaffected."""
    judge = judge_saying(found=FOUND.model_copy(update={"missing_gist": named}))
    scores = {which: await Gist(which).score(SAMPLE, judge) for which in WHICH}
    values = {which: score.value for which, score in scores.items()}
    assert values == {
        "missing_gist": pytest.approx(missing_gist) if missing_gist is not None else None,
        "missing_supplement": 0,
        "extra_gist": pytest.approx(1 / 3),
        "extra_supplement": 3,
    }
    assert scores["missing_gist"].status == ("unreadable" if missing_gist is None else "ok")
    assert "unreadable" in scores["missing_gist"].reason
    details = scores["extra_gist"].details
    assert details["unreadable"] == {"missing_gist": len({number for number in named if number not in {1, 2, 3}})}
    assert any("there is no gist unit" in fault for fault in details["faults"])


@pytest.mark.parametrize(
    ("gist", "supplement", "counted"),
    [
        (["締切は月末😀です。会議室は3階です。"], ["会議室は3階です。"], (1, 0)),
        (["会議室は3階です。"], ["締切は月末😀です。会議室は3階です。", "会議室は3階です。用紙は白です。"], (1, 0)),
        ([], ["締切は月末😀です。会議室は3階です。", "会議室は3階です。", "用紙は白です。"], (0, 2)),
        (["締切は月末😀です。"], ["会議室は3階です。"], (1, 1)),
    ],
)
async def test_overlapping_passages_count_once(gist, supplement, counted):
    """An extra passage counts once however often its parts are listed, in the first of the lists: gist."""
    found = FOUND.model_copy(update={"extra_gist": gist, "extra_supplement": supplement})
    score = await Gist().score(SAMPLE, judge_saying(found=found))
    counts = score.details["counts"]
    assert (counts["extra_gist"], counts["extra_supplement"]) == counted
    placed = [unit for name in ("extra_gist", "extra_supplement") for unit in score.details["spans"][name]]
    ends = sorted((unit["start"], unit["end"]) for unit in placed)
    assert all(before <= start for (_, before), (start, _) in pairwise(ends))
    assert len(score.details["faults"]) == max(0, len(gist) + len(supplement) - sum(counted))


async def test_units_are_in_the_details_with_their_positions():
    """Missing units in the reference, extra ones in the answer, verbatim; those without a position, too."""
    details = (await Gist().score(SAMPLE, judge_saying())).details
    missing, extra = details["spans"]["missing_gist"], details["spans"]["extra_supplement"]
    assert missing == [details["reference"]["gist"][0], details["reference"]["gist"][2]]
    for unit in (*details["reference"]["gist"], *details["reference"]["supplement"]):
        assert SAMPLE.reference[unit["start"] : unit["end"]] == unit["text"]
    assert extra == [
        {"text": "会議室は3階です。", "start": 9, "end": 18, "said": "会議室は３階です。"},
        {"text": "用紙は白です。", "start": 20, "end": 27},
        {"text": "駐車場は有料だとのこと。", "start": None, "end": None},
    ]
    assert SAMPLE.answer[9:18] == extra[0]["text"]
    assert details["unplaced"] == 1
    assert details["faults"] == [
        "answer: “駐車場は有料だとのこと。” in `extra_supplement` is not in the text; copy the words as they are"
    ]
    assert json.loads(orjson.dumps(details)) == details


async def test_uncovered_and_repeated_text_is_reported():
    """The faults that remain after the judge was asked once more; a unit in two lists counts in the first."""
    units = ReferenceUnits(
        gist=["翌月10日までに申請します。", "上司の承認も必要です。"], supplement=["上司の承認も必要です。"]
    )
    found = MissingAndExtra(
        missing_gist=[], missing_supplement=[], extra_gist=["用紙は白です。"], extra_supplement=["用紙は白です。"]
    )
    details = (await Gist().score(SAMPLE, judge_saying(units, found))).details
    assert details["counts"]["gist"] == 2
    assert (
        details["counts"]["supplement"],
        details["counts"]["extra_gist"],
        details["counts"]["extra_supplement"],
    ) == (0, 1, 0)
    (gap,) = details["uncovered"]
    assert (
        gap["text"] == SAMPLE.reference[gap["start"] : gap["end"]] == "領収書を付けます。なお、用紙は新しくなりました。"
    )
    assert len(details["faults"]) == 3


@pytest.mark.parametrize("which", ["missing_supplement", "extra_supplement"])
async def test_without_a_unit_of_the_class_there_is_nothing_to_divide_by(which):
    """The ratio is undefined, not 0 and not infinite; the units found are still in the details."""
    units = ReferenceUnits(gist=[SAMPLE.reference], supplement=[])
    found = MissingAndExtra(
        missing_gist=[], missing_supplement=[], extra_gist=[], extra_supplement=["会議室は3階です。"]
    )
    score = await Gist(which).score(SAMPLE, judge_saying(units, found))
    assert (score.value, score.status) == (None, "undefined")
    assert "no supplement" in score.reason
    assert score.details["profile"] == "extra supplement"


@pytest.mark.parametrize("answer", ["", " \n　"])
async def test_of_a_blank_answer_everything_is_missing(answer):
    """Nothing is extra; the judge is asked only for the units of the reference."""
    judge = judge_saying()
    sample = Sample("1", "q", answer, reference=SAMPLE.reference, language="ja")
    assert [(await metric.score(sample, judge)).value for metric in make_metrics(["gist"])] == [1, 1, 0, 0]
    assert {type(task) for task in judge.asked} == {SplitGist}


async def test_a_blank_reference_has_no_units():
    """There is nothing to compare the answer with, and no call."""
    judge = judge_saying()
    score = await Gist().score(Sample("1", "q", "a", reference=" ", language="en"), judge)
    assert (score.status, score.reason, judge.asked) == ("undefined", "the reference is empty", [])


async def test_the_four_share_two_calls():
    """Whichever of the four comes first pays; equal tasks are performed once."""
    judge = judge_saying()
    memo = Memo(judge)
    for metric in make_metrics(["gist"]):
        await metric.score(SAMPLE, memo)
    assert [type(task) for task in judge.asked] == [SplitGist, FindMissingAndExtra]


async def test_the_answer_is_compared_with_the_words_of_the_reference():
    """A loosely copied unit is shown as it is in the reference."""
    judge = judge_saying(UNITS.model_copy(update={"gist": ["翌月１０日までに 申請します", *UNITS.gist[1:]]}))
    await Gist().score(SAMPLE, judge)
    assert judge.asked[1].gist[0] == "翌月10日までに申請します"


def test_there_are_sixteen_profiles():
    """One for each combination of the four, each with its own name."""
    assert len(set(PROFILES)) == 16
    assert PROFILES[0] == "nothing missing or extra"
    assert PROFILES[-1] == "missing gist, missing supplement, extra gist, extra supplement"


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
    st.lists(st.sampled_from("ijklmnop"), unique=True, max_size=8),
    st.data(),
)
def test_a_ratio_stays_within_its_bounds(gist, supplement, data):
    """Missing is within 0 and 1, extra is 0 or more, undefined if the class is empty: whatever the judge finds."""
    import asyncio

    gist, supplement = [f"unit {name}." for name in gist], [f"unit {name}." for name in supplement]
    if not gist + supplement:
        return
    reply = MissingAndExtra(
        missing_gist=data.draw(st.lists(st.integers(1, len(gist)), max_size=9)) if gist else [],
        missing_supplement=data.draw(st.lists(st.integers(1, len(supplement)), max_size=9)) if supplement else [],
        extra_gist=data.draw(st.lists(st.text("xyz. ", max_size=5), max_size=5)),
        extra_supplement=data.draw(st.lists(st.text("xyz. ", max_size=5), max_size=5)),
    )
    sample = Sample("1", "q", "x y z. xyz", reference=" ".join(gist + supplement), language="en")
    judge = judge_saying(ReferenceUnits(gist=gist, supplement=supplement), reply)
    for metric in make_metrics(["gist"]):
        score = asyncio.run(metric.score(sample, judge))
        of = gist if metric.which.endswith("_gist") else supplement
        assert (score.status == "undefined") == (not of)
        assert score.value is None or metric.bounds[0] <= score.value <= metric.bounds[1]
        assert score.details["profile"] in PROFILES


# ------------------------------------------------------------------------------------------------ names and settings


def test_gist_alone_means_all_four():
    """It works like a preset, and settings apply to each of them."""
    assert [metric.name for metric in make_metrics(["gist"])] == [f"gist[{which}]" for which in WHICH]
    role = 'role="an accountant, chartered"'
    metrics = make_metrics([f"gist[{role}],length"])
    assert [metric.name for metric in metrics] == [*(f"gist[{which},{role}]" for which in WHICH), "length"]
    assert [make_metric(metric.name) for metric in metrics] == list(metrics)
    assert [metric.name for metric in make_metrics(["gist[extra_gist]", "gist[which=extra_gist]"])] == [
        "gist[extra_gist]"
    ]


def test_bounds_and_direction_go_with_the_kind():
    """Missing is at most 1; extra has no bound; less is better."""
    assert [metric.bounds for metric in make_metrics(["gist"])] == [
        (0, 1),
        (0, 1),
        (0, float("inf")),
        (0, float("inf")),
    ]
    assert not any(metric.higher_is_better for metric in make_metrics(["gist"]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gist[missing]", "which takes missing_gist | missing_supplement | extra_gist | extra_supplement"),
        ("gist[annotator=A]", "units=FILE"),
        ("gist[examples=nowhere.toml]", "nowhere.toml: cannot be read"),
        ("gist[units=nowhere.jsonl]", "nowhere.jsonl"),
    ],
)
def test_a_wrong_setting_is_refused_before_the_run(name, message):
    """The message lists the valid ones, or names the unreadable file."""
    with pytest.raises(ConfigurationError) as error:
        make_metrics([name])
    assert message in str(error.value)


# -------------------------------------------------------------------------------------------------- units of people


@pytest.fixture
def labels(tmp_path):
    """A file with the labels of the built-in samples."""
    file = tmp_path / "labels.jsonl"
    rows = [
        {
            "item": label.item,
            "annotator": label.annotator,
            "aspect": label.aspect,
            "spans": [{"text": span.text, "start": span.start, "end": span.end} for span in label.spans],
        }
        for label in gist_labels(load_gist())
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return file


async def test_units_of_people_take_the_place_of_the_first_step(labels):
    """The judge is not asked for units; those of the file are in the details with their own offsets."""
    for metric in make_metrics([f"gist[extra_gist,units={labels}]"]):
        for one in load_gist():
            judge = judge_saying(
                found=MissingAndExtra(missing_gist=[1], missing_supplement=[], extra_gist=[], extra_supplement=[])
            )
            score = await metric.score(one.sample, judge)
            assert score.value == 0
            assert score.details["reference"]["gist"] == [
                {"text": span.text, "start": span.start, "end": span.end} for span in one.units["gist"]
            ]
            assert score.details["faults"] == []
            assert [type(task) for task in judge.asked] == [FindMissingAndExtra]
        assert len(metric.describe()["units"]) == 8
        assert (await metric.score(SAMPLE, judge)).reason == f"nobody marked units for this sample in {labels}"


def label(text, aspect="gist", person="A", *, adjudicated=False, item="1"):
    """One unit marked by somebody."""
    spans = (Span(text),) if text else ()
    return Label(item, float(len(spans)), person, aspect, adjudicated=adjudicated, spans=spans)


def test_whose_units_count():
    """One person's, the chosen person's, or the third decision; several without a choice are refused."""
    two = [label("a"), label("b", person="B"), label("", "supplement")]
    assert units_of(two[::2])["1"].gist == (Span("a"),)
    assert units_of(two, "B")["1"].gist == (Span("b"),)
    assert units_of([*two, label("c", person="", adjudicated=True)])["1"].gist == (Span("c"),)
    assert units_of([label("a"), label("b"), label("c", "supplement")])["1"].gist == (Span("a"), Span("b"))
    for labels, annotator, message in (
        (two, "", "several people marked units: A, B"),
        (two, "C", "no units by 'C'; there are some by A, B"),
        ([label("x", "extra_gist")], "", "no label marks units"),
        ([], "", "no label marks units"),
    ):
        with pytest.raises(ValueError, match=message):
            units_of(labels, annotator)


@pytest.mark.parametrize(
    ("span", "place"),
    [
        (Span("必要", 2, 4), (2, 4)),
        (Span("", 2, 4), (2, 4)),
        (Span("必要", 6, 8), (2, 4)),
        (Span("必要", 90, 92), (2, 4)),
        (Span("必要"), (2, 4)),
        (Span("要らない文", 2, 4), (None, None)),
    ],
)
def test_offsets_that_people_give_count_where_they_hold_the_words(span, place):
    """Offsets counted in bytes or UTF-16 do not count; the words are searched instead."""
    layout = layout_of_reference("😀が必要です。", {"gist": [span], "supplement": []})
    (one,) = layout.units["gist"]
    assert (one.start, one.end) == place


async def test_a_marked_place_outside_of_the_reference_is_no_unit(tmp_path):
    """The labels are about another reference: nothing is measured, and the reason says so."""
    file = tmp_path / "units.csv"
    file.write_text('item,aspect,spans\n1,gist,"[[900, 950]]"\n', encoding="utf-8")
    score = await Gist(units=str(file)).score(SAMPLE, judge_saying())
    assert score.status == "undefined"
    assert "there is no text at 900 to 950" in score.reason


# --------------------------------------------------------------------------------------------------------- examples

EXAMPLE = """
[[examples]]
language = "en"
question = "By when?"
reference = "By the 10th of the month. The form is new."
gist = ["By the 10th of the month."]
supplement = ["The form is new."]
answer = "Before the month ends."
missing_gist = [1]
missing_supplement = [1]
extra_gist = ["Before the month ends."]

[[examples]]
language = "ja"
question = "いつまで？"
reference = "10日までに提出します。"
gist = ["10日までに提出します。"]
supplement = []
"""


async def test_examples_are_shown_to_samples_of_their_language(tmp_path):
    """They are part of the task, and their digest is part of the signature."""
    file = tmp_path / "examples.toml"
    file.write_text(EXAMPLE, encoding="utf-8")
    metric = Gist(examples=str(file), role="会計士")
    judge = judge_saying()
    await metric.score(SAMPLE, judge)
    assert [[one.question for one in task.examples] for task in judge.asked] == [["いつまで？"]] * 2
    assert {task.role for task in judge.asked} == {"会計士"}
    before = metric.describe()["examples"]
    file.write_text(EXAMPLE.replace("new", "old"), encoding="utf-8")
    assert Gist(examples=str(file)).describe()["examples"] != before
    assert Gist().describe() == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('language = "en"', 'language = "fr"', "example 1: language: expected 'ja' or 'en'"),
        ('language = "en"', "", "example 1: language is missing"),
        ('question = "By when?"', "question = 3", "question: expected a valid string, not 3"),
        ('gist = ["By the', 'gits = ["By the', "gits is not a known key"),
        ("missing_gist = [1]", "missing_gist = [2]", "no gist unit 2; the numbers are 1 to 1"),
        ("missing_gist = [1]", 'missing_gist = ["1"]', "missing_gist[1]: expected a valid integer, not '1'"),
        ("missing_gist = [1]", "missing_gist = [true]", "missing_gist[1]: expected a valid integer, not True"),
        (
            'extra_gist = ["Before',
            'extra_gist = ["Long before',
            "example 1: 'Long before the month ends.' is not in the text",
        ),
        ('gist = ["By the 10th of the month."]', "gist = []", "no unit contains “By the 10th"),
        ('supplement = ["The form is new."]', 'supplement = ["The form is new.", "The form is new."]', "list it once"),
        ('answer = "Before the month ends."', "", "'missing_gist' is about an answer"),
        ("supplement = []", 'supplement = "x"', "example 2: supplement: expected a valid array"),
        ("[[examples]]", "[[example]]", "expected nothing but tables [[examples]]"),
        ('language = "en"', "language = en", "not a TOML file"),
    ],
)
def test_an_example_that_would_teach_something_wrong_is_refused(tmp_path, old, new, message):
    """The message has the file, the example and its fault."""
    file = tmp_path / "examples.toml"
    file.write_text(EXAMPLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError) as error:
        Gist(examples=str(file))
    assert str(file) in str(error.value)
    assert message in str(error.value)


async def test_the_offline_judge_scores_the_built_in_samples():
    """Every sample has its four scores, each with a profile; every unit has a position."""
    judge = OfflineJudge()
    for one in load_gist():
        for metric in make_metrics(["gist"]):
            score = await metric.score(one.sample, judge)
            assert score.status == "ok" or "nothing to divide by" in score.reason
            assert (score.details["unplaced"], score.details["faults"]) == (0, [])
