"""`saiten disagreements`: from a run and labels to a list, in every format and both languages."""

import csv
import io
import json
import shutil
import tracemalloc
from dataclasses import asdict

import pytest

from saiten.demo.gist import gist_labels, load_gist
from saiten.runs.lines import sample_to_json

ROWS = [
    {
        "id": f"q{n}/{system}",
        "question": f"When are fees paid in year {n}?",
        "answer": f"Fees are paid monthly in year {n}.",
        "reference": f"Fees are paid yearly in year {n}.",
        "contexts": ["Ask the desk."],
        "system": system,
    }
    for n in range(1, 4)
    for system in ("plain", "bold")
]
LABELS = [
    {"item": row["id"], "value": value, "annotator": who, "aspect": "correct", "reason": why}
    for row in ROWS
    for who, value, why in (("anna", 0, "monthly is wrong"), ("ben", int(row["id"] == "q1/plain"), ""))
]
JUDGES = [
    {"item": row["id"], "judge": "gpt", "aspect": "correct", "value": 1, "reply": f"It is right: {row['id']}."}
    for row in ROWS
]


@pytest.fixture
def files(data):
    """Samples, labels and a judge's file."""
    return data(ROWS, "samples.jsonl"), data(LABELS, "labels.jsonl"), data(JUDGES, "judges.jsonl")


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex", "html"])
def test_every_format_has_counts_texts_and_both_sides_words(saiten, files, form):
    """Judge, people, what they said, and the words that are in no source, with the rule in words."""
    samples, labels, judges = files
    said = saiten(
        "disagreements", samples, labels, "--judges", judges, "--only", "judge-yes-people-no", "--format", form
    )
    assert said.status == 0, said
    if form == "json":
        tables = json.loads(said.out)
        (counts,) = tables["Judge and people: how often they differ"]
        assert (counts["judge yes, people no"], counts["judge no, people yes"], counts["n"]) == (5, 0, 5)
        assert counts["remarks"] == "people are evenly split: 1"
        first, *others = tables["correct: where gpt and people differ most"]
        assert (first["item"], first["judge"], first["people"], first["people differ"]) == ("q1/bold", 1, 0, False)
        assert first["each person"] == "anna 0, “monthly is wrong”; ben 0"
        assert (first["reason"], first["unsupported part"]) == ("It is right: q1/bold.", "monthly")
        assert first["found by"] == "? Words in neither question, reference nor contexts."
        assert len(others) == 4
    elif form == "csv":
        assert any("q1/bold" in cells for cells in csv.reader(io.StringIO(said.out)))
    else:
        assert "monthly is wrong" in said.out
        assert "It is right: q1/bold." in said.out
    if form == "md":
        assert "over items as if they were independent" in said.out  # two answers to one question are not
    if form == "table":
        assert "⟨? monthly⟩" in said.out
    if form == "html":
        assert '<mark class="nw">monthly</mark>' in said.out
        assert "<summary>contexts: 1</summary>" in said.out
        assert "Ask the desk." in said.out


def test_a_run_is_filtered_by_system_and_group(saiten, files):
    """The counts are those of the part; an unknown system is an error."""
    samples, labels, _ = files
    assert saiten("score", samples, "-m", "accuracy", "-m", "length", "--judge", "offline", "-o", "run").status == 0
    said = saiten("disagreements", "run", labels, "--system", "plain", "--format", "json")
    (counts, length) = json.loads(said.out)["Judge and people: how often they differ"]
    assert (counts["metric"], counts["n"], length["metric"]) == ("accuracy", 2, "length")
    missing = saiten("disagreements", "run", labels, "--system", "nobody")
    assert (missing.status, "the system 'nobody'; the systems are: bold, plain" in missing.err) == (2, True)


def test_the_judges_reason_and_its_marks_are_those_of_the_run(saiten, files):
    """Faithfulness has statements without support: they are marked, and the metric is named."""
    samples, labels, _ = files
    assert saiten("score", samples, "-m", "faithfulness", "--judge", "offline", "-o", "run").status == 0
    said = saiten("disagreements", "run", labels, "--format", "json")
    rows = json.loads(said.out)["correct: where faithfulness and people differ most"]
    assert {row["item"] for row in rows} == {"q1/plain"}  # the others are 0 on both sides
    assert rows[0]["unsupported part"] == "Fees are paid monthly in year 1."
    assert rows[0]["found by"] == "! Without support, as marked by the judge (faithfulness)."
    assert rows[0]["reason"].startswith("0 of 1 statements are supported")


