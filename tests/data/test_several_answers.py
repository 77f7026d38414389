"""Rows with the answers of several systems, and with numbered contexts; names of columns that people use."""

import pytest

from saiten.data import read_samples
from saiten.data.columns import SAMPLE_COLUMNS
from saiten.data.guessed_names import GUESSED_NAMES
from saiten.data.several_answers import is_one_of_several
from saiten.records import Sample


def read(rows, notices=None, **settings):
    """Everything read from the rows; notes go to `notices`."""
    notices = [] if notices is None else notices
    return list(read_samples(rows, detect_language=lambda *_: "ja", notify=notices.append, **settings))


@pytest.mark.parametrize(
    ("columns", "systems"),
    [
        (("回答A", "回答B"), ("A", "B")),
        (("回答1", "回答2", "回答3"), ("1", "2", "3")),
        (("回答Ａ", "回答Ｂ"), ("A", "B")),
        (("回答①", "回答②"), ("1", "2")),
        (("A回答", "B回答"), ("A", "B")),
        (("AI回答A", "AI回答B"), ("A", "B")),
        (("回答(GPT-4o)", "回答（Claude）"), ("GPT-4o", "Claude")),
        (("回答【旧版】", "回答【新版】"), ("旧版", "新版")),
        (("回答A(GPT-4o)", "回答B(Claude)"), ("A(GPT-4o)", "B(Claude)")),
        (("旧版の回答", "新版の回答"), ("旧版", "新版")),
        (("旧版回答", "新版回答"), ("旧版", "新版")),
        (("システムA 回答", "システムB 回答"), ("システムA", "システムB")),
        (("生成文_gpt", "生成文_llama"), ("gpt", "llama")),
        (("answer_a", "answer_b"), ("a", "b")),
        (("Answer A", "Answer B"), ("A", "B")),
        (("answer1", "answer2"), ("1", "2")),
        (("answer_gpt4", "answer_old bot"), ("gpt4", "old bot")),
        (("gpt4_answer", "old_answer"), ("gpt4", "old")),
        (("Response (GPT-4o)", "Response (baseline)"), ("GPT-4o", "baseline")),
        (("output.gpt4", "output.base"), ("gpt4", "base")),
        (("response1", "response2"), ("1", "2")),
        (("回答A",), ("A",)),
    ],
)
def test_columns_that_people_give_several_systems(columns, systems):
    """Each such column is a system with the name that people gave it; its answers get ids of their own."""
    row = {"id": "7", "質問": "q", "正解": "r"} | {column: f"answer in {column}" for column in columns}
    notes = []
    assert read([row], notes) == [
        Sample(f"7/{system}", "q", f"answer in {column}", reference="r", system=system, language="ja")
        for column, system in zip(columns, systems, strict=True)
    ]
    (note,) = notes
    assert all(f"{column!r} (system {system})" in note for column, system in zip(columns, systems, strict=True))
    assert f"answer={columns[0]}" in note


@pytest.mark.parametrize(
    "columns",
    [
        ("回答者", "回答日"),
        ("回答日時", "回答時間", "回答者ID"),
        ("回答の評価", "回答の理由", "回答へのコメント"),
        ("回答_点数", "回答_備考"),
        ("answer_relevancy", "answer_correctness", "answer_similarity"),
        ("answer_id", "answer_time", "answer_tokens"),
        ("response_time", "response_status", "response_length"),
        ("output_tokens", "output_cost"),
        ("answer_start", "answer_end"),
        ("has_answer",),
        ("answer_gpt4",),
        ("answerable", "answered"),
    ],
)
def test_columns_about_answers_are_no_answers(columns):
    """People, dates, scores, costs, and a single column whose name might mean anything."""
    assert read([{"質問": "q", **dict.fromkeys(columns, "x")}]) == [Sample("row-1", "q", language="ja")]


def test_a_plain_answer_or_the_users_choice_ends_the_guessing():
    """With a column 回答, or one that the user names, there is one answer for each row."""
    row = {"質問": "q", "回答A": "x", "回答B": "y"}
    assert [one.answer for one in read([row | {"回答": "z"}])] == ["z"]
    assert [one.answer for one in read([row], columns={"answer": "回答B"})] == ["y"]
    assert [one.answer for one in read([row], wished=("question",))] == [None]


