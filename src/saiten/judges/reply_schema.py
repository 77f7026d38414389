"""The JSON schema of a reply, as servers accept it."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from saiten.protocols import Reply
from saiten.records import Language
from saiten.tasks.described import JAPANESE

_KEPT = ("type", "enum", "const", "description", "anyOf")
"""Not bounds, lengths, formats and defaults, which servers refuse or ignore; grades are therefore enums."""


@cache
def schema_of(reply: type[Reply], language: Language) -> Mapping[str, Any]:
    """Return the schema: all fields required, no others allowed, hidden fields left out, definitions inlined.

    Its `title` is the type's name in snake case; descriptions are in the language of the prompt, if there is a
    translation. The result is shared; do not change it.

    Raises:
        TypeError: the reply contains itself, which needs references that servers do not accept.
    """
    whole = reply.model_json_schema()
    title = re.sub(r"(?<!^)(?=[A-Z])", "_", reply.__name__).lower()
    return {"title": title} | _strict(whole, whole.get("$defs", {}), language, within=())


def _strict(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], language: Language, within: tuple[str, ...]
) -> dict[str, Any]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name in within or name not in definitions:
            raise TypeError(f"{name} contains itself; a reply must be a tree of finite depth")
        return _strict(definitions[name], definitions, language, (*within, name)) | _description(schema, language)
    strict = {key: schema[key] for key in _KEPT if key in schema} | _description(schema, language)
    if "anyOf" in strict:
        strict["anyOf"] = [_strict(option, definitions, language, within) for option in strict["anyOf"]]
    if "items" in schema:
        strict["items"] = _strict(schema["items"], definitions, language, within)
    if schema.get("type") == "object":
        strict.pop("description", None)  # the class's docstring is for programmers
        shown = {name: field for name, field in schema.get("properties", {}).items() if not field.get("hidden")}
        strict["properties"] = {name: _strict(field, definitions, language, within) for name, field in shown.items()}
        strict["required"] = list(shown)
        strict["additionalProperties"] = False
    return strict


def _description(schema: Mapping[str, Any], language: Language) -> dict[str, Any]:
    translated = schema.get(JAPANESE) if language == "ja" else None
    return {"description": translated or schema["description"]} if "description" in schema else {}
