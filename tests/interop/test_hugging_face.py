"""Hugging Face: data sets in memory, folders of them, and those of the hub, here a server on this machine."""

import io
import json
import os
import subprocess
import sys

import pytest

import saiten
from saiten.cli import main
from saiten.data import BadRow, read_samples
from saiten.errors import BadInput
from saiten.records import Sample

datasets = pytest.importorskip("datasets", reason="`make interop` installs the package of Hugging Face")
from fake_hub import FakeHub  # noqa: E402

ROWS = [{"question": f"q{n}", "answer": f"a{n}", "contexts": ["c", "d"], "vector": [0.5] * 8} for n in range(3)]
EXPECTED = [Sample(f"row-{n + 1}", f"q{n}", f"a{n}", ("c", "d")) for n in range(3)]
CARD = b"""---
license: mit
configs:
- config_name: en
  data_files:
  - split: test
    path: en/test.jsonl
  - split: train
    path: en/train.jsonl
- config_name: large
  data_files: large.jsonl
- config_name: ja
  data_files: ja/all.jsonl
---
# A data set
"""


def lines(rows):
    """JSON lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def read(source, **settings):
    """Everything read from the source."""
    return list(read_samples(source, detect_language=lambda *_: "en", **settings))


def data_set():
    """The rows as a data set."""
    return datasets.Dataset.from_list(ROWS)


@pytest.fixture(autouse=True)
def offline(tmp_path, monkeypatch):
    """A folder of its own, where relative names are understood."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "source",
    [
        data_set,
        lambda: data_set().with_format("numpy"),
        lambda: data_set().to_iterable_dataset(),
        lambda: datasets.DatasetDict({"only": data_set()}),
        lambda: datasets.IterableDatasetDict({"only": data_set().to_iterable_dataset()}),
        lambda: datasets.IterableDataset.from_generator(lambda: iter(ROWS)),
    ],
    ids=["data set", "NumPy", "stream", "one split", "one stream", "generator"],
)
def test_a_data_set_in_memory_is_read(source):
    """In whatever form it is kept."""
    assert read(source()) == EXPECTED
    assert saiten.evaluate(source(), metrics=["context_overlap"]).samples[0].contexts == ("c", "d")


def test_of_several_splits_one_must_be_chosen():
    """The error lists them, and shows how."""
    splits = datasets.DatasetDict({"train": data_set(), "test": data_set()})
    with pytest.raises(BadInput, match=r'the splits train, test; name one: dataset\["test"\]'):
        saiten.evaluate(splits, metrics=["token_f1"])
    assert read(splits["test"]) == EXPECTED


def test_columns_that_nobody_needs_are_not_decoded():
    """An image that cannot be read does no harm, and is still among the columns."""
    images = datasets.Dataset.from_dict(
        {"question": ["q"], "image": [{"bytes": b"no image", "path": None}]},
        features=datasets.Features({"question": datasets.Value("string"), "image": datasets.Image()}),
    )
    assert read(images) == [Sample("row-1", "q")]
    with pytest.raises(BadInput, match="columns there: question, image"):
        read(images, columns={"answer": "none"})


@pytest.fixture
def folders(tmp_path, capfd):
    """Folders as cloned from the hub, and one of `save_to_disk`."""
    hub = tmp_path / "hub"
    for part in ("plain/data", "cards/en", "cards/ja", "lines"):
        (hub / part).mkdir(parents=True)
    data_set().to_parquet(hub / "plain/data/train-00000-of-00002.parquet")
    data_set().to_parquet(hub / "plain/data/train-00001-of-00002.parquet")
    data_set().select([2]).to_parquet(hub / "plain/data/test-00000-of-00001.parquet")
    (hub / "cards/README.md").write_bytes(CARD)
    (hub / "cards/en/test.jsonl").write_bytes(lines(ROWS))
    (hub / "cards/en/train.jsonl").write_bytes(lines(ROWS))
    (hub / "cards/large.jsonl").write_bytes(lines(ROWS))
    (hub / "cards/ja/all.jsonl").write_bytes(lines([{"question": "質問", "answer": "回答"}]))
    (hub / "lines/some.jsonl").write_bytes(lines(ROWS))
    (hub / "lines/more.jsonl").write_bytes(lines(ROWS[:1]))
    datasets.DatasetDict({"train": data_set(), "test": data_set().select([2])}).save_to_disk(hub / "saved")
    data_set().save_to_disk(hub / "single")
    capfd.readouterr()  # progress bars
    return hub


