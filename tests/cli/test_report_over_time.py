"""`saiten report` of many runs: a folder of runs, metrics over time, and which runs are shown in full."""

import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest
from lxml import html

from saiten.cli.finding_runs import find_runs
from saiten.errors import BadInput
from saiten.views.table import show_cell

METRICS = ("-m", "accuracy", "-m", "token_f1")
BEGAN = datetime(2026, 9, 1, 3, tzinfo=UTC)


@pytest.fixture
def night(saiten, data, openai_server, somewhere):
    """`night(3, model="b")`: the run of the third night, by a model on a real server, with its date."""

    def scored(number, *more, model="a", rows=10, metrics=METRICS, created=None, days=1, folder="runs"):
        judge = f"openai:{model}@{openai_server.base_url}"
        file = data(rows, "questions.jsonl")
        name = f"{folder}/night-{number:02}"
        said = saiten("score", file, *metrics, "--judge", judge, "-o", name, "--quiet", *more)
        assert said.status == 0, said
        began = (BEGAN + timedelta(days=days * number)).isoformat() if created is None else created
        change_manifest(somewhere / name, created=began)
        return name

    return scored


def change_manifest(folder, **values):
    """Write other values into a run's manifest."""
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def copies(somewhere, of, numbers, folder="runs", days=1):
    """Copies of a run, one per night."""
    for number in numbers:
        target = somewhere / folder / f"night-{number:02}"
        if not target.exists():
            shutil.copytree(somewhere / of, target)
        change_manifest(target, created=(BEGAN + timedelta(days=days * number)).isoformat())


@pytest.fixture
def page(saiten, somewhere):
    """`page(ARGUMENTS)`: what the report said, and its page as a tree."""

    def written(*arguments):
        said = saiten("report", *arguments, "-o", "page.html")
        assert said.status == 0, said
        return said, html.fromstring((somewhere / "page.html").read_text(encoding="utf-8"))

    return written


def chapter(tree):
    """The text of the chapter over time; None without one."""
    headings = tree.xpath("//h2[normalize-space(.)='Over time']")
    return None if not headings else " ".join(headings[0].getparent().text_content().split())


def table_of(tree, metric):
    """The rows of a metric's table, each with its remark, as texts of cells."""
    (table,) = tree.xpath(f"//*[self::h2 or self::h3][contains(., '{metric} over time')]/ancestor::section[1]//table")
    rows = []
    for row in table.find("tbody").iter("tr"):
        cells = [" ".join(cell.text_content().split()) for cell in row.xpath("./td|./th")]
        if row.get("class") == "below":
            rows[-1] += cells
        else:
            rows.append(cells)
    return rows


def test_a_change_of_judge_prompts_or_data_is_marked_and_explained(night, page, somewhere, openai_server):
    """Each has a letter in the picture and words in the table; a metric that it does not affect has neither."""
    (somewhere / "ours").mkdir()
    prompt = (files("saiten.prompts") / "decide_correct.toml").read_text(encoding="utf-8")
    (somewhere / "ours" / "decide_correct.toml").write_text(
        prompt.replace("You are an impartial judge.", "You are a kind judge.", 1), encoding="utf-8"
    )
    night(1), night(2)
    night(3, model="b")
    night(4, "--prompts", "ours", model="b")
    night(5, "--prompts", "ours", model="b", rows=20)
    _, tree = page("runs")
    judged, words = table_of(tree, "accuracy"), table_of(tree, "token_f1")
    remarks = [row[-1] for row in judged]
    assert [re.findall(r"\b([A-Z]): (judge|prompts|data)", remark) for remark in remarks] == [
        [],
        [],
        [("A", "judge")],
        [("B", "prompts")],
        [("C", "data")],
    ]
    assert re.search(r"judge openai:a@\S+ → openai:b@", remarks[2])
    assert "10 questions with references before, 20 now, 10 the same" in remarks[4]
    assert [bool(re.search(r"C: data", " ".join(row))) for row in words] == [False, False, False, False, True]
    svgs = [svg for svg in tree.xpath("//*[name()='svg']") if "over time" in (svg.get("aria-label") or "")]
    letters = [[text.text for text in svg.xpath(".//*[name()='text']") if text.text in {"A", "B", "C"}] for svg in svgs]
    assert letters == [["A", "B", "C"], ["C"]]


