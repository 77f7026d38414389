"""All forms of one table have the same figures, cell by cell: the terminal, JSON, CSV, Markdown, LaTeX and the page."""

import csv
import io
import json
import re

import pytest
from lxml import html

from saiten.views.table import show_cell

ROWS = [
    {
        "id": f"q{n}",
        "question": f"How old is bridge {n}?",
        "answer": f"Bridge {n} is {n} years old." if n % 4 else "I like trees.",
        "contexts": [f"Bridge {n} is {n} years old."],
        "reference": f"Bridge {n} is {n} years old." if n % 7 else None,
        "system": ["a_b & 50 %", "b|c <b>"][n % 2],
    }
    for n in range(21)
]


@pytest.fixture
def commands(saiten, data, monkeypatch, once):
    """Two runs, and the commands that show them; on a terminal wide enough for whole tables."""
    monkeypatch.setenv("COLUMNS", "400")

    def make():
        saiten("score", data(ROWS), "-m", "token_f1", "-m", "length", "-m", "correctness", "-o", "one")
        changed = [row | {"answer": "I like trees." if n % 3 else row["answer"]} for n, row in enumerate(ROWS)]
        saiten("score", data(changed), "-m", "token_f1", "-m", "length", "-m", "correctness", "-o", "two")

    once(make)
    return {
        "show": ["show", "one", "--fail-under", "token_f1.low=0.9", "--fail-each", "system"],
        "compare": ["compare", "one", "two", "--fail-if-worse", "token_f1"],
    }


def as_data(out):
    """Title → rows of {column: text}, as `show_cell` shows them."""
    return {title: [{key: show_cell(cell) for key, cell in row.items()} for row in rows] for title, rows in json.loads(out).items()}  # fmt: skip


def from_csv(out):
    """Cells as the other forms show them, by table and row."""
    found = {}
    columns = []
    for first, *cells in csv.reader(io.StringIO(out)):
        if first == "table":
            columns = cells
        else:
            found.setdefault(first, []).append(dict(zip(columns, map(_as_shown, cells), strict=True)))
    return found


def _as_shown(text):
    """CSV has every digit and nothing for None."""
    if text in {"True", "False"}:
        return show_cell(text == "True")
    return show_cell(float(text)) if re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", text) else text


def from_markdown(out):
    """The same, from Markdown."""
    found = {}
    for part in re.split(r"^### ", out, flags=re.MULTILINE)[1:]:
        title, *lines = part.splitlines()
        head, _, *rows = [[re.sub(r"\\(.)", r"\1", cell) for cell in re.split(r"(?<!\\) \| ", line.strip()[2:-2])] for line in lines if line.startswith("|")]  # fmt: skip
        found[re.sub(r"\\(.)", r"\1", title)] = [dict(zip(head, row, strict=True)) for row in rows]
    return found


def from_latex(out):
    """The same, from LaTeX; the title begins the caption."""
    found = {}
    for part in out.split("\\begin{table}")[1:]:
        title = _plain(re.search(r"\\caption\{(.*)\}\n", part)[1])
        body = re.search(r"\\toprule\n(.*)\\bottomrule", part, re.DOTALL)[1].replace("\\midrule\n", "")
        head, *rows = [[_plain(cell) for cell in line.removesuffix(r" \\").removeprefix("{}").split(" & ")] for line in body.strip().splitlines()]  # fmt: skip
        found[title] = [dict(zip(head, row, strict=True)) for row in rows]
    return found


def _plain(text):
    for said, sign in (
        (r"\textless{}", "<"),
        (r"\textgreater{}", ">"),
        (r"\textbar{}", "|"),
        (r"\textquotedbl{}", '"'),
    ):
        text = text.replace(said, sign)
    return re.sub(r"\\(.)", r"\1", text).replace("{}", "")


def from_page(out):
    """Return the tables of the page without the drawings; the signatures are in the footer."""
    found = {}
    for table in html.fromstring(out).iter("table"):
        head = [" ".join(cell.text_content().split()) for cell in table.find("thead").iter("th")]
        rows = []
        for row in table.find("tbody").iter("tr"):
            cells = [_cell(cell) for cell in row.xpath("./td|./th")]
            if row.get("class") == "below":  # a separate line, belonging to the row above
                rows[-1] += cells
            else:
                rows.append(cells)
        found[" ".join(table.xpath("ancestor::section[1]//h2")[0].text_content().split())] = (head, rows)
    return found


