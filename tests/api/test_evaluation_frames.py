"""Results as tables of four libraries, and results that show themselves in notebooks and terminals."""

import asyncio
import io
import json
import subprocess
import sys
from html.parser import HTMLParser

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rich.console import Console

import saiten
from saiten.api.result import Evaluation
from saiten.data.frames import columns_of
from saiten.errors import BadInput, ConfigurationError
from saiten.records import STATUSES, Sample, Score, Scored

SAMPLES = (
    Sample("a", "Where?", "In Nagoya.", ("Nagoya.", "x"), "In Nagoya.", system="one"),
    Sample("b", "どこ？", "名古屋です。", None, None, ("市",), language="ja"),
    Sample("c", "When?", "half \ud83d", (), "In 1998."),
)
SCORES = (
    Scored("a", "m", Score(1.0, details={"n": 1, "語": ["字"]}, expected=0.75)),
    Scored("b", "m", Score.undefined("no reference")),
    Scored("a", "question", Score(0.25, reason="a reason")),
    Scored("c", "m", Score(None, "unreadable", "half \ud83d", {"raw": "\ud83d", "nan": float("nan"), "set": {1}})),
)
RESULT = Evaluation(SAMPLES, SCORES, {"m": "m|v1", "question": "question|v1"})
HOWS = ["to_pandas", "to_polars", "to_arrow", "to_dataset"]


def cells(table, column):
    """A column as Python values, None for missing ones."""
    if isinstance(table, pd.DataFrame):
        return [None if isinstance(cell, float) and cell != cell else cell for cell in table[column].astype(object)]  # noqa: PLR0124 - NaN
    if hasattr(table, "to_pylist"):
        return table[column].to_pylist()
    return list(table[column])


def names(table):
    """The columns' names."""
    return list(getattr(table, "column_names", None) or table.columns)


@pytest.mark.parametrize("how", HOWS)
def test_the_long_form_is_a_row_a_score(how):
    """All four have the same columns, details as JSON text, and nulls for missing values."""
    table = getattr(RESULT, how)("long")
    assert names(table) == ["sample", "metric", "value", "status", "reason", "expected", "details"]
    assert cells(table, "sample") == ["a", "b", "a", "c"]
    assert cells(table, "value") == [1.0, None, 0.25, None]
    assert cells(table, "status") == ["ok", "undefined", "ok", "unreadable"]
    assert cells(table, "reason") == [None, "no reference", "a reason", "half \\ud83d"]
    assert cells(table, "expected") == [0.75, None, None, None]
    assert json.loads(cells(table, "details")[0]) == {"n": 1, "語": ["字"]}
    assert cells(table, "details")[1:3] == [None, None]
    assert "nan" in cells(table, "details")[3]


@pytest.mark.parametrize("how", HOWS)
def test_the_wide_form_is_a_row_a_sample(how):
    """The sample's fields, and three columns per metric, or four with expected values; names do not collide."""
    table = getattr(RESULT, how)()
    assert names(table)[:3] == ["id", "question", "answer"]
    assert cells(table, "question") == ["Where?", "どこ？", "When?"]
    assert cells(table, "metric:question") == [0.25, None, None]
    assert cells(table, "m:status") == ["ok", "undefined", "unreadable"]
    assert cells(table, "m:expected") == [0.75, None, None]
    assert "metric:question:expected" not in names(table)
    assert cells(table, "metric:question:status") == ["ok", None, None]
    assert [None if cell is None else list(cell) for cell in cells(table, "contexts")] == [["Nagoya.", "x"], None, []]
    assert cells(table, "system") == ["one", None, None]


@pytest.mark.parametrize("how", HOWS)
def test_the_texts_are_next_to_the_scores_on_request(how):
    """They are off in the wide form, on in the long one."""
    assert names(getattr(RESULT, how)(texts=False))[:2] == ["id", "m"]
    table = getattr(RESULT, how)("long", texts=True)
    assert cells(table, "question") == ["Where?", "どこ？", "Where?", "When?"]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("form", ["long", "wide"])
