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
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from saiten.errors import BadInput
from saiten.prompts import Example
from saiten.rag.steps import I_DO_NOT_KNOW, AggregateAnswers, AnswerFromDocuments, RefineAnswer, Step
from saiten.records import Language
from saiten.text.language import detect_language
from saiten.text.words import normalise, units_of, words_of

_LARGEST = 1_000_000
"""Bytes; a larger file must be a data set, given by mistake."""


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """A question, documents, and the right answer."""

    question: str
    documents: tuple[str, ...]
    answer: str
    candidate: str | None = None
    """The answer to refine; by default one that does not know."""
    candidates: tuple[str, ...] | None = None
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
    lowered = normalise(text).lower()
    return units_of(lowered) or words_of(lowered)  # *Yes.* has no content words


def read_example(file: Path) -> WorkedExample:
    """Read the example from a TOML or JSON file.

    Raises:
        BadInput: the file is unreadable or no example; the message names the file and what was expected.
    """
    content = _content(file)
    known = [field.name for field in fields(WorkedExample)]
    if unknown := sorted(set(content) - set(known)):
        raise BadInput(f"{file}: has {', '.join(unknown)}; an example has {', '.join(known)}")
    if lacking := [name for name in ("question", "documents", "answer") if name not in content]:
        raise BadInput(f"{file}: lacks {', '.join(lacking)}; an example has a question, documents and an answer")
    return WorkedExample(
        question=_text(content["question"], "question", file),
        documents=_texts(content["documents"], "documents", file),
        answer=_text(content["answer"], "answer", file),
        candidate=_text(content["candidate"], "candidate", file) if "candidate" in content else None,
        candidates=_texts(content["candidates"], "candidates", file) if "candidates" in content else None,
    )


def _content(file: Path) -> Mapping[str, Any]:
    kind = file.suffix.lower()
    if kind not in {".toml", ".json"}:
        raise BadInput(f"{file}: expected a file that ends in .toml or .json, with question, documents and answer")
    try:
        with file.open("rb") as stream:
            raw = stream.read(_LARGEST + 1)
        if len(raw) > _LARGEST:
            raise BadInput(f"{file}: is larger than {_LARGEST:,} bytes; expected one example, not a data set")
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
        content = tomllib.loads(text) if kind == ".toml" else json.loads(text)
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # of UTF-8, TOML and JSON
        raise BadInput(f"{file}: is no readable {kind[1:].upper()}: {error}") from error
    if not isinstance(content, Mapping):
        raise BadInput(f"{file}: expected an object with question, documents and answer, found {_kind(content)}")
    return content


def _text(value: Any, name: str, file: Path) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{file}: {name}: expected a text, found {_kind(value)}")
    return value


def _texts(value: Any, name: str, file: Path) -> tuple[str, ...]:
    """Check a list of texts; a single text counts as a list of one."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values:
        raise BadInput(f"{file}: {name}: expected a list of texts, found {_kind(value)}")
    return tuple(_text(each, f"{name}[{number}]", file) for number, each in enumerate(values, start=1))


def _kind(value: Any) -> str:
    return "nothing" if value is None or value in ("", [], {}) else f"{type(value).__name__} {str(value)[:60]!r}"
