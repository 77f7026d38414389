"""Rows with the answers of several systems (回答A, 回答B; answer_gpt4, answer_old), made one row for each system.

Numbered contexts (文脈1, 文脈2) are made one list, in their order. Both only happen if no column has the plain name.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple
from unicodedata import normalize

from saiten.data.columns import MISSING, SAMPLE_COLUMNS, Columns, plain_name
from saiten.data.rows import BadRow, RawRow
from saiten.data.values import is_nothing

_KNOWN = {plain_name(name) for names in SAMPLE_COLUMNS.values() for name in names}
_SYSTEM = set(map(plain_name, SAMPLE_COLUMNS["system"]))
_NO_BASE = {"actual_outputs", "generation", "outputs", "predictions", "references", "result", "解答"}
_SINGULAR = {"answer": (), "contexts": ("document", "doc", "passage", "chunk")}
_BASES = {
    field: sorted(
        {normalize("NFKC", name).lower() for name in (*SAMPLE_COLUMNS[field], *more) if "." not in name} - _NO_BASE,
        key=len,
        reverse=True,
    )
    for field, more in _SINGULAR.items()
}
"""Field → the names to which a system or number may be added, the longest first."""

_SHAPES = 1_000  # of remembered column sets; a file has one, or a few

_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SHORT = re.compile(r"[\s_\-.:/・]*([a-z]|\d{1,2})", re.IGNORECASE)
_NAMED = re.compile(
    r"\s*[(\[<【「『](?P<quoted>.+)[)\]>】」』]|[\s_\-.:/・]+(?P<apart>.+)|(?P<short>([A-Za-z]|\d{1,2})\s*[(\[<【「『].+)"
)
_BEFORE = re.compile(r"(.*[^\s_\-.:/・の])(?:[\s_\-.:/・]+|の)")

_NO_SYSTEM = re.compile(
    r"(?:^|[\s_\-.:/])(?:accuracy|at|chars|comment|correctness|cost|count|date|documents?|end|error|faithfulness|"
    r"feedback|format|grade|id|ids|key|label|lang|language|latency|length|links?|model|ms|prompt|quality|rating|reason|"
    r"recall|precision|f1|rouge|bleu|relevanc[ey]|score|seconds|similarity|sources?|start|status|time|timestamp|tokens?|"
    r"type|urls?|usage|version|words)(?:$|[\s_\-.:/])|"
    r"[者日時数点率欄]|評価|スコア|理由|コメント|備考|可否|有無|種別|リンク|出典|根拠|ソース|判定|期限|要否|状[況態]|担当|部署|方法|確認|修正",
    re.IGNORECASE,
)
"""What comes after `answer` in names of other columns: times, scores, people, …"""


class SystemColumns(NamedTuple):
    """The columns of one system."""

    system: str
    answer: str
    contexts: str | None


@dataclass(frozen=True, slots=True)
class Several:
    """What the columns of a row mean together."""

    systems: tuple[SystemColumns, ...] = ()
    contexts: tuple[str, ...] = ()
    """Columns with one context each, in rank order."""


def is_one_of_several(column: str) -> bool:
    """Return whether the column may have the answers or contexts of one system, or one of several contexts."""
    return _found(column, "answer") is not None or _found(column, "contexts") is not None


def spread_rows(
    rows: Iterator[RawRow | BadRow], columns: Columns, notify: Callable[[str], None] | None
) -> Iterator[RawRow | BadRow]:
    """Yield a row for each system that the row has an answer of, and any other row as it is.

    The system's name becomes the row's system, and part of a generated or given id. `notify` receives one note that
    names the columns; with None, there is no note.
    """
    plan = lru_cache(_SHAPES)(lambda names: spread_of(names, columns))
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        spread = plan(tuple(row.fields))
        if not row.typed and spread.systems and _is_blank(row, spread, columns):
            yield row
            continue
        if spread.systems and notify is not None:
            notify(_note(spread, row.where, columns.option))
            notify = None
        if spread.systems or spread.contexts:
            yield from _rows(row, spread, columns)
        else:
            yield row


def spread_of(names: Sequence[str], columns: Columns) -> Several:
    """Return what these columns mean together; columns that the user named for a field are left alone."""
    answers = () if columns.has(names, "answer") else _candidates(names, "answer")
    contexts = [] if columns.has(names, "contexts") else _candidates(names, "contexts")
    by_system = {each.system.casefold(): name for name, each in contexts}
    systems = tuple(
        SystemColumns(each.system, name, by_system.get(each.system.casefold())) for name, each in _systems(answers)
    )
    if any(each.contexts for each in systems):
        return Several(systems)
    numbered = sorted((int(each.system), name) for name, each in contexts if each.system.isdigit())
    return Several(systems, tuple(name for _, name in numbered))


class _Found(NamedTuple):
    """A name that consists of a field's name and something else."""

    system: str
    """The rest, as it is written."""
    base: str
    """The field's name."""
    kind: Literal["short", "named"]


