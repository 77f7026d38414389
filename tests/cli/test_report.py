"""`saiten report`: from runs on disk to a page, and its message if there is nothing to report."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from saiten.records import Sample, Score, Scored
from saiten.runs import Journal

METRICS = ("-m", "token_f1", "-m", "length")


@pytest.fixture
def run(saiten, data):
    """`run(name, n)`: the first n questions, scored."""

    def scored(name, rows=8):
        assert saiten("score", data(rows, f"{name}.jsonl"), *METRICS, "-o", f"runs/{name}", "--quiet").status == 0
        return f"runs/{name}"

    return scored


@pytest.fixture
def page(saiten, somewhere):
    """`page(ARGUMENTS)`: the page that `saiten report` writes."""

    def written(*arguments):
        said = saiten("report", *arguments, "-o", "page.html")
        assert said.status == 0, said
        return (somewhere / "page.html").read_text(encoding="utf-8")

    return written


def headings(text):
    """The headings of the chapters."""
    return [re.sub("<[^>]*>", "", found) for found in re.findall(r"<h2 id=\"[^\"]*\">(.*?)</h2>", text)]


def test_a_run_is_reported_and_the_path_is_printed(run, saiten, somewhere):
    """Its answers, its own figures, all runs, what it took; the path alone on standard output."""
    said = saiten("report", run("first"), "-o", "page.html")
    assert (said.status, said.out) == (0, "page.html\n")
    text = (somewhere / "page.html").read_text(encoding="utf-8")
    assert headings(text) == [
        "Answers, one by one",
        "Run: first",
        "All runs",
        "Cost and time",
    ]
    assert "How the figures were made: first" in text
    assert "8 answers." in text
    assert not (somewhere / "page.html.new").exists()


def test_two_runs_are_compared_on_the_samples_they_share(run, page):
    """The tests are those of `saiten compare`, under short names."""
    text = page(run("before"), run("after"))
    assert "Is the difference real?" in headings(text)
    assert "before → after" in text
    assert "sign-flip test" in text


def test_runs_without_common_samples_are_reported_side_by_side(run, saiten, data):
    """A sentence on the page and in the terminal says so; nothing is compared."""
    other = data([{"id": "x", "question": "Q?", "answer": "A", "reference": "A"}], "other.jsonl")
    assert saiten("score", other, *METRICS, "-o", "runs/other", "--quiet").status == 0
    said = saiten("report", run("first"), "runs/other", "-o", "page.html")
    assert said.status == 0
    assert "Not compared with any other run: first, other (no measured answer in common with each other)" in said.err


def test_labels_rank_the_metrics(run, page, somewhere):
    """Ranking, people against people, agreement."""
    folder = run("first", 30)
    lines = [{"item": f"q{n}", "value": (n + who) % 5 > 1, "annotator": f"p{who}", "aspect": "good"} for n in range(30) for who in (1, 2)]  # fmt: skip
    (somewhere / "labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = page(folder, "--labels", "labels.jsonl")
    assert "Compared with labels" in headings(text)
    for title in ("good: metrics by AUROC", "good: people against people", "Each two annotators"):
        assert title in text


def test_labels_of_other_answers_are_an_error(run, saiten, somewhere):
    """The message names some of both."""
    (somewhere / "labels.jsonl").write_text('{"item": "stranger", "value": 1}\n')
    said = saiten("report", run("first"), "--labels", "labels.jsonl", "-o", "page.html")
    assert said.status == 2
    assert "stranger" in said.err
    assert "no label belongs to an item" in said.err


def test_an_experiment_is_reported_from_its_folder(saiten, page, somewhere):
    """Accuracy against latency, its tables, its runs."""
    text = (
        saiten("experiment", "--example")
        .out.replace("demo: en ", "demo: en\n    limit: 4 ")
        .replace("  - demo: ja\n", "")
    )
    (somewhere / "grid.yaml").write_text(text, encoding="utf-8")
    assert saiten("experiment", "grid.yaml", "--quiet").status == 0
    found = page("runs/grid")
    assert "Experiment: Serial or parallel?" in headings(found)
    assert "against latency" in found
    assert "Latency, parallel to serial" in found
    (somewhere / "runs" / "grid" / "plan.json").unlink()
    said = saiten("report", "runs/grid", "-o", "other.html")
    assert said.status == 2
    assert "plan.json" in said.err


@pytest.mark.parametrize(
    ("language", "heading"), [("ja", "個々の回答"), ("en", "Answers, one by one"), (None, "Answers, one by one")]
)
def test_the_language_of_the_page_is_chosen_or_that_of_most_samples(run, page, language, heading):
    """The page's own words are translated; texts from outside stay as they are."""
    assert heading in headings(page(run("first"), *(("--language", language) if language else ())))


