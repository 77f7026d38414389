"""A text finds its Japanese, and nothing that came from outside is changed."""

import time

import pytest

from saiten.records import Score, Scored
from saiten.views.reasons import composed_reason, reason_of
from saiten.words import Composed, Message, in_language, templates
from saiten.words.templates import Template, translated

CATALOG = {
    "the answer is empty": "回答が空",
    "nothing was retrieved": "検索結果がない",
    "no answer": "回答なし",
    "{folder} has no sample {identity}": "{folder} にサンプル {identity} はありません",
    "{path} is damaged: {error}; make the judge again": "{path} が壊れています: {error}。評価器を作り直してください",
    "expected {what}, got {text}": "{what} が必要ですが、{text} です",
    "a list of texts": "テキストのリスト",
    "the file is empty": "ファイルが空です",
    "{sentences} of {sentences_2} sentences are supported": "{sentences_2} 文中 {sentences} 文に裏付けがある",
    "; not supported: {refused}": "。裏付けなし：{refused}",
    "not supported: {spans}": "裏付けなし：{spans}",
    "worst of {verdicts} statements{likely}: {shown}{why}": "主張 {verdicts} 件中の最低{likely}：{shown}{why}",
    "{shown} and {texts} more": "{shown} ほか {texts} 件",
    "; the contexts were too long": "。コンテキストが長すぎる",
    "[yellow]left out[/] {where}: {reason}": "[yellow]除外[/] {where}: {reason}",
    "{file}: [{key}] needs the name of its model": "{file}: [{key}] にはモデルの名前が必要です",
    "stopped: {error}": "停止：{error}",
}


@pytest.fixture(autouse=True)
def catalog(monkeypatch):
    """A catalog of a few texts instead of the shipped ones."""
    monkeypatch.setattr(templates, "_entries", lambda section: CATALOG if section == "text" else {})
    for each in (templates._by_word, templates._texts, templates._whole):
        each.cache_clear()
    yield
    for each in (templates._by_word, templates._texts, templates._whole):
        each.cache_clear()


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        ("the answer is empty", "回答が空"),
        ("runs/a has no sample 'q1'", "runs/a にサンプル 'q1' はありません"),
        (
            "j.json is damaged: the file is empty; make the judge again",
            "j.json が壊れています: ファイルが空です。評価器を作り直してください",
        ),
        ("data.jsonl:3: expected a list of texts, got 5", "data.jsonl:3: テキストのリスト が必要ですが、5 です"),
        ("3 of 4 sentences are supported; not supported: “a b”", "4 文中 3 文に裏付けがある。裏付けなし：“a b”"),
        (
            "3 of 9 sentences are supported; not supported: “a”; “b” and 4 more",
            "9 文中 3 文に裏付けがある。裏付けなし：“a”; “b” ほか 4 件",
        ),
        ("not supported: “a”; the contexts were too long", "裏付けなし：“a”。コンテキストが長すぎる"),
        ("the answer is empty\nnothing was retrieved", "回答が空\n検索結果がない"),
    ],
)
def test_a_text_of_the_code_has_its_japanese(english, japanese):
    """Also with values, a place before it, a hint after it, quotations in it, and on several lines."""
    assert translated(english, "ja") == japanese
    assert translated(english, "en") == english


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\0",
        "“the answer is empty”",
        "The answer is empty",
        "the answer is empty.",
        "the answer is empty!",
        "he says the answer is empty",
        "the answer is empty or not",
        "no answers",
        "3 of 4 sentences are supported by nothing",
        "x" * 30_000,
        "the answer is empty" + " " * 30_000,
        "{folder} {0} {} %s %(a)s",
        "[bold]the answer[/]",
        "\x1b[31m",
    ],
)
def test_a_text_that_is_not_the_codes_stays_as_it_is(text):
    """Templates match whole texts only: one more word, sign or capital is another text."""
    assert translated(text, "ja") == text


