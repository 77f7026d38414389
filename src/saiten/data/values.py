"""Converting cells to text, contexts, references and spans; each function raises ValueError with a sentence."""

import ast
import io
import json
import math
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saiten.records import Language, Span

_TEXT_KEYS = (
    "answer", "response", "output", "text", "content", "expected_response", "expected_output", "reference",
    "ground_truth", "question", "query", "input", "user_input", "value",
)  # fmt: skip
"""Keys under which an object may keep its text; the first one present counts."""

_CONTEXT_KEYS = ("text", "page_content", "content", "chunk", "passage", "document")
"""RAGChecker · LangChain · MLflow and OpenAI · others."""

_LANGUAGES: Mapping[str, Language] = {
    **dict.fromkeys(("ja", "jp", "jpn", "japanese", "日本語"), "ja"),
    **dict.fromkeys(("en", "eng", "english", "英語"), "en"),
}


@dataclass(frozen=True, slots=True)
class CellError:
    """A cell of a sheet whose formula gives an error; a row that needs the cell is bad, not empty."""

    cell: str
    """`C3`."""
    error: str
    """`#N/A`."""

    def __str__(self) -> str:
        return self.error


def is_nothing(value: Any) -> bool:
    """Return whether the value is null, or the NaN used for it in tables."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def as_text(value: Any) -> str | None:
    """Return text, numbers as written, or the text in an object or chat; None for null."""
    if isinstance(value, str):
        return _writable(value)
    if is_nothing(value):
        return None
    if isinstance(value, CellError):
        raise ValueError(f"the formula in {value.cell} gives {value.error}")  # noqa: TRY004 - a fault of the data
    if isinstance(value, Mapping):
        return _text_in_object(value)
    if is_list(value):
        return _text_in_list(value)
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError("expected text, got bytes that are not UTF-8") from error
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_texts(value: Any) -> tuple[str, ...] | None:
    """Return a tuple of texts, from a list, a list written as text, an object, or a text; None for null and for "".

    An empty list means that nothing was retrieved.
    """
    value = listed(value)
    if is_nothing(value) or (isinstance(value, str) and not value):
        return None
    if isinstance(value, Mapping):
        value = _context_in_object(value)
    items = list(value) if is_list(value) else [value]
    return tuple(_context(item, number) for number, item in enumerate(items, 1))


def as_references(value: Any) -> tuple[str, ...]:
    """Return the references without nulls; may be empty."""
    value = listed(value)
    items = list(value) if is_list(value) and not _is_chat(value) else [value]
    texts = [as_text(item) for item in items]
    return tuple(text for text in texts if text is not None)


def reads_as_list(text: str) -> bool:
    """Return whether a text in a cell of CSV would be read as a list of texts."""
    return listed(text) is not text


def as_language(value: Any) -> Language | None:
    """Return `ja` or `en`, from codes (`ja-JP`), English or Japanese names; None for null or an empty cell."""
    text = as_text(value)
    if not text or not text.strip():
        return None
    word = text.strip().casefold()
    language = _LANGUAGES.get(word) or _LANGUAGES.get(word.replace("_", "-").split("-", 1)[0])
    if language is None:
        raise ValueError(f"the language {text[:40]!r} is not one of ja, en")
    return language


def as_object(value: Any) -> Any:
    """Parse an object written as JSON text, as tables do for nested columns; return anything else unchanged."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _text_in_object(value: Mapping[str, Any]) -> str | None:
    if is_list(value.get("messages")):
        return _text_in_list(value["messages"])
    if is_list(value.get("choices")) and value["choices"]:  # a chat completion
        return as_text(value["choices"][0].get("message") if isinstance(value["choices"][0], Mapping) else None)
    for key in _TEXT_KEYS:
        if key in value:
            return as_text(value[key])
    texts = [item for item in value.values() if isinstance(item, str)]
    if len(texts) == 1:
        return _writable(texts[0])
    raise ValueError(f"expected text, got an object with {', '.join(map(str, value)) or 'nothing'}")


def _text_in_list(value: Sequence[Any]) -> str | None:
    items = list(value)
    if _is_chat(items):  # the last turn, which is the question in a request and the answer in a response
        return as_text(items[-1].get("content"))
    if len(items) == 1:
        return as_text(items[0])
    if messages := [item for item in items if isinstance(item, Mapping) and item.get("type") == "message"]:
        return as_text(messages[-1].get("content"))  # of OpenAI's responses, which list calls of tools, too
    raise ValueError(f"expected one text, got a list of {len(items)}")


def _is_chat(value: Any) -> bool:
    items = list(value)
    return bool(items) and all(isinstance(item, Mapping) and "role" in item and "content" in item for item in items)


