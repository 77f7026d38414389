"""What an object is: the package and the name of its type, and its declared fields."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")

Kind = tuple[str, str]
"""A package, and the name of a type in it: `("haystack", "Document")`."""
Readers = Mapping[Kind, Callable[[Any], Any]]
"""How objects of a type, and of types derived from it, are read."""


def kinds_of(cls: type) -> tuple[Kind, ...]:
    """Return the kinds of a type and of those that it is derived from, the nearest first."""
    return tuple((each.__module__.partition(".")[0], each.__name__) for each in cls.__mro__)


def found_for(value: Any, table: Mapping[Kind, T]) -> T | None:
    """Return the entry for the nearest type of the value; None if there is none."""
    return next((table[kind] for kind in kinds_of(type(value)) if kind in table), None)


def declared_fields(value: Any) -> dict[str, Any] | None:
    """Return the declared fields of a pydantic model or a dataclass; None for any other object.

    Those of a model are taken from where pydantic keeps them, so that no property runs.
    """
    cls = type(value)
    if ("pydantic", "BaseModel") in kinds_of(cls):
        names = _fields_of_model(cls)
        stored = vars(value)
        return {name: stored[name] for name in names if name in stored}
    if is_dataclass(cls):
        missing: Any = object()
        found = {field.name: getattr(value, field.name, missing) for field in fields(cls)}
        return {name: item for name, item in found.items() if item is not missing}
    return None


def _fields_of_model(cls: type) -> Collection[str]:
    """Return the names of a model's fields: of pydantic 2.10 and later, of 2, or of 1."""
    places = ("__pydantic_fields__", "model_fields", "__fields__")
    return next((getattr(cls, place) for place in places if hasattr(cls, place)), ())


def type_name(value: Any) -> str:
    """Return the type as shown in messages: `haystack.Document`, `list`."""
    package, name = kinds_of(type(value))[0]
    return name if package == "builtins" else f"{package}.{name}"