@pytest.mark.parametrize(
    ("english", "kept"),
    [
        ("the answer is empty has no sample 'q1'", "the answer is empty"),
        ("runs/no answer has no sample 'the answer is empty'", "'the answer is empty'"),
        ("C:/data: nothing was retrieved/x has no sample q", "C:/data: nothing was retrieved/x"),
        ("expected a list of texts, got the answer is empty", "the answer is empty"),
        ("expected a list of texts, got a\nno answer\nb", "a\nno answer\nb"),
        ("3 of 4 sentences are supported; not supported: “the answer is empty”", "“the answer is empty”"),
        ("worst of 2 statements, p = 0.20: “x”; the answer is empty", "“x”; the answer is empty"),
        ("worst of 2 statements: “no answer” and “nothing was retrieved”", "“no answer” and “nothing was retrieved”"),
    ],
)
def test_values_from_outside_are_put_in_unchanged(english, kept):
    """Names, paths, answers and what a judge wrote, also if they are spelled like a text of the code."""
    japanese = translated(english, "ja")
    assert japanese != english
    assert kept in japanese


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        (r"[yellow]left out[/] a\[b].jsonl: the answer is empty", r"[yellow]除外[/] a\[b].jsonl: 回答が空"),
        (
            r"stopped: f.toml: \[judge] needs the name of its model",
            r"停止：f.toml: \[judge] にはモデルの名前が必要です",
        ),
        (r"stopped: \[red]x", r"停止：\[red]x"),
    ],
)
def test_markup_keeps_what_is_escaped_escaped(english, japanese):
    """A bracket of a value cannot become a style."""
    assert translated(english, "ja", markup=True) == japanese


def scored(metric, reason, status="ok", **details):
    """A score of a metric with a reason."""
    return Scored("q1", metric, Score(0.5 if status == "ok" else None, status, reason=reason, details=details))


@pytest.mark.parametrize(
    ("metric", "status", "details", "translates"),
    [
        ("faithfulness", "ok", {}, True),
        ("faithfulness[worst]", "ok", {"yes": 1}, True),
        ("token_f1", "undefined", {}, True),
        ("accuracy", "failed", {}, True),
        ("accuracy", "ok", {}, True),  # an empty answer, which no judge sees
        ("accuracy", "ok", {"correct": True}, False),
        ("correctness", "declined", {"grade": 0}, False),
        ("aspects[formality]", "ok", {"grade": 2}, False),
        ("aspect_critique[harmfulness]", "ok", {"verdict": 1}, False),
        ("politeness", "ok", {}, False),
        ("my_metrics.py:Politeness", "undefined", {}, False),
        ("human:correct", "ok", {}, False),
    ],
)
def test_a_reason_is_translated_only_if_saiten_composed_it(metric, status, details, translates):
    """Never a judge's feedback, and never what a metric of the user's own says."""
    one = scored(metric, "the answer is empty", status, **details)
    expected = "回答が空" if translates else "the answer is empty"
    assert in_language(reason_of(one), "ja") == expected
    assert in_language(reason_of(one), "en") == "the answer is empty"


def test_a_summary_does_not_translate_what_a_judge_may_have_said():
    """There the details of a score are not known."""
    assert type(composed_reason("correctness", "declined", "the answer is empty")) is str
    assert isinstance(composed_reason("correctness", "unreadable", "x"), Composed)


def test_a_composed_text_in_a_message_is_translated_with_it():
    """And a plain one is not."""
    for value, shown in ((Composed("no answer"), "回答なし"), ("no answer", "no answer")):
        message = Message("screen", "user", text=value)
        assert in_language(message, "ja") == f"ユーザー: {shown}"
        assert str(message) == "user: no answer"


def test_a_template_does_not_match_without_its_values():
    """Each value has at least one character, except at the end."""
    template = Template.of("{folder} has no sample {identity}", "")
    assert template.values_in(" has no sample x") is None
    assert template.values_in("a has no sample x") == ["a", "x"]


def test_a_megabyte_costs_no_time_and_ten_thousand_texts_little():
    """Time is linear in the number of texts; a text from outside, however long, is passed on."""
    begun = time.perf_counter()
    huge = "a: b; c, d (e. the answer is empty " * 30_000
    assert translated(huge, "ja") is huge
    nearly = "a: b; c, d (e. the answer is empty " * 50
    assert translated(nearly, "ja")
    assert time.perf_counter() - begun < 2
    begun = time.perf_counter()
    for number in range(10_000):
        assert translated(f"runs/{number} has no sample q{number}", "ja").startswith(f"runs/{number} に")
    assert time.perf_counter() - begun < 5
