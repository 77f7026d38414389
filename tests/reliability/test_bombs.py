"""Documents and data made to exhaust whoever reads them: each costs bounded memory, is named with a limit, and stops no other."""

import gzip
import io
import json
import re
import subprocess
import sys
import zipfile
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

CHUNK = 1 << 20
OWN_PEAK = """
import json, re, resource, sys
def own_peak():
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open("/proc/self/status") as status:  # `ru_maxrss` would include the process that was forked, which is large
        return int(re.search(r"VmHWM:\\s+(\\d+)", status.read())[1])
"""
MEASURED = (
    OWN_PEAK
    + """
from pathlib import Path
from saiten.rag.knowledge.documents import Document
from saiten.rag.knowledge.finding import find_documents
from saiten.rag.knowledge.reading import Reader
read = {}
with Reader(30.0) as reader:
    for file in find_documents([Path(sys.argv[1])]):
        found = reader.read(file)
        read[found.source] = len(found.text) if isinstance(found, Document) else found.reason
most = [own_peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]
print(json.dumps({"read": read, "most": most}))
"""
)
"""Reads a folder, and prints what came of each document, and the most memory of this process and of its children."""

ROWS_MEASURED = (
    OWN_PEAK
    + """
from saiten.data.formats import read_rows
from saiten.data.rows import BadRow
from saiten.errors import BadInput
said = ""
rows = 0
try:
    for row in read_rows(sys.argv[1], None, wanted={"question", "answer"}.__contains__, notify=lambda _: None):
        if isinstance(row, BadRow):
            said = row.reason
        else:
            rows += 1
except BadInput as error:
    said = str(error)
print(json.dumps([rows, said, own_peak()]))
"""
)
"""Reads a file of rows, and prints their number, the last reason for leaving one out, and the most memory."""

KIB = 1024 if sys.platform == "darwin" else 1
GIB = 1 << 20  # in KiB, as `ru_maxrss` counts


def deflated(pattern, times):
    """The pattern repeated and compressed, without ever holding it."""
    packer = zlib.compressobj(9)
    block = pattern * (CHUNK // len(pattern))
    parts = [packer.compress(block) for _ in range(times * len(pattern) // len(block))]
    return b"".join([*parts, packer.flush()])


def pdf(objects, *, root=1, trailer=b""):
    """A PDF of these objects, numbered from 1: dictionaries, or a dictionary and a stream."""
    out = io.BytesIO()
    out.write(b"%PDF-1.5\n")
    begins = []
    for number, made in enumerate(objects, 1):
        begins.append(out.tell())
        head, stream = made if isinstance(made, tuple) else (made, None)
        out.write(b"%d 0 obj\n" % number)
        if stream is None:
            out.write(head)
        else:
            out.write(head[:-2] + b"/Length %d>>\nstream\n" % len(stream) + stream + b"\nendstream")
        out.write(b"\nendobj\n")
    xref = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % begin for begin in begins))
    out.write(b"trailer\n<</Root %d 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF" % (root, len(objects) + 1, trailer, xref))
    return out.getvalue()


FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def page(content, box=b"[0 0 600 800]", kids=b"[3 0 R]", count=1, extra=()):
    """A PDF with one page object of this content."""
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids %s/Count %d>>" % (kids, count),
            b"<</Type/Page/Parent 2 0 R/MediaBox %s/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>" % box,
            content,
            FONT,
            *extra,
        ]
    )


HELLO = (b"<<>>", b"BT /F 12 Tf 50 700 Td (Hello) Tj ET")


def endless_page():
    """A page whose content unpacks to 900 MiB of text."""
    return page((b"<</Filter/FlateDecode>>", deflated(b"BT /F 1 Tf (words) Tj ET\n", 36 << 20)))


def million_pages():
    """A million pages, all the same."""
    return page(HELLO, kids=b"[" + b"3 0 R " * 1_000_000 + b"]", count=1_000_000)


def object_streams():
    """A stream of objects that unpacks to 2 GiB."""
    packed = (b"<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>", deflated(b"6 0 ", 512 << 20))
    return page(HELLO, extra=(packed,))


def deep_pages():
    """A tree of pages that is 50,000 nodes deep."""
    nodes = [b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % (number + 3) for number in range(50_000)]
    last = b"<</Type/Page/MediaBox[0 0 600 800]>>"
    return pdf([b"<</Type/Catalog/Pages 2 0 R>>", *nodes, last])