def test_items_without_a_sample_are_listed_and_reported(saiten, files, somewhere):
    """A run may have lost its samples: values and labels are still compared, and the gap is named."""
    samples, labels, _ = files
    assert saiten("score", samples, "-m", "length", "-o", "run", "-q").status == 0
    (somewhere / "run" / "samples.jsonl").write_text("")
    said = saiten("disagreements", "run", labels, "-n", "2", "--format", "json")
    assert said.status == 0
    assert "run has no sample of 2 of 2 listed items" in " ".join(said.err.split())
    (rows,) = (rows for title, rows in json.loads(said.out).items() if title.startswith("correct"))
    assert [(row["judge"] > 0, row["answer"]) for row in rows] == [(True, None)] * 2


def test_each_run_has_its_own_reason(saiten, files, somewhere):
    """Two runs of one metric are named apart, and each list has the reasons of its run."""
    samples, labels, _ = files
    assert saiten("score", samples, "-m", "accuracy", "--judge", "offline", "-o", "one").status == 0
    shutil.copytree(somewhere / "one", somewhere / "two")
    scores = somewhere / "two" / "scores.jsonl"
    lines = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    changed = [line | {"value": 1.0 - line["value"], "reason": "another opinion"} for line in lines]
    scores.write_text("".join(json.dumps(line) + "\n" for line in changed), encoding="utf-8")
    said = saiten("disagreements", "one", labels, "--judges", "two", "-m", "accuracy", "--format", "json")
    tables = json.loads(said.out)
    reasons = {
        title: {row["reason"] == "another opinion" for row in rows}
        for title, rows in tables.items()
        if title.startswith("correct")
    }
    assert sorted(reasons.values(), key=str) == [{False}, {True}]


def test_without_a_common_scale_it_is_said_where_the_judge_ranks_an_item(saiten, files, data):
    """A judge of 3 may be above people's 50, so `judge higher` would be wrong; verdicts cannot be asked for."""
    samples, *_ = files
    labels = data(
        [{"item": row["id"], "value": value} for row, value in zip(ROWS, (0, 50, 100), strict=False)], "l.jsonl"
    )
    judges = data(
        [{"item": row["id"], "judge": "gpt", "value": value} for row, value in zip(ROWS, (250, 7, 3), strict=False)],
        "j.jsonl",
    )
    command = ("disagreements", samples, labels, "--judges", judges)
    said = saiten(*command)
    assert "judge ranks it higher; judge 250, people 0" in said.out
    assert "judge ranks it lower; judge 3, people 100" in said.out
    refused = saiten(*command, "--yes-from", "50", "--only", "judge-yes-people-no")
    assert refused.status == 2
    assert "gpt and the labels share no scale that --yes-from 50 could divide" in " ".join(refused.err.split())


def test_long_references_have_a_line_between_them(saiten, files, data):
    """Short ones have a line each."""
    _, labels, judges = files
    short, long = ["yearly", "every year"], ["Fees are paid yearly.\nAsk the desk.", "Every year."]
    for references, line in ((short, False), (long, True)):
        samples = data([row | {"references": references, "reference": None} for row in ROWS], f"{line}.jsonl")
        said = saiten("disagreements", samples, labels, "--judges", judges, "-n", "1")
        assert ("– – –" in said.out, references[1] in said.out) == (line, True), said


@pytest.mark.parametrize("spans", [False, True], ids=["values", "spans"])
def test_no_text_is_kept_but_those_of_the_listed_items(saiten, data, spans):
    """The texts of 200 samples are 20 MB; reading, comparing and listing take a tenth of it."""
    rows = [ROWS[0] | {"id": f"q{n}", "contexts": ["Ask the desk. " * 7_000]} for n in range(200)]
    samples = data(rows, "samples.jsonl")
    assert saiten("score", samples, "-m", "length", "-o", "run", "-q").status == 0
    labels = data([{"item": row["id"], "value": n % 2} for n, row in enumerate(rows)], "labels.jsonl")
    marks = [
        {"item": row["id"], "aspect": "hallucination", "spans": [{"text": "F", "start": n % 2, "end": 2}]}
        for n, row in enumerate(rows)
    ]
    people, judge = data(marks, "people.jsonl"), data([{**one, "spans": []} for one in marks], "judge.jsonl")
    command = ("disagreements", "run", labels, "-n", "1", "--format", "json")
    if spans:
        command = ("disagreements", samples, people, "--judges", judge, "--spans", "-n", "1", "--format", "json")
    assert saiten(*command).status == 0  # loads the packages
    tracemalloc.start()
    try:
        assert saiten(*command).status == 0
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


