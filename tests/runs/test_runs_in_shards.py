"""Runs in shards are read, shown, compared and joined as if they were one."""

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import saiten
from saiten.annotation.prelabels import read_prelabels
from saiten.cli import main
from saiten.errors import BadInput, ConfigurationError
from saiten.runs import Journal, read_run
from saiten.runs.answers.answers_file import folder_of
from saiten.runs.answers.joined import join_answers
from saiten.runs.answers.summary import summarize_answers
from saiten.runs.joining_shards import join_shards
from saiten.runs.manifest import write_manifest
from saiten.runs.shards import (
    Division,
    errors_of,
    missing_shards,
    read_division,
    run_folders,
    shard_folder,
    write_division,
)

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


def torn(path: Path) -> None:
    """The file as after a crash: half of its last line is missing."""
    path.write_bytes(path.read_bytes()[:-8])


@pytest.fixture
def made(tmp_path):
    """The run on one machine, and the same in three shards that the engine itself has written."""
    rows = [
        {
            "id": f"q{n}",
            "question": f"What is {n}?",
            "answer": f"It is {n}.",
            "contexts": [f"It is {n % 4}."],
            "reference": f"It is {n % 3}.",
        }
        for n in range(9)
    ]
    here, there = tmp_path / "made-here", tmp_path / "made-there"
    saiten.evaluate(rows, ["faithfulness", "correctness"], run=here)
    for number in range(3):
        folder = shard_folder(there, number)
        folder.parent.mkdir(parents=True, exist_ok=True)
        saiten.evaluate(rows[3 * number : 3 * number + 3], ["faithfulness", "correctness"], run=folder)
    write_manifest(there, read_run(here).manifest)
    write_division(there, Division(({}, {}, {})))
    return here, there


def test_shards_written_by_the_engine_are_joined_to_what_it_writes_on_one_machine(made, tmp_path):
    """Byte by byte, and finished."""
    here, there = made
    assert [*join_shards(read_run(there), tmp_path / "joined")] == [6, 12, 18]
    for name in ("samples.jsonl", "scores.jsonl"):
        assert (tmp_path / "joined" / name).read_bytes() == (here / name).read_bytes()
    assert not read_run(tmp_path / "joined").unfinished


def test_one_shard_is_a_run_of_its_own(made, capsys):
    """`show` takes its folder."""
    assert "faithfulness" in output(capsys, "show", shard_folder(made[1], 1)).out
    assert [sample.id for sample in read_run(shard_folder(made[1], 1)).samples()] == ["q3", "q4", "q5"]


@pytest.mark.parametrize("name", ["samples.jsonl", "errors.jsonl", "calls.jsonl"])
def test_a_torn_line_costs_no_line_of_the_next_shard_when_joined(made, tmp_path, name):
    """Joined, the run has every line that could be read in shards."""
    _, there = made
    for number in range(3):
        path = shard_folder(there, number) / name
        if name != "samples.jsonl":
            line = {"kind": "row", "where": f"row {number}", "reason": "empty", "raw": "", "calls": 1}
            path.write_text(json.dumps(line) + "\n" + json.dumps(line) + "\n", "utf-8")
    torn(shard_folder(there, 0) / name)
    several = read_run(there)
    assert [*join_shards(several, tmp_path / "joined")]
    joined = read_run(tmp_path / "joined", notify=pytest.fail)
    assert list(joined.samples()) == list(several.samples())
    assert list(joined.errors()) == list(several.errors())
    assert joined.paid() == several.paid()


def test_a_line_without_its_end_is_joined_whole(made, tmp_path):
    """Only the line end was lost, so the sample counts."""
    here, there = made
    path = shard_folder(there, 0) / "samples.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    assert [*join_shards(read_run(there), tmp_path / "joined")]
    assert (tmp_path / "joined" / "samples.jsonl").read_bytes() == (here / "samples.jsonl").read_bytes()


def test_a_finished_run_that_lost_a_shard_is_not_finished(made, capsys, tmp_path):
    """The missing folder is named, figures are not final, and neither is what is joined."""
    _, there = made
    shutil.rmtree(shard_folder(there, 1))
    errors = " ".join(output(capsys, "show", there).err.split())
    assert "lacks 1 of the shards" in errors
    assert "not finished" in errors
    assert "not finished" in output(capsys, "join", there, "-o", tmp_path / "joined").err
    assert read_run(tmp_path / "joined").unfinished
    assert missing_shards(there) == (shard_folder(there, 1),)


def test_a_run_is_not_joined_into_itself(made):
    """A folder among its shards would be taken for one; nothing is written."""
    _, there = made
    with pytest.raises(ConfigurationError, match="name a folder outside of it"):
        next(join_shards(read_run(there), shard_folder(there, 3)))
    assert not shard_folder(there, 3).exists()


def test_a_torn_answer_costs_no_answer_of_the_next_shard(tmp_path):
    """As when a command is stopped while a worker hands over a long answer; nor is what a call cost lost."""
    answers = tmp_path / "answers.jsonl"
    folder = folder_of(answers)
    for number in range(2):
        shard = shard_folder(folder, number) / "answers.jsonl"
        own = folder_of(shard)
        own.mkdir(parents=True)
        lines = [{"id": f"q{number}-{n}", "answer": "Yes.", "system": "echo"} for n in range(3)]
        shard.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        (own / "calls.jsonl").write_text(json.dumps({"calls": 1}) + "\n" + json.dumps({"calls": 1}) + "\n", "utf-8")
    write_division(folder, Division(({}, {})))
    torn(shard_folder(folder, 0) / "answers.jsonl")
    torn(folder_of(shard_folder(folder, 0) / "answers.jsonl") / "calls.jsonl")
    join_answers(folder, answers)
    summary = summarize_answers(answers)
    assert (summary.answered, summary.usage.calls) == (5, 3)


@pytest.mark.parametrize(
    "command",
    [("show", "RUN", "--format", "csv"), ("compare", "RUN", "HERE", "--format", "csv"), ("drift", "HERE", "RUN")],
)
def test_commands_print_the_same_of_shards_written_by_the_engine(made, capsys, command):
    """Whichever of the two is given, the figures are equal."""
    printed = []
    for run in made:
        given = [str({"RUN": run, "HERE": made[0]}.get(each, each)) for each in command]
        text = output(capsys, *given).out
        printed.append(text.replace(str(run), "RUN").replace(run.name, "RUN").replace(made[0].name, "RUN"))
    assert printed[0] == printed[1]


def test_scores_in_shards_are_labels_of_a_judge(made):
    """The annotation page takes them as it takes those of a run on one machine."""
    one, several = (read_prelabels(run, notify=pytest.fail).labels for run in made)
    values = [[(item, label.aspect, label.value) for item in each for label in each[item]] for each in (one, several)]
    assert len(values[0]) == 9
    assert values[1] == values[0]
