"""Detection of a text's language, by its letters alone."""

import re

from saiten.records import Language

_LOOKED_AT = 20_000  # maximum characters per text; the language shows early

_KANA_OR_HAN = re.compile(
    r"[\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]+"
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\uff21-\uff3a\uff41-\uff5a]+")
_NO_PROSE = re.compile(r"https?://[^\s\u3000-\u9fff]+|[\w.+-]{1,64}@[\w.-]{1,255}")
"""Addresses, which are Latin in either language."""


def detect_language(*texts: str) -> Language:
    """Return `ja` if kana and kanji carry at least as much of the text as Latin letters, else `en`.

    One kana or kanji counts as three Latin letters, about the ratio between a text and its translation: a Japanese
    sentence with product names stays Japanese, an English one quoting a Japanese word stays English. Text without
    either (numbers, symbols, nothing) is `en`. Chinese is taken for Japanese.
    """
    if all(map(str.isascii, texts)):
        return "en"
    japanese = latin = 0
    for text in texts:
        prose = text[:_LOOKED_AT]
        if "@" in prose or "://" in prose:
            prose = _NO_PROSE.sub(" ", prose)
        japanese += sum(map(len, _KANA_OR_HAN.findall(prose)))
        latin += sum(map(len, _LATIN.findall(prose)))
    return "ja" if japanese and 3 * japanese >= latin else "en"
