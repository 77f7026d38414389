"""Records as JSON lines in the files of a run, and back; and the digests of lines that a run keeps in memory.

A line of `scores.jsonl`: `{"sample", "metric", "value", "status", "reason", "details", "usage"}`, and `expected`
and `votes` if there are any. A line of `samples.jsonl` has the fields of `Sample` that were given.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar, get_args

import orjson

from saiten.data.json_rows import may_repeat_keys
from saiten.data.traces.kept import trace_from_json, trace_to_json
from saiten.errors import ConfigurationError
from saiten.records import FREE, STATUSES, Language, Sample, Score, Scored, Turn, Usage
from saiten.strict_parsing import strict_json

T = TypeVar("T")

_LISTS = ("contexts", "alternatives", "evidence")
_OWN_FORM = ("trace", "history")
_LANGUAGES = get_args(Language)
_SAMPLE = {f.name: f.default for f in fields(Sample)}
_USAGE = tuple(f.name for f in fields(Usage))
_values_of_usage = attrgetter(*_USAGE)

_LINE_ENDS = {"\u0085": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""JSON allows these three unescaped, but Python's splitlines and some editors end a line there."""
_LINE_END_BYTES = tuple((end.encode(), escaped.encode()) for end, escaped in _LINE_ENDS.items())

_AS_JSON_DOES = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
_ENCODER_SETTINGS: Mapping[str, Any] = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}


def to_line(value: Mapping[str, Any]) -> bytes:
    """Return the object as one line of JSON in UTF-8, including the line end.

    Raises:
        ValueError: it contains a NaN or an infinity, which JSON lacks and which is always a bug.
        TypeError: it contains a type that JSON lacks.
    """
    try:
        line = orjson.dumps(value, option=_AS_JSON_DOES)
    except TypeError:  # types that only `_plain` converts, numbers of more than 64 bits, lone surrogates
        return _to_line_slowly(value)
    # orjson writes null for a NaN
    if (nulls := line.count(b"null")) and nulls != _nones(value.values()):
        return _to_line_slowly(value)
    if not line.isascii():
        for end, escaped in _LINE_END_BYTES:
            line = line.replace(end, escaped)
    return line + b"\n"


def _to_line_slowly(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, default=_plain, **_ENCODER_SETTINGS)
    for end, escaped in _LINE_ENDS.items():
        text = text.replace(end, escaped)
    # Half a character (a lone surrogate in a judge's reply) becomes its escape, which is equivalent in JSON.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _nones(values: Iterable[Any]) -> int:
    """Return how many values are None, at any depth."""
    found = 0
    for value in values:
        if value is None:
            found += 1
        elif isinstance(value, dict):
            found += _nones(value.values())
        elif isinstance(value, (list, tuple)):
            found += _nones(value)
    return found


def from_line(line: bytes) -> dict[str, Any]:
    """Return the object in a line; raise ValueError if it has none, or one with a key twice."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = strict_json(line)  # reads lone surrogates, which orjson refuses
    else:
        if may_repeat_keys(line, value):
            value = strict_json(line)
    return _typed(value, dict, "a JSON object was expected")


def read_lines(
    path: Path, reader: Callable[[dict[str, Any]], T], notify: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[int, T]]:
    """Yield the number of each line and the result of `reader` on its object; nothing if the file does not exist.

    A line that cannot be read is reported with its number and skipped: another process may be writing it. Raises
    ConfigurationError for a file that cannot be read at all.
    """
    return ((number, value) for number, _, value in read_lines_at(path, reader, notify))


def read_lines_at(
    path: Path, reader: Callable[[dict[str, Any]], T], notify: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[int, int, T]]:
    """Yield what `read_lines` does, and between the two the byte at which the line begins."""
    begins = 0
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    with file:
        for number, line in enumerate(file, 1):
            try:
                value = reader(from_line(line))
            except (ValueError, TypeError, AttributeError, LookupError) as error:
                notify(f"{path}:{number} cannot be read and is left out: {error}")
            else:
                yield number, begins, value
            begins += len(line)


def joined_lines(paths: Iterable[Path]) -> Iterator[bytes]:
    """Yield the lines of several files, each with its end, so that none runs into the next file's first.

    A last line of which only half was written is left out; files that do not exist have no lines.
    """
    for path in paths:
        if path.exists():
            with path.open("rb") as file:
                yield from (line if line.endswith(b"\n") else line + b"\n" for line in file if _is_whole(line))


def _is_whole(line: bytes) -> bool:
    if line.endswith(b"\n"):
        return True
    try:
        from_line(line)
    except ValueError:
        return False
    return True


def has_lines(path: Path) -> bool:
    """Return whether the file exists and is not empty."""
    return path.exists() and path.stat().st_size > 0


def sample_to_json(sample: Sample) -> dict[str, Any]:
    """Return the sample's id, and the fields that differ from their defaults."""
    line: dict[str, Any] = {}
    for name, default in _SAMPLE.items():
        value = getattr(sample, name)
        if value != default or name == "language":
            line[name] = list(value) if isinstance(value, tuple) else value
    if sample.trace is not None:
        line["trace"] = trace_to_json(sample.trace)
    if sample.history:
        line["history"] = [turn.to_json() for turn in sample.history]
    return line


