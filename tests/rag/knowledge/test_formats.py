"""The formats: what is read from text in any encoding, Markdown, HTML, PDF and DOCX, in Japanese and English."""

import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml
from hypothesis import given
from hypothesis import strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from saiten.rag.knowledge.conversion import convert
from saiten.rag.knowledge.documents import NoText
from saiten.rag.knowledge.html import visible_text
from saiten.rag.knowledge.pdf import page_text
from saiten.rag.knowledge.reading import check_readers

"""The same examples on every run, and no clock."""

JAPANESE = "電池は三年ごとに交換してください。カタカナとひらがなと漢字。\n"
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def read(tmp_path, name, data, kind):
    """The text of a file with these bytes, and the note."""
    path = tmp_path / name
    path.write_bytes(data)
    pieces = []
    _, note = convert(path, kind, pieces.append)
    return "".join(pieces), note


# ------------------------------------------------------------------------------------------------ encodings


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", None),
        ("utf-32", None),
        ("cp932", "Shift_JIS"),
        ("euc_jp", "EUC-JP"),
        ("iso2022_jp", "ISO-2022-JP"),
        ("utf-16-le", "UTF-16"),
        ("utf-16-be", "UTF-16"),
    ],
)
def test_japanese_text_is_read_in_any_of_its_encodings(tmp_path, encoding, note):
    """The bytes reveal any encoding that Japanese machines wrote in the last thirty years; a guess is noted."""
    text, found_note = read(tmp_path, "a.txt", (JAPANESE + "plain ASCII too\n").encode(encoding), "text")
    assert text == JAPANESE + "plain ASCII too\n"
    assert found_note is None if note is None else note in found_note


def test_english_with_windows_quotes_is_read_and_noted(tmp_path):
    """Old English files with curly quotes are not UTF-8; they are read, and the summary says how."""
    text, note = read(
        tmp_path,
        "a.txt",
        ("It’s a “manual” for the café. " + "Nothing else in it is odd. " * 8).encode("cp1252"),
        "text",
    )
    assert text.startswith("It’s a “manual”")
    assert "Windows-1252" in note


def test_a_broken_byte_in_utf_8_costs_one_character_not_the_file(tmp_path):
    """A file with one byte that is not UTF-8 is read, with a note."""
    text, note = read(tmp_path, "a.txt", (JAPANESE * 10).encode() + b"\xff" + JAPANESE.encode(), "text")
    assert text == JAPANESE * 10 + "\ufffd" + JAPANESE
    assert note.startswith("1 ")


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0\x1f\xf3\xffa" + bytes(range(256)) * 20


@pytest.mark.parametrize(
    "data",
    [PNG, b"\0" * 5000, bytes(range(256)) * 50, b"\x7fELF" + b"\1\2\3" * 3000, b"\xff\xfe" + bytes(range(256)) * 9],
)
@pytest.mark.parametrize("kind", ["text", "markdown", "html"])
def test_binary_files_are_distinguished_from_text(tmp_path, data, kind):
    """A picture named .txt is not text, in any encoding."""
    with pytest.raises(NoText, match=r"binary|no text|none of the encodings"):
        read(tmp_path, "a.txt", data, kind)


def test_line_ends_and_controls_are_tidied(tmp_path):
    """All line ends become the same, and invisible and control characters are removed."""
    text, _ = read(tmp_path, "a.txt", b"a\r\nb\rc\n" + b"words " * 200 + b"\x1b[2J\x00d\x0ce", "text")
    assert text == "a\nb\nc\n" + "words " * 200 + "[2Jd\ne"


# ------------------------------------------------------------------------------------------------- Markdown


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("# 見出し\n\n- *a* | b\n", "# 見出し\n\n- *a* | b\n"),
        ('---\ntitle: "製品 A"\ntags: [x]\n---\n本文。\n', "製品 A\n\n本文。\n"),
        ("---\ntitle: 製品 A\n---\n# 製品 A\n本文。\n", "# 製品 A\n本文。\n"),
        ("+++\ntitle = 'T'\n+++\nbody\n", "T\n\nbody\n"),
        ("---\ndate: 2026-01-01\n---\nbody\n", "body\n"),
        ("---\n---\nbody\n", "body\n"),
        ("---\nA line between two rulers is no front matter\n---\nbody\n", None),
        ("---\nkey: never closed\nbody\n", None),
        ("text\n---\nkey: value\n---\n", None),
    ],
)
def test_markdown_stays_but_for_its_front_matter(tmp_path, page, text):
    """Markdown is kept; of YAML or TOML front matter only the title stays, unless it is repeated anyway."""
    assert read(tmp_path, "a.md", page.encode(), "markdown")[0] == (page if text is None else text)