def test_pairs_show_both_answers(saiten, files, data):
    """A preference has no unsupported part, but two answers; the judge leans to one of them."""
    samples, _, _ = files
    labels = data([{"item": "q1/plain vs q1/bold", "value": 2, "annotator": "anna", "aspect": "better"}], "p.jsonl")
    judges = data([{"item": "q1/plain vs q1/bold", "value": -1, "judge": "gpt"}], "j.jsonl")
    said = saiten("disagreements", samples, labels, "--judges", judges)
    assert said.status == 0, said
    assert "judge leans to the first answer" in said.out
    assert "first answer" in said.out
    assert "second answer" in said.out


def test_gist_lists_answers_with_both_sides_marks(saiten, data, somewhere):
    """The marks of both sides are in the texts, with the signs of the four combinations."""
    samples = load_gist("en")
    data([sample_to_json(one.sample) for one in samples], "samples.jsonl")
    data([asdict(label) for label in gist_labels(samples)], "labels.jsonl")
    assert saiten("score", "samples.jsonl", "-m", "gist", "--judge", "offline", "-o", "run").status == 0
    shown = saiten("disagreements", "run", "labels.jsonl", "--spans", "-n", "3")
    assert shown.status == 0, shown
    assert "⟦+G" in shown.out
    assert shown.out.count("─ reference") >= 3  # with marks or without: extra units are those that it lacks
    assert "Marked only by people" in shown.out
    said = saiten("disagreements", "run", "labels.jsonl", "--spans", "-n", "3", "--format", "json")
    tables = json.loads(said.out)
    rows = tables["Answers in which run and people marked different units"]
    assert [row["F"] for row in rows] == sorted(row["F"] for row in rows)
    assert all(row["only people"] or row["only the judge"] for row in rows)
    counts = {row["aspect"]: row for row in tables["Marked units: judge and people"]}
    one = counts["extra_gist"]
    assert one["n"] == len(samples) == one["both"] + one["only the judge"] + one["only people"] + one["neither"]
    page = saiten("disagreements", "run", "labels.jsonl", "--spans", "--format", "html")
    assert '<mark class="eg">' in page.out
    refused = saiten("disagreements", "run", "labels.jsonl", "--spans", "--only", "judge-higher")
    assert (refused.status, "apply to values, not to spans" in refused.err) == (2, True)


def test_the_list_is_in_japanese_and_texts_stay_as_they_are(saiten, files, monkeypatch):
    """Words of saiten are translated; reasons of judges and people are not."""
    samples, labels, judges = files
    monkeypatch.setenv("SAITEN_LANG", "ja")
    said = saiten("disagreements", samples, labels, "--judges", judges, "-n", "1")
    assert "評価器は可、人は不可；評価器 1、人 0" in said.out
    assert "? 質問にも参照回答にもコンテキストにもない語。" in said.out
    assert "monthly is wrong" in said.out


def test_texts_from_outside_cannot_be_markup(saiten, data):
    """Neither an answer nor a remark becomes a tag of the page or a style of the terminal."""
    rows = [ROWS[0] | {"answer": "<script>alert(1)</script> \x1b[31mred"}]
    samples = data(rows, "samples.jsonl")
    labels = data([LABELS[0] | {"reason": "<b>[bold]\x1b[2J"}], "labels.jsonl")
    judges = data(JUDGES[:1], "judges.jsonl")
    page = saiten("disagreements", samples, labels, "--judges", judges, "--format", "html").out
    assert "<script>alert" not in page
    assert "<b>" not in page
    screen = saiten("disagreements", samples, labels, "--judges", judges).out
    assert "\x1b[31m" not in screen
    assert "\x1b[2J" not in screen
    assert "[bold]" in screen
