"""Tables in their four forms, and attempts of outside texts to be more than text."""

import csv
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from saiten.records import FREE
from saiten.results.figure import Figure
from saiten.results.summary import Summary
from saiten.views.render import as_csv, as_json, as_markdown, render
from saiten.views.strip_controls import json_text, strip_controls
from saiten.views.table import Name, Table, Unbroken, show_cell
from saiten.views.tables.summary import means_by
from saiten.views.terminal import print_tables

ORDINARY = Table("Scores", ("metric", "mean", "n"), (("採点|x", 0.12345, 3), ("b", None, 0)), ("A caption.",))
HOSTILE = (
    "[red]red[/red] [/]",
    "a|b\\|c",
    "line\nline\r\nline",
    "\x1b[2J\x1b[31mclear",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x00\x08\x0b\x7f",
    "\u202eback\u2066",
    '=1+1,"quoted"',
    "<b>bold</b> `code`",
    ":smile: https://x",
)


def drawn(tables, form, **settings):
    """The terminal output, with colors."""
    out = io.StringIO()
    render(tables, form, Console(file=out, width=200, **settings))
    return out.getvalue()


def obeyed(text):
    """The characters in it that a terminal would obey, except line ends."""
    return [c for c in text if (ord(c) < 0x20 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066"]


def markdown_rows(text):
    """The cells of a Markdown table, parsed as on GitHub."""
    lines = [line for line in text.split("\n") if line.startswith("|")]
    return [
        [re.sub(r"\\([\\|<`])", r"\1", cell).strip() for cell in re.findall(r"((?:\\.|[^|\\])*)\|", line[1:])]
        for line in lines
    ]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [(None, "–"), (True, "yes"), (False, "no"), (0.12345, "0.123"), (3, "3"), ("x", "x"), ("a\x1bb", "a␛b")],
)
def test_a_cell_is_shown_for_people(cell, shown):
    """Three decimals, a dash for a missing value, words for verdicts."""
    assert show_cell(cell) == shown


def test_json_has_the_rows_as_they_are():
    """Numbers stay numbers, missing values stay null."""
    assert json.loads(as_json([ORDINARY])) == {
        "Scores": [{"metric": "採点|x", "mean": 0.12345, "n": 3}, {"metric": "b", "mean": None, "n": 0}]
    }


def test_csv_has_full_precision_and_the_titles_where_there_are_several():
    """A spreadsheet gets every digit; a first column distinguishes stacked tables."""
    assert list(csv.reader(io.StringIO(as_csv([ORDINARY])))) == [
        ["metric", "mean", "n"],
        ["採点|x", "0.12345", "3"],
        ["b", "", "0"],
    ]
    rows = list(csv.reader(io.StringIO(as_csv([ORDINARY, ORDINARY]))))
    assert rows[0] == ["table", "metric", "mean", "n"]
    assert [row[0] for row in rows] == ["table", "Scores", "Scores", "table", "Scores (2)", "Scores (2)"]


def test_tables_of_one_title_are_all_there():
    """Labelers name the aspects, so two tables can have the same title; the later ones get numbers."""
    same = [Table("labels: bias", ("x",), ((number,),)) for number in range(3)]
    same.insert(2, Table("labels: bias (2)", ("x",), ((9,),)))
    titles = ["labels: bias", "labels: bias (2)", "labels: bias (2) (2)", "labels: bias (3)"]
    assert list(json.loads(as_json(same))) == titles
    assert [row[0] for row in csv.reader(io.StringIO(as_csv(same)))][1::2] == titles


def test_markdown_is_a_table_of_github():
    """Title, header, line, rows, caption."""
    assert as_markdown([ORDINARY]).split("\n") == [
        "### Scores",
        "",
        "| metric | mean | n |",
        "| --- | --- | --- |",
        "| 採点\\|x | 0.123 | 3 |",
        "| b | – | 0 |",
        "",
        "A caption.",
        "",
    ]


@pytest.mark.parametrize("columns", [("signature",), ("sample", "value", "reason")])
def test_a_narrow_terminal_breaks_lines_and_cuts_nothing_off(columns):
    """A signature or an ID that is wider than the terminal is still complete."""
    long = "|".join(f"part{n}:value{n}" for n in range(30))
    out = io.StringIO()
    render([Table("t", columns, ((long, *(["x"] * (len(columns) - 1))),))], "table", Console(file=out, width=80))
    shown = "".join(line.strip().removesuffix("x").rstrip() for line in out.getvalue().split("\n"))
    assert long in re.sub(r"\s+x?", "", shown)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", ["table", "json", "csv", "md"])
def test_no_text_can_style_or_clear_the_screen(form, text):
    """Whatever an answer contains, anywhere in a table: no control character reaches the output."""
    table = Table(text, ("metric", text), ((text, text), (0.5, text)), text)
    assert obeyed(drawn([table, table], form)) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_as_it_came(text):
    """Square brackets and emoji codes of an answer are shown, not followed."""
    plain = " ".join(strip_controls(text).split())
    shown = " ".join(
        drawn([Table("t", ("a",), ((text,),))], "table", color_system="truecolor", force_terminal=True).split()
    )
    shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert plain in " ".join(shown.split())


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_every_form_can_be_read_back(rows):
    """JSON has the same text; CSV and Markdown have the text with visible control characters, CSV with an
    apostrophe before what looks like a formula.
    """
    table = Table("t", ("a", "b"), tuple(rows))
    assert [(row["a"], row["b"]) for row in json.loads(as_json([table]))["t"]] == rows
    read = list(csv.reader(io.StringIO(as_csv([table]), newline="")))
    for row, said in zip(read[1:], rows, strict=True):
        assert all(
            cell in (strip_controls(text), f"'{strip_controls(text)}") for cell, text in zip(row, said, strict=True)
        )
    flat = [[" ".join(strip_controls(cell).split()) for cell in row] for row in rows]
    assert markdown_rows(as_markdown([table]))[2:] == flat


@given(st.text())
def test_visible_text_has_nothing_to_obey_and_loses_nothing_else(text):
    """Each control character becomes one sign; everything else stays as it is."""
    shown = strip_controls(text)
    assert obeyed(shown.replace("\t", "")) == []
    assert strip_controls(shown) == shown
    if text.isprintable():
        assert shown == text
    assert json.loads(json_text(text)) == text


def test_japanese_and_emoji_are_printable():
    """Only what a terminal obeys is replaced."""
    assert strip_controls("「採点」は、どうですか？👩‍🏫\t①\n") == "「採点」は、どうですか？👩‍🏫\t①\n"


@pytest.mark.parametrize("width", [30, 60, 80, 120])
def test_no_figure_is_broken_however_narrow_the_terminal(width):
    """A table that is too wide is printed in parts, each with the first column; no figure is split."""
    columns = ("metric", *(f"system {n} 日本" for n in range(9)), "remarks")
    rows = tuple((name, *(n + 0.123 for n in range(9)), "a long remark " * 9) for name in ("faithfulness", "chrf"))
    out = io.StringIO()
    print_tables([Table("T", columns, rows)], Console(file=out, width=width))
    lines = out.getvalue().splitlines()
    assert max(cell_len(line) for line in lines) <= width
    words = out.getvalue().split()
    assert all(words.count(f"{n}.123") == len(rows) for n in range(9))
    assert words.count("remark") == len(rows) * 9
    assert words.count("faithfulness") == words.count("metric"), "the first column is in every part"


def test_a_column_without_a_word_is_left_out_on_the_screen():
    """Unused remarks take no room; a column of missing figures shows dashes, and stays."""
    out = io.StringIO()
    print_tables([Table("T", ("metric", "n", "remarks"), (("chrf", None, ""),))], Console(file=out, width=60))
    assert out.getvalue().split()[1:3] == ["metric", "n"]
    assert "remarks" not in out.getvalue()
    assert "–" in out.getvalue()


@pytest.mark.parametrize(
    ("rows", "repeated"),
    [
        ((("en", "stuff"), ("en", "refine"), ("ja", "stuff")), ["data", "system"]),
        ((("en", "stuff"), ("ja", "stuff")), ["data"]),
        ((("en", "stuff"), ("en", "stuff")), ["data"]),
        ((("en", "a-system-" * 3), ("en", "b-system-" * 3)), ["data", "system"]),
        ((("en", "a-system-" * 4), ("en", "b-system-" * 4)), ["data"]),
    ],
)
def test_each_part_of_a_wide_table_distinguishes_its_rows(rows, repeated):
    """If the first column is not enough, the next one is repeated too, unless it leaves no room for figures."""
    table = Table("T", ("data", "system", *map(str, range(9))), tuple((*row, *[0.123456] * 9) for row in rows))
    out = io.StringIO()
    print_tables([table], Console(file=out, width=60))
    heads = [line.split() for line in out.getvalue().splitlines() if line.startswith("data")]
    assert len(heads) > 1
    assert all(head[: len(repeated)] == repeated and head[len(repeated)].isdigit() for head in heads[1:])


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
        ("-5", "-5"),
        ("+1.5", "+1.5"),
        ("a=b", "a=b"),
        ("答え", "答え"),
    ],
)
def test_a_spreadsheet_runs_no_formula_of_an_answer(text, written):
    """Text that a spreadsheet would take for a formula is preceded by an apostrophe; numbers and all else stay."""
    assert as_csv([Table("t", ("sample",), ((text,),))]).splitlines()[1] == written


