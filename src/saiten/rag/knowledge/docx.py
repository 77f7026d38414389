"""The text of a Word document: paragraphs, headings, lists, tables, footnotes, text boxes, in reading order."""

import io
import re
import zipfile

from saiten.rag.knowledge.documents import NoText, Pieces
from saiten.rag.knowledge.html import visible_text

_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the signature of Word's binary files, and of encrypted ones
_MOST_XML = 64 << 20
_MOST_PARTS = 10_000
_BACK_LINK = re.compile(r' ?<a href="#(?:foot|end)note-ref-[^"]*">↑</a>')


def docx_pieces(data: bytes) -> Pieces:
    """Yield the text as one piece. Raises NoText, and ImportError without mammoth.

    Pending insertions are part of the text, deletions are not; headers, footers, comments and pictures are left out.
    """
    import mammoth  # type: ignore[import-untyped]  # noqa: PLC0415 - optional

    _check(data)
    page = mammoth.convert_to_html(io.BytesIO(data), convert_image=lambda _: []).value
    yield visible_text(_BACK_LINK.sub("", page))
    return None


def _check(data: bytes) -> None:
    """Check that it can be unpacked safely: nothing is unpacked beyond the size the archive declares."""
    if data.startswith(_COMPOUND):
        raise NoText(
            "is encrypted with a password, or an old Word document (.doc); save it as .docx without a password"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise NoText("is not a DOCX file, damaged, or cut off") from error
    xml = sum(part.file_size for part in parts if part.filename.lower().endswith((".xml", ".rels")))
    if xml > _MOST_XML or len(parts) > _MOST_PARTS:
        raise NoText(
            f"would unpack to {xml >> 20:,} MiB of XML in {len(parts):,} parts, and at most {_MOST_XML >> 20} MiB in "
            f"{_MOST_PARTS:,} parts are read; split it"
        )
    if not any(part.filename == "[Content_Types].xml" for part in parts):
        raise NoText("is a ZIP archive, but no DOCX")
