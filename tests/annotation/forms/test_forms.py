"""Forms: what they show of a sample, what they accept from the page, which labels come out."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.annotation.forms import FORMS, AspectsForm, CorrectForm, GistForm, GradeForm, PreferenceForm
from saiten.errors import BadInput
from saiten.metrics.rubrics import read_rubric
from saiten.records import Label, Sample, Span
from saiten.testsets.items import SetItem
from saiten.words import section

SAMPLE = Sample(
    "q1/ours",
    "駐車できる場所は?",
    "北側です。🚗 無料です。",
    ("案内図",),
    "北側に2時間まで。",
    ("北側。",),
    system="ours",
    language="ja",
)
OTHER = Sample("q1/theirs", SAMPLE.question, "南側です。", None, SAMPLE.reference, system="theirs", language="ja")
SPANS = {"gist": [[0, 9]], "missing_gist": [[3, 8]], "extra_supplement": [[5, 12]]}

PAYLOADS = {
    "grade": {"grade": 4, "reason": "時間がない"},
    "correct": {"correct": False, "reason": ""},
    "aspects": {"grades": {"formality": -1, "factuality": 3, "amount_info": 0, "acceptability": 2}, "reason": "x"},
    "gist": {"spans": SPANS, "reason": ""},
    "preference": {"order": [["a2"], ["a1"]], "none_good": True, "reason": ""},
    "approve": {
        "decision": "reject",
        "question": SAMPLE.question,
        "reference": SAMPLE.reference,
        "reason": "案内図にない",
    },
}


def item_of(title):
    """The single item that the form makes of the samples above."""
    (item,) = FORMS[title]().items([SAMPLE, OTHER] if title == "preference" else [SAMPLE])
    return item


@pytest.mark.parametrize("title", FORMS)
def test_nothing_shown_names_the_system(title):
    """The annotator sees question, references and answer, but neither the system's name nor the sample's ID."""
    item = item_of(title)
    shown = {key: value for key, value in item.content.items() if key != "ids"}
    assert "ours" not in json.dumps(shown)
    assert shown["question"] == SAMPLE.question
    assert shown["reference"] == SAMPLE.reference
    assert shown["language"] == "ja"


@pytest.mark.parametrize("title", FORMS)
def test_checked_twice_is_checked_once(title):
    """The check returns one normal form, ready for JSON, and accepts that form unchanged."""
    form, item = FORMS[title](), item_of(title)
    once = form.check(item.content, PAYLOADS[title])
    assert form.check(item.content, json.loads(json.dumps(once))) == once


@pytest.mark.parametrize("title", FORMS)
def test_a_form_is_made_again_from_its_options(title):
    """The database keeps the options as JSON; the restored form checks, words and labels as before."""
    form = FORMS[title](reason_required=True)
    again = FORMS[title].from_options(json.loads(json.dumps(form.options)))
    assert again.options == form.options
    assert again.texts("ja") == form.texts("ja")
    with pytest.raises(ValueError, match="a reason is required"):
        again.check(item_of(title).content, {**PAYLOADS[title], "reason": " \n"})


@pytest.mark.parametrize("title", FORMS)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_has_words(title, language):
    """Each form has a title, instructions and what each choice means, in both languages."""
    texts = FORMS[title]().texts(language)
    assert texts["title"]
    assert texts["instructions"]
    assert texts["reason_required"] is (title == "approve")  # there for rejections only
    if title == "aspects":
        assert [aspect["name"] for aspect in texts["aspects"]] == list(read_rubric().names)
        assert all(grade["text"] for aspect in texts["aspects"] for grade in aspect["grades"])


def test_axes_have_titles_in_both_languages(tmp_path):
    """Built-in titles are the default; a rubric's titles or else its names apply, also restored from options."""
    shipped = {language: AspectsForm().aspect_titles(language) for language in ("en", "ja")}
    assert shipped["en"]["amount_info"] == "amount of information"
    assert [title for title in shipped["ja"].values() if title.isascii()] == []
    file = tmp_path / "own.toml"
    grades = "[{ value = 0, en = 'no', ja = '否' }, { value = 1, en = 'yes', ja = '可' }]"
    one = f"best = 1\ngrades = {grades}\nen.asks = 'Clear?'\nja.asks = '明快?'\n"
    file.write_text(
        f"[[aspects]]\nname = 'clear'\n{one}ja.title = '明快さ'\n[[aspects]]\nname = '簡潔さ'\n{one}", "utf-8"
    )
    form = AspectsForm(rubric=read_rubric(str(file)))
    again = AspectsForm.from_options(json.loads(json.dumps(form.options)))
    for each in (form, again):
        assert each.aspect_titles("ja") == {"clear": "明快さ", "簡潔さ": "簡潔さ"}
        assert each.aspect_titles("en") == {"clear": "clear", "簡潔さ": "簡潔さ"}
    assert [aspect["title"] for aspect in again.texts("ja")["aspects"]] == ["明快さ", "簡潔さ"]
    assert {key for aspect in AspectsForm().options["rubric"]["aspects"] for key in aspect["texts"]["ja"]} == {
        "asks",
        "grades",
    }