def test_japanese_samples_make_a_japanese_page(saiten, page, data):
    """No option is needed."""
    rows = [
        {"id": f"q{n}", "question": "橋はいつ開通しましたか。", "answer": f"{n}年です。", "reference": "1998年です。"}
        for n in range(3)
    ]
    assert saiten("score", data(rows), *METRICS, "-o", "runs/ja", "--quiet").status == 0
    assert '<html lang="ja">' in page("runs/ja", "--title", "六月の実験")


def test_beyond_the_limit_it_says_what_is_left_out(run, page):
    """It says how many, and how they were chosen; the figures are over all."""
    text = page(run("first", 20), "--limit", "5")
    assert "5 of 20 answers are on this page. They were chosen by a hash of their ids" in text
    assert '<td class="number">20</td>' in text


def test_an_unfinished_run_is_reported_as_such(somewhere, saiten):
    """The page and the terminal say how many scores of how many are there."""
    with Journal.open("runs/cut", signatures={"a": "a", "b": "b"}) as journal:
        for n in range(3):
            journal.sample(Sample(f"q{n}", "Q?", "A"))
        journal.score(Scored("q0", "a", Score(0.5)))
    said = saiten("report", "runs/cut", "-o", "page.html")
    assert said.status == 0
    assert "Run cut is not finished: 1 of 6 scores for the samples read so far" in said.err
    assert "1 of 6 scores for the samples read so far" in (somewhere / "page.html").read_text(encoding="utf-8")


def test_a_run_without_scores_is_an_error(saiten):
    """There is nothing to report."""
    with Journal.open("runs/empty", signatures={"a": "a"}) as journal:
        journal.sample(Sample("q0", "Q?", "A"))
    said = saiten("report", "runs/empty", "-o", "page.html")
    assert said.status == 2
    assert "no scores yet in runs/empty" in said.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("nowhere", "-o", "page.html"), "no such folder"),
        (("runs/first", "-o", "gone/page.html"), "there is no folder gone"),
        (("runs/first", "-o", "runs"), "runs is a folder"),
        (("runs/first", "-o", "precious.txt"), "is not a page written by saiten"),
        (("runs/first", "-o", "page.html", "--labels", "nowhere.jsonl"), "nowhere.jsonl"),
        (("runs/first", "-o", "page.html", "--labels", "empty.jsonl"), "empty.jsonl"),
        (("runs/first", "-o", "page.html", "--charts", "precious.txt"), "precious.txt cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(run, saiten, somewhere, arguments, expected):
    """The exit status is 2, and nobody else's files are overwritten."""
    run("first")
    (somewhere / "precious.txt").write_text("precious")
    (somewhere / "empty.jsonl").write_text("")
    said = saiten("report", *arguments)
    assert said.status == 2, said
    assert expected in said.err
    assert (somewhere / "precious.txt").read_text() == "precious"


def test_a_run_of_another_version_is_an_error(run, saiten, somewhere):
    """The message gives the version that wrote it."""
    path = somewhere / run("first") / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    said = saiten("report", "runs/first", "-o", "page.html")
    assert said.status == 2
    assert "has format 99" in said.err


def test_a_damaged_line_is_reported_once_and_left_out(run, saiten, somewhere):
    """This holds however often the file is read."""
    with (somewhere / run("first") / "scores.jsonl").open("a") as file:
        file.write("{rubbish\n")
    said = saiten("report", "runs/first", "-o", "page.html")
    assert said.status == 0
    assert said.err.count("cannot be read and is left out") == 1


def test_an_earlier_report_is_replaced(run, saiten, somewhere):
    """The same command replaces all of it."""
    folder = run("first")
    for title in ("One", "Two"):
        assert saiten("report", folder, "-o", "page.html", "--title", title).status == 0
    text = (somewhere / "page.html").read_text(encoding="utf-8")
    assert "<title>Two" in text
    assert "<title>One" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="no file can be limited in size here")
