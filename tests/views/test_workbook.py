"""Workbooks, read back by two libraries: texts stay texts whatever they contain, and numbers stay numbers."""

import io
import re
import zipfile

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from python_calamine import CalamineWorkbook
from rich.console import Console

from saiten.errors import BadInput, ConfigurationError
from saiten.views.render import render
from saiten.views.sheets import write_workbook
from saiten.views.strip_controls import clean
from saiten.views.table import Name, PValue, Table
from saiten.views.workbook import COLUMNS, LONGEST, ROWS, SheetColumn, opened_book

HOSTILE = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "＝1+1",
    '=HYPERLINK("http://x","y")',
    "=cmd|' /C calc'!A0",
    "{=1+1}",
    "http://example.com",
    "mailto:a@example.com",
    "file:///etc/passwd",
    "internal:Sheet1!A1",
    "<r><t>x</t></r>",
    "<r></r>",
    "</t></is></c><c><f>1+1</f></c>",
    "&amp; <b> \" ' ]]>",
    "123",
    "1e5",
    "TRUE",
    "  padded  ",
    "line\nline",
    "🎉𠮷野家",
]


def made(tables, **settings):
    """The bytes of a workbook with these tables."""
    out = io.BytesIO()
    write_workbook(tables, out, **settings)
    return out.getvalue()


def opened(content):
    """The workbook as openpyxl reads it."""
    return openpyxl.load_workbook(io.BytesIO(content))


def parts(content):
    """The XML files in a workbook, each parsed."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: etree.fromstring(file.read(name)) for name in file.namelist()}


def in_cells(texts):
    """The texts as openpyxl and as calamine find them in the first column of a sheet."""
    content = made([Table(Name("t"), (Name("text"),), tuple((text,) for text in texts))])
    sheet = opened(content).worksheets[0]
    rows = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()
    return content, [sheet.cell(n + 2, 1) for n in range(len(texts))], [row[0] for row in rows[1:]]


def test_no_text_becomes_a_formula_a_link_or_markup():
    """Whatever a text looks like, its cell is a string with that text, also where it looks like xlsxwriter's markup."""
    content, cells, others = in_cells(HOSTILE)
    expected = [clean(text) for text in HOSTILE]
    assert [cell.value.removesuffix(" ") if text.startswith("<r>") else cell.value for text, cell in zip(HOSTILE, cells, strict=True)] == expected  # fmt: skip
    assert [cell.data_type for cell in cells] == ["s"] * len(cells)
    assert [cell.hyperlink for cell in cells] == [None] * len(cells)
    assert [str(other).removesuffix(" ") if text.startswith("<r>") else other for text, other in zip(HOSTILE, others, strict=True)] == expected  # fmt: skip
    for name, root in parts(content).items():
        found = [element.tag for element in root.iter() if re.search(r"\}(f|hyperlink|r)$", str(element.tag))]
        assert found == [], name


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+1", "@x", "＝1"])
def test_a_text_like_a_formula_stays_a_text_when_its_cell_is_edited(text):
    """Its format has Excel's prefix for texts, which plain numbers as texts need not have."""
    _, (cell,), _ = in_cells([text])
    assert cell.quotePrefix is (text != "+1")


def test_what_excel_would_decode_is_escaped():
    """`_x000D_` in an answer is not a line end; the file has Excel's escape, which Excel takes back."""
    content, _, _ = in_cells(["_x000D_ and _x0041_"])
    assert "_x005F_x000D_ and _x005F_x0041_" in etree.tostring(parts(content)["xl/worksheets/sheet1.xml"]).decode()


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_any_text_is_read_back_as_it_was_but_for_what_xml_forbids(text):
    """Control characters become visible signs; line ends become line feeds."""
    _, (cell,), (other,) = in_cells([f"a{text}b"])
    assert re.sub("_x005F(_x[0-9a-fA-F]{4}_)", r"\1", cell.value) == clean(f"a{text}b")  # openpyxl leaves the escape
    assert other == cell.value


@pytest.mark.parametrize("text", ["\x00\x01\x08", "\x0b\x0c\x1f", "\ufffe\uffff", "\ud800", "\x7f\x85", "\u202e"])
def test_characters_that_xml_forbids_do_not_break_the_file(text):
    """Excel would refuse to open the whole workbook; they become visible signs, also in titles and headings."""
    content = made([Table(Name(text), (Name(text),), ((text,),), (text,))], title=text)
    parts(content)
    assert opened(content).worksheets[0]["A2"].value == clean(text)


