"""What an export has is read back by saiten and other tools, whatever the texts contain."""

import csv
import io
import json
import math

import orjson
import polars as pl
import pyarrow.parquet
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from saiten.data import read_samples
from saiten.data.values import reads_as_list
from saiten.errors import BadInput, ConfigurationError
from saiten.exports.answers_in_memory import AnswersInMemory
from saiten.exports.export import Export, ExportSettings
from saiten.exports.formats import FORMATS, check_settings, format_for
from saiten.records import Sample, Score, Scored, Trace
from saiten.results.summarize import summarize
from saiten.views.formulas import is_formula

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    [
        "[]",
        '["a", "b"]',
        "['a' 'b']",
        "[1] says",
        '"quoted"',
        'a "b" c',
        "a,b\tc;d|e",
        "=1+1",
        "\r\n",
        "\0",
        "null",
        "",
        "NaN",
        "-5",
        "1998",
    ]
)
LISTS = st.lists(TEXTS, max_size=3).map(tuple)
SAMPLES = st.builds(
    Sample,
    id=TEXTS.filter(bool),
    question=TEXTS.filter(bool),
    answer=TEXTS,
    contexts=st.none() | LISTS,
    reference=st.none() | TEXTS,
    alternatives=st.just(()),
    evidence=st.none() | LISTS,
    group=st.none() | TEXTS.filter(bool),
    system=st.none() | TEXTS.filter(bool),
    language=st.sampled_from(["ja", "en"]),
)
ONES = st.lists(SAMPLES, min_size=1, max_size=4, unique_by=lambda sample: sample.id)


def exported(samples, scores=(), metrics=("token_f1",), **more):
    """An export of these samples and scores."""
    signatures = {metric: f"{metric}|saiten:0" for metric in metrics}
    return Export(
        "a run",
        AnswersInMemory(samples, scores, metrics),
        signatures,
        lambda: summarize(scores, {}, signatures),
        **more,
    )


def written(name, export, **settings):
    """The bytes of an export in a format."""
    out = io.BytesIO()
    FORMATS[name].write(export, out, ExportSettings(order=settings.pop("order", "data"), **settings))
    return out.getvalue()


def read_back(path, content):
    """The samples that `saiten score` reads from the file."""
    path.write_bytes(content)
    return list(read_samples(path, detect_language=lambda *_: "en", notify=lambda _: None))


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "parquet"])
def test_every_text_is_read_back_as_it_was(tmp_path_factory, name):
    """By `saiten score`, in every format but Excel's: lists, quotes, line ends, formulas, control characters."""
    path = tmp_path_factory.mktemp("export") / f"export.{name}"

    @given(ONES)
    def check(samples):
        if name in {"csv", "tsv"}:  # bytes of zero are taken for UTF-16
            assume(r"\x00" not in str(samples))
        else:  # a reference that looks like a list is read as one, also from JSON
            samples = [sample for sample in samples if not reads_as_list(sample.reference or "")]
            assume(samples)
        assert read_back(path, written(name, exported(samples))) == samples

    check()


def test_alternatives_are_read_back_in_every_format(tmp_path):
    """They are a list in their own column."""
    sample = Sample("q", "Q?", "A", reference="R", alternatives=("S", '["T"]'))
    for name in ("csv", "tsv", "jsonl", "parquet"):
        assert read_back(tmp_path / f"a.{name}", written(name, exported([sample]))) == [sample], name


def test_what_is_known_of_a_trace_is_exported(tmp_path):
    """In columns of their own, if any answer was read from a trace; JSON lines give the trace back."""
    samples = [Sample("q1", "Q?", "A"), Sample("q2", "Q?", "A", trace=Trace("t", seconds=1.5, prompt_tokens=3))]
    for name in ("csv", "tsv", "parquet"):
        content = written(name, exported(samples))
        assert [one.id for one in read_back(tmp_path / f"a.{name}", content)] == ["q1", "q2"]
        assert FORMATS[name].is_export(tmp_path / f"a.{name}")
    rows = list(csv.DictReader(io.StringIO(written("csv", exported(samples)).decode())))
    assert [(row["trace_id"], row["trace_seconds"]) for row in rows] == [("", ""), ("t", "1.5")]
    assert read_back(tmp_path / "a.jsonl", written("jsonl", exported(samples))) == samples
    assert FORMATS["jsonl"].is_export(tmp_path / "a.jsonl")
    assert b"PK" in written("xlsx", exported(samples))
    assert "trace_id" not in written("csv", exported(samples[:1])).decode()


