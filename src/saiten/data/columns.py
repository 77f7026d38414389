"""Mapping columns to fields: names used by other tools, dotted paths, and the user's choices.

Recognized, ignoring case, `_`, `-` and spaces: saiten's own names · RAGAS ≤ 0.1 (`question answer contexts
ground_truth(s)`) and ≥ 0.2 (`user_input response retrieved_contexts reference reference_contexts`) · DeepEval 1–4
(`input actual_output expected_output retrieval_context context`) · MLflow 2 (`inputs predictions targets ground_truth`;
Databricks: `request response retrieved_context expected_response expected_retrieved_context`) and 3 (`inputs outputs
expectations`) · LangSmith (`inputs outputs reference_outputs`, flat as `inputs.question outputs.answer
reference.answer`) · RAGChecker (`query gt_answer response retrieved_context`) · GroUSE (`input references actual_output
expected_output`) · Haystack (`query data documents meta`, an answer's `to_dict`).

If a row has several columns for one field, the first non-null one in the lists below counts, and a note says so once.
Three names differ between tools: `context` is DeepEval's ideal context (evidence) in its files and what the system saw
elsewhere; `references` are documents in GroUSE's files and correct answers elsewhere; LangSmith's *data sets* keep the
reference under `outputs`, which its *experiments* use for the answer, so `--column reference=outputs` is needed there.
`data` and `document` are read in Haystack's rows alone. The `passages` of a test set's items are not what a system saw:
their texts are the `evidence`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any
from unicodedata import normalize

from saiten.data.guessed_names import GUESSED_NAMES
from saiten.data.joined_contexts import JOINED, apart, noted
from saiten.data.rows import BadRow, RawRow
from saiten.data.values import as_object, is_nothing
from saiten.errors import BadInput, ConfigurationError

Names = Mapping[str, Sequence[str]]
"""Field → the columns that may contain it; the first one present counts."""

_OF_TOOLS: Names = {
    "id": ("id", "sample_id", "query_id", "request_id", "row_id", "additional_metadata.id", "番号"),
    "question": (
        "question", "user_input", "query", "input", "inputs.question", "inputs.query", "inputs.input",
        "inputs.user_input", "inputs", "request", "質問",
    ),
    "answer": (
        "answer", "response", "actual_output", "output", "outputs.answer", "outputs.response", "outputs.output",
        "outputs", "actual_outputs", "predictions", "prediction", "data", "回答",
    ),
    "contexts": (
        "contexts", "retrieved_contexts", "retrieval_context", "retrieved_context", "outputs.contexts",
        "outputs.retrieved_contexts", "outputs.retrieved_context", "outputs.context", "outputs.documents",
        "inputs.contexts", "inputs.context", "context", "references", "document", "コンテキスト", "検索結果",
    ),
    "reference": (
        "reference", "references", "ground_truth", "ground_truths", "expected_output", "expected_response",
        "expectations.expected_response", "expectations.expected_output", "expectations.ground_truth",
        "reference_outputs", "expected_outputs", "reference.answer", "reference.output", "reference.response",
        "gt_answer", "targets", "target", "expected_answer", "正答例", "参照回答", "正解", "模範解答",
    ),
    "alternatives": ("alternatives",),
    "evidence": (
        "evidence", "reference_contexts", "expected_retrieved_context", "expectations.expected_retrieved_context",
        "context", "判定用コンテキスト",
    ),
    "group": ("group", "グループ"),
    "system": ("system", "システム"),
    "language": ("language", "lang", "言語"),
    "messages": ("messages", "conversations", "conversation", "turns", "chat", "dialogue", "会話", "メッセージ"),
    "history": ("history", "chat_history", "conversation_history", "会話履歴", "履歴"),
    "conversation": (
        "conversation_id", "conversation", "dialogue_id", "thread_id", "chat_id", "会話ID", "会話番号", "会話",
    ),
}  # fmt: skip

SAMPLE_COLUMNS: Names = {field: (*names, *GUESSED_NAMES.get(field, ())) for field, names in _OF_TOOLS.items()}

MESSAGE_COLUMNS: Names = {
    "role": ("role", "speaker", "sender", "from", "author", "話者", "発言者", "ロール", "役割"),
    "content": (
        "content", "text", "message", "utterance", "value", "発言", "発話", "発言内容", "内容", "本文", "メッセージ",
    ),
    "time": (
        "turn", "turn_index", "turn_id", "message_index", "position", "timestamp", "created_at", "time", "datetime",
        "date", "ターン", "順番", "日時", "時刻",
    ),
    "conversation": (*SAMPLE_COLUMNS["conversation"], "session_id", "session", "セッションID", "セッション"),
    **{name: SAMPLE_COLUMNS[name] for name in ("contexts", "reference", "group", "system", "language")},
}  # fmt: skip
"""The columns of a chat log with one row per message."""

LABEL_COLUMNS: Names = {
    "item": ("item", "sample", "item_id", "sample_id", "id", "番号"),
    "value": ("value", "label", "score", "rating", "grade", "評価", "点数", "採点", "判定", "ラベル"),
    "annotator": ("annotator", "annotator_id", "rater", "worker", "judge", "評価者", "採点者", "判定者"),
    "aspect": ("aspect", "criterion", "dimension", "観点", "評価観点"),
    "adjudicated": ("adjudicated",),
    "preference": ("preference",),
    "choice": ("choice",),
    "spans": ("spans",),
    "reason": ("reason", "comment", "rationale", "理由", "コメント"),
    "answer_digest": ("answer_digest",),
}

CONFIGURED = "saiten.toml"
"""In place of an option: columns can be named in the configuration alone."""
FIXED = ""
"""In place of an option: columns cannot be named, only renamed."""

_OBJECTS = frozenset({"inputs", "outputs", "actual_outputs", "expected_outputs", "reference_outputs", "request"})
"""Columns that contain objects, in tables as JSON text."""

MISSING: Any = object()
"""No such column, as distinct from an empty one."""

CHECKED = 100
"""Number of rows in which a column must appear, since JSON lines may omit fields."""
_SHAPES = 1_000  # number of remembered column sets; a file has one, or a few
_NAMED = 8  # maximum number of columns listed
_OF_ITEMS = frozenset({"kind", "made", "checks", "decisions", "original"})
_NO_FIELD = frozenset({"", "seconds", "calls", "usage", "error", "trace"}) | _OF_ITEMS
"""Columns never suggested for a field: unnamed ones, and those that saiten itself writes with a sample or an item of a
test set."""
_FILLING = re.compile(r"[\s_-]")


class Columns:
    """Finds fields in rows, by known names or by the user's choices."""

    def __init__(self, names: Names, chosen: Mapping[str, str], *, option: str = "--column") -> None:
        """`chosen` (field → column) overrides the known names; `option` is the command-line option for it.

        `CONFIGURED` and `FIXED` are for readers without an option.
        """
        unknown = sorted(set(chosen) - set(names))
        if unknown:
            raise ConfigurationError(
                f"there is no field {unknown[0]!r} to name a column for; fields: {', '.join(names)}"
            )
        self._chosen = chosen
        self.option = option
        self._names = {field: (chosen[field],) if field in chosen else tuple(names[field]) for field in names}
        self._roots = {plain_name(path.split(".")[0]) for paths in self._names.values() for path in paths}
        self._roots |= {plain_name(path) for path in chosen.values()}
        self._plan = lru_cache(_SHAPES)(self._paths_in)

    def wanted(self, column: str) -> bool:
        """Return whether the column may be needed."""
        return plain_name(column) in self._roots or plain_name(column.partition(".")[0]) in self._roots

    def has(self, columns: Sequence[str], field: str) -> bool:
        """Return whether one of these columns may contain the field."""
        return field in self._plan(tuple(columns))

    def source_of(self, fields: Mapping[str, Any], field: str) -> str | None:
        """Return the column or path from which `find` takes the value; None if it finds none."""
        paths = self._plan(tuple(fields)).get(field, ())
        return next((path for path in paths if not is_nothing(_at(fields, path, None))), None)

    def find(self, fields: Mapping[str, Any], field: str) -> Any:
        """Return the first non-null value; None if all are null, `MISSING` if there is no such column."""
        return self.find_all(fields).get(field, MISSING)

    def find_all(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of each field, as `find` does, without those that have no column."""
        found = {}
        for field, paths in self._plan(tuple(fields)).items():
            value = self._first(fields, paths)
            if value is not MISSING:
                found[field] = value
        return found

    def recognized(self, rows: Iterable[RawRow]) -> dict[str, str]:
        """Return field → the column it is read from, as the rows spell it; fields that no row has are left out."""
        found: dict[str, str] = {}
        for row in rows:
            for field in self._plan(tuple(row.fields)):
                if field not in found and (path := self.source_of(row.fields, field)) is not None:
                    found[field] = _key(row.fields, path) or path
        return {field: found[field] for field in self._names if field in found}

    def unused(self, rows: Iterable[RawRow]) -> list[str]:
        """Return the columns of these rows that no field is read from."""
        columns = dict.fromkeys(str(column) for row in rows for column in row.fields)
        return [column for column in columns if not self.wanted(column) and plain_name(column) not in _NO_FIELD]

    def _first(self, fields: Mapping[str, Any], paths: Sequence[str]) -> Any:
        found = MISSING
        for path in paths:
            value = fields[path] if path in fields else _at(fields, path)
            if value is MISSING:
                continue
            if not is_nothing(value):
                if path in JOINED and path in fields:
                    return apart(fields, path)
                return as_object(value) if path in _OBJECTS else value
            found = None
        return found

    def _paths_in(self, columns: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Return the paths to try for each field in rows with these columns; no field without any."""
        there = {*columns, *map(plain_name, columns)}
        found = {
            field: tuple(path for path in paths if not there.isdisjoint(_beginnings(path)))
            for field, paths in self._tool_names(columns).items()
        }
        return {field: paths for field, paths in found.items() if paths}

    def _tool_names(self, names: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
        """Drop names with another meaning in files of the tool that wrote this row."""
        columns = set(map(plain_name, names))
        deepeval = bool(columns & {"actualoutput", "expectedoutput", "retrievalcontext"})
        haystack = {"query", "data", "meta"} <= columns
        item = {"evidence", "passages"} <= columns and not columns.isdisjoint(_OF_ITEMS)
        elsewhere = {
            ("answer", "data"): not haystack,
            ("contexts", "document"): not haystack,
            ("contexts", "context"): deepeval or haystack,
            ("evidence", "context"): not deepeval,
            ("contexts", "passages"): item,
            ("contexts", "references"): not columns & {"actualoutput", "expectedoutput"},
            ("reference", "references"): bool(columns & {"actualoutput", "expectedoutput"}),
        }
        return {
            field: paths
            if field in self._chosen
            else tuple(path for path in paths if not elsewhere.get((field, path), False))
            for field, paths in self._names.items()
        }

    def checked(
        self,
        rows: Iterator[RawRow | BadRow],
        name: str,
        needed: Collection[str],
        notify: Callable[[str], None],
        wished: Collection[str] = (),
    ) -> Iterator[RawRow | BadRow]:
        """Yield the same rows after checking the first ones; report the unused columns if a `wished` field is missing.

        Raises BadInput without rows, or if a chosen column or every `needed` field is missing from the first ones.
        """
        first: list[RawRow | BadRow] = []
        good: list[RawRow] = []
        for row in islice(rows, CHECKED):
            first.append(row)
            if isinstance(row, RawRow):
                good.append(row)
                if self._lack([row], needed) is None:
                    break
        if not first:
            raise BadInput(f"{name} has no rows")
        lack = self._lack(good, needed) if good else None
        if lack is not None:
            columns = ", ".join(dict.fromkeys(_paths(good))) or "none"
            raise BadInput(f"{name}: {lack}; columns there: {columns}")
        if good:
            for note in (*self._guessed(good[-1]), *self._ambiguous(good[-1]), *self._unused(good, wished)):
                notify(f"{name}: {note}")
        yield from noted(chain(first, rows), name, notify)

    def _lack(self, rows: Sequence[RawRow], needed: Collection[str]) -> str | None:
        for field, column in self._chosen.items():
            if all(self.find(row.fields, field) is MISSING for row in rows):
                return f"there is no column {column!r}, which was named for the {field}"
        if all(self.find(row.fields, field) is MISSING for row in rows for field in needed):
            known = "; ".join(f"{field}: {_listed(self._names[field])}" for field in needed)
            return f"no column for {' or '.join(needed)} (understood are {known}); {self._advice(next(iter(needed)))}"
        return None

    def _advice(self, needed: str) -> str:
        if self.option == FIXED:
            return "rename a column"
        if self.option == CONFIGURED:
            return f'name one in saiten.toml: column = ["{needed}=COLUMN"]'
        return f"name one, as in {self.option} {needed}=COLUMN"

    def _guessed(self, row: RawRow) -> Iterator[str]:
        """Yield a note on columns recognized by a name that people use, not by one of a tool."""
        found = {field: self.source_of(row.fields, field) for field in self._plan(tuple(row.fields))}
        guessed = {field: path for field, path in found.items() if path in GUESSED_NAMES.get(field, ())}
        if guessed and SAMPLE_COLUMNS.keys() >= self._names.keys():
            read = ", ".join(f"{path!r} as {field}" for field, path in guessed.items())
            field = next(iter(guessed))
            yield f"read {read}; to take another column, name it, as in {self.option} {field}=COLUMN"

    def _ambiguous(self, row: RawRow) -> Iterator[str]:
        """Yield notes on columns that were skipped in favor of others."""
        for field, paths in self._plan(tuple(row.fields)).items():
            values = {path: _at(row.fields, path) for path in paths}
            filled = [path for path, value in values.items() if value is not MISSING and not is_nothing(value)]
            roots = list(dict.fromkeys(path.split(".")[0] for path in filled))
            if len(roots) > 1:
                yield (
                    f"the {field} is taken from {filled[0]!r}, not from {' or '.join(map(repr, roots[1:]))}; "
                    f"to change that, name the column, as in {self.option} {field}={roots[1]}"
                )

    def _unused(self, rows: Sequence[RawRow], wished: Iterable[str]) -> Iterator[str]:
        """Yield a note if a missing field may be in an unused column."""
        missing = [field for field in wished if all(self.find(row.fields, field) is MISSING for row in rows)]
        if any(self.find(row.fields, "messages") is not MISSING for row in rows):  # they have the rest
            missing = []
        unused = self.unused(rows)
        if missing and unused:
            yield (
                f"columns not used: {_listed(unused)}; no column for {' or '.join(missing)}: "
                f"name one, as in {self.option} {missing[0]}={unused[0]}"
            )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def _beginnings(path: str) -> tuple[str, str, str]:
    """Return the columns in which the path's value may be: the path itself, or its first part."""
    return path, plain_name(path), plain_name(path.split(".", maxsplit=1)[0])


def _at(value: Any, path: str, missing: Any = MISSING) -> Any:
    """Return the value at a path: the column with this exact name first, else step by step into objects."""
    value = as_object(value)
    if not isinstance(value, Mapping):
        return missing
    key = _key(value, path)
    if key is not None:
        return value[key]
    head, dot, rest = path.partition(".")
    key = _key(value, head) if dot else None
    return missing if key is None else _at(value[key], rest, missing)


def _key(value: Mapping[str, Any], name: str) -> str | None:
    if name in value:
        return name
    plain = plain_name(name)
    return next((key for key in value if plain_name(key) == plain), None)


@lru_cache(4096)
def plain_name(name: str) -> str:
    """Normalize a name: `Retrieved Contexts`, `retrieved_contexts` and `ＲｅｔｒｉｅｖｅｄContexts` are equal."""
    return _FILLING.sub("", name if name.isascii() else normalize("NFKC", name)).casefold()


def _paths(rows: Iterable[RawRow]) -> Iterator[str]:
    for row in rows:
        for column, value in row.fields.items():
            inside = as_object(value)
            if isinstance(inside, Mapping):
                yield from (f"{column}.{key}" for key in inside)
            else:
                yield str(column)
