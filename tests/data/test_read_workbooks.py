"""Excel workbooks as people make them: titles, merged cells, several sheets, formulas, and damaged files."""

import datetime as dt
import gzip
import io
import zipfile
from contextlib import suppress

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.data import read_labels, read_samples, workbook_rows
from saiten.data.shards import count_rows, cut
from saiten.errors import BadInput
from saiten.records import Sample


def read(source, notices=None, **settings):
    """Everything read from the source; notes go to `notices`."""
    notices = [] if notices is None else notices
    return list(read_samples(source, detect_language=lambda *_: "ja", notify=notices.append, **settings))


def workbook(path, sheets, merged=()):
    """Write sheets (name → rows), and merge ranges of the first; returns the path."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for number, cells in enumerate(rows, 1):
            for at, value in enumerate(cells, 1):
                if value is not None:
                    sheet.cell(number, at, value)
    for area in merged:
        book.worksheets[0].merge_cells(area)
    book.save(path)
    return path


PLAIN = [["No", "質問", "回答", "正解", "カテゴリ"], [1, "休暇は何日?", "20日です。", "二十日", "総務"]]


def test_a_sheet_is_read_with_the_row_numbers_of_excel(tmp_path):
    """The column names are found below a title and blank rows, and rows are numbered as Excel shows them."""
    rows = [
        ["社内FAQの回答一覧"],
        [],
        ["作成: 総務部", None, "2026年"],
        [None, "質問", "回答"],
        [None, "a\nb", 3],
        [],
        [None, "c", "d"],
    ]
    notes = []
    found = read(workbook(tmp_path / "faq.xlsx", {"一覧": rows}), notes)
    assert [(row.id, row.question, row.answer) for row in found] == [("row-5", "a\nb", "3"), ("row-7", "c", "d")]
    assert notes == ["faq.xlsx, sheet 一覧: the column names are in row 4"]


def test_names_of_japanese_business_are_recognized_and_the_guess_is_shown(tmp_path):
    """No, カテゴリ and the like become id and group; the note says what was read as what, and how to change it."""
    notes = []
    (found,) = read(workbook(tmp_path / "a.xlsx", {"s": PLAIN}), notes)
    assert found == Sample("1", "休暇は何日?", "20日です。", reference="二十日", group="総務", language="ja")
    (note,) = notes
    assert note == (
        "a.xlsx: read 'No' as id, 'カテゴリ' as group; to take another column, name it, as in --column id=COLUMN"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (3.0, "3"),
        (0.5, "0.5"),
        (True, "true"),
        (dt.date(2026, 4, 1), "2026-04-01"),
        (dt.datetime(2026, 4, 1, 9, 30), "2026-04-01 09:30:00"),  # noqa: DTZ001 - a sheet knows no time zone
        (dt.time(9, 30), "09:30:00"),
        ("  spaces stay ", "  spaces stay "),
        ("a\r\nb", "a\nb"),
        ("a_x000D_\nb", "a\nb"),
        ("_x005F_x000D_", "_x000D_"),
        ("'=1+1", "'=1+1"),
        ("𠮷野家😀", "𠮷野家😀"),
        (10**15, "1000000000000000"),
    ],
)
def test_cells_become_the_text_that_people_read(tmp_path, value, text):
    """Numbers without needless zeros, dates in ISO form, line breaks as one character."""
    (found,) = read(workbook(tmp_path / "a.xlsx", {"s": [["question", "answer"], ["q", value]]}))
    assert found.answer == text


def test_cells_merged_downward_hold_for_all_their_rows(tmp_path):
    """A question merged over the answers of three systems belongs to each of them; their ids differ by the system."""
    rows = [
        ["No", "質問", "モデル名", "回答", "正解"],
        [1, "q", "A", "x", "r"], [None, None, "B", "y"], [None, None, "C", None],
        [2, "p", "A", "z", "s"],
    ]  # fmt: skip
    found = read(workbook(tmp_path / "a.xlsx", {"s": rows}, ["A2:A4", "B2:B4", "E2:E4"]))
    assert [(row.id, row.question, row.system, row.answer, row.reference) for row in found] == [
        ("1/A", "q", "A", "x", "r"),
        ("1/B", "q", "B", "y", "r"),
        ("1/C", "q", "C", "", "r"),
        ("2/A", "p", "A", "z", "s"),
    ]


def test_a_header_of_two_rows_with_merged_cells_is_joined(tmp_path):
    """質問 merged over two rows, and 回答 above A and B: the answers of two systems."""
    rows = [["評価シート"], ["質問", "回答", None, "正解"], [None, "A", "B"], ["q", "x", "y", "r"]]
    merged = ["A1:D1", "A2:A3", "B2:C2", "D2:D3"]
    notes = []
    found = read(workbook(tmp_path / "a.xlsx", {"s": rows}, merged), notes)
    assert [(row.id, row.question, row.answer, row.system, row.reference) for row in found] == [
        ("row-4/A", "q", "x", "A", "r"),
        ("row-4/B", "q", "y", "B", "r"),
    ]
    assert notes[0] == "a.xlsx, sheet s: the column names are in row 3"
    assert notes[1].startswith("a.xlsx, sheet s, row 4: each row has the answers of 2 systems: ")
    assert notes[1].endswith("(system B); to grade only one, name it: --column 'answer=回答 A'")


def test_systems_may_be_above_their_columns(tmp_path):
    """Below each system's merged name: its answer, its contexts and somebody's comment."""
    rows = [
        ["質問", "旧版", None, None, "新版", None, None],
        [None, "回答", "文脈", "コメント", "回答", "文脈", "コメント"],
        ["q", "x", "c", "!", "y", "d", "?"],
    ]
    found = read(workbook(tmp_path / "a.xlsx", {"s": rows}, ["A1:A2", "B1:D1", "E1:G1"]))
    assert [(row.system, row.answer, row.contexts) for row in found] == [("旧版", "x", ("c",)), ("新版", "y", ("d",))]


def test_titles_of_sections_are_left_out(tmp_path):
    """A title merged over several columns is no row, nor is a remark outside the known columns."""
    rows = [["質問", "回答"], ["■ 総務"], ["q", "a"], [None, None, "備考"], ["※ 以上"], [None, "x"]]
    found = read(workbook(tmp_path / "a.xlsx", {"s": rows}, ["A2:C2"]))
    assert [row.id for row in found] == ["row-3", "row-5", "row-6"]


def test_the_sheet_with_known_columns_is_read_and_another_one_on_request(tmp_path):
    """A note names the other sheets; `FILE.xlsx#SHEET` reads one of them, also a hidden one."""
    path = workbook(
        tmp_path / "book.xlsx",
        {"表紙": [["社外秘"]], "結果": PLAIN, "結果2": [["question", "answer"], ["p", "b"]], "隠し": [["質問"], ["h"]]},
    )
    book = openpyxl.load_workbook(path)
    book["隠し"].sheet_state = "hidden"
    book.save(path)
    notes = []
    assert read(path, notes)[0].question == "休暇は何日?"
    assert notes[0] == ("book.xlsx: sheet 結果 is read, not 表紙, 結果2; to read another, name it: book.xlsx#表紙")
    assert read(f"{path}#結果2")[0].question == "p"
    assert read(f"{path}#隠し")[0].question == "h"
    with pytest.raises(BadInput, match=r"book.xlsx has no sheet '結果3'; there are '表紙', '結果', '結果2', '隠し'"):
        read(f"{path}#結果3")


def test_several_workbooks_are_one_input(tmp_path):
    """Patterns match workbooks; ids begin with the file."""
    for name in ("a", "b"):
        workbook(tmp_path / f"{name}.xlsx", {"x": [["memo"]], "s": [["質問", "回答"], [f"q{name}", "r"]]})
    assert [row.id for row in read(f"{tmp_path}/*.xlsx#s")] == ["a.xlsx:row-2", "b.xlsx:row-2"]


@pytest.mark.parametrize("kind", ["stream", "pipe", "gz", "unnamed"])
def test_a_workbook_may_come_from_anywhere(tmp_path, kind):
    """An open file, a pipe that cannot be read twice, a gzipped file and one without its ending are read alike."""
    content = workbook(tmp_path / "a.xlsx", {"s": PLAIN}).read_bytes()

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    source = {"stream": io.BytesIO(content), "pipe": Pipe(content)}.get(kind)
    if kind == "gz":
        source = tmp_path / "a.xlsx.gz"
        source.write_bytes(gzip.compress(content))
    if kind == "unnamed":
        source = tmp_path / "download"
        source.write_bytes(content)
    assert read(source)[0].question == "休暇は何日?"


def test_a_formula_that_gives_an_error_makes_its_row_bad_not_empty(tmp_path):
    """#N/A in the answers is not an empty answer; in a column that nobody needs it does not matter."""
    path = workbook(tmp_path / "a.xlsx", {"s": [["質問", "回答", "memo"], ["q", "a", "#N/A"], ["p", "#N/A", "x"]]})
    bad, good = sorted(read(path), key=lambda row: isinstance(row, Sample))
    assert (good.id, bad.where) == ("row-2", "a.xlsx, sheet s, row 3")
    assert bad.reason == "answer: the formula in B3 gives #N/A"


