"""Sanitizing text from outside: characters that style, clear or reorder a terminal become visible signs."""

import json
import re
from typing import Any

_REORDERING = "\u202a-\u202e\u2066-\u2069"
"""Marks that change the direction of the following text and so its apparent meaning."""
_CONTROLS = f"\x00-\x08\x0b-\x1f\x7f-\x9f{_REORDERING}"
"""These and all control characters but line ends and tabs."""
_NO_TEXT = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
"""Lone surrogates and noncharacters."""
_STRIPPED, _CLEANED = re.compile(f"[{_CONTROLS}]"), re.compile(f"[{_CONTROLS}{_NO_TEXT}]")
_ESCAPED = re.compile(f"[\x7f-\x9f{_REORDERING}]")


def strip_controls(text: str) -> str:
    """Return the text with a sign for every control character but line ends and tabs: `␛` for ESC, `\ufffd` for C1.

    Japanese, emoji and everything else stay unchanged.
    """
    return _STRIPPED.sub(_sign, _plain_line_ends(text))


def clean(text: str) -> str:
    """Return the text without control characters, and with U+FFFD for what HTML and XML cannot contain."""
    return _CLEANED.sub(_sign, _plain_line_ends(text))


def json_text(value: Any) -> str:
    """Return indented JSON without characters that a terminal obeys; JSON itself escapes those below 0x20."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _plain_line_ends(text: str) -> str:
    """Convert the line ends of Windows and old files, which are not worth a sign."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