def test_each_row_has_the_figures_of_show(night, page, saiten, somewhere):
    """Mean, interval, n and of are those of `saiten show RUN --format json`, digit by digit as shown."""
    night(1), night(2, model="b"), night(3, model="b", rows=14)
    _, tree = page("runs")
    for metric in ("accuracy", "token_f1"):
        for run, shown in zip(("night-01", "night-02", "night-03"), table_of(tree, metric), strict=True):
            (row,) = [
                each
                for each in json.loads(saiten("show", f"runs/{run}", "--format", "json").out)["Scores"]
                if each["metric"] == metric
            ]
            low, high = row["95 % from"], row["to"]
            interval = "–" if low is None else f"[{show_cell(low)}, {show_cell(high)}]"
            assert shown[1:2] + shown[3:7] == [
                run,
                *map(show_cell, (row["mean"],)),
                interval,
                str(row["n"]),
                str(row["of"]),
            ]


def test_a_folder_stands_for_its_runs_oldest_first(night, page, somewhere):
    """The oldest is the baseline, whatever the names; folders that hold no run are reported and skipped."""
    night(2, created="2026-09-03T00:00:00+00:00")
    night(3, created="2026-09-01T00:00:00+00:00")
    (somewhere / "runs" / "junk").mkdir()
    (somewhere / "runs" / "broken").mkdir()
    (somewhere / "runs" / "broken" / "manifest.json").write_text("{")
    (somewhere / "runs" / "notes.txt").write_text("not a run, and nobody takes it for one")
    said, tree = page("runs")
    assert "night-03 → night-02" in tree.text_content()
    assert "runs/junk is skipped: it is not a run" in said.err
    assert "runs/broken is skipped: runs/broken/manifest.json cannot be read" in said.err
    assert "notes.txt" not in said.err


def test_a_pattern_of_many_names_skips_what_is_no_run(night, page, saiten, somewhere):
    """One or two arguments are meant as runs, so that the others are errors there."""
    names = [night(1), night(2)]
    (somewhere / "runs" / "notes.txt").write_text("x")
    said, _ = page(*names, "runs/notes.txt")
    assert "runs/notes.txt is skipped: it is a file, not a run" in said.err
    said = saiten("report", names[0], "runs/notes.txt", "-o", "page.html")
    assert said.status == 2
    assert "runs/notes.txt is no run of saiten" in said.err
    said = saiten("report", *names, "runs/night-99", "-o", "page.html")
    assert said.status == 2, "a name that does not exist is a mistake"
    assert "no such folder" in said.err


def test_runs_further_below_are_named(night, saiten, somewhere):
    """A folder stands for the runs directly in it."""
    night(1, folder="all/runs")
    said = saiten("report", "all", "-o", "page.html")
    assert said.status == 2
    assert str(Path("all/runs/night-01")) in said.err


def test_a_folder_with_broken_runs_only_is_an_error(somewhere):
    """Nothing is left to report; each broken run was reported."""
    broken = somewhere / "runs" / "broken"
    broken.mkdir(parents=True)
    (broken / "manifest.json").write_text("{")
    said = []
    with pytest.raises(BadInput, match="no readable run in"):
        find_runs([somewhere / "runs"], said.append)
    assert "cannot be read" in said[0]


def test_runs_of_different_things_are_no_course_unless_it_is_asked_for(night, page, saiten, data):
    """Three runs with one metric may measure three systems on three data sets; two runs are a comparison."""
    first = night(1)
    other = [{"id": f"x{n}", "question": f"Other {n}?", "answer": "A", "reference": "A"} for n in range(4)]
    assert saiten("score", data(other, "o.jsonl"), "-m", "token_f1", "-o", "runs/other", "--quiet").status == 0
    third = [{**row, "question": f"Third {row['id']}?"} for row in other]
    assert saiten("score", data(third, "t.jsonl"), "-m", "token_f1", "-o", "runs/third", "--quiet").status == 0
    assert chapter(page(first, "runs/other", "runs/third")[1]) is None
    assert chapter(page(first, "runs/other", "runs/third", "--over-time")[1]) is not None
    second = night(2)
    assert chapter(page(first, second)[1]) is None
    assert chapter(page(first, second, "--over-time")[1]) is not None
    said = saiten("report", first, "--over-time", "-o", "page.html")
    assert said.status == 2
    assert "--over-time needs at least two runs" in said.err