def test_an_error_in_the_answer_of_one_system_costs_only_that_answer(tmp_path):
    """The other system's answer in the row is read."""
    rows = [["質問", "回答A", "回答B", "文脈1", "文脈2"], ["q", "#REF!", "b", "c", "d"], ["p", "a", "b", "#N/A", "d"]]
    found = read(workbook(tmp_path / "a.xlsx", {"s": rows}))
    assert [getattr(row, "id", None) or (row.where, row.reason) for row in found] == [
        ("a.xlsx, sheet s, row 2", "answer: the formula in B2 gives #REF!"),
        "row-2/B",
        ("a.xlsx, sheet s, row 3", "contexts: the formula in D3 gives #N/A"),
        ("a.xlsx, sheet s, row 3", "contexts: the formula in D3 gives #N/A"),
    ]


def test_formulas_whose_value_was_never_saved_are_reported(tmp_path):
    """A program wrote the formula and no value; the note says which cells, and what to do."""
    notes = []
    path = workbook(tmp_path / "a.xlsx", {"s": [["question", "answer"], ["q", '="a"&"b"'], ["p", "b"]]})
    assert [row.answer for row in read(path, notes)] == ["", "b"]
    assert notes == [
        "a.xlsx, sheet s: the formulas in B2 have no stored value and count as empty; open the workbook in Excel and save it"
    ]