def _cell(cell):
    for drawing in list(cell.iter("svg")):
        drawing.drop_tree()
    return " ".join(cell.text_content().split())


def from_terminal(out):
    """The tables as printed: the line above the rule gives the columns."""
    found = {}
    lines = out.splitlines()
    for number, line in enumerate(lines):
        if line.strip("─ ") or "─" not in line:
            continue
        head = lines[number - 1]
        title = next(text for text in reversed(lines[: number - 1]) if text.strip())
        starts = [place.start() for place in re.finditer(r"(?<=  )\S|^\S", head)]
        columns = re.split(r" {2,}", head.strip())
        rows = []
        for row in lines[number + 1 :]:
            if not row.strip():
                break
            rows.append(row)
        found[title.strip()] = (columns, starts, rows)
    return found


@pytest.mark.parametrize("name", ["show", "compare"])
@pytest.mark.parametrize(("form", "reader"), [("csv", from_csv), ("md", from_markdown), ("latex", from_latex)])
def test_files_hold_the_same_cells(saiten, commands, name, form, reader):
    """Every title, every row, every column."""
    expected = as_data(saiten(*commands[name], "--format", "json").out)
    found = reader(saiten(*commands[name], "--format", form).out)
    flat = lambda text: " ".join(text.split())  # noqa: E731 - one line, used once
    for title, rows in expected.items():
        (shown,) = [each for other, each in found.items() if other == title or other.startswith(f"{title}. ")]
        blank = (lambda text: "" if text == "–" else flat(text)) if form == "csv" else flat
        assert [{key: flat(cell) for key, cell in row.items()} for row in shown] == [{key: blank(cell) for key, cell in row.items()} for row in rows]  # fmt: skip
    assert len(found) == len(expected)


@pytest.mark.parametrize("name", ["show", "compare"])
def test_the_page_holds_the_same_cells(saiten, commands, name):
    """Drawn columns become one; every other cell is there, in its row."""
    expected = as_data(saiten(*commands[name], "--format", "json").out)
    page = saiten(*commands[name], "--format", "html").out
    found = from_page(page)
    for title, rows in expected.items():
        if title == "How the figures were made":
            assert all(row["signature"] in html.fromstring(page).text_content() for row in rows)
            continue
        _, shown = found[title]
        assert len(shown) == len(rows)
        for row, cells in zip(rows, shown, strict=True):
            text = " ".join(cells)
            assert [cell for cell in row.values() if cell not in {"", "–"} and " ".join(cell.split()) not in text] == []


@pytest.mark.parametrize("name", ["show", "compare"])
def test_the_terminal_shows_the_same_figures(saiten, commands, name):
    """Three decimals of the same cell; an interval as text; a breakdown has one row per system or group."""
    expected = json.loads(saiten(*commands[name], "--format", "json").out)
    shown = from_terminal(saiten(*commands[name]).out)
    for title, rows in expected.items():
        if title.startswith("By "):
            columns, _, lines = shown[f"Means by {title.removeprefix('By ')}"]
            place = title.removeprefix("By ")
            for row in rows:
                (line,) = [each for each in lines if each.startswith(row[place])]
                cells = re.split(r" {2,}", line.strip())
                low, high = row["95 % from"], row["to"]
                interval = "" if low is None else f" [{low:.3f}, {high:.3f}]"
                assert cells[columns.index(row["metric"])] == f"{show_cell(row['mean'])}{interval}"
            continue
        _, _, lines = shown[title]
        assert len(lines) == len(rows)
        for row, line in zip(rows, lines, strict=True):
            low, high = row.get("95 % from"), row.get("to")
            whole = low is not None and "to" in row and "95 % interval" in "".join(shown[title][0])
            if whole:
                assert f"[{low:.3f}, {high:.3f}]" in line
            hidden = {"metric", "figure", "bound", "limit"} if title == "Thresholds" else set()
            hidden |= {"95 % from", "to"} if whole else set()
            left = [show_cell(cell) for key, cell in row.items() if key not in hidden and cell not in {None, ""}]
            at = 0
            for cell in left:  # in this order
                at = line.find(cell, at)
                assert at >= 0, (title, cell, line)
                at += len(cell)


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex", "html"])
def test_a_comparison_says_in_each_form_why_there_is_no_interval(saiten, commands, form):
    """A remark has its own column in the terminal and in files, and its own line on a page."""
    out = saiten("compare", "one", "one", "--format", form).out
    assert form == "html" or "remarks" in out
    assert "all questions have the same mean" in out
