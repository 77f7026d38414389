"""The JSON schema of a reply, as servers accept it."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from saiten.protocols import Reply

_KEPT = ("type", "enum", "const", "description", "anyOf")
"""Not bounds, lengths, formats and defaults, which servers refuse or ignore; grades are therefore enums."""


@cache
def schema_of(reply: type[Reply]) -> Mapping[str, Any]:
    """Return the schema: all fields required, no others allowed, hidden fields left out, definitions inlined.

    Its `title` is the type's name in snake case. The result is shared; do not change it.

    Raises:
        TypeError: the reply contains itself, which needs references that servers do not accept.
    """
    whole = reply.model_json_schema()
    title = re.sub(r"(?<!^)(?=[A-Z])", "_", reply.__name__).lower()
    return {"title": title} | _strict(whole, whole.get("$defs", {}), within=())


def _strict(schema: Mapping[str, Any], definitions: Mapping[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name in within or name not in definitions:
            raise TypeError(f"{name} contains itself; a reply must be a tree of finite depth")
        described = {"description": schema["description"]} if "description" in schema else {}
        return _strict(definitions[name], definitions, (*within, name)) | described
    strict = {key: schema[key] for key in _KEPT if key in schema}
    if "anyOf" in strict:
        strict["anyOf"] = [_strict(option, definitions, within) for option in strict["anyOf"]]
    if "items" in schema:
        strict["items"] = _strict(schema["items"], definitions, within)
    if schema.get("type") == "object":
        strict.pop("description", None)  # the class's docstring is for programmers
        shown = {name: field for name, field in schema.get("properties", {}).items() if not field.get("hidden")}
        strict["properties"] = {name: _strict(field, definitions, within) for name, field in shown.items()}
        strict["required"] = list(shown)
        strict["additionalProperties"] = False
    return strict