def three():
    """The answers of three systems, of which two found contexts."""
    texts = (
        ("a", "北側です。", ("案内図", "https://example.jp/1")),
        ("b", "南側です。", None),
        ("c", "西側。", ("案内図", "地図")),
    )
    return [Sample(f"q1/{system}", "どこ?", text, found, system=system, language="ja") for system, text, found in texts]


def test_preferences_show_each_context_once_and_not_by_system():
    """The contexts of all systems are shown together; a project made without them continues without them."""
    (item,) = PreferenceForm().items(three())
    assert sorted(item.content["contexts"]) == ["https://example.jp/1", "地図", "案内図"]
    (before,) = PreferenceForm.from_options({"reason_required": False}).items(three())
    assert "contexts" not in before.content
    assert PreferenceForm.from_options({"reason_required": False}).options == {"reason_required": False}
    (none,) = PreferenceForm().items([Sample("1", "Q", "a"), Sample("2", "Q", "b")])
    assert "contexts" not in none.content


def test_a_plain_pick_says_nothing_of_the_others():
    """The pick yields labels for its own pairs only; a judge's labels become a pick if one answer beats all others."""
    form = PreferenceForm.from_options(PreferenceForm(pick=True).options)
    (item,) = form.items(three())
    key_of = {name[-1]: key for key, name in item.content["ids"].items()}
    said = form.check(item.content, {"order": [[key_of["b"]]], "none_good": False})
    assert list(form.labels(item.key, item.content, said)) == [
        Label("q1/a vs q1/b", 1.0, aspect="preference"),
        Label("q1/b vs q1/c", -1.0, aspect="preference"),
        Label("q1/b", 1.0, aspect="good"),
    ]
    assert form.payload_of(item.content, list(form.labels(item.key, item.content, said))) == said
    assert form.payload_of(item.content, [Label("q1/c vs q1/b", 1.0)]) is None
    for order in ([], [[key_of["a"], key_of["b"]]], [[key_of["a"]], [key_of["b"]]], [["a9"]]):
        with pytest.raises(ValueError, match="choose the one best"):
            form.check(item.content, {"order": order, "none_good": False})
    with pytest.raises(ValueError, match="every answer"):
        PreferenceForm().check(item.content, {"order": [[key_of["b"]]], "none_good": False})
    assert form.texts("en")["title"] == "Which answer is best?"


def test_axes_and_preference_are_asked_in_one_project():
    """Each answer has grades next to the ranking; they differ by axis and become labels of the single answers."""
    form = PreferenceForm(pick=True, rubric=read_rubric())
    form = PreferenceForm.from_options(json.loads(json.dumps(form.options)))
    (item,) = form.items(three())
    key_of = {name[-1]: key for key, name in item.content["ids"].items()}
    right = {"formality": 0, "factuality": 3, "amount_info": 0, "acceptability": 3}
    grades = {key_of[system]: right for system in "ac"} | {key_of["b"]: right | {"formality": -1}}
    said = form.check(item.content, {"order": [[key_of["a"]]], "none_good": False, "grades": grades})
    labels = list(form.labels(item.key, item.content, said))
    found = {(label.item, label.aspect): label.value for label in labels}
    assert (found["q1/b", "formality"], found["q1/a", "formality"], found["q1/c", "acceptability"]) == (-1, 0, 3)
    assert len(labels) == 2 + 1 + 3 * 4
    assert form.payload_of(item.content, labels) == said
    assert form.payload_of(item.content, labels[:-1]) is None
    other = {**said, "grades": grades | {key_of["b"]: right}}
    assert form.differences([said, said]) == ()
    assert form.differences([said, other]) == ("formality",)
    assert form.aspect_titles("ja")["formality"] == "改まり方"
    for wrong, message in (
        ({}, "choose a grade for formality"),
        ({"a9": right}, "name each answer"),
        ([], "name each answer"),
    ):
        with pytest.raises(ValueError, match=message):
            form.check(item.content, {"order": [[key_of["a"]]], "none_good": False, "grades": wrong})
    with pytest.raises(ValueError, match="'grades' is not a field"):
        PreferenceForm(pick=True).check(item.content, {"order": [[key_of["a"]]], "none_good": False, "grades": grades})
    clash = replace(read_rubric(), aspects=(replace(read_rubric().aspects[0], name="good"),))
    with pytest.raises(BadInput, match="'good'"):
        PreferenceForm(rubric=clash)