def test_a_result_without_scores_is_an_empty_table(how, form):
    """It has its columns, if they do not depend on metrics."""
    table = getattr(Evaluation((), (), {}), how)(form)
    assert len(table) == 0
    assert ("id" if form == "wide" else "value") in names(table)


@pytest.mark.parametrize("how", HOWS)
def test_there_are_two_forms(how):
    """The error for any other form names both."""
    with pytest.raises(ValueError, match="`wide` or `long`, not 'tall'"):
        getattr(RESULT, how)("tall")


def test_types_are_those_of_each_library():
    """Figures are floats, statuses come from a fixed list of five."""
    assert RESULT.to_arrow("long").schema.field("status").type == pa.dictionary(pa.int8(), pa.string())
    assert RESULT.to_arrow("long").schema.field("value").type == pa.float64()
    assert RESULT.to_polars("long").schema["status"] == pl.Enum(STATUSES)
    assert list(RESULT.to_pandas("long")["status"].dtype.categories) == list(STATUSES)
    assert RESULT.to_pandas("long")["value"].dtype == "float64"
    assert {str(feature.dtype) for feature in RESULT.to_dataset("long").features.values()} == {"string", "float64"}


def test_more_rows_than_a_chunk_are_all_there():
    """Arrow's memory is filled in chunks; the order is that of the scores."""
    scores = tuple(Scored(f"s{n}", "m", Score(float(n))) for n in range(20_000))
    table = Evaluation((), scores, {}).to_arrow("long")
    assert table["value"].to_pylist() == [float(n) for n in range(20_000)]
    assert table["sample"].num_chunks == 3


def test_metrics_whose_columns_would_clash_are_separate():
    """`m:status` may be a metric, too."""
    scores = [Scored("a", name, Score(float(n))) for n, name in enumerate(["m", "m:status", "metric:m:status"])]
    found = columns_of(SAMPLES[:1], scores, texts=False)
    assert len(found) == 1 + 3 * 3
    assert [column.cells[0] for column in found.values() if column.kind == "number"] == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("how", "module", "extra"),
    [
        ("to_pandas", "pandas", "frames"),
        ("to_polars", "polars", "frames"),
        ("to_arrow", "pyarrow", "data"),
        ("to_dataset", "datasets", "datasets"),
    ],
)
def test_a_missing_library_is_named_with_what_to_install(monkeypatch, how, module, extra):
    """The error names the extra when the library cannot be imported."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigurationError) as error:
        getattr(saiten.Evaluation((), (), {}), how)()
    assert str(error.value) == f'{how} needs {module}; install it with pip install "saiten[{extra}]"'


class Parsed(HTMLParser):
    """The tags, the attributes and the text of a fragment."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m{0}%s|\u202e"


def evil():
    """A result with active names and reasons."""
    samples = [Sample(f"{EVIL}{n}", f"q{n}", "a", system=f"{EVIL}{n}", group=f"{EVIL}{n % 2}") for n in range(4)]
    scores = [
        Scored(s.id, EVIL, Score(0.5 + n / 10) if n else Score(None, "failed", EVIL)) for n, s in enumerate(samples)
    ]
    return Evaluation(tuple(samples), tuple(scores), {EVIL: f"{EVIL}|v1"}, stopped=EVIL)


@pytest.mark.parametrize(
    "of", [lambda r: r, lambda r: r.summary, lambda r: r.compare(r)], ids=["evaluation", "summary", "comparison"]
)
def test_what_a_notebook_shows_can_never_act(of):
    """There are only tables: no script, no color of its own, text from outside as text."""
    html = of(evil())._repr_html_()
    shown = Parsed(html)
    assert shown.tags <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert shown.attributes <= {"class", "style", "scope"}
    assert "<script>alert(1)</script>" in shown.text
    assert not {"\x1b", "\u202e"} & set(html)
    assert "background" not in html
    assert "#" not in html


def test_a_result_prints_itself_richly():
    """With rich as in the terminal, using the available width; nothing from outside styles the screen."""
    out = io.StringIO()
    Console(file=out, width=70).print(evil())
    assert "Scores" in out.getvalue()
    assert "Stopped: <script>" in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 70
    assert "\x1b" not in out.getvalue()


