"""Tables as a page: its structure, its colors, and attempts of outside texts to be more than text."""

import io
import re
import subprocess
import sys
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from saiten.version import __version__
from saiten.views.page.page import as_html, write_page
from saiten.views.render import render
from saiten.views.strip_controls import clean
from saiten.views.table import Interval, Table, show_cell

COLUMNS = ("metric", "mean", "95 % from", "to", "n")
ROWS = (("採点", 0.81234, 0.7, 0.9, 40), ("b", None, None, None, 0), ("length", 213.0, 190.0, 260.0, 40))
SCORES = Table("Scores", COLUMNS, ROWS, ("A caption.",), (Interval("mean", "95 % from", "to"),))
NAMES = Table("Names", ("id", "ok"), tuple((f"q{n}", n % 2 == 0) for n in range(20)))
MADE = Table("How the figures were made", ("signature",), (("f|judge:x",), ("g|<b>",)))
CSS = files("saiten.views").joinpath("templates/page.css").read_text(encoding="utf-8")
EMPTY = {"meta", "link", "br", "input", "path", "circle"}


def read(tables, **settings):
    """The page as a browser's parser sees it."""
    return html.document_fromstring(as_html(tables, **settings).encode())


def cells(page, number=1):
    """The text of each cell of a table's body, without pictures."""
    (body,) = page.xpath(f"(//table)[{number}]/tbody")
    return [["".join(cell.itertext()) for cell in row] for row in body]


