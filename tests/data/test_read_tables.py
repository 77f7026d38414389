"""Parquet and Hugging Face folders, written by the usual libraries."""

import json
import sys
import tracemalloc

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saiten.api.evaluation import evaluate
from saiten.data import BadRow, read_samples
from saiten.errors import BadInput, ConfigurationError
from saiten.runs.lines import sample_from_json, sample_to_json

ROWS = [
    {"user_input": f"質問{n}", "response": f"回答{n}", "retrieved_contexts": ["c", "d"], "reference": "r"}
    for n in range(5)
]


def read(source, **settings):
    """Everything read from the source."""
    return list(read_samples(source, detect_language=lambda *_: "ja", **settings))


def check(samples):
    """The five rows came back, in order."""
    assert [(s.id, s.question, s.answer) for s in samples] == [
        (f"row-{n + 1}", f"質問{n}", f"回答{n}") for n in range(5)
    ]
    assert {s.contexts for s in samples} == {("c", "d")}


@pytest.mark.parametrize("name", ["d.parquet", "d.pq", "noending"])
def test_what_pandas_writes_as_parquet_is_read(tmp_path, name):
    """Parquet with list columns is recognized by extension or by content."""
    pd.DataFrame(ROWS).to_parquet(tmp_path / name)
    check(read(tmp_path / name))


def test_dictionary_encoded_and_numpy_columns_are_read(tmp_path):
    """Categories, numpy arrays, integers, floats and nulls become what they mean."""
    frame = pd.DataFrame(
        {
            "id": [10, 11, 12],
            "question": pd.Categorical(["a", "b", "a"]),
            "answer": [1.5, float("nan"), 2.0],
            "contexts": [np.array(["x", "y"]), np.array(["z"]), None],
            "system": pa.array(["s", "s", None]).dictionary_encode().to_pandas(),
        }
    )
    path = tmp_path / "d.parquet"
    frame.to_parquet(path)
    rows = read(path)
    assert [(r.id, r.question, r.answer, r.contexts, r.system) for r in rows] == [
        ("10", "a", "1.5", ("x", "y"), "s"),
        ("11", "b", None, ("z",), "s"),
        ("12", "a", "2.0", None, None),
    ]
    assert read(frame.to_dict("records")) == rows


def _written(rows, kind, folder):
    """The rows as a file of this kind, or as pandas returns them."""
    path = folder / f"rows.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "csv":
        cells = [{**row, "contexts": "" if row["contexts"] is None else json.dumps(row["contexts"])} for row in rows]
        pd.DataFrame(cells).to_csv(path, index=False)
    elif kind == "pandas":
        return pd.DataFrame(rows).to_dict("records")
    else:
        pd.DataFrame(rows).to_parquet(path)
    return path


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "pandas"])
def test_nothing_retrieved_is_distinguished_from_not_given(kind, tmp_path):
    """An empty list stays one in every format, null and an empty cell are None: one gives 0, the others undefined."""
    rows = [
        {"id": str(n), "answer": "Ulm lies in Germany.", "reference": "Ulm", "contexts": contexts}
        for n, contexts in enumerate([["Ulm is in Germany."], [], None])
    ]
    samples = read(_written(rows, kind, tmp_path))
    assert [sample.contexts for sample in samples] == [("Ulm is in Germany.",), (), None]
    assert [sample_from_json(sample_to_json(sample)) for sample in samples] == samples
    for row in evaluate(samples, metrics=["context_recall", "context_overlap"], judge="offline").rows():
        for metric in ("context_recall", "context_overlap"):
            assert {"0": row[metric] or -1, "1": 0.0, "2": None}[row["id"]] == row[metric]
            assert row[f"{metric}:status"] == ("undefined" if row["id"] == "2" else "ok")


def test_lists_of_structs_are_contexts(tmp_path):
    """Documents as structs give their text, and a struct of lists gives the list."""
    table = pa.Table.from_pylist(
        [
            {
                "question": "q",
                "contexts": [{"title": "t", "text": "one"}, {"title": "u", "text": "two"}],
                "context": {"text": ["x"]},
            }
        ]
    )
    pq.write_table(table, tmp_path / "d.parquet")
    assert read(tmp_path / "d.parquet")[0].contexts == ("one", "two")
    assert read(tmp_path / "d.parquet", columns={"contexts": "context"})[0].contexts == ("x",)


