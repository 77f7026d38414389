"""Runs in shards are read, shown, compared and joined as if they were one."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import saiten
from saiten.cli import main
from saiten.errors import BadInput, ConfigurationError
from saiten.runs import Journal, read_run
from saiten.runs.joining_shards import join_shards
from saiten.runs.shards import Division, errors_of, read_division, run_folders, shard_folder, write_division

FILES = ("samples.jsonl", "scores.jsonl", "errors.jsonl")


def divided(run: Path, out: Path, cuts: list[int]) -> Path:
    """The same run in shards: the samples between the cuts, with their scores and errors."""
    lines = {name: (run / name).read_text("utf-8").splitlines(keepends=True) for name in FILES}
    ids = [json.loads(line)["id"] for line in lines["samples.jsonl"]]
    starts = [0, *sorted(cuts), len(ids)]
    out.mkdir(parents=True)
    (out / "manifest.json").write_bytes((run / "manifest.json").read_bytes())
    write_division(out, Division(tuple({"start": start} for start in starts[:-1])))
    for number, (start, end) in enumerate(pairwise(starts)):
        there = set(ids[start:end])
        folder = shard_folder(out, number)
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_bytes((run / "manifest.json").read_bytes())
        for name, key in zip(FILES, ("id", "sample", "sample"), strict=True):
            own = [line for line in lines[name] if json.loads(line).get(key) in there]
            own += [line for line in lines[name] if json.loads(line).get("kind") == "row" and number == 0]
            (folder / name).write_text("".join(own), encoding="utf-8")
    return out


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run on one machine, and the same in four shards, one of them empty."""
    folder = tmp_path_factory.mktemp("runs")
    rows = [
        {
            "id": f"q{n}",
            "question": f"What is {n}?",
            "answer": f"It is {n} or {n * 7 % 10}.",
            "reference": f"It is {n * 3 % 10}.",
            "contexts": [f"Some say that it is {n}."],
            "system": "ab"[n % 2],
        }
        for n in range(40)
    ]
    rows.insert(3, {"id": "bad"})
    saiten.evaluate(rows, ["token_f1", "faithfulness"], run=folder / "here")
    return folder / "here", divided(folder / "here", folder / "there", [7, 7, 31])


def output(capsys, *arguments, status=0):
    """What a command prints."""
    with pytest.raises(SystemExit) as ended:
        main([str(each) for each in arguments])
    assert (ended.value.code or 0) == status
    return capsys.readouterr()


@pytest.mark.parametrize("more", [(), ("--format", "json"), ("--worst", "token_f1"), ("--sample", "q33")])
def test_show_shows_the_same(runs, capsys, more):
    """The summary, the worst answers, one sample in full."""
    here, there = (output(capsys, "show", run, *more).out.replace(str(run), "RUN") for run in runs)
    assert there == here


def test_other_commands_read_it_as_well(runs, capsys, tmp_path):
    """compare, report, meta-evaluate, track and the annotation of its answers take it like any run."""
    here, there = runs
    same = output(capsys, "compare", here, there, "--format", "json").out
    assert json.loads(same)
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        "".join(json.dumps({"item": f"q{n}", "value": n % 4, "annotator": "a"}) + "\n" for n in range(40)), "utf-8"
    )
    figures = [output(capsys, "meta-evaluate", run, labels, "--format", "csv").out for run in runs]
    assert figures[0].replace(str(here), "RUN") == figures[1].replace(str(there), "RUN")
    pages = []
    for name, run in (("a", here), ("b", there)):
        output(capsys, "report", run, "-o", tmp_path / f"{name}.html")
        pages.append((tmp_path / f"{name}.html").read_text("utf-8"))
    assert abs(len(pages[0]) - len(pages[1])) < 100


def test_joined_it_is_the_run_on_one_machine(runs, capsys, tmp_path):
    """Sample by sample and score by score, in the order of the input; an ordinary run is nothing to join."""
    here, there = runs
    assert "80 scores are in" in output(capsys, "join", there, "-o", tmp_path / "joined").err
    for name in FILES:
        assert (tmp_path / "joined" / name).read_bytes() == (here / name).read_bytes()
    again = saiten.evaluate(list(read_run(here).samples()), ["token_f1", "faithfulness"], run=tmp_path / "joined")
    assert len(again.scores) == 80
    assert "exists already" in output(capsys, "join", there, "-o", tmp_path / "joined", status=2).err
    assert "not in shards" in output(capsys, "join", here, "-o", tmp_path / "other", status=2).err


def test_one_machine_does_not_write_into_it(runs):
    """The error says how to go on; nothing is changed."""
    _, there = runs
    before = {path: path.read_bytes() for path in there.rglob("*") if path.is_file()}
    with pytest.raises(ConfigurationError, match=r"in shards; resume it with --executor ray, or join its shards"):
        Journal.open(there)
    assert {path: path.read_bytes() for path in there.rglob("*") if path.is_file()} == before


def test_shards_that_are_not_there_yet_or_end_in_half_a_line_do_no_harm(runs, tmp_path):
    """What is there is read, and the torn line is reported."""
    run = divided(runs[0], tmp_path / "run", [10, 20])
    scores = shard_folder(run, 0) / "scores.jsonl"
    scores.write_bytes(scores.read_bytes()[:-20])
    for path in shard_folder(run, 2).iterdir():
        path.unlink()
    shard_folder(run, 2).rmdir()
    notes: list[str] = []
    reader = read_run(run, notify=notes.append)
    assert len(reader.folders) == 2
    assert len(list(reader.samples())) == 20
    assert len(list(reader.scores())) == 39
    assert any("scores.jsonl" in note for note in notes)
    assert errors_of(run).endswith("shards/*/errors.jsonl")


def test_a_damaged_division_is_an_error(tmp_path):
    """It is named, as other damaged files are."""
    (tmp_path / "shards.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"shards\.json"):
        read_division(tmp_path)
    assert run_folders(tmp_path / "none") == (tmp_path / "none",)


@given(st.lists(st.integers(0, 40), max_size=6))
def test_any_division_reads_the_same(runs, tmp_path_factory, cuts):
    """Samples and errors in the same order, and the same scores."""
    here = runs[0]
    there = divided(here, tmp_path_factory.mktemp("any") / "run", cuts)
    one, several = read_run(here), read_run(there)
    assert list(several.samples()) == list(one.samples())
    assert sorted(map(str, several.scores())) == sorted(map(str, one.scores()))
    assert several.bad_rows() == one.bad_rows() == 1
    assert several.paid() == one.paid()
    out = tmp_path_factory.mktemp("joined") / "run"
    assert [*join_shards(several, out)][-1] == 80
    assert (out / "scores.jsonl").read_bytes() == (here / "scores.jsonl").read_bytes()


def test_a_run_on_one_machine_cannot_be_joined(runs, tmp_path):
    """There is nothing to do."""
    with pytest.raises(BadInput, match="not in shards"):
        next(join_shards(read_run(runs[0]), tmp_path / "out"))
