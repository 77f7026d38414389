"""Quantities in Japanese sentences, with the words that ask for them: 30日 → 何日, 5,000円 → いくら."""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Blank(NamedTuple):
    """A part of a sentence, and what asks for it."""

    start: int
    end: int
    asking: str


_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?(?:[百千万億兆]+\d*(?:,\d{3})*)*"
_HOW_MUCH = ("円", "ドル", "ユーロ", "ポンド", "元", "ウォン")
_UNITS = (
    "営業日", "時間", "分間", "秒間", "日間", "週間", "か月間", "か月", "ヶ月", "カ月", "ヵ月", "箇月", "年間",
    "年度", "年生",
    "種類", "か所", "ヶ所", "カ所", "か国", "カ国", "段階", "文字", "品目", "項目", "世帯", "畳", "ページ", "ビット",
    "バイト", "ピクセル",
    "メートル", "キロメートル", "センチメートル", "ミリメートル", "センチ", "ミリ", "キロ", "キログラム", "グラム",
    "トン", "リットル", "ワット",
    "ボルト", "ヘクタール", "パーセント", "ポイント", "kWh", "kW", "kg", "mg", "km", "cm", "mm", "mL", "ml", "GB",
    "MB", "KB", "TB", "Hz",
    "kHz", "GHz", "dB", "kPa", "hPa", "㎡", "℃", "°C", "%", "g", "m", "L", "W", "V", "A", "t", "年", "月", "日", "時",
    "分", "秒", "週",
    "人", "名", "個", "件", "回", "台", "本", "枚", "歳", "才", "階", "倍", "度", "位", "社", "校", "点", "冊", "泊",
    "割", "頭", "匹", "席",
    "桁", "行", "色", "店", "室", "戸", "棟", "軒", "票", "曲", "話", "箱", "袋", "杯", "食", "錠", "滴", "周", "歩",
    "丁", "組", "班",
)  # fmt: skip
_UNIT = "|".join(map(re.escape, sorted((*_UNITS, *_HOW_MUCH, "つ"), key=len, reverse=True)))
_ONE = (
    rf"(?:(?P<date>(?:\d{{2,4}}年)?\d{{1,2}}月\d{{1,2}}日)|(?P<clock>\d{{1,2}}時(?:\d{{1,2}}分|半)?)(?!間)|"
    rf"(?P<month>\d{{4}}年\d{{1,2}}月)"
    rf"|(?P<long>\d+(?:年|時間|分)\d+(?:か月|ヶ月|カ月|分|秒))|(?P<number>{_NUMBER})\s?(?P<unit>{_UNIT}))"
)
_QUANTITY = re.compile(rf"(?<![\dA-Za-z.,\-/:#])(?:{_ONE})(?![A-Za-z目代])")
_FREQUENCY = re.compile(rf"(?<![\dA-Za-z]){_NUMBER}(?:日|週間|か月|ヶ月|カ月|年|時間)に\s?{_NUMBER}[回度](?:、)?")
_RATED = re.compile(r"(?:につき|あたり|当たり|ごとに?|に(?![はも])|の(?=うち)|(?=\d)|(?=最大|最長|最低|平均|約))")
"""After *one day*: per day, which is no answer."""
_RATE_UNITS = frozenset(
    {"日", "週", "週間", "か月", "年", "回", "時間", "人", "名", "件", "個", "泊", "台", "枚", "本", "分", "度"}
)
_LONE_UNITS = frozenset({"時間", "年", "円", "か月", "週間", "日", "年間", "ドル", "kg", "m", "L", "km"})
"""Units that make even *one* an answer; 1つ and 1回 are hardly ever what a sentence says."""
_LISTED = re.compile(r"[・、〜～~/／やと]$|(?:または|もしくは|および|及び|か|から)$")
_LISTING = re.compile(
    rf"(?:[・、〜～~/／]|または|もしくは|および|及び|[やとか])\s?\d|から\s?{_NUMBER}(?!.{{0,8}}(?:まで|の間))|(?:の|"
    rf"分の)\d|:\d"
)


def gaps(sentence: str) -> Iterator[Blank]:
    """Yield the quantities that a question can ask for, in order, without members of lists and rates (1人あたり)."""
    taken: list[tuple[int, int]] = []
    for found in _FREQUENCY.finditer(sentence):
        taken.append(found.span())
        yield Blank(
            found.start(),
            found.end(),
            "どのくらいの頻度で" if not re.match("[のでだ]", sentence[found.end() :]) else "どのくらいの頻度",
        )
    for found in _QUANTITY.finditer(sentence):
        if any(start <= found.start() < end for start, end in taken):
            continue
        if _is_listed(sentence, found) or _is_rate(sentence, found) or sentence.startswith("つの", found.end() - 1):
            continue
        yield Blank(found.start(), found.end(), _asking(found))


def _is_listed(sentence: str, found: re.Match[str]) -> bool:
    """Return whether it is one of several: 2・4・8時間, 5%から10%; 9時から17時まで is asked for by its end."""
    if _LISTING.match(sentence, found.end()):
        return True
    before = _LISTED.search(sentence, 0, found.start())
    if before is None or not re.search(r"\d[^\d、。]{0,6}$", sentence[: before.start()]):
        return False
    return before.group() != "から" or not re.match("まで|の間", sentence[found.end() :])


def _is_rate(sentence: str, found: re.Match[str]) -> bool:
    if found["number"] not in {"1", "一"}:
        return False
    return found["unit"] not in _LONE_UNITS or (
        found["unit"] in _RATE_UNITS and bool(_RATED.match(sentence, found.end()))
    )


def _asking(found: re.Match[str]) -> str:
    if found["date"]:
        return "何年何月何日" if "年" in found["date"] else "何月何日"
    if found["clock"]:
        return "何時"
    if found["month"]:
        return "何年何月"
    if found["long"]:
        return "どのくらい" if "年" in found["long"] else "何時間何分" if "時間" in found["long"] else "何分何秒"
    if found["unit"] in _HOW_MUCH:
        return "いくら"
    return "いくつ" if found["unit"] == "つ" else f"何{found['unit']}"
