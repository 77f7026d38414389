"""Text from a file with one kind of line end and nothing in it that no reader can see or store."""

import re

_LINE_END = re.compile(r"\r\n?|\f")
_UNWANTED = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufeff\ufffe\uffff]")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def tidied(text: str) -> str:
    """The text with a line feed for every line end and page break, without control characters and byte order marks.

    Half a surrogate pair becomes U+FFFD, so that whatever comes after can encode the text.
    """
    text = _LINE_END.sub("\n", text)
    text = _UNWANTED.sub("", text)
    return _HALF_CHARACTER.sub("\ufffd", text)
