"""The column names of other tools, and those given by the user."""

import io
import json

import pytest

from saiten.data import read_samples
from saiten.errors import BadInput, ConfigurationError
from saiten.records import Sample

CHAT = {"messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "q"}]}
COMPLETION = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}}]}
FULL = {"question": "q", "answer": "a", "contexts": ("c", "d"), "reference": "r"}


def read(rows, notices=None, **settings):
    """Everything read from the rows; notes go to `notices`."""
    notices = [] if notices is None else notices
    return list(read_samples(rows, detect_language=lambda *_: "en", notify=notices.append, **settings))


TOOLS = {
    "ragas 0.1": ({"question": "q", "answer": "a", "contexts": ["c", "d"], "ground_truth": "r"}, FULL),
    "ragas 0.0": ({"question": "q", "answer": "a", "contexts": ["c", "d"], "ground_truths": ["r"]}, FULL),
    "ragas 0.2": (
        {
            "user_input": "q",
            "response": "a",
            "retrieved_contexts": ["c", "d"],
            "reference": "r",
            "reference_contexts": ["e"],
        },
        FULL | {"evidence": ("e",)},
    ),
    "deepeval": (
        {"input": "q", "actual_output": "a", "expected_output": "r", "retrieval_context": ["c", "d"], "context": ["e"]},
        FULL | {"evidence": ("e",)},
    ),
    "deepeval, camel case": (
        {"input": "q", "actualOutput": "a", "expectedOutput": "r", "retrievalContext": ["c", "d"]},
        FULL,
    ),
    "deepeval golden with an id": (
        {"input": "q", "expected_output": "r", "additional_metadata": {"id": "7", "kind": "single"}},
        {"id": "7", "question": "q", "reference": "r"},
    ),
    "deepeval golden": (
        {"input": "q", "actual_output": None, "expected_output": "r", "context": ["e"]},
        {"question": "q", "reference": "r", "evidence": ("e",)},
    ),
    "mlflow 2": (
        {"inputs": "q", "predictions": "a", "targets": "r"},
        {"question": "q", "answer": "a", "reference": "r"},
    ),
    "mlflow 2, ground truth": (
        {"inputs": "q", "outputs": "a", "ground_truth": "r"},
        {"question": "q", "answer": "a", "reference": "r"},
    ),
    "databricks": (
        {
            "request_id": "7",
            "request": CHAT,
            "response": COMPLETION,
            "expected_response": "r",
            "retrieved_context": [{"doc_uri": "u", "content": "c"}, {"doc_uri": "v", "content": "d"}],
            "expected_retrieved_context": [{"doc_uri": "u", "content": "e"}],
        },
        FULL | {"id": "7", "evidence": ("e",)},
    ),
    "mlflow 3": (
        {
            "inputs": {"question": "q"},
            "outputs": {"response": "a"},
            "expectations": {"expected_response": "r", "expected_facts": ["f"]},
        },
        {"question": "q", "answer": "a", "reference": "r"},
    ),
    "mlflow 3, chat": ({"inputs": CHAT, "outputs": "a"}, {"question": "q", "answer": "a"}),
    "langsmith": (
        {
            "inputs": {"question": "q"},
            "outputs": {"answer": "a", "documents": [{"page_content": "c"}, {"page_content": "d"}]},
            "reference_outputs": {"answer": "r"},
        },
        FULL,
    ),
    "langsmith, flat": (
        {
            "inputs.question": "q",
            "outputs.answer": "a",
            "outputs.contexts": ["c", "d"],
            "reference.answer": "r",
            "feedback.x": 1,
            "id": "run",
        },
        FULL | {"id": "run"},
    ),
    "langsmith, its CSV": (
        {"inputs": '{"question": "q"}', "outputs": '{"answer": "a"}', "reference_outputs": '{"answer": "r"}'},
        {"question": "q", "answer": "a", "reference": "r"},
    ),
    "langsmith, upload": (
        {
            "row_id": "7",
            "inputs": {"query": "q"},
            "actual_outputs": {"answer": "a"},
            "expected_outputs": {"answer": "r"},
        },
        {"id": "7", "question": "q", "answer": "a", "reference": "r"},
    ),
    "ragchecker": (
        {
            "query_id": "7",
            "query": "q",
            "gt_answer": "r",
            "response": "a",
            "retrieved_context": [{"doc_id": "0", "text": "c"}, {"doc_id": "1", "text": "d"}],
        },
        FULL | {"id": "7"},
    ),
    "grouse": (
        {"input": "q", "actual_output": "a", "expected_output": "r", "references": ["c", "d"], "metadata": {}},
        FULL,
    ),
    "references": (
        {"question": "q", "references": ["r", "s"]},
        {"question": "q", "reference": "r", "alternatives": ("s",)},
    ),
    "plain context": ({"question": "q", "context": "c"}, {"question": "q", "contexts": ("c",)}),
    "titles": ({"User Input": "q", "RESPONSE": "a", "Retrieved-Contexts": '["c", "d"]', "Ground Truth": "r"}, FULL),
    "langchain's own json": (
        {"question": "q", "contexts": [{"lc": 1, "type": "constructor", "kwargs": {"page_content": "c"}}]},
        {"question": "q", "contexts": ("c",)},
    ),
    "日本語": (
        {"質問": "q", "回答": "a", "正答例": "r", "コンテキスト": "c"},
        {"question": "q", "answer": "a", "reference": "r", "contexts": ("c",)},
    ),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_columns_of_the_tools_are_understood(tool):
    """A row as each tool writes it gives the intended sample."""
    row, expected = TOOLS[tool]
    assert read([row]) == [Sample(**{"id": "row-1"} | expected)]


def test_ragcheckers_file_is_read_as_it_is():
    """RAGChecker keeps its rows under `results`, pretty-printed."""
    row, expected = TOOLS["ragchecker"]
    file = io.BytesIO(json.dumps({"results": [row], "metrics": {"overall": {}}}, indent=2).encode())
    assert read(file) == [Sample(**expected)]


def test_named_columns_go_before_recognized_ones():
    """A column given by the user is used alone, with dots leading into objects."""
    row = {"question": "no", "meta": {"asked": {"text": "q"}}, "Frage": "f", "answer": "a", "a.b": "dotted"}
    assert read([row], columns={"question": "meta.asked.text"})[0].question == "q"
    assert read([row], columns={"question": "FRAGE"})[0].question == "f"
    assert read([row], columns={"question": "a.b"})[0].question == "dotted"
    assert read([row], columns={"answer": "meta.asked"})[0].answer == "q"


def test_langsmiths_data_sets_need_a_word():
    """If `outputs` is the reference, saying so is enough."""
    row = {"inputs": {"question": "q"}, "outputs": {"answer": "r"}}
    (sample,) = read([row], columns={"reference": "outputs", "answer": "none"} | {"answer": "inputs.question"})
    assert sample.reference == "r"


def test_a_named_column_that_is_not_there_is_an_error_with_those_that_are():
    """A misspelled column stops immediately; one that some early rows lack does not."""
    rows = [{"question": "q", "output": {"text": "a", "score": 1}}]
    with pytest.raises(
        BadInput,
        match=r"no column 'outputs\.txt', which was named for the answer; columns there: question, output\.text, output\.score",
    ):
        read(rows, columns={"answer": "outputs.txt"})
    late = [{"question": "q"}] * 20 + [{"question": "q", "late": "a"}]
    assert read(late, columns={"answer": "late"})[-1].answer == "a"


def test_an_unknown_field_is_refused():
    """An unknown field is a mistake in the command, and the error lists the valid ones."""
    with pytest.raises(ConfigurationError, match=r"no field 'quesiton' .* fields: id, question, answer"):
        read([{"question": "q"}], columns={"quesiton": "q"})


def test_an_unused_column_is_reported_once():
    """With two filled columns for one field the documented one counts, and a note says how to change that."""
    notices = []
    rows = [{"question": "q", "answer": "gold", "response": "a"}] * 3
    assert {row.answer for row in read(rows, notices)} == {"gold"}
    assert notices == [
        "input: the answer is taken from 'answer', not from 'response'; to change that, name the column, as in --column answer=response"
    ]


def test_japanese_names_of_every_field_that_has_them():
    """They are the names that people use in sheets."""
    row = {"番号": "7", "質問": "q", "回答": "a", "検索結果": ["c"], "システム": "s", "グループ": "g", "言語": "ja"}
    for name in ("正答例", "参照回答", "正解", "模範解答", "Expected Answer"):
        (sample,) = read([{**row, name: "r"}])
        assert sample == Sample("7", "q", "a", ("c",), "r", group="g", system="s", language="ja")


@pytest.mark.parametrize(
    ("row", "note"),
    [
        (
            {"question": "q", "answer": "a", "contexts": ["c"], "参考解答": "r", "note": 1, "": 0},
            "input: columns not used: 参考解答, note; no column for reference: name one, as in --column reference=参考解答",
        ),
        (
            {"question": "q", **{f"x{n}": n for n in range(9)}},
            (
                "input: columns not used: x0, x1, x2, x3, x4, x5, x6, x7, …; no column for reference or contexts or answer: "
                "name one, as in --column reference=x0"
            ),
        ),
        ({"question": "q", "answer": "a", "contexts": None, "reference": "r", "note": 1}, None),
        ({"question": "q", "answer": "a", "seconds": 1.5, "calls": [], "usage": {}, "error": None}, None),
    ],
)
def test_unused_columns_are_reported_once_where_a_field_is_missing(row, note):
    """A column with another name may be the field; if nothing is missing, there is no note."""
    notices = []
    read([row, row], notices)
    assert notices == ([note] if note else [])


def test_a_null_gives_way_to_the_next_column():
    """Of two columns for one field the first with a value counts."""
    assert read([{"question": "q", "answer": None, "response": "a"}])[0].answer == "a"


def test_rows_may_each_have_other_columns():
    """JSON lines may omit or rename columns from row to row."""
    rows = [{"question": "a"}, {"user_input": "b"}, {"inputs": {"query": "c"}}, {"QUESTION": "d"}]
    assert [row.question for row in read(rows)] == ["a", "b", "c", "d"]


ITEM = {"question": "q", "reference": "r", "kind": "single", "evidence": ["e"], "passages": [{"text": "e"}], "made": {}}


@pytest.mark.parametrize("left_out", [(), ("made",), ("kind",)])
def test_the_passages_of_an_item_of_a_test_set_are_no_contexts(left_out):
    """They are its evidence; nothing is guessed or suggested for an item's own columns."""
    row = {name: value for name, value in ITEM.items() if name not in left_out}
    notices = []
    assert read([row], notices) == [Sample("row-1", "q", reference="r", evidence=("e",))]
    assert notices == []


def test_passages_elsewhere_are_still_guessed_to_be_contexts():
    """Also next to evidence, and in a row with a kind of something."""
    for more in ({}, {"evidence": ["e"]}, {"kind": "faq"}):
        (sample,) = read([{"question": "q", "answer": "a", "passages": ["c"], **more}])
        assert sample.contexts == ("c",)
