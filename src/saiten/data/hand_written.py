"""Files written by hand, in TOML or JSON: their content, checked against a type."""

import json
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from saiten.data.toml_lines import Place, line_of
from saiten.errors import ConfigurationError
from saiten.strict_parsing import strict_json, strict_toml

T = TypeVar("T")

_LARGEST = 1 << 20
_MOST_FAULTS = 3
_ABOUT_KEYS = {
    "missing": "is missing",
    "extra_forbidden": "is not a known key",
    "unexpected_keyword_argument": "is not a known key",
}


def _text(value: str) -> str:
    if not value.strip():
        raise ValueError("expected a text")
    return value


Text = Annotated[str, AfterValidator(_text)]


def read_file(file: Path | Traversable, what: str) -> Any:
    """Return the content of a TOML file, or of a JSON file by its suffix; `what` names what was expected.

    Raises ConfigurationError if it is unreadable, larger than 1 MiB, or in another format.
    """
    kind = "JSON" if file.name.lower().endswith(".json") else "TOML"
    text = read_text(file, what, kind)
    try:
        return strict_json(text) if kind == "JSON" else strict_toml(text)
    except ValueError as error:
        raise ConfigurationError(f"{file}: not a {kind} file: {error}; expected {what}") from error


def read_text(file: Path | Traversable, what: str, kind: str = "text") -> str:
    """Return the text of a file in UTF-8, with Unix line ends; `what` names what was expected.

    Raises ConfigurationError if it is unreadable, larger than 1 MiB, or not UTF-8.
    """
    try:
        if isinstance(file, Path) and file.stat().st_size > _LARGEST:
            raise ConfigurationError(f"{file}: larger than 1 MiB; expected {what}")
        return file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}; expected {what}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file}: not a {kind} file: {error}; expected {what}") from error


class Misplaced(ValueError):
    """A fault in the content of a file; `place` leads to it: `("aspects", 0, "best")`."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.place = place


def where(file: Path | Traversable, fault: ValueError) -> str:
    """Return `FILE, line 4` for a fault in a TOML file whose place is known and found, else the file's name."""
    if not isinstance(fault, Misplaced) or file.name.lower().endswith(".json"):
        return str(file)
    line = line_of(file.read_bytes().decode("utf-8-sig", "replace"), fault.place)
    return str(file) if line is None else f"{file}, line {line}"


def checked(kind: type[T], content: Any) -> T:
    """Return the content as this type; lists become tuples, but no text becomes a number.

    Raises Misplaced with the first faults, such as `aspects[2].best: expected a valid integer, not 2.5`.
    """
    try:
        return TypeAdapter(kind).validate_json(json.dumps(content, default=str), strict=True)
    except ValidationError as error:
        faults = error.errors(include_url=False)[:_MOST_FAULTS]
        raise Misplaced("; ".join(map(_sentence, faults)), faults[0]["loc"]) from error


def _sentence(fault: ErrorDetails) -> str:
    place = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
    if about := _ABOUT_KEYS.get(fault["type"]):
        return f"{place} {about}"
    said = (
        fault["msg"]
        .removeprefix("Value error, ")
        .replace("Input should be", "expected")
        .replace(" after validation", "")
    )
    came = "" if ", not " in said else f", not {fault['input']!r:.60}"
    return ": ".join(filter(None, (place, said + came)))