def test_furigana_is_not_part_of_the_text(tmp_path):
    """Excel keeps the reading of typed kanji beside the text; only the text is read."""
    plain = workbook(tmp_path / "plain.xlsx", {"s": PLAIN})
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith("sharedStrings.xml"):
                reading = "<rPh sb='0' eb='2'><t>シツモン</t></rPh><phoneticPr fontId='1'/>".encode()
                assert "<t>質問</t>".encode() in content
                content = content.replace("<t>質問</t>".encode(), "<t>質問</t>".encode() + reading)
            target.writestr(name, content)
    assert read(path)[0].question == "休暇は何日?"


ZIP = io.BytesIO()
with zipfile.ZipFile(ZIP, "w") as made:
    made.writestr("xl/other.txt", "x")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.xlsx", b"PK\x03\x04garbage", "a.xlsx cannot be read as an Excel workbook"),
        ("a.xlsx", ZIP.getvalue(), "a.xlsx cannot be read as an Excel workbook"),
        ("a.xlsx", b"", "a.xlsx is not an Excel workbook"),
        ("a.xlsx", b"question,answer\nq,a\n", "not an Excel workbook; if it is text that Excel opens, name it .csv"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", r"old format \(.xls\) or with a password; save it as .xlsx"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", r"old format \(.xls\) or with a password; save it as .xlsx"),
        ("a.ods", ZIP.getvalue()[:4] + b"mimetype", "only .xlsx and .xlsm workbooks are read; save it as one"),
    ],
)
def test_what_is_no_workbook_says_so(tmp_path, name, content, expected):
    """Damaged, empty, old and protected workbooks get one sentence with what to do."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match=expected):
        read(path)


@pytest.mark.parametrize(
    ("sheets", "expected"),
    [
        ({"s": []}, "a.xlsx has no rows"),
        (
            {"s": [["質問", "回答", "回答"], ["q", "a", "b"]]},
            r"the column '回答' is in the header twice \(B and C\); rename",
        ),
        ({"s": [["x", "y"], ["1", "2"]]}, "no column for question or answer"),
    ],
)
def test_a_sheet_without_use_says_why(tmp_path, sheets, expected):
    """Empty sheets, repeated names, and sheets without questions and answers."""
    with pytest.raises(BadInput, match=expected):
        read(workbook(tmp_path / "a.xlsx", sheets))


def test_a_cut_off_workbook_gives_an_error_and_never_a_traceback(tmp_path):
    """Whatever bytes are missing or wrong, the reader raises BadInput or reads rows."""
    content = workbook(tmp_path / "a.xlsx", {"s": PLAIN * 5}).read_bytes()
    path = tmp_path / "b.xlsx"
    for at in range(0, len(content), 61):
        for damaged in (content[:at], content[:at] + b"\0\0\0" + content[at + 3 :]):
            path.write_bytes(damaged)
            with suppress(BadInput):
                read(path)


def test_a_cell_far_below_or_far_right_costs_little(tmp_path):
    """A stray blank in the last row or column of Excel neither hangs nor fills the memory."""
    book = openpyxl.Workbook()
    book.active["A1"], book.active["B1"], book.active["A2"] = "question", "answer", "q"
    book.active["B1048576"], book.active["XFD3"] = " ", "x"
    book.save(tmp_path / "a.xlsx")
    found = read(tmp_path / "a.xlsx")
    assert [getattr(row, "id", None) for row in found] == ["row-2", None]


def test_a_part_that_would_fill_the_memory_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    """A workbook of a few kilobytes may claim gigabytes of texts."""
    path = workbook(tmp_path / "a.xlsx", {"s": PLAIN})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/zeros.bin", bytes(3 << 20))
    monkeypatch.setitem(workbook_rows._MOST_UNPACKED, "xl/media/", 2 << 20)
    with pytest.raises(BadInput, match=r"a.xlsx: xl/media/zeros.bin has 3 MiB unpacked, and at most 2 are read"):
        read(path)


def test_a_row_number_beyond_excel_is_refused(tmp_path):
    """A made-up row number does not make the reader count to a billion."""
    plain = workbook(tmp_path / "plain.xlsx", {"s": PLAIN})
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(tmp_path / "a.xlsx", "w") as target:
        for name in source.namelist():
            target.writestr(
                name, source.read(name).replace(b'r="2"', b'r="2000000000"').replace(b'2" ', b'2000000000" ')
            )
    with pytest.raises(BadInput, match="more rows than Excel allows"):
        read(tmp_path / "a.xlsx")


def test_labels_are_read_from_workbooks_too(tmp_path):
    """Grades that people type into a sheet are labels."""
    path = workbook(tmp_path / "l.xlsx", {"s": [["item", "value", "annotator"], ["1", 4, "田中"], ["2", "○", "佐藤"]]})
    assert [(one.item, one.value, one.annotator) for one in read_labels(path, notify=lambda _: None)] == [
        ("1", 4.0, "田中"), ("2", 1.0, "佐藤"),
    ]  # fmt: skip


def test_a_sheet_is_one_shard(tmp_path):
    """Workers read a workbook whole, and the sheet that was named."""
    path = workbook(tmp_path / "a.xlsx", {"x": PLAIN, "y": [["質問"], ["p"], ["q"]]})
    (shard,) = cut(f"{path}#y", None, 10)
    assert (shard.format, shard.sheet, count_rows(shard).rows) == ("xlsx", "y", 2)


CELLS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12).filter(
    lambda text: not text.startswith(("=", "#"))  # for openpyxl, which writes the sheets here, formulas and errors
)


@given(
    st.lists(st.tuples(CELLS.filter(str.strip), CELLS), min_size=1, max_size=6), st.integers(0, 3), st.integers(0, 3)
)
def test_any_table_is_found_wherever_it_begins(tmp_path_factory, rows, down, right):
    """A table at any place of the sheet is read as it was written."""
    empty = [None] * right
    sheet = [[]] * down + [[*empty, "question", "answer"]] + [[*empty, *pair] for pair in rows]
    path = workbook(tmp_path_factory.mktemp("any") / "a.xlsx", {"s": sheet})
    found = read(path)
    assert [(row.question, row.answer) for row in found if isinstance(row, Sample)] == [
        (question, answer) for question, answer in rows
    ]
    assert found[0].id == f"row-{down + 2}"