def test_labels_of_each_form():
    """The labels are in the form that agreement, meta-evaluation, weight tuning and the gist view accept."""
    said = {title: labels_of(title) for title in FORMS}
    assert said["grade"] == [Label("q1/ours", 4.0, aspect="correctness")]
    assert said["correct"] == [Label("q1/ours", 0.0, aspect="correct")]
    assert [(label.aspect, label.value) for label in said["aspects"]] == [
        ("formality", -1.0), ("factuality", 3.0), ("amount_info", 0.0), ("acceptability", 2.0),
    ]  # fmt: skip
    assert {label.aspect: label.spans for label in said["gist"]} == {
        "gist": (Span("北側に2時間まで。", 0, 9),),
        "supplement": (),
        "missing_gist": (Span("2時間まで", 3, 8),),
        "missing_supplement": (),
        "extra_gist": (),
        "extra_supplement": (Span("🚗 無料です。", 5, 12),),
    }
    assert said["approve"] == [Label("q1/ours", 0.0, aspect="approval")]
    assert said["preference"] == [
        Label("q1/ours vs q1/theirs", 1.0, aspect="preference"),
        Label("q1/ours", 0.0, aspect="good"),
        Label("q1/theirs", 0.0, aspect="good"),
    ]


def labels_of(title):
    """The labels of the payload above."""
    form, item = FORMS[title](), item_of(title)
    return list(form.labels(item.key, item.content, form.check(item.content, PAYLOADS[title])))


@pytest.mark.parametrize("title", FORMS)
def test_labels_become_the_payload_again(title):
    """A judge's labels of an item are shown as an annotator would have entered them, except for reason and flag."""
    form, item = FORMS[title](), item_of(title)
    expected = {**form.check(item.content, PAYLOADS[title]), "reason": ""}
    if title == "preference":
        expected["none_good"] = False
    assert form.payload_of(item.content, labels_of(title)) == expected
    assert form.payload_of(item.content, []) is None