def test_an_empty_string_and_a_null_stay_apart(tmp_path):
    """Parquet knows null, so the empty answer and the missing one differ."""
    pq.write_table(pa.table({"question": ["q", "q"], "answer": ["", None]}), tmp_path / "d.parquet")
    assert [row.answer for row in read(tmp_path / "d.parquet")] == ["", None]


def test_text_that_is_not_utf8_spoils_its_row_alone(tmp_path):
    """One broken value in a batch is one bad row."""
    broken = pa.array([b"good", b"\xff\xfe", b"fine"]).view(pa.binary()).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"question": ["a", "b", "c"], "answer": broken}), tmp_path / "d.parquet")
    first, bad, last = read(tmp_path / "d.parquet")
    assert (first.answer, last.answer) == ("good", "fine")
    assert isinstance(bad, BadRow)
    assert bad.where == "d.parquet:2"


def test_columns_nobody_needs_are_not_read(tmp_path):
    """An embedding along with the texts costs no memory, and is still named among the columns."""
    table = pa.table({"vector": [[0.0] * 20_000] * 100, "question": ["q"] * 100})
    pq.write_table(table, tmp_path / "d.parquet")
    del table
    tracemalloc.start()
    assert len(read(tmp_path / "d.parquet")) == 100
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
    with pytest.raises(BadInput, match="columns there: vector, question"):
        read(tmp_path / "d.parquet", columns={"answer": "nothing"})


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    """The message says that the extension is wrong."""
    (tmp_path / "d.parquet").write_text("question,answer\n")
    with pytest.raises(BadInput, match=r"d\.parquet cannot be read as Parquet"):
        read(tmp_path / "d.parquet")
    with pytest.raises(BadInput, match="cannot be read"):
        read(tmp_path / "not_there.parquet")


def test_a_dataset_saved_to_disk_is_read(tmp_path, capfd):
    """A Dataset's folder is read through all its files, even after a selection."""
    data = datasets.Dataset.from_list(ROWS)
    data.save_to_disk(tmp_path / "one", num_shards=3)
    check(read(tmp_path / "one"))
    data.select([3, 1]).save_to_disk(tmp_path / "two")
    assert [row.question for row in read(str(tmp_path / "two"))] == ["質問3", "質問1"]
    capfd.readouterr()  # the progress bars of datasets


def test_a_dataset_with_several_splits_wants_one_named(tmp_path, capfd):
    """Of a DatasetDict with two splits one must be chosen; with one split there is no choice."""
    data = datasets.Dataset.from_list(ROWS)
    datasets.DatasetDict({"train": data, "test": data}).save_to_disk(tmp_path / "both")
    with pytest.raises(BadInput, match=r"several splits \(train, test\); name one"):
        read(tmp_path / "both")
    check(read(tmp_path / "both" / "test"))
    datasets.DatasetDict({"only": data}).save_to_disk(tmp_path / "single")
    check(read(tmp_path / "single"))
    capfd.readouterr()


def test_a_folder_that_is_no_dataset_says_what_is_in_it(tmp_path, capfd):
    """Other folders, incomplete and damaged ones give helpful errors."""
    (tmp_path / "data.bin").write_text("{}")
    with pytest.raises(BadInput, match=r"without data files .* \(it contains: data\.bin\); name one file instead"):
        read(tmp_path)
    folder = tmp_path / "saved"
    datasets.Dataset.from_list(ROWS).save_to_disk(folder)
    capfd.readouterr()
    file = folder / "data-00000-of-00001.arrow"
    content = file.read_bytes()
    file.write_bytes(b"rubbish!" * 3)
    with pytest.raises(BadInput, match="cannot be read as a Hugging Face data file"):
        read(folder)
    for length in range(0, len(content), 8):  # its content is aligned to eight bytes
        file.write_bytes(content[:length])
        with pytest.raises(BadInput, match="cannot be read as a Hugging Face data file"):
            read(folder)
    file.unlink()
    with pytest.raises(BadInput, match="is missing"):
        read(folder)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    """Parquet is an extra; without it, the error names the command."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigurationError, match=r'pip install "saiten\[data\]"'):
        read(tmp_path / "d.parquet")


def test_two_columns_of_one_name_are_refused(tmp_path):
    """One of them would be lost, whichever was meant."""
    table = pa.table([["q"], ["a"], ["b"]], names=["question", "answer", "answer"])
    pq.write_table(table, tmp_path / "d.parquet")
    with pytest.raises(BadInput, match=r"d\.parquet has two columns 'answer'; rename one"):
        read(tmp_path / "d.parquet")