@pytest.mark.slow
def test_a_full_disk_leaves_the_earlier_report(run, saiten, somewhere):
    """The message names what could not be written, and the old files stay."""
    folder = run("first")
    assert saiten("report", folder, "-o", "page.html").status == 0
    before = (somewhere / "page.html").read_bytes()
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)); from saiten.cli import main; main()"
    # Without byte code, which would be truncated, too.
    done = subprocess.run([sys.executable, "-B", "-c", code, "report", folder, "-o", "page.html"], capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert "page.html cannot be written: File too large" in done.stderr
    assert (somewhere / "page.html").read_bytes() == before
    assert [path.name for path in somewhere.iterdir() if path.suffix == ".new"] == []


def test_charts_are_written_as_svg_and_png(run, saiten, somewhere):
    """Each is in both forms, numbered in the order of the page."""
    assert saiten("report", run("first"), "-o", "page.html", "--charts", "figures").status == 0
    names = sorted(path.name for path in (somewhere / "figures").iterdir() if path.suffix != ".json")
    assert len(names) >= 4
    assert all("Means" in name or "Distribution" in name for name in names), "the table is named"
    assert {name.partition(".")[2] for name in names} == {"svg", "png"}
    assert [name[:2] for name in names[::2]] == [f"{n:02}" for n in range(1, len(names) // 2 + 1)]
    assert (somewhere / "figures" / names[0]).read_bytes().startswith(b"\x89PNG")
    svg = (somewhere / "figures" / names[1]).read_text(encoding="utf-8")
    assert svg.lstrip().startswith("<svg")
    assert ">first · " in svg, "the picture says what it is of"
    assert "Judged offline" not in svg, "no judge made it"


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Judged offline by comparing words, numbers and names", "No model was called")),
        ("ja", ("オフライン評価器による採点", "モデルは呼び出していない")),
    ],
)
def test_a_report_and_its_pictures_say_that_words_were_compared(saiten, data, somewhere, language, words):
    """A picture travels without its page, so both say that no model was called, in the page's language."""
    short, lead = words
    assert saiten("score", data(6), "-m", "faithfulness", "-o", "run").status == 0
    said = saiten("report", "run", "-o", "page.html", "--charts", "figures", "--language", language)
    assert said.status == 0
    assert lead in said.err
    text = (somewhere / "page.html").read_text(encoding="utf-8")
    assert re.search(f'<p class="notice">.*{lead}', text), "at the top"
    drawn = [path.read_text(encoding="utf-8") for path in (somewhere / "figures").iterdir() if path.suffix == ".svg"]
    assert drawn
    assert all(short in " ".join(svg.split()) for svg in drawn)


def test_charts_of_an_earlier_report_make_place(run, saiten, somewhere):
    """Unchanged charts are removed; somebody else's files, or changed ones, stay and are reported."""
    both = [run("first"), run("second")]
    assert saiten("report", *both, "-o", "page.html", "--charts", "figures").status == 0
    folder = somewhere / "figures"
    earlier = {path.name for path in folder.iterdir()}
    (folder / "mine.svg").write_text("<svg/>")
    changed = max(folder.glob("*.svg"), key=lambda path: path.name * (path.name != "mine.svg"))
    changed.write_text("changed")
    said = saiten("report", both[0], "-o", "page.html", "--charts", "figures")
    assert said.status == 0
    left = {path.name for path in folder.iterdir()}
    listed = json.loads((folder / "saiten-charts.json").read_text(encoding="utf-8"))["charts"]
    assert len(left) < len(earlier)
    assert left == {row["file"] for row in listed} | {"mine.svg", changed.name, "saiten-charts.json"}
    assert f"{Path('figures') / changed.name} is from an earlier report or from elsewhere" in said.err
    (folder / "saiten-charts.json").write_text("[1]")
    said = saiten("report", both[0], "-o", "page.html", "--charts", "figures")
    assert said.status == 2
    assert "is not a list of charts written by saiten" in said.err
    assert (folder / "mine.svg").exists()


def test_labels_are_read_as_meta_evaluate_reads_them(run, saiten, page, somewhere):
    """Custom column names work, and only requested aspects are read; a missing aspect is an error."""
    folder = run("first", 30)
    rows = [f"q{n},{(n + who) % 5 > 1:d},p{who},{aspect}" for n in range(30) for who in (1, 2) for aspect in ("good", "short")]  # fmt: skip
    (somewhere / "labels.csv").write_text("\n".join(["answer,grade,annotator,aspect", *rows]))
    columns = ("--labels", "labels.csv", "--column", "item=answer", "--column", "value=grade")
    text = page(folder, *columns, "--aspect", "good")
    assert "good: over items" in text
    assert "short: over items" not in text
    assert "short: over items" in page(folder, *columns)
    said = saiten("report", folder, *columns, "-a", "bad", "-o", "page.html")
    assert said.status == 2
    assert "no labels of the aspect 'bad'; the labels have 'good', 'short'" in said.err
    said = saiten("report", folder, "--aspect", "good", "-o", "page.html")
    assert said.status == 2
    assert "--labels" in said.err


def test_the_same_run_named_twice_is_reported_once(run, page):
    """It would only be compared with itself."""
    folder = run("first")
    assert "8 answers." in page(folder, folder + "/../first")