def xref_loop():
    """A table of objects that says that it continues where it begins."""
    plain = page(HELLO)
    return plain.replace(b"/Size", b"/Prev %s/Size" % re.search(rb"startxref\n(\d+)", plain)[1])


def word(document):
    """A Word document with this main part, which is given in chunks."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" '
            'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
            'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        )
        with archive.open("word/document.xml", "w", force_zip64=True) as part:
            for chunk in document:
                part.write(chunk)
    return out.getvalue()


WORD = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'


def empty_paragraphs():
    """60 MiB of empty paragraphs."""
    return word([WORD, *[b"<w:p/>" * 160_000] * 65, b"</w:body></w:document>"])


def endless_part():
    """4 GiB of blanks."""
    return word([WORD, *[b" " * CHUNK] * 4096])


BOMBS = {
    "endless_page.pdf": (endless_page, "MiB of memory"),
    "million_pages.pdf": (million_pages, "1,000,000 pages, and at most"),
    "object_streams.pdf": (object_streams, None),
    "deep_pages.pdf": (deep_pages, "damaged"),
    "endless_paper.pdf": (lambda: page(HELLO, box=b"[0 0 1e30 1e30]"), None),
    "xref_loop.pdf": (xref_loop, None),
    "deep_arrays.pdf": (lambda: page(HELLO, kids=b"[" * 1_000_000), "damaged"),
    "empty_paragraphs.docx": (empty_paragraphs, "MiB of memory|without text"),
    "endless_part.docx": (endless_part, "at most 64 MiB"),
    "deep_page.html": (lambda: b"<div>" * 200_000 + b"deep", "nested more than"),
    "deep_fonts.html": (lambda: b"<font>" * 200_000 + b"deep", "nested more than"),
    "attributes.html": (
        lambda: b"<p " + b" ".join(b"a%d" % n for n in range(200_000)) + b">text",
        "more than 10,000 attributes",
    ),
}
"""Each bomb, and a part of the reason why it is not read; None if it is harmless and read."""


def read(folder):
    """Read a folder in a process of its own: what came of each document, and the most memory of any process, in KiB."""
    found = subprocess.run([sys.executable, "-c", MEASURED, folder], capture_output=True, check=True, text=True)
    measured = json.loads(found.stdout)
    return measured["read"], max(measured["most"]) // KIB


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_a_gigabyte_at_most(tmp_path, name):
    """A document made to exhaust memory is refused with the limit that it exceeds; the one after it is read."""
    make, reason = BOMBS[name]
    (tmp_path / name).write_bytes(make())
    (tmp_path / "z.html").write_text("<p>the next one</p>")
    found, most = read(tmp_path)
    assert found["z.html"] == len("the next one")
    if reason is None:
        assert isinstance(found[name], int), found[name]
    else:
        assert re.search(reason, str(found[name]))
    assert most < GIB


MAIN, OFFICE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org"
OF_DOCUMENT = f"{OFFICE}/officeDocument/2006/relationships"
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{OFFICE}/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    + "".join(
        f'<Override PartName="/xl/{path}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.'
        f'{kind}+xml"/>'
        for path, kind in {
            "workbook": "sheet.main",
            "worksheets/a": "worksheet",
            "sharedStrings": "sharedStrings",
            "styles": "styles",
        }.items()
    )
    + "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{OFFICE}/package/2006/relationships"><Relationship Id="r" '
    f'Type="{OF_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{OFFICE}/package/2006/relationships"><Relationship Id="r" '
    f'Type="{OF_DOCUMENT}/worksheet" Target="worksheets/a.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OF_DOCUMENT}"><sheets><sheet name="a" sheetId="1" '
    'r:id="r"/></sheets></workbook>',
}
SHEET = [
    f'<worksheet xmlns="{MAIN}"><sheetData>'.encode(),
    *(
        b"<row>" + b"".join(b'<c t="inlineStr"><is><t>%s</t></is></c>' % text for text in texts) + b"</row>"
        for texts in ((b"question", b"answer"), (b"q", b"a"))
    ),
]


def workbook(path, more=(), texts=(), formats=()):
    """Write a workbook with one row, and more of a sheet, of shared texts and of cell formats, in chunks."""
    parts = {
        **{name: [text.encode()] for name, text in PARTS.items()},
        "xl/worksheets/a.xml": [*SHEET, *more, b"</sheetData></worksheet>"],
        "xl/sharedStrings.xml": [f'<sst xmlns="{MAIN}">'.encode(), *texts, b"</sst>"],
        "xl/styles.xml": [
            f'<styleSheet xmlns="{MAIN}"><fonts><font/></fonts><fills><fill><patternFill/></fill></fills><borders>'
            "<border/></borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs>".encode(),
            *(formats or [b"<xf/>"]),
            b"</cellXfs></styleSheet>",
        ],
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, chunks in parts.items():
            with archive.open(name, "w", force_zip64=True) as part:
                for chunk in chunks:
                    part.write(chunk)


def parquet(path, length, *, nested=False):
    """Write 640 rows that share one text of this length, which the file has once."""
    shared = pa.DictionaryArray.from_arrays(pa.array([0] * 640, pa.int32()), pa.array(["a" * length]))
    if nested:
        shared = pa.ListArray.from_arrays(pa.array(range(641), pa.int32()), shared)
    limit = {"dictionary_pagesize_limit": 1 << 30, "compression": "zstd"}
    pq.write_table(pa.table({"question": pa.array(["q"] * 640), "answer": shared}), path, **limit)


def zipped(path, chunks):
    """Write chunks of bytes as a gzipped file."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        for chunk in chunks:
            file.write(chunk)