def test_two_results_are_compared():
    """They are paired by sample, as in `saiten compare`; what they do not share is reported."""
    rows = [{"id": str(n), "question": f"q{n}", "reference": "right"} for n in range(12)]
    bad, good = (saiten.evaluate([row | {"answer": a} for row in rows], ["exact_match"]) for a in ("wrong", "right"))
    compared = bad.compare(good, ("before", "after"))
    (row,) = compared.rows()
    assert (row["metric"], row["difference"], row["verdict"], row["n"]) == ("exact_match", 1.0, "better", 12)
    assert repr(compared).startswith("<Comparison of 1 metrics>\n### before → after")
    with pytest.raises(BadInput, match="no metric that both"):
        bad.compare(saiten.evaluate(rows, ["length"]))


def test_a_comparison_and_a_summary_are_records_with_named_fields():
    """Their frames have the same names, without the headings for people."""
    pytest.importorskip("pandas")
    rows = [{"id": str(n), "question": f"q{n}", "reference": "right"} for n in range(12)]
    bad, good = (saiten.evaluate([row | {"answer": a} for row in rows], ["exact_match"]) for a in ("wrong", "right"))
    compared = bad.compare(good, ("v1 → careful", "v2"))
    assert (compared.first, compared.metrics[0].verdict, compared.metrics[0].p_value) == ("v1 → careful", "better", pytest.approx(0.0005, abs=5e-4))  # fmt: skip
    assert [*compared.to_pandas().columns[:7]] == ["metric", "difference", "ci_low", "ci_high", "p_value", "verdict", "n"]  # fmt: skip
    frame = good.summary.to_pandas()
    assert {"metric", "mean", "ci_low", "ci_high", "n", "of", "failed"} <= {*frame.columns}
    assert frame.iloc[0]["mean"] == good.summary.overall("exact_match").mean == 1.0


async def test_everything_works_inside_a_running_loop():
    """As in a notebook: evaluate, show, and continue with the user's coroutines."""
    result = saiten.evaluate([{"id": "a", "question": "q", "answer": "a", "reference": "a"}], ["token_f1"])
    await asyncio.sleep(0)
    assert "token_f1" in result._repr_html_()
    assert "token_f1" in result.summary._repr_html_()
    assert repr(result.summary).startswith("<Summary of 1 figures>")


@pytest.mark.slow
def test_a_real_notebook_shows_results():
    """Cells run in a real kernel, whose loop is running; each shows HTML, and text where there is no HTML."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient and ipykernel run notebooks")
    pytest.importorskip("ipykernel", reason="nbclient and ipykernel run notebooks")
    import nbformat

    row = '{"id": "a", "question": "q", "answer": "a", "reference": "a"}'
    sources = [
        f"import saiten\nresult = saiten.evaluate([{row}], ['token_f1'])\nresult",
        "result.summary",
        f"(await saiten.aevaluate([{row}], ['token_f1'])).compare(result)",
        "result.to_pandas('long')",
        "result.report(title='Mine')",
        "result.plot()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    code = (
        "import nbformat, nbclient, sys\n"
        "notebook = nbformat.reads(sys.stdin.read(), 4)\n"
        "nbclient.NotebookClient(notebook, timeout=100, kernel_name='python3').execute()\n"
        "print(nbformat.writes(notebook))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=nbformat.writes(notebook), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert nbclient.__version__
    shown = [cell.outputs[-1].data for cell in nbformat.reads(done.stdout, 4).cells]
    chart, page = shown.pop(), shown.pop()
    assert chart["image/svg+xml"].startswith("<svg")
    assert page["text/plain"].startswith("<ShownPage 'Mine'")
    assert page["text/html"].startswith("<iframe")
    assert all("<table" in data["text/html"] for data in shown)
    assert [data["text/plain"].partition(" of ")[0] for data in shown[:3]] == ["<Evaluation", "<Summary", "<Comparison"]