def test_means_by_system_have_intervals_and_what_was_declined_side_by_side():
    """One row per system; a mean without an interval stands alone, and a metric without a value is a dash."""
    figures = (
        Figure("accuracy", None, "a", 0.5, 0.4, 0.6, 10, 10, {"ok": 10}),
        Figure("correctness", None, "a", 3.0, None, None, 8, 8, {"ok": 8, "declined": 2}),
        Figure("accuracy", None, "b", None, None, None, 0, 0, {"failed": 10}),
    )
    table = means_by(Summary(figures, FREE), "system").in_language("en")
    assert table.columns == ("system", "accuracy", "correctness", "remarks")
    assert table.rows == (
        ("a", "0.500 [0.400, 0.600]", "3.000", "correctness: 2 declined (grade 0)"),
        ("b", None, None, "accuracy: 10 failed"),
    )


@pytest.mark.parametrize("width", [30, 60, 80])
def test_a_figure_with_its_interval_is_not_broken(width):
    """A table that is too wide has more parts instead."""
    console = Console(file=io.StringIO(), width=width)
    cells = tuple(Unbroken(f"0.{n}00 [0.100, 0.900]") for n in range(5))
    print_tables([Table("t", ("system", *map(Name, "abcde")), (("careful", *cells),))], console)
    assert all(cell in console.file.getvalue() for cell in cells)
