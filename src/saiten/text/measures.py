"""One spelling for units and the like around numbers: 3,776メートル becomes 3,776 m, 2ヶ月 2か月, 二〇二四年 2024年.

Written-out units of measure are runs of katakana, which count as names: a statement with メートル would contain a name
missing from contexts with `m`. Only what directly follows a number is changed; キロ stays, as it may be either of two
units.
"""

import re

_SYMBOLS = {
    "キロメートル": "km", "センチメートル": "cm", "センチ": "cm", "ミリメートル": "mm", "メートル": "m",
    "キログラム": "kg", "ミリグラム": "mg", "グラム": "g",
    "ミリリットル": "ml", "デシリットル": "dl", "リットル": "l",
    "キロワット": "kw", "ワット": "w", "ボルト": "v", "デシベル": "db",
    "ギガヘルツ": "ghz", "メガヘルツ": "mhz", "キロヘルツ": "khz", "ヘルツ": "hz",
    "キロカロリー": "kcal", "カロリー": "cal", "ヘクタール": "ha",
    "テラバイト": "tb", "ギガバイト": "gb", "メガバイト": "mb", "キロバイト": "kb",
    "パーセント": "%",
}  # fmt: skip
_LETTERS = sorted({symbol for symbol in _SYMBOLS.values() if symbol != "%"}, key=len, reverse=True)
_SQUARES = {"2": "平方", "3": "立方"}
_COUNTED = "月所国年条店"  # What か counts, in all its spellings: 2か月, 2ヶ月, 2カ月, 2箇月

_MEASURE = re.compile(
    r"(?<=[\d十百千万億兆]) ?(?:"
    rf"(?P<power>平方|立方)?(?P<written>{'|'.join(_SYMBOLS)})(?![ァ-ヺー])"
    rf"|(?P<raised>[kcm]?m)(?P<exponent>[23])(?![0-9])|(?P<area>平米)"
    rf"|(?P<symbol>(?i:{'|'.join(_LETTERS)}))(?![A-Za-z0-9])"
    rf"|(?P<percent>%)|[ヶケカヵ箇](?P<counted>[{_COUNTED}])|(?P<age>才)(?![一-鿿])"
    r")"
)

_YEAR = re.compile("(?<![〇一二三四五六七八九])[一二][〇一二三四五六七八九]{3}(?=年)")
_KANJI_DIGITS = str.maketrans("〇一二三四五六七八九", "0123456789")
_WAVES = str.maketrans("〜", "~")  # ～ and 〜 are used interchangeably, but NFKC maps only the first to ~


def one_spelling(normalized: str) -> str:
    """Write units of measure as symbols in lower case, separated from the number as in English."""
    years = _YEAR.sub(lambda found: found.group().translate(_KANJI_DIGITS), normalized)
    return _MEASURE.sub(_symbol, years.translate(_WAVES))


def _symbol(found: re.Match[str]) -> str:
    if found["counted"]:
        return "か" + found["counted"]
    if found["age"]:
        return "歳"
    if found["percent"] or found["written"] == "パーセント":
        return "%"
    if found["written"]:
        return f" {found['power'] or ''}{_SYMBOLS[found['written']]}"
    if found["raised"]:
        return f" {_SQUARES[found['exponent']]}{found['raised']}"
    return " 平方m" if found["area"] else f" {found['symbol'].lower()}"