# ----------------------------------------------------------------------------------------------------- HTML


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one<p>two", "one\n\ntwo"),
        ("<div>one</div><div>two<br>three</div>", "one\ntwo\nthree"),
        ("<h1>Head</h1>text <b>bold</b>, <i>it</i>.", "Head\n\ntext bold, it."),
        ("a   b\n\t c", "a b c"),
        ("<p>電池は\n  交換\nです。</p>", "電池は交換です。"),
        ("<b>電池は</b>\n<b>交換</b>です", "電池は交換です"),
        ("<p>see\nthe 電池\nmanual</p>", "see the 電池 manual"),
        ("A&amp;B &lt;tag&gt; &#x96fb;&#27744; &copy;", "A&B <tag> 電池 ©"),
        ("<body><script>bad()</script><style>p{}</style><noscript>js!</noscript>ok<!-- no -->", "ok"),
        ("<nav><a href=/>Home</a></nav><p>ok</p><button>Go</button><select><option>1</select>", "ok"),
        ("<p hidden>no</p><div style='display: none'>no</div><p>ok", "ok"),
        ("<table><td hidden>no<td>yes</table>", "yes"),
        ("<ul><li>one<li><p>two</p><p>more</p></ul>after", "- one\n- two\nmore\n\nafter"),
        ("<ol start=3><li>c<li>d</ol>", "3. c\n4. d"),
        ("<table><tr><th>型番<th>価格<tr><td><p>A-1</p><td><p>百円</p></table>", "型番 | 価格\nA-1 | 百円"),
        ("<table><tr><td><td>b<tr><td>c<td></table>", "| b\nc |"),
        ("<table><tr><td><table><tr><td>in<td>ner</table><td>out</table>", "in | ner | out"),
        ("<table><tr><td> <td> </table>x", "x"),
        ("<pre>a\n   b</pre>c", "a\n   b\n\nc"),
        ("<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を読む", "漢字を読む"),
        ("<title>題</title><p>本文", "題\n\n本文"),
        ("<title>題</title><h1>題</h1>本文", "題\n\n本文"),
        ("plain", "plain"),
        ("", ""),
        ("<p>unclosed <b>bold <p>next", "unclosed bold\n\nnext"),
        ("<a <b> </ <!-- never closed", ""),
        ("before<![if !supportLists]>after<![endif]>", "beforeafter"),
        ("<?xml version='1.0'?><html><head><title/><script src='x'/></head><body>seen</body></html>", "seen"),
        ("half \ud800 a pair", "half \ufffd a pair"),
    ],
)
def test_html_gives_the_text_that_a_reader_sees(page, text):
    """Blocks become lines, cells of a row stay on one line, and scripts, navigation and markup disappear."""
    assert visible_text(page).strip() == text


@pytest.mark.parametrize("encoding", ["shift_jis", "Shift_JIS", "x-sjis", "euc-jp", "iso-2022-jp", "utf-8"])
@pytest.mark.parametrize(
    "head", ['<meta charset="{}">', "<META http-equiv=Content-Type content='text/html; charset={}'>"]
)
def test_html_says_its_encoding(tmp_path, encoding, head):
    """The declared encoding is used if the bytes fit it, even for a few characters, under any of its names."""
    page = head.format(encoding) + "<p>電池"
    assert read(tmp_path, "a.html", page.encode(encoding.replace("x-sjis", "cp932")), "html") == ("電池", None)


def test_html_that_says_the_wrong_encoding_is_read_all_the_same(tmp_path):
    """Converted pages keep their old declaration; the bytes are right."""
    page = f"<meta charset=utf-8><p>{JAPANESE}".encode("cp932")
    assert read(tmp_path, "a.html", page, "html") == (JAPANESE.strip(), "read as Shift_JIS")


@given(
    st.lists(
        st.sampled_from(
            [
                *("<div>", "</div>", "<table>", "<tr>", "<td>", "</tr>", "</table>", "<li>", "<ol>", "</ol>", "<pre>"),
                *("</pre>", "<p hidden>", "<br>", "<!--", "-->", "<script>", "</script>", "<svg>", "<template>"),
                *"a電\n &<",
            ]
        ),
        max_size=40,
    )
)
def test_no_page_breaks_the_reading(tags):
    """Any heap of tags is read to its end."""
    text = visible_text("".join(tags))
    assert "<td>" not in text


