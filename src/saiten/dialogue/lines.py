"""Dialogues as lines of `dialogues.jsonl`, and back; what has its default is left out."""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from saiten.dialogue.dialogue import Dialogue, DialogueStep, Leak
from saiten.dialogue.scores import HIGHEST
from saiten.records import Passage, Retrieved, Usage

T = TypeVar("T")


def dialogue_to_json(dialogue: Dialogue) -> dict[str, Any]:
    """The dialogue with everything that was said; its grades and scores stand beside, for readers of the file."""
    scores = {name: score for name, score in dialogue.scores.items() if score is not None}
    return {"id": dialogue.id, "grades": list(dialogue.grades), **scores, **_plain(dialogue)}


def dialogue_from_json(value: Mapping[str, Any]) -> Dialogue:
    """The dialogue; raises ValueError where the object is none."""
    try:
        return _checked(_dialogue(value))
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"it is no dialogue: {error!r}") from error


def _checked(dialogue: Dialogue) -> Dialogue:
    """So that whoever reads on need not ask again whether a grade is a number."""
    if not _fits(Dialogue)(dialogue) or dialogue.max_turns < 1:
        raise ValueError("it is no dialogue: a field has another type")
    if any(not 0 <= grade <= HIGHEST for grade in dialogue.grades):
        raise ValueError(f"it is no dialogue: a grade lies between 0 and {HIGHEST}")
    dialogue.scores  # noqa: B018 - raises where there are too many grades, or none
    return dialogue


@cache
def _fits(hint: Any) -> Callable[[Any], bool]:
    """A test of values by a type as the records have them: one file was damaged, or written by somebody else."""
    arguments = get_args(hint)
    if get_origin(hint) is Literal:
        return arguments.__contains__
    if get_origin(hint) in {Union, UnionType}:
        one_of = [_fits(each) for each in arguments]
        return lambda value: any(fits(value) for fits in one_of)
    if get_origin(hint) is tuple:
        each_fits = _fits(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(each_fits, value))
    if is_dataclass(hint):
        by_name = [(name, _fits(each)) for name, each in get_type_hints(hint).items()]
        return lambda value: all(fits(getattr(value, name)) for name, fits in by_name)
    if hint is float:
        return lambda value: isinstance(value, int | float) and math.isfinite(value)
    return lambda value: isinstance(value, hint)


def _dialogue(value: Mapping[str, Any]) -> Dialogue:
    evidence = value.get("evidence") or {}
    made: Dialogue = _made(
        Dialogue,
        value,
        steps=tuple(_step(step) for step in value["steps"]),
        leak=_made(Leak, {"share": None, **(value.get("leak") or {})}),
        evidence=Retrieved(_passages(evidence.get("passages")) or (), _made(Usage, evidence.get("usage") or {})),
        lost=_made(Usage, value.get("lost") or {}),
    )
    return made


def _step(value: Mapping[str, Any]) -> DialogueStep:
    step: DialogueStep = _made(
        DialogueStep, value, contexts=_passages(value.get("contexts")), usage=_made(Usage, value.get("usage") or {})
    )
    return step


def _passages(values: Any) -> tuple[Passage, ...] | None:
    return None if values is None else tuple(_made(Passage, value) for value in values)


def _plain(record: Any) -> dict[str, Any]:
    """The fields that do not have their default, records within records likewise."""
    found = {}
    for field in fields(record):
        value = getattr(record, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if value != default:
            found[field.name] = _ready(value)
    return found


def _ready(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_ready(each) for each in value]
    return _plain(value) if is_dataclass(value) else value


def _made(kind: type[T], value: Mapping[str, Any], **given: Any) -> T:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    rest = {name: tuple(each) if isinstance(each, list) else each for name, each in value.items() if name in known}
    return kind(**(rest | given))