def sparse(path, head=b""):
    """Write a file of 1 GiB that takes no room on the disk."""
    with path.open("wb") as file:
        file.write(head)
        file.truncate(1 << 30)


EMPTY_ROW = b'{"question":"q","answer":"a","more":['
DATA_BOMBS = {
    "row.xlsx": (lambda p: workbook(p, [b"<row>", *[b"<c/>" * (CHUNK // 4)] * 400]), 0, "a row of more than 4 MiB"),
    "cell.xlsx": (lambda p: workbook(p, [b"<row><c><v>", *[b"1" * CHUNK] * 900]), 0, "a row of more than 4 MiB"),
    "formats.xlsx": (lambda p: workbook(p, formats=[b"<xf/>" * 200_000] * 100), 0, "styles.xml has 95 MiB unpacked"),
    "texts.xlsx": (lambda p: workbook(p, texts=[b"<si><t>ab</t></si>" * 60_000] * 300), 0, "and at most 128 are read"),
    "long_text.xlsx": (
        lambda p: workbook(p, texts=[b"<si><t>", *[b"a" * CHUNK] * 120, "\U0001f600</t></si>".encode()]),
        1,
        "",
    ),
    "shared.parquet": (lambda p: parquet(p, 100_000_000), 0, "has a text of 95 MiB, and at most 64 are read"),
    "many_shared.parquet": (lambda p: parquet(p, 20_000_000), 640, ""),
    "nested.parquet": (lambda p: parquet(p, 20_000_000, nested=True), 640, ""),
    "whole.json": (lambda p: sparse(p, b"[\n"), 0, "one JSON document of more than 128 MiB"),
    "values.json": (
        lambda p: p.write_bytes(EMPTY_ROW + b"{}," * (40 << 20) + b"{}]}"),
        0,
        "more than 4,000,000 values",
    ),
    "values.jsonl": (
        lambda p: p.write_bytes(EMPTY_ROW + b"{}," * (10 << 20) + b"{}]}"),
        0,
        "more than 4,000,000 values",
    ),
    "line.jsonl.gz": (lambda p: zipped(p, [EMPTY_ROW, *[b"a" * CHUNK] * 2_000]), 0, "longer than 32 MiB"),
    "record.csv.gz": (
        lambda p: zipped(p, [b'question,answer\n"', *[b'x\n","' * 200_000] * 60]),
        0,
        "fields, but the header has 2",
    ),
}
"""Each bomb of rows, how many of its rows are read, and a part of the reason why others are not."""


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA_BOMBS)
def test_rows_cost_a_gigabyte_at_most(tmp_path, name):
    """A data file made to exhaust memory is read in bounded memory, or refused with its name and the limit."""
    make, rows, reason = DATA_BOMBS[name]
    make(tmp_path / name)
    found = subprocess.run(
        [sys.executable, "-c", ROWS_MEASURED, tmp_path / name], capture_output=True, check=True, text=True
    )
    read_rows, said, most = json.loads(found.stdout)
    assert read_rows == rows, said
    assert reason in said
    assert most // KIB < GIB