def test_html_may_be_nested_as_deep_as_it_likes():
    """Nothing relies on a page being shallow."""
    assert visible_text("<div><b>" * 5_000 + "deep").strip() == "deep"
    assert visible_text("<ul><li>" * 5_000 + "deep").endswith("deep")


def test_a_large_page_is_not_taken_for_a_deep_one():
    """Elements that the next one closes, drawings and scripts do not count as nested, however many there are."""
    parts = ("<p>a", "<li>b", "<tr><td>c", "<br>", "<a name=x>d", "<div>e</div>", "<b>f</b>", "<DIV>g</div>")
    page = "".join(part * 30_000 for part in parts)
    page += "<svg>" + "<path d='" + "M 0 0 " * 20_000 + "'/>" + "<circle r=1 />" * 30_000 + "</svg>end"
    assert visible_text(page).endswith("end")


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<div>" * 21_000, "nested more than 20,000 elements deep"),
        ("<div></p>" * 21_000, "nested more than 20,000 elements deep"),
        ("<p " + " ".join(f"a{n}" for n in range(10_001)), "more than 10,000 attributes"),
    ],
)
def test_a_page_that_takes_minutes_to_parse_is_given_up_at_once(page, reason):
    """A page with more open elements, or attributes of a tag, than any page of people is refused with the limit."""
    with pytest.raises(NoText, match=reason):
        visible_text(page)


# ------------------------------------------------------------------------------------------------------ PDF


def make_pdf(pages, font="HeiseiMin-W3", encrypt=None):
    """A PDF with these lines on its pages."""
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    file = io.BytesIO()
    canvas = Canvas(file, encrypt=encrypt, invariant=1)
    for lines in pages:
        canvas.setFont(font, 12)
        for row, line in enumerate(lines):
            canvas.drawString(50, 780 - 18 * row, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def test_a_japanese_pdf_is_read_page_by_page(tmp_path):
    """Text in a Japanese font comes out unchanged; a sentence over several lines is joined; a heading stays apart."""
    page = [
        "製品マニュアル",
        "この電池は三年ごとに交換してください。長くお使いいただくために、使い切",
        "る前に充電してください。",
        "型番：ABC-1",
    ]
    text, note = read(tmp_path, "a.pdf", make_pdf([page, ["次の頁"]]), "pdf")
    assert text.split("\n") == [
        "製品マニュアル",
        "この電池は三年ごとに交換してください。長くお使いいただくために、使い切る前に充電してください。",
        "型番：ABC-1",
        "",
        "次の頁",
        "",
        "",
    ]
    assert note is None


def test_an_english_pdf_is_read_line_by_line(tmp_path):
    """Lines stay; a word hyphenated at the end of one is joined."""
    lines = ["The battery is an extra-", "ordinary one. See the", "manual."]
    assert read(tmp_path, "a.pdf", make_pdf([lines], "Helvetica"), "pdf")[0].split("\n")[:2] == [
        "The battery is an extraordinary one. See the",
        "manual.",
    ]


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        ("⼈⼯知能のﬁle", "人工知能のfile"),
        ("a well\x02Known", "a well-Known"),
        ("pre\x02\r\nfix", "prefix"),
        ("", ""),
        ("品名\r\n電池\r\n価格", "品名\n電池\n価格"),
        ("あ" * 20 + "\r\n" + "い" * 20 + "。\r\n" + "う" * 20, "あ" * 20 + "い" * 20 + "。\n" + "う" * 20),
        ("あ" * 20 + "\r\n\u3000新しい段落" + "\r\n・項目", "あ" * 20 + "\n\u3000新しい段落\n・項目"),
        ("あ" * 20 + "\r\n" + "い" * 5 + "\r\n" + "う" * 20, "あ" * 20 + "い" * 5 + "\n" + "う" * 20),
    ],
)
def test_what_a_page_does_to_words_is_undone(layer, text):
    """Radicals and ligatures used by fonts, hyphenated words, and lines of Japanese prose."""
    assert page_text(layer) == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (make_pdf([["秘密"]], encrypt=StandardEncryption("user", "owner")), "password"),
        (make_pdf([[], []]), r"no text layer \(2 pages\)"),
        (make_pdf([["本文"]])[:700], "damaged, or cut off"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 40, "damaged, or cut off"),
        (PNG, "not a PDF"),
        (b"", "empty"),
    ],
)
def test_a_pdf_without_text_says_why(tmp_path, data, reason):
    """Encrypted, scanned, truncated, another format: each has its own sentence."""
    with pytest.raises(NoText, match=reason):
        read(tmp_path, "a.pdf", data, "pdf")


