"""Sanitizing text from outside: characters that style, clear or reorder a terminal become visible signs."""

import re

_LINE_ENDS_AND_TABS = "\n\t"
_REORDERING = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
"""Marks that change the direction of the following text and so its apparent meaning."""

_CONTROLS = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in _LINE_ENDS_AND_TABS]
_SIGNS = dict.fromkeys([*_CONTROLS, *_REORDERING], "\ufffd") | {
    code: chr(0x2400 + code) for code in _CONTROLS if code < 0x20
}
_SIGNS[0x7F] = "\u2421"
_NO_TEXT = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Lone surrogates and noncharacters."""
_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *_REORDERING)}


def strip_controls(text: str) -> str:
    """Return the text with a sign for every control character but line ends and tabs: `␛` for ESC, `\ufffd` for C1.

    Japanese, emoji and everything else stay unchanged.
    """
    # Line ends of Windows and old files are plain line ends, not worth a sign.
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_SIGNS)


def clean(text: str) -> str:
    """Return the text without control characters, and with U+FFFD for what HTML and XML cannot contain."""
    return _NO_TEXT.sub("\ufffd", strip_controls(text))


def strip_controls_json(text: str) -> str:
    """Return equivalent JSON without characters that a terminal obeys; JSON itself escapes those below 0x20."""
    return text.translate(_ESCAPES)