REFUSED = [
    ("grade", {}, "`grade` is missing"),
    ("grade", {"grade": 6}, "from 0 to 5"),
    ("grade", {"grade": True}, "from 0 to 5"),
    ("grade", {"grade": "4"}, "from 0 to 5"),
    ("grade", {"grade": [4]}, "from 0 to 5"),
    ("grade", {"grade": 2.5}, "from 0 to 5"),
    ("grade", {"grade": 4, "reason": 7}, "must be a text"),
    ("grade", {"grade": 4, "reason": "x" * 10_001}, "10,001 characters"),
    ("grade", {"grade": 4, "extra": 1}, "'extra' is not a field"),
    ("correct", {"correct": 1}, "decide whether"),
    ("correct", {"correct": None}, "decide whether"),
    ("aspects", {"grades": []}, "must name each aspect"),
    ("aspects", {"grades": {"formality": 0}}, "choose a grade for factuality"),
    ("aspects", {"grades": {**PAYLOADS["aspects"]["grades"], "formality": 2}}, "choose a grade for formality"),
    ("aspects", {"grades": {**PAYLOADS["aspects"]["grades"], "style": 0}}, "'style' is not an aspect"),
    ("gist", {"spans": []}, "must name each class"),
    ("gist", {"spans": {"other": []}}, "'other' is not a class"),
    ("gist", {"spans": {"gist": [[0, 99]]}}, "not a span of a text of 9 characters"),
    ("gist", {"spans": {"gist": [[4, 2]]}}, "not a span"),
    ("gist", {"spans": {"gist": [[0, True]]}}, "not a span"),
    ("gist", {"spans": {"gist": [[0.0, 2]]}}, "not a span"),
    ("gist", {"spans": {"gist": [["0", "2"]]}}, "not a span"),
    ("gist", {"spans": {"gist": [[0, 4], [3, 6]]}}, "share characters 3 to 4"),
    ("gist", {"spans": {"gist": [[0, 4]], "supplement": [[2, 6]]}}, "marked as gist and as supplement"),
    ("gist", {"spans": {"extra_gist": [[0, 2]], "extra_supplement": [[1, 3]]}}, "marked as extra_gist"),
    ("approve", {**PAYLOADS["approve"], "decision": "yes"}, "approve, edit or reject"),
    ("approve", {**PAYLOADS["approve"], "decision": ["edit"]}, "approve, edit or reject"),
    ("approve", {**PAYLOADS["approve"], "question": None}, "`question` must be a text"),
    ("approve", {**PAYLOADS["approve"], "reason": ""}, "a reason is required"),
    ("approve", {**PAYLOADS["approve"], "decision": "edit"}, "neither the question nor the reference is changed"),
    ("approve", {**PAYLOADS["approve"], "decision": "approve", "reference": " "}, "reference: the text is empty"),
    ("approve", {**PAYLOADS["approve"], "decision": "edit", "question": "x" * 50_001}, "50,001 characters"),
    ("approve", {"decision": "approve", "question": "x"}, "`reference` is missing"),
    ("preference", {"order": [["a1"], ["a2"]]}, "`none_good` is missing"),
    ("preference", {"order": [["a1"]], "none_good": False}, "every answer"),
    ("preference", {"order": [["a1"], ["a1", "a2"]], "none_good": False}, "every answer"),
    ("preference", {"order": [["a1"], [], ["a2"]], "none_good": False}, "rank the answers"),
    ("preference", {"order": "a1", "none_good": False}, "rank the answers"),
    ("preference", {"order": [[1], ["a2"]], "none_good": False}, "rank the answers"),
    ("preference", {"order": [["a1"], ["a2"]], "none_good": 0}, "true or false"),
]


@pytest.mark.parametrize(("title", "payload", "said"), REFUSED)
def test_what_does_not_fit_is_refused_with_a_sentence(title, payload, said):
    """The page shows the annotator what is missing or wrong; nothing invalid gets into the database."""
    with pytest.raises(ValueError, match=said):
        FORMS[title]().check(item_of(title).content, payload)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3), lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from(["grade", "spans", "order", "gist", "none_good", "reason", "correct", "grades", "decision", "question", "reference"]), each, max_size=4), max_leaves=12))  # fmt: skip
def test_rubbish_is_a_value_error_and_nothing_else(payload):
    """Given any JSON, a form accepts or refuses it; it never crashes."""
    for title in FORMS:
        form, item = FORMS[title](), item_of(title)
        for tried in (payload, {**PAYLOADS[title], **payload}) if isinstance(payload, dict) else ():
            try:
                taken = form.check(item.content, tried)
            except ValueError:
                continue
            assert list(form.labels(item.key, item.content, taken))


def test_white_space_at_the_ends_of_a_mark_is_left_out():
    """A double click also selects the space after a word; the span is the word alone."""
    (item,) = GistForm().items([Sample("1", "q", "a", reference="one two  three\n")])
    spans = GistForm().check(item.content, {"spans": {"gist": [[8, 15], [0, 4], [3, 4]]}})["spans"]
    assert spans["gist"] == [[0, 3], [9, 14]]


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ([[0, 6]], [[0, 6]], False),
        ([[0, 6]], [[0, 5]], False),
        ([[0, 6]], [[0, 2]], True),
        ([[0, 6]], [], True),
        ([[0, 3], [3, 6]], [[0, 6]], True),
        ([[0, 3], [5, 9]], [[5, 9], [0, 4]], False),
    ],
)
def test_marks_differ_where_half_is_not_shared(one, other, differ):
    """Annotators who mark the same unit one character apart agree; those who mark another unit, or one more, differ."""
    form, item = GistForm(), item_of("gist")
    payloads = [form.check(item.content, {"spans": {"gist": spans}}) for spans in (one, other)]
    assert form.differences(payloads) == (("gist",) if differ else ())
    assert form.differences(payloads[::-1]) == form.differences(payloads)


