"""The text layer of a PDF, read with PDFium: pages in order, lines as on the page.

Two effects of page layout are undone: words hyphenated at the end of a line, and Japanese sentences broken over several
lines (Japanese breaks lines inside words, so searches would miss them).
"""

import re
import unicodedata
from typing import Any

from saiten.rag.knowledge.documents import NoText, Pieces, tidied

_REFUSALS = {  # FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of PDFium's fpdfview.h
    4: "is encrypted with a password; save it without one",
    5: "is encrypted in a way that cannot be read; save it without",
}

_PARTED = re.compile(r"(?P<before>\w?)[\x02\ufffe](?:\r?\n)?(?P<after>\w?)")
_LIKENESS = re.compile("[\u2e80-\u2fdf\ufb00-\ufb06]+")
"""Radicals that fonts use for kanji (⼈ for 人), and ligatures."""
_UNKNOWN = re.compile("[\ufffd\ue000-\uf8ff]")
_WIDE = re.compile("[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\uffe0-\uffe6]")
_RUNS_ON = re.compile("[\u3005\u3041-\u30ff\u3400-\u9fff、，]$")
_GOES_ON = re.compile("[\u3005\u3041-\u309f\u30a1-\u30fa\u30fc\u3400-\u9fff、。，）」』]")
_MOST_PAGES = 100_000
"""A file of a few megabytes can claim any number of pages, all of them the same object."""
_FULL = 0.85
_PROSE = 30  # Columns, two per kanji: if no line is wider, the page is a list or a table


def pdf_pieces(data: bytes) -> Pieces:
    """Yield the pages with text, separated by empty lines. Raises NoText, and ImportError without pypdfium2."""
    import pypdfium2  # type: ignore[import-untyped]  # noqa: PLC0415 - optional

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise NoText(_REFUSALS.get(error.err_code, "is not a PDF file, damaged, or cut off")) from error
    pages = len(document)
    if pages > _MOST_PAGES:
        raise NoText(f"has {pages:,} pages, and at most {_MOST_PAGES:,} are read; split it")
    blank = broken = letters = unknown = 0
    for number in range(pages):
        try:
            text = page_text(_layer(document, number))
        except pypdfium2.PdfiumError:
            broken += 1
            continue
        if not text.strip():
            blank += 1
            continue
        letters += len(text)
        unknown += len(_UNKNOWN.findall(text))
        yield f"{text.strip()}\n\n"
    document.close()
    if not letters:
        raise NoText(_nothing(pages, broken))
    if unknown * 2 > letters:
        raise NoText("its fonts do not say which letters they draw, so its text cannot be read; OCR can help")
    return _note(pages, blank, broken, unknown / letters)


def page_text(layer: str) -> str:
    """Return a page's text from its text layer, as given by PDFium."""
    text = _PARTED.sub(_joined, layer)
    text = tidied(_LIKENESS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text))
    lines = text.split("\n")
    widths = [len(line) + len(_WIDE.findall(line)) for line in lines]
    widest = max(widths)
    if widest < _PROSE:
        return text
    parts = [lines[0]]
    for before, width, line in zip(lines, widths, lines[1:], strict=False):
        runs_on = width >= _FULL * widest and _RUNS_ON.search(before) and _GOES_ON.match(line)
        parts.append(line if runs_on else f"\n{line}")
    return "".join(parts)


def _layer(document: Any, number: int) -> str:
    page = document[number]
    layer = page.get_textpage()
    text: str = layer.get_text_bounded()
    layer.close()
    page.close()
    return text


def _joined(found: re.Match[str]) -> str:
    """Join a divided word, keeping the hyphen only if what follows shows that it belongs there."""
    before, after = found["before"], found["after"]
    return before + ("" if before.islower() and after.islower() else "-") + after


def _nothing(pages: int, broken: int) -> str:
    if not pages or broken == pages:
        return "is damaged: no page of it can be read"
    counted = "1 page" if pages == 1 else f"{pages:,} pages"
    return f"has no text layer ({counted}): it was scanned or drawn; OCR (for example ocrmypdf) can add one"


def _note(pages: int, blank: int, broken: int, unknown: float) -> str | None:
    notes = [
        f"{blank:,} of {pages:,} pages have no text layer" if blank else "",
        f"{broken:,} of {pages:,} pages are damaged" if broken else "",
        f"{unknown:.0%} of its characters are unknown, for its fonts do not name them" if unknown > 0.02 else "",
    ]
    return "; ".join(filter(None, notes)) or None
