"""A worked example from the user's data for one-shot prompts, read from a small file.

    question = "Where may visitors park?"
    documents = ["Visitors park on the north side, for up to two hours.", "The gate closes at 22:00."]
    answer = "On the north side, for up to two hours."

TOML or JSON, by suffix; `candidate` (an answer to refine) and `candidates` (answers to aggregate) are optional. A step
with a single document gets the one that supports the answer, wherever it is in the list; any other would teach the
model to answer without support.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

from saiten.data.hand_written import Text, checked, read_file, where
from saiten.errors import ConfigurationError
from saiten.prompts import Example
from saiten.rag.steps import I_DO_NOT_KNOW, AggregateAnswers, AnswerFromDocuments, RefineAnswer, Step
from saiten.records import Language
from saiten.text.language import detect_language
from saiten.text.words import normalize, units_of, words_of


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


Texts = Annotated[tuple[Text, ...], BeforeValidator(_listed), Field(min_length=1)]
"""At least one text; one alone needs no list."""


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A question, documents, and the right answer."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    question: Text
    documents: Texts
    answer: Text
    candidate: Text | None = None
    """The answer to refine; by default one that does not know."""
    candidates: Texts | None = None
    """The answers to aggregate; by default the answer and one that does not know."""

    @property
    def language(self) -> Language:
        """The language of the example, as detected."""
        return detect_language(self.question, self.answer)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change with anything in it."""
        content = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    def examples(self, step: Step) -> tuple[Example, ...]:
        """Return the example in the form of this step's prompt; nothing for search queries."""
        unknown = I_DO_NOT_KNOW[self.language]
        match step:
            case AnswerFromDocuments(documents=documents):
                one = len(documents) == 1
                inputs: dict[str, str | int | tuple[str, ...]] = {
                    "documents": (self.carrying(),) if one else self.documents
                }
            case RefineAnswer():
                inputs = {"candidate": self.candidate or unknown, "document": self.carrying(self.candidate or "")}
            case AggregateAnswers():
                inputs = {"candidates": self.candidates or (self.answer, unknown)}
            case _:
                return ()
        return (Example({"question": self.question, **inputs}, self.answer),)

    def carrying(self, known: str = "") -> str:
        """Return the document that shares most with what the answer adds to `known`; the first of equals.

        If the answer adds nothing, return the one that shares most with the answer, then with the question.
        """
        known_units, answer, question = map(_units, (known, self.answer, self.question))

        def shared(document: str) -> tuple[int, int, int]:
            there = _units(document)
            return len((answer - known_units) & there), len(answer & there), len(question & there)

        return max(self.documents, key=shared)


def _units(text: str) -> set[str]:
    lowered = normalize(text).lower()
    return units_of(lowered) or words_of(lowered)  # *Yes.* has no content words


def read_example(file: Path) -> WorkedExample:
    """Read the example from a TOML or JSON file; a ConfigurationError says what is wrong and what was expected."""
    expected = "an example with question, documents and answer, in TOML or JSON"
    content = read_file(file, expected)
    try:
        return checked(WorkedExample, content)
    except ValueError as error:
        raise ConfigurationError(f"{where(file, error)}: {error}; expected {expected}") from error