def test_differences_name_the_aspect():
    """The admin sees where annotators differ; a differently worded reason is not a difference."""
    grades = PAYLOADS["aspects"]["grades"]
    said = [{"grades": grades, "reason": "a"}, {"grades": {**grades, "formality": 0}, "reason": "b"}]
    assert AspectsForm().differences(said) == ("formality",)
    assert GradeForm().differences([{"grade": 3, "reason": "a"}, {"grade": 3, "reason": "b"}]) == ()
    assert CorrectForm().differences([{"correct": True}, {"correct": True}, {"correct": False}]) == ("correct",)
    orders = [{"order": [["a1"], ["a2"]], "none_good": flag} for flag in (False, True)]
    assert PreferenceForm().differences(orders) == ("none_good",)


@given(st.permutations(["a1", "a2", "a3", "a4"]), st.lists(st.booleans(), min_size=3, max_size=3))
def test_an_order_with_ties_survives_the_labels(keys, cuts):
    """The preferences between all pairs determine any ranking of four answers, with ties."""
    samples = [Sample(f"s{n}", "q", f"answer {n}") for n in range(4)]
    form = PreferenceForm()
    (item,) = form.items(samples)
    order = [[keys[0]]]
    for key, cut in zip(keys[1:], cuts, strict=True):
        order.append([key]) if cut else order[-1].append(key)
    payload = form.check(item.content, {"order": order, "none_good": False})
    labels = list(form.labels(item.key, item.content, payload))
    assert len([label for label in labels if label.aspect == "preference"]) == 6
    assert form.payload_of(item.content, labels) == payload


def test_an_answers_number_does_not_tell_its_system():
    """Over many questions each system is a1 about as often as a2, and the pairs keep the file's order."""
    samples = [Sample(f"{n}/{system}", f"question {n}", "x") for n in range(200) for system in ("ours", "theirs")]
    items = list(PreferenceForm().items(samples))
    first = sum(item.content["ids"]["a1"].endswith("ours") for item in items)
    assert 70 < first < 130
    assert [item.key for item in items] == [f"{n}/ours vs {n}/theirs" for n in range(200)]
    assert [answer["key"] for answer in items[0].content["answers"]] == ["a1", "a2"]


def test_preferences_in_a_circle_are_no_order():
    """A > B > C > A cannot be shown as a ranking."""
    form = PreferenceForm()
    (item,) = form.items([Sample(name, "q", "a") for name in "ABC"])
    circle = [Label("A vs B", -1), Label("B vs C", -1), Label("A vs C", 1)]
    assert form.payload_of(item.content, circle) is None


def test_what_cannot_be_graded_is_reported():
    """A missing answer, a missing reference, nothing to compare: each message names the sample and the gap."""
    with pytest.raises(BadInput, match="sample 's' has no answer"):
        list(GradeForm().items([Sample("s", "q")]))
    with pytest.raises(BadInput, match="sample 's' has no answer"):
        list(GradeForm().items([SetItem("s", "q", "r")]))
    with pytest.raises(BadInput, match="sample 's' has no reference"):
        list(GistForm().items([Sample("s", "q", "a", reference=" ")]))
    with pytest.raises(BadInput, match="none of the 2 questions has two answers"):
        list(PreferenceForm().items([Sample("s", "q", "a"), Sample("t", "r", "a")]))
    with pytest.raises(BadInput, match="has 21 answers"):
        list(PreferenceForm().items(Sample(str(n), "q", "a") for n in range(21)))


def test_an_aspects_form_keeps_the_rubric_it_was_made_with(tmp_path):
    """The rubric's text is stored in the project; the file may change or disappear."""
    file = tmp_path / "ours.toml"
    file.write_text(
        '[[aspects]]\nname = "clarity"\nbest = 2\nbetween = true\nja.asks = "明快か"\n'
        'grades = [{ value = 0, ja = "いいえ: だめ" }, { value = 2, ja = "はい" }]\n',
        "utf-8",
    )
    form = AspectsForm(rubric=read_rubric(str(file)))
    options = json.loads(json.dumps(form.options))
    file.unlink()
    again = AspectsForm.from_options(options)
    (shown,) = again.texts("en")["aspects"]
    assert [(grade["value"], grade["text"]) for grade in shown["grades"]] == [(0, "いいえ: だめ"), (1, ""), (2, "はい")]
    assert again.rubric.digest == form.rubric.digest


def test_messages_exist_in_both_languages():
    """Both languages have the same keys and the same placeholders."""
    english, japanese = section("annotation_wrong", "en"), section("annotation_wrong", "ja")
    assert english.keys() == japanese.keys()
    gaps = re.compile(r"{[^}]*}")
    assert [key for key in english if set(gaps.findall(english[key])) != set(gaps.findall(japanese[key]))] == []