def test_a_pdf_that_may_be_opened_but_not_changed_is_read(tmp_path):
    """An owner password is no reason not to read."""
    data = make_pdf([["公開文書"]], encrypt=StandardEncryption("", "owner", canModify=0))
    assert read(tmp_path, "a.pdf", data, "pdf")[0].strip() == "公開文書"


def test_pages_without_text_are_noted(tmp_path):
    """A partly scanned PDF gives the rest, and a note says how much is missing."""
    text, note = read(tmp_path, "a.pdf", make_pdf([["本文"], [], []]), "pdf")
    assert text.strip() == "本文"
    assert note == "2 of 3 pages have no text layer"


# ----------------------------------------------------------------------------------------------------- DOCX


def saved(document):
    """The document's bytes."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def make_docx():
    """A Word document with everything that Word users put into one."""
    document = docx.Document()
    document.add_heading("製品マニュアル", 0)
    document.add_paragraph("この電池は三年ごとに交換してください。")
    document.add_heading("Specification", 1)
    table = document.add_table(2, 2)
    for place, text in enumerate(["型番", "価格", "ABC-1", "百円"]):
        table.cell(place // 2, place % 2).text = text
    document.add_paragraph("first", style="List Number")
    document.add_paragraph("second", style="List Number")
    document.add_paragraph("point", style="List Bullet")
    paragraph = document.add_paragraph("Tracked: ")
    paragraph._p.append(parse_xml(f"<w:ins {WORD}><w:r><w:t>inserted</w:t></w:r></w:ins>"))
    paragraph._p.append(parse_xml(f"<w:del {WORD}><w:r><w:delText>deleted</w:delText></w:r></w:del>"))
    control = f"<w:sdt {WORD}><w:sdtContent><w:p><w:r><w:t>管理された内容</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    document.element.body.insert(-1, parse_xml(control))
    document.add_paragraph("最後の段落。")
    return saved(document)


def test_a_word_document_is_read_in_reading_order(tmp_path):
    """Headings, paragraphs, tables, lists, content controls and accepted insertions, in page order."""
    text, note = read(tmp_path, "a.docx", make_docx(), "docx")
    assert text.split("\n") == [
        "製品マニュアル",
        "",
        "この電池は三年ごとに交換してください。",
        "",
        "Specification",
        "",
        "型番 | 価格",
        "ABC-1 | 百円",
        "",
        "1. first",
        "2. second",
        "",
        "- point",
        "",
        "Tracked: inserted",
        "",
        "管理された内容",
        "",
        "最後の段落。",
    ]
    assert note is None


def test_pictures_are_left_out(tmp_path):
    """A picture in a document neither fails nor adds its bytes to the text."""
    document = docx.Document()
    document.add_paragraph("before")
    pixel = bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8ffff3f0005fe02fe0def46b8"
        "0000000049454e44ae426082"
    )
    document.add_picture(io.BytesIO(pixel))
    document.add_paragraph("after")
    assert read(tmp_path, "a.docx", saved(document), "docx")[0] == "before\n\nafter"


def repacked(parts):
    """The document with some of its parts replaced."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(make_docx())) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.get(name, old.read(name)))
    return file.getvalue()


LAUGHS = (
    '<!DOCTYPE l [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + f"]><w:document {WORD}><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>"
)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: make_docx()[:5000], "damaged, or cut off"),
        (lambda: PNG, "not a DOCX"),
        (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "password"),
        (lambda: repacked({"word/document.xml": b"<w:document>" + b" " * (65 << 20)}), "would unpack to 65 MiB"),
        (lambda: repacked({"word/document.xml": b"<w:document"}), "could not be converted"),
        (lambda: repacked({"word/document.xml": LAUGHS.encode()}), "could not be converted"),
        (
            lambda: repacked(
                {"word/document.xml": f"<w:document {WORD}><w:body>{'<w:sdt><w:sdtContent>' * 50_000}".encode()}
            ),
            "nested|could not",
        ),
    ],
)
def test_a_word_document_without_text_says_why(tmp_path, make, reason):
    """Truncated, encrypted, a bomb of any kind: each has its own sentence, and unpacking is bounded."""
    with pytest.raises(NoText, match=reason):
        read(tmp_path, "a.docx", make(), "docx")


def test_an_archive_that_is_no_document_is_reported(tmp_path):
    """A ZIP file with a changed extension is not taken for a Word document."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(NoText, match="ZIP archive"):
        read(tmp_path, "a.docx", file.getvalue(), "docx")


@pytest.mark.parametrize("kind", ["text", "markdown", "html", "pdf", "docx"])
def test_the_libraries_are_here(kind):
    """The tests run with everything installed."""
    check_readers([kind])
