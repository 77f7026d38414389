"""The schema that a model is held to."""

import json

import pytest
from pydantic import Field

from saiten.judges.reply_schema import schema_of
from saiten.protocols import Reply
from saiten.tasks import (
    aspects,
    contexts,
    correctness,
    critique,
    dialogue,
    gist,
    preference,
    similarity,
    statements,
    summaries,
)
from saiten.tasks.correctness import Grade
from saiten.tasks.statements import Classification

ROOMS = (aspects, contexts, correctness, critique, dialogue, gist, preference, similarity, statements, summaries)
REPLIES = sorted(
    {
        kind
        for room in ROOMS
        for kind in vars(room).values()
        if isinstance(kind, type) and issubclass(kind, Reply) and kind is not Reply
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
    schema = schema_of(reply, "en")
    written = json.dumps(schema)
    for word in ("$ref", "$defs", "minimum", "maximum", "minItems", "default", "hidden", "unclear", "evidence"):
        assert f'"{word}"' not in written
    assert list(objects(schema))
    for part in objects(schema):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])


def test_a_grade_is_an_enum_after_its_feedback():
    """Servers ignore bounds but honor enums; the review comes first, so that the grade follows from it."""
    assert schema_of(Grade, "en") == {
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
    item = schema_of(Classification, "en")["properties"]["answer"]["items"]
    assert list(item["properties"]) == ["number", "reason", "verdict"]


def descriptions(schema):
    """Every description in the schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            yield schema["description"]
        for part in schema.values():
            yield from descriptions(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from descriptions(part)


@pytest.mark.parametrize("reply", REPLIES)
def test_descriptions_are_in_the_language_of_the_prompt(reply):
    """No Japanese prompt comes with an English schema: each description has its Japanese, and nothing else differs."""
    english, japanese = (list(descriptions(schema_of(reply, language))) for language in ("en", "ja"))
    assert len(english) == len(japanese)
    assert all(text.isascii() or "…" in text for text in english)
    assert all(any(sign >= "ぁ" for sign in text) for text in japanese)
    one, other = (json.dumps(schema_of(reply, language)) for language in ("en", "ja"))
    for ours, theirs in zip(english, japanese, strict=True):
        one = one.replace(json.dumps(ours), json.dumps(theirs))
    assert one == other


class Nested(Reply):
    """A custom reply that nests and allows null."""

    inner: Grade | None = Field(description="a grade, if any")


class Endless(Reply):
    """A reply that contains itself."""

    more: "list[Endless]"


def test_a_custom_reply_may_nest_but_not_without_end():
    """Options are kept, with their definitions inlined; a reply that contains itself is refused by name."""
    schema = schema_of(Nested, "en")
    assert schema["properties"]["inner"]["anyOf"][0]["properties"]["grade"]["enum"] == [0, 1, 2, 3, 4, 5]
    with pytest.raises(TypeError, match="Endless contains itself"):
        schema_of(Endless, "en")
