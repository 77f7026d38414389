"""Descriptions of a reply's fields, in both languages of the prompts, where the prompt does not explain them."""

from typing import Any

from pydantic import Field

JAPANESE = "ja"
"""The key of the Japanese description in a field's JSON schema."""


def described(english: str, japanese: str, *, default: Any = ...) -> Any:
    """Return a field that a model fills in, as pydantic's Field does; its schema has one of the descriptions."""
    return Field(default=default, description=english, json_schema_extra={JAPANESE: japanese})