def _systems(candidates: Sequence[tuple[str, _Found]]) -> Iterator[tuple[str, _Found]]:
    """Yield the columns that are answers: a letter or number says so, other words only if there are several."""
    named = [each.base for _, each in candidates if each.kind == "named"]
    seen: set[str] = set()
    for name, each in candidates:
        if (each.kind == "short" or named.count(each.base) > 1) and each.system.casefold() not in seen:
            seen.add(each.system.casefold())
            yield name, each


def _candidates(names: Sequence[str], field: Literal["answer", "contexts"]) -> list[tuple[str, _Found]]:
    return [(name, found) for name in names if (found := _found(name, field)) is not None]


@lru_cache(4096)
def _found(column: str, field: Literal["answer", "contexts"]) -> _Found | None:
    text = normalize("NFKC", column).strip()
    if plain_name(column) in _KNOWN:
        return None
    lower = text.lower()
    for base in _BASES[field]:
        if len(lower) <= len(base):
            continue
        if lower.startswith(base):
            rest = text[len(base) :]
            if short := _SHORT.fullmatch(rest):
                return _Found(short[1], base, "short")
            if named := _NAMED.fullmatch(rest):
                return _named(named["quoted"] or named["apart"] or named["short"], base)
        if lower.endswith(base):
            head = text[: -len(base)]
            if short := re.fullmatch(r"([A-Za-z])[\s_\-.:/・]*", head):
                return _Found(short[1], base, "short")
            before = _BEFORE.fullmatch(head)
            if before or (_JAPANESE.search(base) and head.strip()):
                return _named(before[1] if before else head, base)
    return None


def _named(system: str, base: str) -> _Found | None:
    return None if _NO_SYSTEM.search(system) else _Found(system.strip(), base, "named")


def _rows(row: RawRow, spread: Several, columns: Columns) -> Iterator[RawRow]:
    used = {*spread.contexts, *(each.answer for each in spread.systems), *(each.contexts for each in spread.systems)}
    fields: dict[str, Any] = {name: value for name, value in row.fields.items() if name not in used}
    if spread.contexts:
        values = [row.fields[name] for name in spread.contexts]
        fields["contexts"] = [value for value in values if not is_nothing(value) and value != ""] or None
    if not spread.systems:
        yield replace(row, fields=fields)
        return
    system = columns.find(row.fields, "system")
    fields = {name: value for name, value in fields.items() if plain_name(name) not in _SYSTEM}
    for each in spread.systems:
        called = f"{system} {each.system}" if isinstance(system, str) and system.strip() else each.system
        own = {"answer": row.fields[each.answer], "system": called}
        if each.contexts is not None:
            own["contexts"] = row.fields[each.contexts]
        yield replace(row, fields=fields | own, system=each.system)


def _is_blank(row: RawRow, spread: Several, columns: Columns) -> bool:
    """Return whether a row of a table has neither a question nor any answer: below it, there may be a remark."""
    question = columns.find(row.fields, "question")
    return not any(row.fields[each.answer] for each in spread.systems) and (question is MISSING or not question)


def _note(spread: Several, where: str, option: str) -> str:
    answers = ", ".join(f"{each.answer!r} (system {each.system})" for each in spread.systems)
    return (
        f"{where}: each row has the answers of {len(spread.systems)} systems: {answers}; to grade only one, name it: "
        f"{option} {_typed(f'answer={spread.systems[0].answer}')}"
    )


def _typed(argument: str) -> str:
    """Return an argument as it is typed in a shell."""
    return shlex.quote(argument) if re.search(r"[^\w=.:/+-]", argument) else argument