def sample_from_json(value: Mapping[str, Any]) -> Sample:
    """Return the sample; raise ValueError if the object is not one."""
    _typed(value.get("id"), str, "no sample: its id is expected as text")
    given: dict[str, Any] = {key: item for key, item in value.items() if key in _SAMPLE}
    for key, item in given.items():
        if key in _LISTS:
            if item is not None:
                given[key] = _texts(key, item)
        elif key not in _OWN_FORM and not isinstance(item, str) and (item is not None or _SAMPLE[key] is not None):
            raise ValueError(f"{key} is expected as text")
    if given.get("language", "en") not in _LANGUAGES:
        raise ValueError(f"language is expected to be one of {', '.join(_LANGUAGES)}")
    if "trace" in given:
        given["trace"] = trace_from_json(given["trace"])
    if "history" in given:
        given["history"] = tuple(_turn(turn) for turn in _listed("history", given["history"]))
    return Sample(**given)


def _typed(value: Any, kind: type[T], fault: str) -> T:
    """Return the value; raise ValueError if it is of another type, since the file is at fault and not the caller."""
    if isinstance(value, kind):
        return value
    raise ValueError(fault)


def _listed(key: str, value: Any) -> list[Any]:
    return _typed(value, list, f"{key} is expected as a list")


def _texts(key: str, value: Any) -> tuple[str, ...]:
    if not all(isinstance(text, str) for text in _listed(key, value)):
        raise ValueError(f"{key} is expected as a list of texts")
    return tuple(value)


def _turn(value: Any) -> Turn:
    fault = "history is expected as a list of questions and answers"
    turn = _typed(value, dict, fault)
    return Turn(*(_typed(turn.get(key), str, fault) for key in ("question", "answer")))


def scored_to_json(scored: Scored) -> dict[str, Any]:
    """Return the fields of one line of `scores.jsonl`.

    Raises:
        ValueError: the score has a value but is not `ok`, or is `ok` without a value.
    """
    score = scored.score
    if (score.value is None) == (score.status == "ok"):
        raise ValueError(
            f"{scored.metric} of {scored.sample}: a score has a value exactly if it is ok; "
            f"status {score.status} came with value {score.value}"
        )
    value: dict[str, Any] = {
        "sample": scored.sample,
        "metric": scored.metric,
        "value": score.value,
        "status": score.status,
        "reason": score.reason,
        "details": score.details,
        "usage": usage_to_json(score.usage),
    }
    if score.expected is not None:
        value["expected"] = score.expected
    return value | {"votes": list(score.votes)} if score.votes else value


def scored_from_json(value: Mapping[str, Any]) -> Scored:
    """Return the score and its place; raise ValueError if the object is not a line of `scores.jsonl`."""
    sample, metric, status = value.get("sample"), value.get("metric"), value.get("status")
    if not isinstance(sample, str) or not isinstance(metric, str) or status not in STATUSES:
        raise ValueError("no score: sample, metric and status are expected")
    number, reason, details = _number("value", value.get("value")), value.get("reason"), value.get("details") or {}
    if (number is None) == (status == "ok"):
        raise ValueError(f"status {status} does not go with value {number}")
    if reason is not None:
        _typed(reason, str, "reason is expected as text")
    _typed(details, dict, "details are expected as an object")
    votes = tuple(_number("votes", vote) for vote in _listed("votes", value.get("votes") or []))
    usage = _typed(value.get("usage") or {}, dict, "usage is expected as an object")
    expected = _number("expected", value.get("expected"))
    return Scored(sample, metric, Score(number, status, reason, details, votes, usage_from_json(usage), expected))


def _number(key: str, value: Any) -> float | None:
    """Return the number, or None; raise ValueError for anything else, such as true or a number in quotation marks."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{key} is expected as a number")  # noqa: TRY004 - a fault of the file
    return float(value)


def usage_to_json(usage: Usage) -> dict[str, Any]:
    """Return the fields of a usage."""
    return dict(zip(_USAGE, _values_of_usage(usage), strict=True))


def usage_from_json(value: Any) -> Usage:
    """Return the usage in an object; values that are not numbers count as 0, as does what is below it."""
    return _usage(value, lambda number: number > 0)


def payment_from_json(value: Any) -> Usage:
    """Return one entry of an account; the entry of a reply takes back what was unknown when its call was made."""
    return _usage(value, bool)


def _usage(value: Any, counts: Callable[[float], bool]) -> Usage:
    given = value if isinstance(value, Mapping) else {}
    if not any(given.values()):
        return FREE
    known: dict[str, Any] = {
        name: number for name in _USAGE if isinstance(number := given.get(name), (int, float)) and counts(number)
    }
    return Usage(**known)


def _plain(value: Any) -> Any:
    """Convert types that metrics use in details and JSON lacks."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return value.tolist()
    raise TypeError(f"details must be ready for JSON, but there is a {type(value).__name__} in them: {value!r:.100}")


def content_key(content: bytes) -> int:
    """Return a digest of 8 bytes: with 10 million items, two collide by chance in one of 400,000 runs."""
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")


def id_key(identity: str) -> int:
    """Return the digest of a sample's id."""
    return content_key(identity.encode("utf-8", "surrogatepass"))


def score_key(sample: str, metric: str) -> int:
    """Return the digest of a pair of sample and metric; the length separates ("a", "bc") from ("ab", "c")."""
    return id_key(f"{len(sample)}:{sample}{metric}")
