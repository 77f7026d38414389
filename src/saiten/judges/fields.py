"""The fields of a reply that a model is to give, and the names it may give them."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

JAPANESE_KEYS = {
    "番号": "number",
    "番号一覧": "numbers",
    "理由": "reason",
    "判定": "verdict",
    "説明": "explanation",
    "講評": "feedback",
    "フィードバック": "feedback",
    "評点": "grade",
    "点数": "grade",
    "正解": "correct",
    "正誤": "correct",
    "有用": "useful",
    "質問": "questions",
    "固有表現": "entities",
    "趣旨": "gist",
    "補足": "supplement",
}
"""Keys in replies to Japanese prompts that are entirely in Japanese."""


def shown_fields(kind: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields requested from a model: all but the hidden ones."""
    return {name: field for name, field in kind.model_fields.items() if not _hidden(field)}


def holds_lists(kind: type[BaseModel]) -> bool:
    """Return whether replies of this type consist of lists, and so may come in parts."""
    return any(get_origin(field.annotation) is list for field in shown_fields(kind).values())


def _hidden(field: FieldInfo) -> bool:
    return isinstance(field.json_schema_extra, dict) and bool(field.json_schema_extra.get("hidden"))


def field_name(key: str, fields: Mapping[str, Any]) -> str | None:
    """Return the field that the key means, in any case and script; None if it means none."""
    if key in fields:
        return key
    plain = re.sub(r"[\s-]+", "_", unicodedata.normalize("NFKC", key).strip().casefold())
    plain = JAPANESE_KEYS.get(plain, plain)
    return plain if plain in fields else None