class Strict(HTMLParser):
    """A parser that rejects elements closed without being open, or left open."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(text):
    """All elements with their attributes, after checking that each is closed correctly."""
    parser = Strict()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser.seen


def test_a_page_is_a_page():
    """Language, title, encoding, one main heading, a heading and a named table each, column heads with scope, a
    caption for its table, contents that link to each, and unique ids.
    """
    page = read([SCORES, NAMES, MADE], title="六月の実験", language="ja")
    assert page.get("lang") == "ja"
    assert page.findtext(".//title") == "六月の実験 · saiten"
    assert [h.text for h in page.iter("h1")] == ["六月の実験"]
    assert [h.text for h in page.xpath("//main//h2")] == ["Scores", "Names"]
    assert [c.text for c in page.iter("caption")] == ["Scores", "Names"]
    assert {th.get("scope") for th in page.xpath("//thead//th")} == {"col"}
    assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in page.xpath("//tbody/tr"))
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    for target in page.xpath("//@aria-labelledby | //@aria-describedby") + [a[1:] for a in page.xpath("//a/@href")]:
        assert target in ids
    assert [a.text for a in page.xpath("//nav//a")] == ["Scores", "Names"]
    assert page.get_element_by_id("table-1-caption").text == "A caption."
    assert not read([NAMES]).xpath("//nav"), "one table needs no contents"
    assert parsed(as_html([SCORES, NAMES, MADE]))[0][0] == "html"


def test_figures_are_shown_for_people_and_sorted_by_every_digit():
    """Three decimals and a dash for a missing value; numbers right-aligned; the full number next to it, for sorting."""
    page = read([SCORES])
    assert [row[0] for row in cells(page)] == ["採点", "b", "length"]
    assert [row[1] for row in cells(page)] == ["0.812", "–", "213.000"]
    mean = page.xpath("//tbody/tr[1]/td[1]")[0]
    assert (mean.get("class"), mean.get("data-v")) == ("number", "0.81234")
    assert page.xpath("//tbody/tr[2]/td[1]")[0].get("class") == "none number"
    assert page.xpath("//thead//th[2]")[0].get("class") == "number"
    assert [row[1] for row in cells(read([NAMES]))][:2] == ["yes", "no"]


def test_remarks_are_below_their_rows():
    """They span the table instead of being an off-screen column; without a remark there is no row."""
    table = Table("t", (*COLUMNS, "remarks"), ((*ROWS[0], "2 failed"), (*ROWS[1], ""), (*ROWS[2], "x" * 900)))
    page = read([table])
    assert [len(row) for row in cells(page)] == [5, 1, 5, 5, 1]
    below = page.xpath("//tr[@class='below']/td")
    assert [cell.get("colspan") for cell in below] == ["5", "5"]
    assert below[0].text_content() == "2 failed"
    assert below[1].text_content() == "x" * 900, "nothing of it is folded"
    alone = read([Table("t", ("a", "remarks"), (("x", "y"),))])
    assert cells(alone) == [["x", "y"]], "a table of two columns keeps both in sight"


def test_a_table_of_second_rank_is_folded():
    """Title and number of rows are visible; without rows there is nothing to unfold."""
    page = read([SCORES, replace(NAMES, folded=True), replace(SCORES, title="None", rows=(), folded=True)])
    (fold,) = page.xpath("//main//details[@class='fold']")
    assert fold.get("open") is None
    assert fold.find("summary").text_content() == "Names (20 rows)"
    assert fold.xpath(".//table")
    assert fold.xpath("summary/h2/@id") == ["table-2"]
    assert page.xpath("//nav//a[.='Names']/@href") == ["#table-2"]


def test_notes_are_sentences():
    """They are not bold like names; text between backticks is code, and a single backtick is itself."""
    notes = Table("Notes", ("note",), (("Run `a <b> --c` again.",), ("One ` alone.",)), ("See `x`.",))
    page = read([notes])
    assert not page.xpath("//tbody//th")
    assert [code.text for code in page.xpath("//tbody//code | //p//code")] == ["a <b> --c", "x"]
    assert cells(page) == [["Run a <b> --c again."], ["One ` alone."]]


def test_both_ends_of_an_interval_share_a_column():
    """It sorts by the lower end; a missing interval is a dash."""
    page = read([SCORES])
    assert ["".join(th.find("span").itertext()) for th in page.xpath("//thead//th")] == [
        "metric", "mean", "95 % interval", "n",
    ]  # fmt: skip
    ends = [(td.text_content(), td.get("data-v")) for td in page.xpath("//tbody//td[@class='interval']")]
    assert ends == [("[0.700, 0.900]", "0.7"), ("[190.000, 260.000]", "190.0")]
    assert cells(page)[1][2] == "–"


def test_signatures_and_version_are_in_the_footer():
    """The table of how figures were computed is not shown as a table on a page."""
    page = read([SCORES, MADE])
    assert [code.text for code in page.xpath("//footer//code")] == ["f|judge:x", "g|<b>"]
    assert len(list(page.iter("table"))) == 1
    assert f"saiten {__version__}" in page.xpath("//footer")[0].text_content()


def test_the_page_says_what_is_in_another_language():
    """The page's own labels are in its language; a cell in another language names it."""
    said = Table(
        "t", ("reason",), (("It was not in the contexts at all.",), ("コンテキストのどこにもない。",), ("q1",))
    )
    page = read([SCORES, said], language="ja")
    assert page.findtext(".//h1") == "レポート"
    assert page.xpath("//nav/h2")[0].text == "目次"
    assert [table.get("lang") for table in page.iter("table")] == [None, None]
    assert [row[0].get("lang") for row in page.xpath("//table[2]/tbody/tr | (//tbody)[2]/tr")] == ["en", None, None]
    assert [row[0].get("lang") for row in read([said]).xpath("//tbody/tr")] == [None, "ja", None]