def test_what_has_no_place_in_time_is_named(night, page, somewhere):
    """A run without a date, one without scores, one with other metrics: each is named, and nothing breaks."""
    night(1), night(2), night(3)
    night(4, created="")
    night(5, created="yesterday")
    night(6, metrics=("-m", "length"))
    night(7)
    (somewhere / "runs/night-07/scores.jsonl").write_text("")
    text = chapter(page("runs")[1])
    assert "the manifest has no date: night-04, night-05" in text
    assert "there are no scores: night-07" in text
    assert "no metric with another run: night-06" in text


def test_equal_dates_and_wrong_clocks_are_drawn(night, page, somewhere):
    """Runs of one second keep their order; a date in the future is drawn and noted."""
    night(1)
    copies(somewhere, "runs/night-01", (2, 3), days=0)
    change_manifest(somewhere / "runs/night-01", created=BEGAN.isoformat())
    copies(somewhere, "runs/night-01", (4,), days=400_000)
    rows = table_of(page("runs")[1], "accuracy")
    assert [row[1] for row in rows] == ["night-01", "night-02", "night-03", "night-04"]
    assert "its date is in the future" in rows[3][-1]


def test_an_unfinished_run_is_marked(night, page, somewhere):
    """Its mean may change, so it is hollow and says why."""
    night(1), night(2), night(3)
    change_manifest(somewhere / "runs/night-03", finished=False)
    rows = table_of(page("runs")[1], "accuracy")
    assert ["not finished" in row[-1] for row in rows] == [False, False, True]


def test_of_many_runs_only_the_newest_two_are_shown_in_full(night, page, somewhere, saiten):
    """All are in the chapter over time, which says so; `--answers-of` chooses others, the first as the baseline."""
    night(1)
    copies(somewhere, "runs/night-01", range(2, 15))
    _, tree = page("runs")
    assert "everything else on this page is about night-13 and night-14" in tree.text_content()
    assert "night-01 … night-14 (14 runs)" in tree.text_content()
    assert "20 answers." in tree.text_content()
    assert len(table_of(tree, "accuracy")) == 14
    assert "night-13 → night-14" in tree.text_content()
    _, tree = page("runs", "--answers-of", "runs/night-02", "--answers-of", "runs/night-09")
    assert "everything else on this page is about night-02 and night-09" in tree.text_content()
    assert "night-02 → night-09" in tree.text_content()
    said = saiten("report", "runs", "--answers-of", "elsewhere", "-o", "page.html")
    assert said.status == 2
    assert "--answers-of elsewhere is not one of the runs" in said.err


@pytest.mark.parametrize("name", ["samples.jsonl", "scores.jsonl"])
def test_a_damaged_line_of_a_run_that_is_only_drawn_is_reported_once(night, page, somewhere, name):
    """However often the file is read; the other lines count."""
    night(1)
    copies(somewhere, "runs/night-01", range(2, 15))
    with (somewhere / "runs/night-03" / name).open("a") as file:
        file.write("{rubbish\n")
    said, tree = page("runs")
    assert said.err.count("cannot be read and is left out") == 1
    assert len(table_of(tree, "accuracy")) == 14


def test_an_experiment_next_to_runs_stays_one(night, page, saiten, somewhere):
    """Its runs answer other questions at one time, and have no place in a course."""
    grid = saiten("experiment", "--example").out.replace("demo: en ", "demo: en\n    limit: 4 ")
    (somewhere / "grid.yaml").write_text(grid.replace("  - demo: ja\n", ""), encoding="utf-8")
    assert saiten("experiment", "grid.yaml", "--quiet").status == 0
    night(1), night(2), night(3)
    _, tree = page("runs")
    assert "Experiment: Serial or parallel?" in tree.text_content()
    assert {row[1] for row in table_of(tree, "accuracy")} == {"night-01", "night-02", "night-03"}
