"""An answer with what its object holds in addition."""

from collections.abc import Iterable, Mapping
from typing import Any


class Answered(str):  # noqa: SLOT000 - a text with attributes
    """An answer with the contexts and the question that its object holds; it can be wherever a text can be."""

    contexts: tuple[Any, ...] | None = None
    """None: unknown."""
    question: Any = None

    @classmethod
    def of(cls, text: str, contexts: Iterable[Any] | None, question: Any = None) -> "Answered":
        """Return the answer with its contexts and its question."""
        made = cls(text)
        made.contexts = None if contexts is None else tuple(contexts)
        made.question = question
        return made

    def beside(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row's fields, and those of the object that the row does not have itself."""
        own = {"contexts": self.contexts, "question": self.question}
        more = {field: value for field, value in own.items() if value is not None and found.get(field) is None}
        return {**found, **more, "answer": str(self)}