def test_a_page_without_tables_or_rows_is_still_a_page():
    """The page says that there are no rows."""
    parsed(as_html([]))
    assert "No rows." in read([Table("t", ("a",), (), ("c",))]).text_content()
    assert cells(read([Table("t", ("a",), (("",),))])) == [[""]]


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</td></tr></table><h1>mine</h1>",
    "</title><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "<!-- comment",
    "<![CDATA[x]]>",
    "{{ 7*7 }} {% raw %}",
    "javascript:alert(1) &lt;b&gt; &amp; &#x3c;",
    "\x00\x08\x0b\x1b[2J\x7f\x9b",
    "\u202eback\u2066\u2028",
    "\ud800 lone \udfff",
    "\ufffe\uffff\ufdd0",
    "line\r\nline\ttab",
    "👩‍🏫 العربية עברית 採点",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_outside_is_text(text):
    """Wherever it is (title, column, cell, caption, signature): the same elements as with a harmless text, no
    active attribute, no terminal control, and the text is there.
    """

    def page(outside):
        table = Table(outside, (outside, "value", "low", "high"), ((outside, 1.0, 0.5, 1.5), (outside, outside, None, outside)), outside, (Interval("value", "low", "high"),))  # fmt: skip
        long = Table(outside, ("c",), ((outside * 300,), (outside + "x" * 1000,)))
        return as_html([table, long, Table(outside, ("signature",), ((outside,),))], title=outside)

    written = page(text)
    written.encode("utf-8", "strict")
    elements = parsed(written)
    assert [tag for tag, _ in elements] == [tag for tag, _ in parsed(page("harmless" * (1 + len(text) // 9)))]
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on") or name == "style"]
    assert not [
        c for c in written if (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2066"
    ]
    seen = html.document_fromstring(written.encode())
    assert seen.findtext(".//h1") == clean(text)
    assert seen.xpath("//tbody/tr[1]/th")[0].text == clean(text)
    assert seen.xpath("//footer//code")[0].text == clean(text)


@given(st.text())
def test_no_text_at_all_is_markup(text):
    """Every character of it is there, or a sign for it."""
    seen = read([Table("t", ("c", "d"), ((text, text),))])
    assert [["".join(cell) for cell in row] for row in cells(seen)] == [[clean(text), clean(text)]]


def test_a_cell_of_a_megabyte_unfolds():
    """Its beginning is visible; the rest is there and unfolds without a script."""
    text = "言葉 " * 350_000
    page = read([Table("t", ("a", "b"), (("x", text), ("y", "z" * 1_000_000)))])
    for cell, whole in zip(page.xpath("//td"), (text, "z" * 1_000_000), strict=True):
        assert cell.get("class") == "long"
        assert len(cell.findtext("details/summary")) <= 160
        assert cell.text_content() == whole


def test_the_page_loads_nothing_and_runs_only_its_own():
    """The policy forbids everything except the style sheet and the script whose digests it lists; nothing refers to
    anything outside.
    """
    written = as_html([SCORES, NAMES, MADE])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', written)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", written, re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
        assert inside.isascii(), "so that it stays itself on a stream that is not UTF-8"
    for tag, attributes in parsed(written):
        assert tag not in {"img", "iframe", "object", "embed", "form", "base", "audio", "video"}
        for name in ("src", "href", "action", "srcset"):
            assert attributes.get(name, "#").startswith(("#", "data:,")), (tag, attributes)
    assert not re.search(r"url\(|@import|https?://", written)
    assert written.index("<meta charset") < 1024


def test_every_stream_gets_a_page_that_says_the_same():
    """UTF-8 is written as it is; another encoding gets character references."""
    for encoding in ("utf-8", "UTF8", "cp1252", "ascii"):
        kept = io.BytesIO()
        out = io.TextIOWrapper(kept, encoding=encoding, errors="strict", write_through=True)
        write_page([SCORES], out, title="採点 · 👩‍🏫")
        page = html.document_fromstring(kept.getvalue())
        assert page.findtext(".//h1") == "採点 · 👩‍🏫"
        assert kept.getvalue().decode("utf-8").isascii() is (encoding in {"cp1252", "ascii"})


def test_ten_thousand_rows_are_all_there():
    """They are written in pieces."""
    rows = tuple((f"q{n}", f"質問 {n}", n / 7, n) for n in range(10_000))
    pieces = []

    class Out(io.StringIO):
        def write(self, text):
            pieces.append(len(text))
            return super().write(text)

    out = Out()
    write_page([Table("t", ("id", "question", "value", "n"), rows)], out)
    assert out.getvalue().count("<tr>") == len(rows) + 1
    assert max(pieces) < 100_000
    assert show_cell(9_999 / 7) in out.getvalue()[-6_000_000:]


def test_jinja_is_loaded_only_for_a_page():
    """`saiten --help` and the other forms start without it."""
    code = (
        "import io, sys\n"
        "from rich.console import Console\n"
        "from saiten.cli import main\n"
        "from saiten.views.render import render\n"
        "from saiten.views.table import Table\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "console = Console(file=io.StringIO())\n"
        "for form in ('table', 'json', 'csv', 'md', 'latex'): render([Table('t', ('a',), ((1,),))], form, console)\n"
        "assert 'jinja2' not in sys.modules\n"
        "render([Table('t', ('a',), ((1,),))], 'html', console)\n"
        "assert 'jinja2' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def colors(block):
    """Name → (red, green, blue) of the variables in a block of the style sheet."""
    found = re.findall(r"--([a-z]+): #([0-9a-f]{6});", block)
    return {name: tuple(int(code[i : i + 2], 16) for i in (0, 2, 4)) for name, code in found}


def contrast(first, second):
    """The ratio of WCAG 2.2: (lighter + 0.05) / (darker + 0.05) of the relative luminances."""

    def luminance(color):
        parts = [c / 255 for c in color]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


LIGHT = CSS.split("@media (prefers-color-scheme: dark)")[0]
DARK = re.search(r"prefers-color-scheme: dark\) {(.*?)\n}", CSS, re.DOTALL)[1]
PRINTED = CSS.split("@media print")[1]


@pytest.mark.parametrize("block", [LIGHT, DARK, PRINTED], ids=["light", "dark", "print"])
def test_contrasts_are_those_of_wcag_aa(block):
    """4.5 for text on every background it appears on, 3 for strokes and the borders of controls."""
    found = colors(LIGHT) | colors(block)
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    grounds = ("paper", "card", "head", "hover")
    for ink in ("ink", "muted", "link"):
        for ground in grounds:
            assert contrast(found[ink], found[ground]) >= 4.5, (ink, ground)
    for sign in ("good", "bad"):
        for ground in grounds:
            assert contrast(found[sign], found[ground]) >= 4.5, (sign, ground)
    for stroke in ("reference", "button"):
        for ground in ("paper", "card", "hover"):
            assert contrast(found[stroke], found[ground]) >= 3, (stroke, ground)


def test_both_schemes_name_the_same_colors():
    """No light color remains in the dark scheme, and every variable used is defined."""
    assert colors(LIGHT).keys() == colors(DARK).keys()
    assert set(re.findall(r"--([a-z]+):", LIGHT)) >= set(re.findall(r"var\(--([a-z]+)\)", CSS))


def test_sizes_of_letters_are_those_of_the_scale():
    """Five sizes on every page, and none but these; signs within a line may be relative to it; print has points."""
    sizes = ("small", "compact", "text", "heading", "title")
    assert re.findall(r"--([a-z]+): [.\d]+rem;", LIGHT) == list(sizes)
    for style in ("page.css", "opening.css", "gist.css"):
        screen = (
            files("saiten.views").joinpath(f"templates/{style}").read_text(encoding="utf-8").split("@media print")[0]
        )
        found = {
            size for size in re.findall(r"font(?:-size)?: ([^ ;/]+)", screen) if not re.fullmatch(r"\.\d+em", size)
        }
        assert found <= {"inherit", *(f"var(--{size})" for size in sizes)}, style


def test_render_writes_the_page():
    """It is one of the seven forms."""
    from rich.console import Console

    out = io.StringIO()
    render([SCORES, NAMES], "html", Console(file=out, width=40), "Title")
    assert out.getvalue() == as_html([SCORES, NAMES], title="Title")
