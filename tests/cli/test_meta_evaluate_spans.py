"""`saiten meta-evaluate --spans`: from files and runs to tables, and what it says when they do not fit."""

import csv
import io
import json
from dataclasses import asdict

import pytest

from saiten.demo.gist import gist_labels, load_gist
from saiten.runs.lines import to_line

ANSWER = "Fees are paid monthly. Cats sleep a lot."
REFERENCE = "Fees are paid yearly. Ask the desk."


def row(item, aspect, *spans, by="anna", **more):
    """A label with spans of [start, end]."""
    return {"item": item, "annotator": by, "aspect": aspect, "spans": [list(span) for span in spans]} | more


PEOPLE = [
    row("q1", "extra_gist", (0, 22)),
    row("q1", "missing_gist", (0, 21)),
    row("q2", "extra_gist"),
    row("q2", "missing_gist"),
    row("q1", "extra_gist", (0, 11), by="ben"),
    row("q2", "extra_gist", by="ben"),
]
JUDGE = [row("q1", "extra_gist", (0, 22), (23, 40), by="m"), row("q2", "extra_gist", by="m")]


@pytest.fixture
def a_run(saiten, somewhere, data):
    """Make a run and add gist scores with units to it."""

    def make(folder, details, samples=("q1", "q2")):
        rows = [{"id": each, "question": f"Fees {each}?", "answer": ANSWER, "reference": REFERENCE} for each in samples]
        assert saiten("score", data(rows), "-m", "length", "-o", folder).status == 0
        with (somewhere / folder / "scores.jsonl").open("ab") as file:
            for each, found in details.items():
                file.write(
                    to_line(
                        {
                            "sample": each,
                            "metric": "gist[missing_gist]",
                            "value": 0.5,
                            "status": "ok",
                            "reason": None,
                            "details": found,
                            "usage": {},
                        }
                    )
                )
        return folder

    return make


def units(**spans):
    """The details of a gist score."""
    none = {"extra_gist": [], "extra_supplement": [], "missing_gist": [], "missing_supplement": []}
    return {"spans": none | {name: [unit] for name, unit in spans.items()}, "reference": {"gist": [], "supplement": []}}


FIRST = {"text": ANSWER[:22], "start": 0, "end": 22}


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex", "html"])
def test_two_files_are_compared_with_each_other(saiten, data, form):
    """Every form has them; numbers stay numbers for programs."""
    said = saiten("meta-evaluate", data(JUDGE, "m.jsonl"), data(PEOPLE, "p.jsonl"), "--spans", "--format", form)
    assert said.status == 0, said
    if form == "json":
        row, answers = json.loads(said.out)["Spans: judges against people"]
        assert (row["average"], answers["average"], answers["n judge"]) == ("per unit", "per answer", 2)
        assert (row["by"], row["aspect"], row["n people"], row["n judge"], row["empty"]) == ("m", "extra_gist", 2, 4, 2)
        assert row["R"] == 1
        assert row["P"] == pytest.approx((1 + 0 + 1 / 2 + 0) / 4)
        assert json.loads(said.out)["Spans: people against people"][0]["F"] == pytest.approx(3 / 4)
    elif form == "csv":
        assert any("extra_gist" in cells for cells in csv.reader(io.StringIO(said.out)))
    else:
        assert "0.375" in said.out


def test_a_run_and_a_second_run(saiten, data, a_run):
    """Both settings are side by side, by folder names; questions are resampled."""
    a_run("judge-units", {"q1": units(extra_gist=FIRST), "q2": units()})
    a_run("people-units", {"q1": units(), "q2": units()})
    said = saiten(
        "meta-evaluate",
        "judge-units",
        data(PEOPLE, "p.jsonl"),
        "--spans",
        "--judges",
        "people-units",
        "-a",
        "extra_gist",
        "--format",
        "json",
    )
    assert said.status == 0, said
    first, _, second, _ = json.loads(said.out)["Spans: judges against people"]
    assert (first["by"], first["R"], first["P"]) == ("judge-units", 1, 0.75)
    assert (second["by"], second["R"], second["P"]) == ("people-units", 0, None)
    assert "the judge marked nothing" in second["remarks"]


def test_offsets_that_do_not_fit_the_run_are_reported(saiten, data, a_run):
    """Both human and judge offsets; the figures use them unchanged."""
    a_run("run", {"q1": units(extra_gist={"text": "Cats", "start": 1, "end": 5}), "q2": units()})
    said = saiten("meta-evaluate", "run", data(PEOPLE, "p.jsonl"), "--spans", "--format", "json")
    (note,) = [row["note"] for row in json.loads(said.out)["Notes"]]
    assert note.startswith("run: spans that do not match the text at their offsets: 1 (first: q1, extra_gist)")


def test_the_same_file_twice_is_people_against_people(saiten, data):
    """Nobody is their own judge."""
    path = data(PEOPLE, "p.jsonl")
    said = saiten("meta-evaluate", path, path, "--spans", "--format", "json")
    assert said.status == 0, said
    assert list(json.loads(said.out)) == ["Spans: people against people"]


def test_a_judge_that_never_marks_anything_is_compared_with_people(saiten, data):
    """This includes a custom aspect, for which the judge's file has no spans."""
    people = [row("q1", "mistakes", (0, 4)), row("q2", "mistakes")]
    judge = [row("q1", "mistakes", by=""), row("q2", "mistakes", by="")]
    said = saiten("meta-evaluate", data(judge, "quiet.jsonl"), data(people, "p"), "--spans", "--format", "json")
    found, _ = json.loads(said.out)["Spans: judges against people"]
    assert (found["by"], found["R"], found["P"], found["empty"]) == ("quiet", 0, None, 1)


