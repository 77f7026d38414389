"""Text and Markdown files, whatever their encoding."""

import codecs
import io
import re

from saiten.data.encodings import detect_encoding
from saiten.errors import BadInput
from saiten.rag.knowledge.documents import NoText, Pieces, tidied

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its prefix
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_JIS = re.compile(rb"\x1b\$[@B]")
_FOREIGN = re.compile("[^\x00-\x7f]")
_CONTROL = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_LOOKED_AT = 1 << 16
_STRAY = 500
"""If fewer than one byte in this many is zero, they are accidents, not UTF-16 and not a binary file."""
_SAYING = {"utf-8": None, "utf-16": None, "utf-32": None, "cp932": "Shift_JIS", "euc_jp": "EUC-JP"}

BINARY = "is binary, not text"


def decoded(data: bytes, declared: str | None = None) -> tuple[str, str | None]:
    """Return the text, and a note if its encoding was guessed or does not fit throughout.

    A byte order mark decides, then the file's declaration (if it fits), then the bytes: UTF-8, ISO-2022-JP, Shift_JIS,
    EUC-JP, UTF-16 without a mark. English with a few odd bytes is read as Windows-1252, and UTF-8 with a few broken
    ones stays UTF-8; both are noted.

    Raises:
        NoText: the bytes are not text, or in none of these encodings.
    """
    text, note = _decoded(data, declared)
    start = text[:_LOOKED_AT]
    if len(_CONTROL.findall(start)) * 100 > len(start):
        raise NoText(BINARY)
    return text, note


def _decoded(data: bytes, declared: str | None) -> tuple[str, str | None]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _forgiving(data, encoding)
    if declared:
        try:
            return data.decode(declared), None
        except UnicodeDecodeError:
            pass  # the declaration is wrong
    if data[:_LOOKED_AT].count(0) * _STRAY > len(data[:_LOOKED_AT]):
        return _without_mark(data), "read as UTF-16, though it has no byte order mark"
    data = data.replace(b"\0", b"")
    if data.isascii() and _JIS.search(data):
        return data.decode("iso2022_jp", "replace"), "read as ISO-2022-JP"
    try:
        encoding, _ = detect_encoding(io.BufferedReader(io.BytesIO(data)), "it")
    except BadInput:
        return _western_or_broken(data)
    name = _SAYING.get(encoding, encoding)
    return data.decode(encoding, "replace"), name and f"read as {name}"


def _forgiving(data: bytes, encoding: str) -> tuple[str, str | None]:
    text = data.decode(encoding, "replace")
    broken = text.count("\ufffd")
    return text, f"{broken:,} characters are broken {encoding.upper()}; replaced by U+FFFD" if broken else None


def _without_mark(data: bytes) -> str:
    """Decode UTF-16, in which one byte of each ASCII character is zero, always on the same side."""
    start = data[:_LOOKED_AT]
    zeros = (start[::2].count(0), start[1::2].count(0))
    if min(zeros) > max(zeros) // 50:
        raise NoText(BINARY)
    try:
        text = data.decode("utf-16-le" if zeros[1] > zeros[0] else "utf-16-be")
    except UnicodeDecodeError:
        raise NoText(BINARY) from None
    strange = sum(not (c.isprintable() or c.isspace()) for c in text[:_LOOKED_AT])
    if strange * 100 > min(len(text), _LOOKED_AT):
        raise NoText(BINARY)
    return text


def _western_or_broken(data: bytes) -> tuple[str, str | None]:
    text, note = _forgiving(data, "utf-8")
    broken = text.count("\ufffd")
    sound = len(_FOREIGN.findall(text)) - broken
    if broken * 100 <= len(text) and broken <= sound:
        return text, note
    try:
        western = data.decode("cp1252")
    except UnicodeDecodeError:
        western = ""
    if western and len(_FOREIGN.findall(western)) * 20 <= len(western):
        return western, "read as Windows-1252, since it is neither UTF-8 nor Japanese"
    raise NoText(
        "is in none of the encodings tried (UTF-8, UTF-16, Shift_JIS, EUC-JP, ISO-2022-JP), or is not text; "
        "save it as UTF-8"
    )


_LONGEST_FRONT_MATTER = 1 << 16
_FRONT_MATTER = re.compile(r"\s*(---|\+\+\+)[ \t]*\n(.*?\n)?(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"[\w-]+[ \t]*[:=]", re.ASCII)
_TITLE = re.compile(r"""^title[ \t]*[:=][ \t]*(["']?)(\S.*?)\1[ \t]*$""", re.MULTILINE)


def text_pieces(data: bytes) -> Pieces:
    """Yield the text unchanged. Raises NoText."""
    text, note = decoded(data)
    yield tidied(text)
    return note


def markdown_pieces(data: bytes) -> Pieces:
    """Yield the text with its markup; YAML or TOML front matter is replaced by its title. Raises NoText."""
    text, note = decoded(data)
    text = tidied(text)
    found = _FRONT_MATTER.match(text, 0, _LONGEST_FRONT_MATTER)
    fields = found and found[2]
    if found and (fields is None or _FIELD.match(fields.lstrip())):
        title = _TITLE.search(fields or "")
        body = text[found.end() :]
        text = f"{title[2]}\n\n{body}" if title and title[2] not in body[:200] else body
    yield text
    return note
