"""Documents made to exhaust whoever reads them: each costs bounded memory, is named with a limit, and stops no other."""

import io
import json
import re
import subprocess
import sys
import zipfile
import zlib

import pytest

CHUNK = 1 << 20
MEASURED = """
import json, resource, sys
from pathlib import Path
from saiten.rag.knowledge.documents import Document
from saiten.rag.knowledge.finding import find_documents
from saiten.rag.knowledge.reading import Reader
read = {}
with Reader(30.0) as reader:
    for file in find_documents([Path(sys.argv[1])]):
        found = reader.read(file)
        read[found.source] = len(found.text) if isinstance(found, Document) else found.reason
most = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps({"read": read, "most": most}))
"""
"""Reads a folder, and prints what came of each document, and the most memory of this process and of its children."""

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
