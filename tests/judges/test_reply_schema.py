"""The schema that a model is held to."""

import json

import pytest
from pydantic import Field

from saiten.judges.reply_schema import schema_of
from saiten.protocols import Reply, Task
from saiten.tasks import contexts, correctness, statements
from saiten.tasks.correctness import Grade
from saiten.tasks.statements import Classification

ROOMS = (contexts, correctness, statements)
REPLIES = sorted(
    {
        kind.reply
        for room in ROOMS
        for kind in vars(room).values()
        if isinstance(kind, type) and issubclass(kind, Task) and kind is not Task
    },
    key=lambda reply: reply.__name__,
)


def objects(schema):
    """Every object schema within the schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part)


@pytest.mark.parametrize("reply", REPLIES)
def test_every_reply_has_a_schema_that_strict_servers_take(reply):
    """All fields are required, no others allowed, without references, bounds or hidden fields."""
    schema = schema_of(reply)
    written = json.dumps(schema)
    for word in ("$ref", "$defs", "minimum", "maximum", "minItems", "default", "hidden", "unclear", "evidence"):
        assert f'"{word}"' not in written
    assert list(objects(schema))
    for part in objects(schema):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])


def test_a_grade_is_an_enum_after_its_feedback():
    """Servers ignore bounds but honor enums; the review comes first, so that the grade follows from it."""
    assert schema_of(Grade) == {
        "title": "grade",
        "type": "object",
        "properties": {
            "feedback": {"type": "string", "description": "a review of the answer by the rubric alone, in prose"},
            "grade": {"type": "integer", "enum": [0, 1, 2, 3, 4, 5]},
        },
        "required": ["feedback", "grade"],
        "additionalProperties": False,
    }


def test_nested_definitions_are_inlined():
    """A list of verdicts includes the verdict's schema, without the fields that only a judge fills in."""
    item = schema_of(Classification)["properties"]["answer"]["items"]
    assert list(item["properties"]) == ["number", "reason", "verdict"]


class Nested(Reply):
    """A custom reply that nests and allows null."""

    inner: Grade | None = Field(description="a grade, if any")


class Endless(Reply):
    """A reply that contains itself."""

    more: "list[Endless]"


def test_a_custom_reply_may_nest_but_not_without_end():
    """Options are kept, with their definitions inlined; a reply that contains itself is refused by name."""
    schema = schema_of(Nested)
    assert schema["properties"]["inner"]["anyOf"][0]["properties"]["grade"]["enum"] == [0, 1, 2, 3, 4, 5]
    with pytest.raises(TypeError, match="Endless contains itself"):
        schema_of(Endless)
