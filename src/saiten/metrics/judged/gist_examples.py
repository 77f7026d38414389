"""Few-shot examples for `gist`, from the user's TOML file; checked by the same rules as a judge's replies.

[[examples]]
language = "en"
question = "By when do I have to hand in travel expenses?"
reference = "By the 10th of the following month. The form is new."
gist = ["By the 10th of the following month."]
supplement = ["The form is new."]
answer = "Before the month ends."            # from here on optional: the second step
missing_gist = [1]                           # numbers, counted from 1 within the list
missing_supplement = [1]
extra_gist = ["Before the month ends."]      # words of the answer
extra_supplement = []
"""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from itertools import chain
from pathlib import Path
from typing import Any, get_args

from saiten.errors import ConfigurationError
from saiten.records import Language
from saiten.tasks.gist import GistExample
from saiten.tasks.unit_numbers import positions_of
from saiten.text.partition import lay_out

_TEXTS = ("language", "question", "reference", "answer")
_FIELDS = {field.name: field.default is MISSING for field in fields(GistExample)}


def read_examples(file: Path) -> tuple[GistExample, ...]:
    """Read the examples, at least one.

    Raises:
        ConfigurationError: naming file and example, what is wrong and what was expected.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{file}: the examples of gist cannot be read: {error.strerror}") from error
    except ValueError as error:  # tomllib's and unicode's errors are ValueErrors
        raise ConfigurationError(f"{file}: not a TOML file: {error}") from error
    tables = content.get("examples")
    if set(content) != {"examples"} or not isinstance(tables, list) or not tables:
        found = ", ".join(content) or "nothing"
        raise ConfigurationError(f"{file}: expected nothing but tables [[examples]], at least one; found {found}")
    examples = []
    for number, table in enumerate(tables, 1):
        try:
            examples.append(_example(table))
        except ValueError as error:
            raise ConfigurationError(f"{file}: example {number}: {error}") from error
    return tuple(examples)


def _example(table: Any) -> GistExample:
    if not isinstance(table, Mapping):
        raise ValueError(f"expected a table, got {table!r:.40}")  # noqa: TRY004 - reported with the file's name
    if unknown := [key for key in table if key not in _FIELDS]:
        raise ValueError(f"unknown key {unknown[0]!r}; known are {', '.join(_FIELDS)}")
    if lacking := [name for name, required in _FIELDS.items() if required and name not in table]:
        raise ValueError(f"{lacking[0]!r} is missing")
    example = GistExample(**{key: _value(key, value) for key, value in table.items()})
    if example.language not in get_args(Language):
        raise ValueError(f"language is one of {', '.join(get_args(Language))}, not {example.language!r}")
    later = [name for name in ("missing_gist", "missing_supplement", "extra_gist", "extra_supplement") if name in table]
    if example.answer is None and later:
        raise ValueError(f"{later[0]!r} is about an answer, and there is none")
    _check(example)
    return example


def _value(key: str, value: Any) -> Any:
    if key in _TEXTS:
        if not isinstance(value, str) or (key != "answer" and not value.strip()):
            raise ValueError(f"{key!r} must be a text, not {value!r:.40}")
        return value
    kind = int if key.startswith("missing") else str
    if not isinstance(value, list) or not all(isinstance(item, kind) and item is not True for item in value):
        what = "numbers of units, such as [1, 2]" if kind is int else "texts"
        raise ValueError(f"{key!r} must be a list of {what}, not {value!r:.40}")
    return tuple(value)


def _check(example: GistExample) -> None:
    """Raises ValueError if the example would teach a judge something wrong."""
    layouts = [lay_out(example.reference, {"gist": example.gist, "supplement": example.supplement}, whole=True)]
    if example.answer is not None:
        extra = {"extra_gist": example.extra_gist, "extra_supplement": example.extra_supplement}
        layouts.append(lay_out(example.answer, extra, whole=False))
    for layout in layouts:
        for fault in layout.faults:
            raise ValueError(fault)
        for one in chain(*layout.units.values()):
            if one.how == "fuzzy":
                raise ValueError(f"{one.text[:60]!r} does not stand in the text word for word; copy its words")
    positions_of(example.missing_gist, example.gist, "gist unit")
    positions_of(example.missing_supplement, example.supplement, "supplement unit")