@pytest.mark.parametrize(
    ("name", "questions"),
    [
        ("plain:train", "q0 q1 q2 q0 q1 q2"),
        ("plain:test", "q2"),
        ("cards/en:test", "q0 q1 q2"),
        ("cards/en:train", "q0 q1 q2"),
        ("cards/ja", "質問"),
        ("cards/ja:train", "質問"),
        ("lines", "q0 q0 q1 q2"),
        ("saved:test", "q2"),
        ("saved/test", "q2"),
        ("single", "q0 q1 q2"),
    ],
)
def test_a_folder_is_read_by_configuration_and_split(folders, name, questions):
    """As it was cloned: by the names of its files, or by its card; the same as by `save_to_disk`."""
    found = read(folders / name)
    assert " ".join(one.question for one in found) == questions
    assert [one.id for one in found] == [f"row-{number + 1}" for number in range(len(found))]
    assert read(str(folders / name)) == found


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plain", r"the splits train, test; name one: .*plain:test$"),
        ("plain:dev", r"plain has no split dev; there are train, test"),
        ("cards", r"has the configurations en, large, ja; name one: .*cards/en$"),
        ("cards:test", r"has the configurations en, large, ja; name one: .*cards/en:test$"),
        ("cards/fr", r"cards has no configuration fr; there are en, large, ja"),
        ("cards/ja:test", r"cards/ja has no split test; there are train"),
        ("cards/none.jsonl", "there is no file"),
        ("saved", r"several splits \(train, test\); name one, for example .*saved:test"),
        ("saved:dev", r"saved has no split dev; there are train, test"),
        ("single:test", "single has no splits: it was saved from one; leave out :test"),
        ("none:test", "there is no file"),
        ("empty", r"without data files .* \(it contains: x\.bin\)"),
        ("broken", "broken cannot be read: "),
        ("script", "Dataset scripts are no longer supported"),
        ("run", r"is a run of saiten, not data"),
    ],
)
def test_a_folder_that_cannot_be_read_says_why(folders, name, message):
    """Which splits and configurations there are, or what else is wrong; a script is never run."""
    contents = {"empty/x.bin": "", "broken/a.jsonl": '{"question": ', "run/manifest.json": "{}"}
    contents["script/script.py"] = "import pathlib; pathlib.Path('executed').touch()"
    for file, content in contents.items():
        (folders / file).parent.mkdir(exist_ok=True)
        (folders / file).write_text(content)
    with pytest.raises(BadInput, match=message):
        read(folders / name)
    assert not (folders.parent / "executed").exists()


def test_a_command_reads_a_folder(folders, capfd):
    """`FOLDER:SPLIT` where a file could be; the run's folder has a name that every system allows."""
    with pytest.raises(SystemExit, match="0"):
        main(["score", "hub/plain:test", "-m", "length", "--format", "json"])
    assert (folders.parent / "runs" / "plain-test").is_dir()
    capfd.readouterr()


@pytest.mark.parametrize(
    "name", ["hf:a/b/c/d", "hf:a/b:test[:3]", "hf:", "hf:a b"]
)  # fmt: skip
def test_a_name_that_none_can_have_is_refused(name):
    """The error shows the forms; nothing is requested."""
    with pytest.raises(BadInput, match="hf:ORG/NAME/CONFIG:SPLIT"):
        read(name)