def _context(item: Any, number: int) -> str:
    if isinstance(item, str):
        return _writable(item)
    if isinstance(item, Mapping):
        item = _context_in_object(item)
    if is_nothing(item):
        raise ValueError(f"context {number} is null")
    if is_list(item):
        raise ValueError(f"context {number} is a list; expected text, or an object with text or page_content")
    return as_text(item) or ""


def _context_in_object(value: Mapping[str, Any]) -> Any:
    inner = value.get("kwargs")  # a LangChain document in LangChain's own JSON
    value = inner if isinstance(inner, Mapping) else value
    for key in _CONTEXT_KEYS:
        if key in value:
            return value[key]
    raise ValueError(f"a context is an object with {', '.join(map(str, value)) or 'nothing'}; expected text in it")


def listed(value: Any) -> Any:
    """Parse a list written as text, or return the value unchanged. `[1] says …` is a text, not a list."""
    if not isinstance(value, str) or value.lstrip()[:1] != "[" or value.rstrip()[-1:] != "]":
        return value
    try:
        items = json.loads(value)
    except (ValueError, RecursionError):
        items = _python_list(value)
    if isinstance(items, list) and all(isinstance(item, str | Mapping) for item in items):
        return items
    return value


def _python_list(text: str) -> list[str] | None:
    """Return the texts in `['a', 'b']` or, as written by numpy, `['a' 'b']`; None for anything else.

    RAGAS and pandas write such lists to CSV. `ast.literal_eval` alone would join the second form into one text.
    """
    found: list[str] = []
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.strip()).readline):
            if token.type == tokenize.STRING and depth == 1:
                found.append(str(ast.literal_eval(token.string)))
            elif token.type == tokenize.OP and token.string in "[],":
                depth += {"[": 1, "]": -1}.get(token.string, 0)
            elif token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER):
                return None
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None
    return found


def is_list(value: Any) -> bool:
    """Return whether the value is a list, tuple or numpy array."""
    return isinstance(value, list | tuple) or (hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1)


def _writable(text: str) -> str:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ValueError(f"half a character (a lone surrogate) at position {error.start + 1}") from error
    return text


_FORMS = "a span is {text, start, end}, [start, end] or [start, end, text]"
_LONGEST = 2**40  # larger offsets are invalid, since no text is as long


def as_spans(value: Any) -> tuple[Span, ...] | None:
    """Return the spans in order, from a list or its JSON; None for null or an empty cell.

    An empty list means that nothing was marked. Offsets count characters (code points) from 0, the end exclusive; a
    span that was not found in its text has only a text. Raises ValueError naming the span and its fault.
    """
    if is_nothing(value) or (isinstance(value, str) and not value.strip()):
        return None
    try:
        items = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected a list in JSON, got {_shown(value)}") from error
    if not is_list(items):
        raise ValueError(f"expected a list, got {_shown(value)}; {_FORMS}")
    return tuple(_span(item, number) for number, item in enumerate(items, 1))


def _span(item: Any, number: int) -> Span:
    if isinstance(item, Mapping):
        text, start, end = item.get("text"), item.get("start"), item.get("end")
    elif is_list(item) and len(item) in (2, 3):
        start, end, text = (*item, None) if len(item) == 2 else item
    else:
        raise ValueError(f"span {number} is {_shown(item)}; {_FORMS}")
    if not is_nothing(text) and not isinstance(text, str):
        raise ValueError(f"the text of span {number} is {_shown(text)}")
    said = as_text(text) or ""
    if is_nothing(start) and is_nothing(end):
        if not said:
            raise ValueError(f"span {number} has neither text nor offsets")
        return Span(said)
    first, last = _offset(start, f"the start of span {number}"), _offset(end, f"the end of span {number}")
    if last <= first:
        what = "ends before it starts" if last < first else "is empty"
        raise ValueError(f"span {number} {what}: start {first}, end {last} (exclusive)")
    return Span(said, first, last)


def _offset(value: Any, name: str) -> int:
    """Return a whole number from 0; tables write it as 3.0 if others in the column are null."""
    number = value.item() if hasattr(value, "item") and not isinstance(value, str) else value
    whole = isinstance(number, int) or (isinstance(number, float) and number.is_integer())
    if isinstance(number, bool) or not whole or not 0 <= number < _LONGEST:
        raise ValueError(f"{name} is {_shown(value)}; expected an offset in characters, counted from 0")
    return int(number)


def _shown(value: Any) -> str:
    """Describe a value briefly, without writing out huge numbers."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _LONGEST:
        return "a number that no text is long enough for"
    if isinstance(value, str):
        return repr(value[:40])
    return repr(value)[:40] if value is None or isinstance(value, int | float) else f"a {type(value).__name__}"