def test_contexts_go_with_the_system_that_has_the_same_name():
    """文脈A belongs to 回答A; without systems, numbered contexts are one list in their order."""
    row = {"質問": "q", "回答A": "x", "文脈A": ["c"], "回答B": "y", "文脈B": ["d", "e"]}
    assert [one.contexts for one in read([row])] == [("c",), ("d", "e")]
    numbered = {"質問": "q", "回答": "x", "文脈2": "b", "文脈10": "c", "文脈1": "a", "文脈3": ""}
    assert read([numbered])[0].contexts == ("a", "b", "c")
    assert read([{"question": "q", "passage_1": "a", "passage_2": None}])[0].contexts == ("a",)
    both = {"質問": "q", "回答A": "x", "回答B": "y", "文脈1": "a", "文脈2": "b"}
    assert [one.contexts for one in read([both])] == [("a", "b"), ("a", "b")]


def test_a_system_of_the_row_is_kept_beside_that_of_the_column():
    """A sheet may compare versions A and B of several models."""
    row = {"質問": "q", "モデル名": "gpt", "回答A": "x", "回答B": "y"}
    assert [(one.id, one.system) for one in read([row])] == [("row-1/A", "gpt A"), ("row-1/B", "gpt B")]


def test_an_empty_cell_is_an_empty_answer_and_null_is_none(tmp_path):
    """As for a single answer: CSV cannot tell them apart, JSON can."""
    path = tmp_path / "a.csv"
    path.write_text("質問,回答A,回答B\nq,x,\n", encoding="utf-8")
    assert [(one.id, one.answer) for one in read(path)] == [("row-2/A", "x"), ("row-2/B", "")]
    assert [one.answer for one in read([{"質問": "q", "回答A": "x", "回答B": None}])] == ["x", None]


def test_numbers_of_rows_need_not_be_unique():
    """No restarts in every section, or is the same for all systems: the row then names the answer."""
    rows = [{"No": n, "質問": f"q{k}", "回答": "a"} for k, n in enumerate((1, 2, 1))]
    assert [one.id for one in read(rows)] == ["1", "2", "row-3"]
    rows = [{"No.": 1, "質問": "q", "回答": "a", "モデル名": model} for model in ("x", "y", "x")]
    assert [one.id for one in read(rows)] == ["1/x", "1/y", "row-3"]
    twice = read([{"id": 1, "質問": "q", "回答": "a"}] * 2)
    assert "every answer needs its own" in twice[1].reason


SEED = {"No": 1, "カテゴリ": "総務", "質問文": "q", "正解文": "r", "文脈": "c", "生成文": "a", "モデル名": "m"}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (SEED, Sample("1/m", "q", "a", ("c",), "r", group="総務", system="m", language="ja")),
        ({"Ｎｏ．": 1, "質問": "q", "AI回答": "a"}, Sample("1", "q", "a", language="ja")),
        ({"prompt": "q", "completion": "a", "model": "m"}, Sample("row-1", "q", "a", system="m", language="ja")),
        ({"question": "q", "result": "a", "source_documents": ["c"]}, Sample("row-1", "q", "a", ("c",), language="ja")),
        ({"question": "q", "output": {"text": "a", "score": 1}}, Sample("row-1", "q", "a", language="ja")),
        ({"input": {"text": "q"}, "output.text": "a"}, Sample("row-1", "q", "a", language="ja")),
        ({"問い合わせ内容": "q", "ボットの回答": "a", "模範回答": "r"}, Sample("row-1", "q", "a", reference="r", language="ja")),
        ({"設問": "q", "解答例": "r", "別解": ["s"]}, Sample("row-1", "q", reference="r", alternatives=("s",), language="ja")),
        ({"質問": "q", "回答": "a", "根拠": "e"}, Sample("row-1", "q", "a", evidence=("e",), language="ja")),
    ],
)  # fmt: skip
def test_words_of_business_and_of_logs_are_recognized(row, expected):
    """Sheets and logs that nobody made for a tool need no --column."""
    assert read([row]) == [expected]


def test_names_of_tools_come_before_guesses():
    """A guess never takes the place of a name that a tool gives."""
    row = {"question": "q", "prompt": "long", "answer": "a", "result": "no", "contexts": ["c"], "documents": ["d"]}
    (found,) = read([row])
    assert (found.question, found.answer, found.contexts) == ("q", "a", ("c",))


def test_guesses_have_one_meaning_each():
    """No guessed name is another field's name, and none looks like one of several answers."""
    names = [(name, field) for field, guesses in GUESSED_NAMES.items() for name in guesses]
    for name, field in names:
        others = [other for other, known in SAMPLE_COLUMNS.items() if other != field and name in known]
        assert others == [], name
        assert not is_one_of_several(name), name
