"""The fields of a reply that a model is to give, and the names it may give them."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

JAPANESE_KEYS: Mapping[str, tuple[str, ...]] = {
    "番号": ("number", "numbers"),
    "番号一覧": ("numbers",),
    "文番号": ("number", "numbers"),
    "理由": ("reason",),
    "説明": ("explanation",),
    "講評": ("feedback",),
    "フィードバック": ("feedback",),
    "判定": ("verdict", "correct", "useful"),
    "判定一覧": ("verdicts",),
    "評点": ("grade",),
    "点数": ("grade",),
    "正解": ("correct",),
    "正誤": ("correct",),
    "裏付け": ("supported", "verdict"),
    "有用": ("useful",),
    "必要": ("needed",),
    "はぐらかし": ("noncommittal",),
    "優れている方": ("better",),
    "優劣": ("better",),
    "主張": ("statements",),
    "文": ("statements",),
    "固有表現": ("entities",),
    "キーフレーズ": ("keyphrases",),
    "質問": ("question", "questions"),
    "回答": ("answer",),
    "参照回答": ("reference",),
    "状況": ("situation",),
    "引用": ("quotes",),
    "根拠": ("quotes",),
    "書かれていないこと": ("missing",),
    "誤った前提": ("premise",),
    "前提": ("premise",),
    "最初の質問": ("first_question",),
    "最初の回答": ("first_answer",),
    "明確": ("clear",),
    "回答可能": ("answered",),
    "一つ目": ("first",),
    "二つ目": ("second",),
    "コンテキスト": ("contexts",),
    "文章": ("text",),
    "趣旨": ("gist",),
    "補足": ("supplement",),
    "不足の趣旨": ("missing_gist",),
    "不足の補足": ("missing_supplement",),
    "余分な趣旨": ("extra_gist",),
    "余分な補足": ("extra_supplement",),
}
"""Keys in replies to Japanese prompts that are entirely in Japanese, and the fields that each may mean."""
WHY = ("reason", "explanation", "feedback")
"""Texts that give the reason for the rest of a reply; empty if left out."""
STAND_INS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(WHY, (*WHY, "rationale", "理由", "説明", "講評", "根拠")),
    "number": ("id", "index", "no", "no."),
}
"""Keys that mean a field if the object has no key for it; otherwise they mean nothing."""


@cache
def shown_fields(kind: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Return the fields requested from a model: all but the hidden ones."""
    return {name: field for name, field in kind.model_fields.items() if not _hidden(field)}


@cache
def needed_fields(kind: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields that a reply must have: all that are requested but reasons and texts that may be empty."""
    fields = shown_fields(kind)
    return tuple(name for name, field in fields.items() if name not in WHY and field.default != "")


@cache
def holds_lists(kind: type[BaseModel]) -> bool:
    """Return whether replies of this type consist of lists, and so may come in parts."""
    return any(get_origin(field.annotation) is list for field in shown_fields(kind).values())


@cache
def only_list(kind: type[BaseModel]) -> tuple[str, Any] | None:
    """Return the name and the item type of the reply's list if it is the only field; otherwise None."""
    fields = shown_fields(kind)
    if len(fields) != 1 or not holds_lists(kind):
        return None
    ((name, field),) = fields.items()
    return name, get_args(field.annotation)[0]


def _hidden(field: FieldInfo) -> bool:
    return isinstance(field.json_schema_extra, dict) and bool(field.json_schema_extra.get("hidden"))


def plain_key(key: str) -> str:
    """Return the key in lower case, half width and snake case."""
    return re.sub(r"[\s-]+", "_", unicodedata.normalize("NFKC", key).strip().casefold())


def names_of(key: str) -> tuple[str, ...]:
    """Return the fields that a key may mean, in any case and script."""
    plain = plain_key(key)
    return JAPANESE_KEYS.get(plain, (plain,))


def field_name(key: str, fields: Mapping[str, Any]) -> str | None:
    """Return the field that the key means; None if it means none."""
    return key if key in fields else next((name for name in names_of(key) if name in fields), None)
