"""The items of a list in the forms that models give them, where only one meaning is possible.

A list may be keyed by number (`{"1": true, "2": false}`) or be JSON in a string; a verdict may have no number, and a
text may be in an object. Anything else is left for the type to refuse.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from saiten.judges.blocks import end_of_block
from saiten.judges.fields import STAND_INS, field_name, names_of, plain_key, shown_fields
from saiten.tasks.verdicts import Verdict

_LABEL = re.compile(
    r"[\[(#]{0,2}(?:(?:[sarq]|no\.?|item|statement|sentence|claim|question|unit|文|主張|項目|質問|単位|番号|第)"
    r"[ _:#-]{0,2})?(\d{1,6})(?:番目?|文|問)?[\]):.]{0,2}",
    re.IGNORECASE,
)
_UNITS = ("unit", "quote", "passage", "span", "単位", "箇所")
TEXT_KEYS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("statements", "first", "second"), ("statement", "claim", "fact", "sentence", "主張", "文")),
    **dict.fromkeys(("entities", "contexts", "text"), ("entity", "固有表現")),
    "keyphrases": ("keyphrase", "phrase", "keyword", "キーフレーズ", "語句"),
    "questions": ("question", "質問"),
    **dict.fromkeys(("gist", "supplement", "extra_gist", "extra_supplement"), _UNITS),
}
"""Keys of the text in an item of each list."""
_TEXT_OF_ANY = ("text", "content", "value", "item", "name", "テキスト", "内容", "名称", "名前")
_LABELS = {"type", "label", "category", "kind", "class", "種類", "種別", "分類", "番号", "number", *STAND_INS["number"]}
_ASIDE = {*_LABELS, *STAND_INS["reason"]}
"""Keys whose values are not the text of an item."""


def label_number(key: str) -> int | None:
    """Return the number of `1`, `S1`, `[1]`, `Statement 1`, `文1`; None for any other key."""
    found = _LABEL.fullmatch(unicodedata.normalize("NFKC", key).strip())
    return int(found[1]) if found else None


def is_keyed(value: Any) -> bool:
    """Return whether it is an object whose keys are all numbers."""
    return isinstance(value, dict) and bool(value) and all(label_number(key) is not None for key in value)


def from_string(value: Any) -> Any:
    """Return the list or object that a string contains as JSON; anything else unchanged."""
    text = value.strip() if isinstance(value, str) else ""
    if text[:1] in ("{", "[") and end_of_block(text, 0) == len(text):  # not nested too deeply either
        with suppress(ValueError):
            return json.loads(text, strict=False)
    return value


def items_of(value: Any, name: str, item: Any, count: int | None) -> Any:
    """Return the list that is meant, with verdicts and texts in their usual form; or the value unchanged.

    Args:
        value: The value of a field that is to be a list.
        name: The field.
        item: The type of an item.
        count: The number of verdicts needed; None if it is not known.
    """
    value = from_string(value)
    if item is Verdict:
        return _verdicts(value, count)
    if item is str:
        if is_keyed(value):
            value = _in_order(value)
        return [text_of(each, name) for each in value] if isinstance(value, list) else value
    return value


def _in_order(keyed: Mapping[str, Any]) -> Any:
    """Return the values in the order of their numbers; unchanged if one is missing or occurs twice."""
    numbered = sorted(((label_number(key) or 0, entry) for key, entry in keyed.items()), key=lambda pair: pair[0])
    first = numbered[0][0]
    whole = first in (0, 1) and [number for number, _ in numbered] == list(range(first, first + len(numbered)))
    return [entry for _, entry in numbered] if whole else keyed


def text_of(item: Any, name: str, *, generic: bool = True) -> Any:
    """Return the text in an object that has exactly one, next to numbers, types and reasons; else the item unchanged.

    `generic`: whether keys such as `text`, which say nothing about the list, count.
    """
    if not isinstance(item, dict):
        return item
    if generic and len(item) == 1 and is_keyed(item):
        return next(iter(item.values()))
    keys = TEXT_KEYS.get(name, ()) + (_TEXT_OF_ANY if generic else ())
    texts = []
    for key, entry in item.items():
        if plain_key(key) in keys:
            texts.append(entry)
        elif isinstance(entry, dict | list | bool) or (isinstance(entry, str) and plain_key(key) not in _ASIDE):
            return item
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else item


def is_verdict(value: Any) -> bool:
    """Return whether it is an object with a verdict."""
    return isinstance(value, dict) and any("verdict" in names_of(key) for key in value)


def number_given(item: Any) -> Any:
    """Return what an item gives as its number, in any form; None if it gives none."""
    if not isinstance(item, dict):
        return None
    names = shown_fields(Verdict)
    found = [entry for key, entry in item.items() if field_name(key, names) == "number"]
    found = found or [entry for key, entry in item.items() if plain_key(key) in STAND_INS["number"]]
    return found[0] if found else None


def _verdicts(value: Any, count: int | None) -> Any:
    if is_keyed(value):
        return [_numbered(key, entry) for key, entry in value.items()]
    if is_verdict(value):
        value = [value]
    if not isinstance(value, list):
        return value
    items = [from_string(item) for item in value]
    items = [_numbered(*next(iter(item.items()))) if is_keyed(item) and len(item) == 1 else item for item in items]
    if len(items) == count == 1 and is_verdict(items[0]) and number_given(items[0]) is None:
        return [_with_number(1, items[0])]
    if not items or not all(map(_unnumbered, items)):
        return items
    if len(items) != count:
        raise ValueError(f"unnumbered verdicts: expected {count or 0}, got {len(items)}; number each verdict")
    return [_with_number(n, item) for n, item in enumerate(items, 1)]


def _unnumbered(item: Any) -> bool:
    """Return whether it is a verdict that can only be meant by its place: `true`, `"○"`, or an object without more.

    A number can be an item's, and an object with another key may say there which item it is about.
    """
    if isinstance(item, dict):
        return is_verdict(item) and all(_is_of_verdict(key) for key in item) and number_given(item) is None
    return isinstance(item, bool) or (isinstance(item, str) and not any(map(str.isdecimal, item)))


def _is_of_verdict(key: str) -> bool:
    return "verdict" in names_of(key) or plain_key(key) in STAND_INS["reason"]


def _numbered(key: str, entry: Any) -> Mapping[str, Any]:
    """Return the verdict under this key; raises ValueError if it gives another number itself."""
    number, given = label_number(key), number_given(entry)
    if given is not None and given != number and label_number(str(given)) != number:
        raise ValueError(f"the verdict with the key {key[:40]!r} has another number; give each verdict one number")
    return _with_number(number or 0, entry)


def _with_number(number: int, entry: Any) -> Mapping[str, Any]:
    if not isinstance(entry, dict):
        return {"number": number, "verdict": entry}
    names = shown_fields(Verdict)
    return {key: each for key, each in entry.items() if field_name(key, names) != "number"} | {"number": number}


def given_numbers(items: Sequence[Any]) -> Sequence[Any]:
    """Return the numbers that items give, as text; without those that give none."""
    return [str(number) for item in items if (number := number_given(item)) is not None]