@pytest.mark.parametrize(
    ("text", "begins", "more"),
    [
        ("x" * (LONGEST + 1), "x" * (LONGEST - 24), 25),
        ("あ" * 40_000, "あ" * (LONGEST - 24), 40_000 - LONGEST + 24),
        ("🎉" * 20_000, "🎉" * ((LONGEST - 24) // 2), 20_000 - (LONGEST - 24) // 2),
    ],
)
def test_a_text_too_long_for_a_cell_is_cut_with_a_mark_and_counted(text, begins, more):
    """Excel counts UTF-16 units: an emoji takes two."""
    out = io.BytesIO()
    with opened_book(out) as book:
        sheet = book.sheet("s", [SheetColumn("text", 10)], 2)
        sheet.add([text])
        sheet.add(["x" * LONGEST])
        sheet.end()
        assert book.cut == 1
    cut, whole = (opened(out.getvalue()).worksheets[0].cell(row, 1).value for row in (2, 3))
    assert cut == f"{begins} … [+{more:,}]"
    assert len(cut.encode("utf-16-le")) // 2 <= LONGEST
    assert whole == "x" * LONGEST


def test_numbers_are_numbers_with_all_digits_and_a_format():
    """Three decimals are shown, p-values never as 0, and numbers beyond Excel's precision stay texts."""
    row = (0.123456789, 3, 12_345, PValue(0.0001), -0.5, None, True, 12345678901234567890, float("inf"))
    sheet = opened(made([Table(Name("t"), tuple(Name(f"c{n}") for n in range(9)), (row,))])).worksheets[0]
    cells = sheet[2]
    assert [cell.value for cell in cells] == [0.123456789, 3, 12_345, 0.0001, -0.5, None, "yes", "12345678901234567890", "inf"]  # fmt: skip
    formats = [cell.number_format for cell in cells[:5]]
    assert formats == ["0.000", "#,##0", "#,##0", '[<0.001]"< 0.001";0.000', "0.000"]


def test_each_table_is_a_sheet_with_a_frozen_header_a_filter_and_its_caption():
    """Names of sheets follow Excel's rules, and a title that a name cannot hold is written below the table."""
    titles = ["Scores", "scores", "a/b:c*d?[e]\\f", "'quoted'", "History", "x" * 40, "", "採点" * 20]
    book = opened(made([Table(Name(title), (Name("a"), Name("b")), ((1, 2.5),), ("A caption.",)) for title in titles]))
    names = book.sheetnames
    assert names[:5] == ["Scores", "scores (2)", "a_b_c_d__e__f", "quoted", "_History"]
    assert len({name.casefold() for name in names}) == len(titles)
    assert all(len(name) <= 31 for name in names)
    assert all((sheet.freeze_panes, sheet.auto_filter.ref) == ("B2", "A1:B2") for sheet in book)
    assert [sheet["A4"].value for sheet in book][:2] == ["A caption.", "scores"]
    assert book.worksheets[5]["A4"].value == "x" * 40


def test_a_workbook_without_tables_or_rows_can_be_opened():
    """An empty result is an empty sheet, not a damaged file."""
    assert len(opened(made([])).sheetnames) == 1
    assert opened(made([Table(Name("t"), (Name("a"),), ())])).worksheets[0].dimensions == "A1:A1"


def test_texts_in_japanese_are_in_a_japanese_font():
    """A Western font would show them with Chinese letters."""
    japanese = opened(made([Table(Name("t"), (Name("a"),), (("日本語です",),))]))
    english = opened(made([Table(Name("t"), (Name("a"),), (("English",),))]))
    assert [book.worksheets[0]["A2"].font.name for book in (japanese, english)] == ["Yu Gothic", "Calibri"]


def test_columns_and_rows_are_as_large_as_their_texts_need_within_limits():
    """A long text is wrapped, and a very long one does not fill the screen."""
    sheet = opened(made([Table(Name("t"), (Name("a"), Name("b")), (("x", "word " * 30), ("x", "word " * 3000)))])).worksheets[0]  # fmt: skip
    assert (sheet.column_dimensions["A"].width < 12, sheet.column_dimensions["B"].width > 55) == (True, True)
    assert sheet["B2"].alignment.wrap_text
    assert 40 < sheet.row_dimensions[2].height < 70
    assert sheet.row_dimensions[3].height < 250


@pytest.mark.parametrize(("rows", "columns", "what"), [(ROWS, 1, "1,048,576 rows"), (1, COLUMNS + 1, "16,385 columns")])
def test_what_does_not_fit_is_refused_with_what_to_do_instead(rows, columns, what):
    """Excel's limits, the header included."""
    with pytest.raises(BadInput, match=rf"{what} do not fit on a sheet of Excel, which has .* use "), opened_book(io.BytesIO()) as book:  # fmt: skip
        book.sheet("s", [SheetColumn("a", 9)] * columns, rows)


def test_an_error_while_writing_leaves_no_temporary_files(tmp_path, monkeypatch):
    """The rows that were already written are removed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fails():
        with opened_book(io.BytesIO()) as book:
            book.sheet("s", [SheetColumn("a", 9)], 1).add(["x"])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert list(tmp_path.iterdir()) == []


def test_a_workbook_is_not_printed_as_text():
    """A text stream without bytes below it is refused."""
    with pytest.raises(ConfigurationError, match="a workbook is not text"):
        render([Table(Name("t"), (Name("a"),), ())], "xlsx", Console(file=io.StringIO()))