def test_rows_that_cannot_be_read_are_counted(saiten, data):
    """On both sides; the others are compared."""
    judge = [*JUDGE, row("q1", "extra_gist", (5, 1)), row("q1", "extra_gist", (-1, 1))]
    people = [*PEOPLE, row("q1", "extra_gist", (7, 7))]
    said = saiten("meta-evaluate", data(judge, "m.jsonl"), data(people, "p.jsonl"), "--spans", "--format", "json")
    assert said.status == 0, said
    err = " ".join(said.err.split())
    assert "2 rows cannot be read and are left out; the first is m.jsonl:3: spans: span 1 ends before it starts" in err
    assert "left out p.jsonl:7: spans: span 1 is empty" in err


def test_samples_and_files_of_judges(saiten, data):
    """With --judges the first argument may be the samples, whose questions are then resampled."""
    samples = data([{"id": each, "question": "One?", "answer": ANSWER} for each in ("q1", "q2")], "s.jsonl")
    said = saiten("meta-evaluate", samples, data(PEOPLE, "p"), "--spans", "--judges", data(JUDGE, "m"))
    assert said.status == 0, said
    assert "questions resampled" in " ".join(said.out.split())


@pytest.mark.parametrize(
    ("people", "judge", "words"),
    [
        ([{"item": "q1", "value": 3}], JUDGE, "none of the 1 labels has spans"),
        (PEOPLE, [{"item": "q1", "value": 3}], "m.jsonl: none of the 1 labels has spans"),
        (PEOPLE, [row("z", "extra_gist", (0, 1))], "none of the 1 items of anna is among the 2 labeled items"),
        (PEOPLE, [row("q1", "other", (0, 1))], "share 1 items, but no aspect"),
        ([row("q1", "extra_gist", (5, 1))], JUDGE, "span 1 ends before it starts"),
    ],
)
def test_what_does_not_fit_is_said(saiten, data, people, judge, words):
    """The exit status is 2 or 3, without a Python traceback."""
    said = saiten("meta-evaluate", data(judge, "m.jsonl"), data(people, "p.jsonl"), "--spans")
    assert said.status in (2, 3), said
    assert words in " ".join(said.err.split())
    assert "Traceback" not in said.err


def test_the_whole_way_from_samples_to_figures(saiten, data):
    """Score with the gist metric in both settings, and compare its units with the known ones."""
    demo = load_gist()[:6]
    samples = data([{"id": one.sample.id} | asdict(one.sample) for one in demo], "samples.jsonl")
    people = data([asdict(each) for each in gist_labels(demo)], "people.jsonl")
    for folder, metric in (("judge", "gist"), ("people", f"gist[units={people}]")):
        assert saiten("score", samples, "-m", metric, "--judge", "offline", "-o", folder).status == 0
    said = saiten("meta-evaluate", "judge", people, "--spans", "--judges", "people", "--format", "json")
    assert said.status == 0, said
    found = json.loads(said.out)
    rows = {(row["by"], row["aspect"]): row for row in found["Spans: judges against people"][::2]}
    assert rows["people", "gist"]["F"] == rows["people", "supplement"]["F"] == 1
    assert 0 < rows["judge", "gist"]["F"] <= 1
    assert [
        row["answers"] for row in found["Spans: answers by how many of their four combinations neither side marked"]
    ] == [6, 6]
    assert "Notes" not in found


def test_a_run_without_gist_scores_says_what_it_has(saiten, data, a_run):
    """It also says what to do."""
    a_run("run", {})
    said = saiten("meta-evaluate", "run", data(PEOPLE, "p.jsonl"), "--spans")
    assert said.status in (2, 3)
    assert "score with `-m gist` or `-m hallucination_spans` first. Its metrics: length" in " ".join(said.err.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "p.jsonl", "--spans"], "nowhere does not exist"),
        (["p.jsonl", "p.jsonl", "--spans", "--rank-by", "f1"], "not to spans"),
        (["p.jsonl", "p.jsonl", "--spans", "--split-by", "group"], "not to spans"),
        (["p.jsonl", "p.jsonl", "--spans", "-a", "grade"], "no spans of the aspect 'grade'"),
    ],
)
def test_wrong_arguments_are_explained(saiten, data, arguments, words):
    """This happens before anything is computed."""
    data(PEOPLE, "p.jsonl")
    said = saiten("meta-evaluate", *arguments)
    assert said.status in (2, 3)
    assert words in " ".join(said.err.split())


def test_names_from_outside_cannot_style_the_screen(saiten, data):
    """Annotators, aspects and IDs come from anywhere."""
    nasty = "\x1b[31m=cmd()[/]<b>"
    people = [row(nasty, nasty, (0, 3), by=nasty), row("only", nasty, (0, 1), by=nasty)]
    judge = [row(nasty, nasty, (0, 3), by=f"{nasty}2")]
    for form in ("table", "csv", "md", "latex", "json", "html"):
        said = saiten("meta-evaluate", data(judge, "m"), data(people, "p"), "--spans", "--format", form)
        assert said.status == 0, said
        assert form != "html" or "[/]<b>" not in said.out
        assert "\x1b" not in said.out
        assert not any(cell.startswith("=") for line in csv.reader(io.StringIO(said.out)) for cell in line)
