"""Detection of a CSV file's encoding: UTF-8, UTF-16, or one of two still used by Japanese spreadsheets."""

import codecs
import io
import re

from saiten.data.opening import chunks_of, pushed_back
from saiten.errors import BadInput

_PIPE_SAMPLE = 1 << 20  # bytes examined of a pipe, which cannot be read twice
_JUDGED = 1 << 18  # characters examined for looking Japanese

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_JAPANESE = ("cp932", "euc_jp")

_FOREIGN = re.compile(r"[^\x00-\x7f]")
_RUN = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff01-\uff5e]{2,}")
"""Two or more kana, kanji or full-width characters in a row. Western text misread as Shift_JIS gives single kanji,
EUC-JP misread as Shift_JIS gives half-width kana, so neither passes for Japanese."""


def detect_encoding(stream: io.BufferedReader, name: str) -> tuple[str, io.BufferedReader]:
    """Return the encoding, and the stream reset to its beginning; raises BadInput if none fits.

    A byte order mark decides. Without one, the whole file (or the first MiB of a pipe) is tried as UTF-8, then as
    Shift_JIS (cp932) and EUC-JP, where it must also look Japanese.
    """
    start = stream.peek(4)
    for mark, encoding in _BOMS:
        if start.startswith(mark):
            return encoding, stream
    if stream.seekable():
        at = stream.tell()
        encoding = _decide(stream, name)
        stream.seek(at)
        return encoding, stream
    sample = stream.read(_PIPE_SAMPLE)
    return _decide(io.BufferedReader(io.BytesIO(sample)), name), pushed_back(sample, stream)


def _decide(stream: io.BufferedReader, name: str) -> str:
    at = stream.tell()
    start = stream.peek(4096)[:4096]
    if b"\x00" in start:  # UTF-16 without a mark: ASCII characters have a zero byte, always on the same side
        return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
    if _read_as("utf-8", stream) is not None:
        return "utf-8"
    shares = {}
    for encoding in _JAPANESE:
        stream.seek(at)
        text = _read_as(encoding, stream)
        shares[encoding] = 0.0 if text is None else _japanese_share(text)
    best = max(_JAPANESE, key=lambda encoding: shares[encoding])
    if shares[best] <= 0.5:
        raise BadInput(
            f"{name} is in none of the encodings tried: UTF-8, UTF-16, Shift_JIS (cp932), EUC-JP; save it as UTF-8, "
            f"for example with `iconv -f ENCODING -t UTF-8 {name}`"
        )
    return best


def _read_as(encoding: str, stream: io.BufferedReader) -> str | None:
    """Return the beginning of the non-ASCII text; None if the bytes do not fit, except for a truncated last letter."""
    decoder = codecs.getincrementaldecoder(encoding)()
    kept = ""
    try:
        for text in map(decoder.decode, chunks_of(stream)):
            if len(kept) < _JUDGED and not text.isascii():
                kept += text
    except UnicodeDecodeError:
        return None
    return kept[:_JUDGED]


def _japanese_share(text: str) -> float:
    foreign = len(_FOREIGN.findall(text))
    return sum(map(len, _RUN.findall(text))) / foreign if foreign else 0.0
