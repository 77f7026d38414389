"""`saiten testset worth`: tables, sentences and the page."""

import json
import re

import numpy as np
import pytest

from saiten.stats.power import questions_needed, visible_difference
from scored_sets import items, write_run, write_set

KINDS = ("single", "across", "unanswerable")


@pytest.fixture
def testset(tmp_path):
    """A set of 40 items in the folder `set`, and the runs `before` and `after`."""
    of = items(40, kinds=KINDS)
    write_set(tmp_path / "set", of)
    random = np.random.default_rng(5)
    before = random.random(40) < 0.6
    after = np.where(random.random(40) < 0.25, ~before, before)
    write_run(tmp_path / "before", of, {"": before.astype(float).tolist()})
    write_run(tmp_path / "after", of, {"": after.astype(float).tolist()})
    return before.astype(float), after.astype(float)


@pytest.fixture
def based(tmp_path, saiten, testset):
    """A knowledge base in the set's folder with the documents of 30 items."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(30):
        (docs / f"{number}.md").write_text(f"Bridge {number} is {number} years old. " + "It is long. " * 90)
    assert saiten("index", docs, "--kb", tmp_path / "set" / "kb", "-q").status == 0


def tables_of(said):
    """The tables of a command with `--format json`."""
    assert said.status == 0, said
    return json.loads(said.out)


def test_the_numbers_of_a_pilot_are_in_the_table_and_in_a_sentence(saiten, testset):
    """Visible difference and questions needed are those of the spread of the differences."""
    before, after = testset
    differences = after - before
    sd = float(differences.std(ddof=1))
    visible, n = visible_difference(sd, 40, step=1.0), questions_needed(0.05, sd, step=1.0)
    tables = tables_of(saiten("testset", "worth", "set", "before", "after", "--format", "json"))
    (pair,) = tables["What differences show"]
    assert pair["smallest visible"] == pytest.approx(visible)
    assert pair["difference"] == pytest.approx(differences.mean())
    rows = {row["to see a difference of"]: row for row in tables["Questions needed"]}
    assert rows[0.05]["questions needed"] == n
    assert rows[0.05]["95 % from"] < n < rows[0.05]["to"]
    (said,) = [row["note"] for row in tables["What follows"] if row["note"].startswith("before and after")]
    assert f"with 40 questions, only differences of {visible:.2g} or more would show at 80 % power" in said
    assert f"for a difference of 0.05, take about {float(f'{n:.2g}'):,.0f} (95 % interval" in said


def test_each_question_has_its_figures(saiten, testset):
    """The lowest mean first, over the systems; the terminal leaves the long table out."""
    before, after = testset
    rows = tables_of(saiten("testset", "worth", "set", "before", "after", "--format", "json"))["Questions one by one"]
    assert [row["mean"] for row in rows] == sorted(((before + after) / 2).tolist())
    assert all(row["lowest"] <= row["mean"] <= row["highest"] for row in rows)
    assert "Questions one by one" not in saiten("testset", "worth", "set", "before", "after").out


def test_the_wanted_differences_and_power_replace_the_defaults(saiten, testset):
    """In the order given; the sentence has the smaller one."""
    before, after = testset
    sd = float((after - before).std(ddof=1))
    said = saiten(
        "testset", "worth", "set", "before", "after", "--difference", 0.15, "--difference", 0.1, "--power", 0.9, "--format", "json"
    )  # fmt: skip
    rows = tables_of(said)["Questions needed"]
    assert [(row["to see a difference of"], row["questions needed"]) for row in rows] == [
        (wanted, questions_needed(wanted, sd, 0.9, step=1.0)) for wanted in (0.15, 0.1)
    ]
    assert "90 % power; for a difference of 0.1," in said.out


def test_without_runs_there_are_questions_and_coverage(saiten, based):
    """Counts by kind and language; the share of chunks with a question; no figure of a run."""
    tables = tables_of(saiten("testset", "worth", "set", "--format", "json"))
    counts = {(row["by"], row["value"]): row["questions"] for row in tables["Questions"]}
    assert counts == {
        ("kind", "single passage"): 14,
        ("kind", "across documents"): 13,
        ("kind", "unanswerable"): 13,
        ("language", "English"): 40,
    }
    numbers = {row["what"]: row["number"] for row in tables["Coverage of the documents"]}
    assert numbers["documents in the base"] == numbers["documents with a question"] == 30
    assert numbers["chunks with a question"] == 30
    assert numbers["passages of documents that are not in the base"] == 10
    assert "30 of 30 documents and 30 of 90 chunks (33 %) have a question." in tables["What follows"][0]["note"]
    assert not {"Difficulty", "What differences show"} & tables.keys()


def test_the_terminal_has_ten_rows_of_long_tables_and_says_how_many_more(saiten, based):
    """30 documents and the items that separate no two systems; JSON has all."""
    said = saiten("testset", "worth", "set", "before", "after")
    assert said.status == 0, said
    documents = said.out.partition("\nDocuments\n")[2].partition("\nSystems")[0]
    assert len(re.findall(r"^\d+\.md", documents, re.MULTILINE)) == 10
    assert "20 more rows are in the other formats and on the page." in documents
    assert len(tables_of(saiten("testset", "worth", "set", "--format", "json"))["Documents"]) == 30


def test_in_japanese_everything_is_japanese(saiten, based):
    """Tables, sentences and help have no English but names."""
    said = saiten("--lang", "ja", "testset", "worth", "set", "before", "after")
    assert said.status == 0, said
    assert "質問 40 件では、検出力 80 % で検出できるのは" in said.out
    words = set(re.findall(r"[A-Za-z]{4,}", said.out))
    assert words <= {"before", "after", "token", "bridge", "Bridge", "saiten", "compare"}
    assert "検出できる差を表示する。" in saiten("--lang", "ja", "testset", "worth", "--help").out


def test_the_page_has_the_tables_and_pictures_and_replaces_only_pages(saiten, based, tmp_path):
    """Coverage, questions in order, two histograms; a file of somebody else is left alone, before any work."""
    page = tmp_path / "worth.html"
    for _ in "ab":
        said = saiten("testset", "worth", "set", "before", "after", "-o", page)
        assert said.status == 0, said
        assert f"written to {page}" in said.err
    text = page.read_text()
    assert text.count("<figure>") == 4
    assert "What the questions are about, document by document" in text
    page.write_text("precious")
    said = saiten("testset", "worth", "set", "-o", page)
    assert (said.status, page.read_text()) == (2, "precious")
    assert said.out == ""
    assert "is not a page written by saiten" in said.err


def test_one_system_has_difficulty_and_no_pairs(saiten, testset):
    """It says that a second system is missing."""
    tables = tables_of(saiten("testset", "worth", "set", "before", "--format", "json"))
    assert "What differences show" not in tables
    assert "separate none" not in tables["Difficulty"][0]
    assert any("With a single system" in row["note"] for row in tables["What follows"])


def test_systems_that_answer_alike_or_too_few_questions_say_nothing(saiten, tmp_path):
    """No spread, or fewer than six questions: a sentence instead of a number."""
    of = items(8)
    write_set(tmp_path / "set", of)
    write_run(tmp_path / "run", of, {"a": [1, 0] * 4, "b": [1, 0] * 4, "c": [0, 1, 1, None, None, None, None, None]})
    tables = tables_of(saiten("testset", "worth", "set", "run", "--format", "json"))
    said = " ".join(row["note"] for row in tables["What follows"])
    assert "a and b differ by the same amount on all 8 questions" in said
    assert (
        "a and c: 2 of 3 questions differ, too few to show any difference; for a difference of 0.05, take about" in said
    )
    assert "5 of 8 questions lack a token_f1 score of at least one system" in said
    assert all(row["questions needed"] is None for row in tables["Questions needed"][:3])


def test_a_table_of_questions_from_elsewhere_is_a_set_too(saiten, tmp_path):
    """CSV without kinds and passages: counts, and what has no place in the base."""
    (tmp_path / "q.csv").write_text("question,answer\nWhat is it?,A bridge.\n橋は何年ですか。,1998年です。\n")
    (tmp_path / "doc.md").write_text("It is a bridge.")
    assert saiten("index", "doc.md", "--kb", "kb", "-q").status == 0
    tables = tables_of(saiten("testset", "worth", "q.csv", "--kb", "kb", "--format", "json"))
    assert {row["value"] for row in tables["Questions"]} == {"no kind given", "English", "Japanese"}
    assert {row["what"]: row["number"] for row in tables["Coverage of the documents"]}[
        "questions without a passage"
    ] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere"),
        (("set", "--power", "1.2"), "--power is 1.2; expected a probability between 0.05 and 1"),
        (("set", "--difference", "0"), "--difference is 0.0; expected a number above 0"),
        (("set", "--difference", "nan"), "--difference is nan"),
        (("set", "-m", "token_f1"), "--metric needs a run"),
        (("set", "before", "-m", "rouge_l"), "'rouge_l' is not scored"),
        (("set", "set"), "set is no run of saiten"),
        (("set", "--kb", "set"), "set"),
        (("set", "other"), "other is not about this test set: 0 of its 3 questions match one of the 40 of the set"),
        (("set", "-o", "missing/worth.html"), "there is no folder missing"),
    ],
)
def test_wrong_input_ends_with_status_2_and_what_to_do(saiten, testset, tmp_path, arguments, said):
    """No traceback, nothing on standard output."""
    others = [item for item in items(43) if int(item.id[1:]) >= 40]
    write_run(tmp_path / "other", others, {"": [1, 0, 1]})
    ended = saiten("testset", "worth", *arguments)
    assert ended.status == 2, ended
    assert said in " ".join(ended.err.split())
    assert ended.out == ""