def test_a_folder_here_is_not_taken_for_a_data_set_of_the_hub(tmp_path):
    """The package would read the folder, whatever `hf:` says."""
    (tmp_path / "org/name").mkdir(parents=True)
    with pytest.raises(BadInput, match=r"there is a folder org/name here"):
        read("hf:org/name")


READ_EACH = """
import itertools, json, sys
import saiten
for name, limit in json.loads(sys.argv[1]):
    try:
        print(json.dumps([each.question for each in itertools.islice(saiten.read_samples(name), limit)]))
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"))
"""


NOT_THERE = (
    "BadInput: there is no data set {} on the hub, or it is private; for a private one, log in with `hf auth login` or "
    "set HF_TOKEN"
)
FILES = {
    "README.md": CARD,
    "en/test.jsonl": lines(ROWS),
    "en/train.jsonl": lines(ROWS),
    "large.jsonl": lines(ROWS),
    "ja/all.jsonl": lines([{"question": "質問", "answer": "回答"}]),
}


@pytest.fixture
def hub(tmp_path):
    """Read data sets of a hub with one private data set; the function returns what was read, and the server."""

    def reading(*names, files=FILES, token="hf_own", limit=None):  # noqa: S107
        server = FakeHub(files, token="hf_own")
        # The package reads the address of the hub when it is imported.
        about = {"HF_ENDPOINT": server.url, "HF_HOME": str(tmp_path / "cache"), "HF_TOKEN": token}
        words = [sys.executable, "-c", READ_EACH, json.dumps([(name, limit) for name in names])]
        done = subprocess.run(words, cwd=tmp_path, env={**os.environ, **about}, capture_output=True, check=True)
        server.shutdown()
        server.server_close()
        return [json.loads(line) for line in done.stdout.splitlines()], server

    return reading


def test_a_data_set_of_the_hub_is_read_by_its_name(hub):
    """With configuration and split, and the user's own token; what is missing is listed."""
    found, _ = hub("hf:org/name/en:test", "hf:org/name/ja", "hf:org/name", "hf:org/name/fr", "hf:org/name/ja:dev", "hf:org/none")  # fmt: skip
    assert found == [
        ["q0", "q1", "q2"],
        ["質問"],
        "BadInput: hf:org/name has the configurations en, large, ja; name one: hf:org/name/en",
        "BadInput: hf:org/name has no configuration fr; there are en, large, ja",
        "BadInput: hf:org/name/ja has no split dev; there are train",
        NOT_THERE.format("hf:org/none"),
    ]


def test_only_what_is_read_is_downloaded(hub, capfd):
    """Three rows are in the first of many files; the others are not requested."""
    content = io.BytesIO()
    data_set().to_parquet(content)
    capfd.readouterr()
    files = {f"data/train-{number:05}-of-00020.parquet": content.getvalue() for number in range(20)}
    found, server = hub("hf:org/name", files=files, limit=3)
    assert found == [["q0", "q1", "q2"]]
    assert set(server.sent) == {"data/train-00000-of-00020.parquet"}


def test_a_private_data_set_needs_the_token(hub):
    """Another token gets what the hub says of a data set that does not exist."""
    ((said,), _) = hub("hf:org/name/en:test", token="hf_other")
    assert said == NOT_THERE.format("hf:org/name/en")


def test_workers_do_not_share_a_data_set_of_the_hub():
    """They read files in parts; the error says what to do."""
    from saiten.data.shards import cut

    with pytest.raises(BadInput, match="download it, for example with `hf download`"):
        cut("hf:org/name:test", None, 1 << 20)


def test_rows_that_cannot_be_used_are_counted(tmp_path):
    """Like those of any file."""
    bad, good = read(datasets.Dataset.from_list([{"question": None, "answer": None}, {"question": "q", "answer": "a"}]))
    assert isinstance(bad, BadRow)
    assert good.id == "row-2"