def test_csv_has_no_null_so_a_missing_answer_becomes_an_empty_one(tmp_path):
    """As the page on data says; the other formats keep the difference."""
    sample = Sample("q", "Q?", None)
    assert [one.answer for one in read_back(tmp_path / "a.csv", written("csv", exported([sample])))] == [""]
    for name in ("jsonl", "parquet"):
        assert [one.answer for one in read_back(tmp_path / f"a.{name}", written(name, exported([sample])))] == [None]


def test_the_wide_layout_has_fields_then_value_status_and_reason_of_each_metric():
    """And the expected value, only if a judge gave one."""
    scores = [
        Scored("q1", "accuracy", Score(1.0, "ok", "right", expected=0.9)),
        Scored("q2", "accuracy", Score.undefined("no reference")),
        Scored("q1", "token_f1", Score(0.5)),
    ]
    samples = [Sample("q1", "Q?", "A", contexts=()), Sample("q2", "Q?", "B")]
    rows = list(csv.reader(io.StringIO(written("csv", exported(samples, scores, ["accuracy", "token_f1"])).decode())))
    assert rows[0] == [
        *(
            "id",
            "system",
            "group",
            "question",
            "answer",
            "reference",
            "alternatives",
            "contexts",
            "evidence",
            "language",
        ),
        *("accuracy", "accuracy:status", "accuracy:reason", "accuracy:expected"),
        *("token_f1", "token_f1:status", "token_f1:reason"),
    ]
    assert rows[1][4:] == ["A", "", "", "[]", "", "en", "1.0", "ok", "right", "0.9", "0.5", "ok", ""]
    assert rows[2][4:] == ["B", "", "", "", "", "en", "", "undefined", "no reference", "", "", "", ""]


def test_the_long_layout_has_one_row_per_score_with_its_details():
    """For pivot tables: with the system and the group."""
    scores = [Scored("q", m, Score(0.5, details={"n": 1})) for m in ("token_f1", "length")]
    sample = Sample("q", "Q?", "A", system="s", group="g")
    rows = list(csv.DictReader(io.StringIO(written("csv", exported([sample], scores), layout="long").decode())))
    assert [row["metric"] for row in rows] == ["token_f1", "length"]
    expected = {"sample": "q", "system": "s", "group": "g", "value": "0.5", "status": "ok", "details": '{"n": 1}'}
    assert all(row.items() >= expected.items() for row in rows)


@given(TEXTS)
def test_with_a_byte_order_mark_no_cell_begins_like_a_formula(text):
    """Excel would run it, wherever it is from; other texts stay, and so do numbers."""
    scores = [Scored(text or "q", "token_f1", Score(None, "failed", text))]
    sample = Sample(text or "q", text, text, system=text, group=text, reference=text, contexts=(text,))
    content = written("csv", exported([sample], scores), bom=True)
    assert content.startswith(b"\xef\xbb\xbf")
    row = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))[1]
    assert [cell for cell in row if is_formula(cell)] == []
    assert row[4] == (f"'{text}" if is_formula(text) else text)


@pytest.mark.parametrize(
    "text", ["=1", "+a", "-a", "@a", "\ta", "\ra", "\na", "＝1", "＋a", "－a", "＠a", "-1+1", "+1-1"]
)
def test_what_a_spreadsheet_may_run_is_known(text):
    """The list is that of OWASP, with the full-width signs."""
    assert is_formula(text)
    assert not is_formula(f"a{text}")
    assert not any(map(is_formula, ["-1", "+1.5", "−1", "'=1", ""]))


def test_json_lines_have_scores_by_metric_with_details():
    """One object per answer; what a judge did not give is missing."""
    scores = [
        Scored("q", "token_f1", Score(0.5, details={"matched": 1})),
        Scored("q", "accuracy", Score(None, "failed", "HTTP 500", votes=(1.0, None))),
    ]
    line = orjson.loads(written("jsonl", exported([Sample("q", "Q?", "A")], scores, ["token_f1", "accuracy"])))
    assert (line["id"], line["answer"], line["reference"]) == ("q", "A", None)
    assert line["scores"] == {
        "token_f1": {"value": 0.5, "status": "ok", "reason": None, "details": {"matched": 1}},
        "accuracy": {"value": None, "status": "failed", "reason": "HTTP 500", "votes": [1.0, None], "details": {}},
    }


def test_details_that_json_cannot_hold_are_written_as_text():
    """Those of a custom metric in Python may be anything; the answer is not lost."""
    scores = [
        Scored("q", "mine", Score(0.5, details={"a": math.nan})),
        Scored("q", "own", Score(0.5, details={"b": 1})),
    ]
    (line,) = written("jsonl", exported([Sample("q", "Q?", "A")], scores, ["mine", "own"])).splitlines()
    found = json.loads(line)["scores"]
    assert (found["mine"]["details"], found["own"]["details"]) == ({"repr": "{'a': nan}"}, {"b": 1})


def test_parquet_has_typed_columns_and_the_signatures():
    """Values are floats, contexts lists, and a column without a value has its type all the same."""
    samples = [Sample("q1", "Q?", "A", contexts=("c",)), Sample("q2", "Q?")]
    content = written("parquet", exported(samples, [Scored("q1", "token_f1", Score(0.5))], ["token_f1", "never"]))
    frame = pl.read_parquet(io.BytesIO(content))
    assert frame["token_f1"].to_list() == [0.5, None]
    types = {name: str(frame.schema[name]) for name in ("token_f1", "never", "contexts", "evidence", "id")}
    assert types == {"token_f1": "Float64", "never": "Float64", "contexts": "List(String)", "evidence": "List(String)", "id": "String"}  # fmt: skip
    about = pyarrow.parquet.read_schema(io.BytesIO(content)).metadata[b"saiten_export"]
    assert json.loads(about)["signatures"]["token_f1"] == "token_f1|saiten:0"


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "parquet"])
def test_many_answers_are_written_in_pieces_that_fit_together(name, tmp_path):
    """More than one piece of each format: no row is lost or repeated, and the columns stay the same."""
    samples = [Sample(f"q{n}", "Q?", "A") for n in range(9_000)]
    expected = [Scored("q8500", "token_f1", Score(0.5, expected=0.25))]
    content = written(name, exported(samples, expected))
    assert [one.id for one in read_back(tmp_path / f"a.{name}", content)] == [one.id for one in samples]


@pytest.mark.parametrize(
    ("path", "asked", "found"),
    [
        ("a.xlsx", None, "xlsx"),
        ("a.CSV", None, "csv"),
        ("a.tab", None, "tsv"),
        ("a.pq", None, "parquet"),
        ("a.txt", "jsonl", "jsonl"),
        ("a.csv", "tsv", "tsv"),
        (None, None, "jsonl"),
        (None, "csv", "csv"),
    ],
)
def test_the_suffix_chooses_the_format_unless_one_is_named(tmp_path, path, asked, found):
    """Standard output has JSON lines by default."""
    assert format_for(None if path is None else tmp_path / path, asked) == found


@pytest.mark.parametrize("path", ["a.txt", "a", "a.xls", "a.csv.gz"])
def test_an_unclear_format_is_refused_with_the_suffixes(tmp_path, path):
    """And with what to do."""
    with pytest.raises(ConfigurationError, match=r"is not clear; expected one of \.xlsx, \.csv.*--as csv"):
        format_for(tmp_path / path)


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        ("jsonl", {"layout": "long"}, "the long layout is for xlsx, csv, tsv, parquet"),
        ("xlsx", {"bom": True}, "--bom is for csv and tsv, not for xlsx"),
    ],
)
def test_a_setting_that_the_format_lacks_is_refused(name, settings, says):
    """Instead of being ignored."""
    with pytest.raises(ConfigurationError, match=says):
        check_settings(name, ExportSettings(**settings))


def test_an_order_by_an_unknown_metric_names_those_there():
    """The typical mistake is a setting in brackets."""
    with pytest.raises(BadInput, match="has no metric 'f1' to order by; use worst, data, or token_f1"):
        written("csv", exported([Sample("q", "Q?", "A")]), order="f1")


def test_of_several_scores_of_a_pair_the_last_one_counts():
    """As in a run."""
    sample = Sample("q", "Q?", "A")
    scores = [Scored("q", "token_f1", Score(0.1)), Scored("q", "token_f1", Score(0.2))]
    found = list(exported([sample], scores).graded(ExportSettings()))
    assert found == [(sample, {"token_f1": Score(0.2)})]
