"""Answers in a file as the system under test, looked up by id, else by question."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from saiten.data import BadRow
from saiten.data.columns import MISSING, SAMPLE_COLUMNS, Columns
from saiten.data.formats import read_rows
from saiten.data.rows import RawRow, converted
from saiten.data.values import as_text, as_texts
from saiten.errors import SystemFailed
from saiten.rag.systems.contract import read_answer
from saiten.records import Answer, Inquiry

_KINDS: tuple[Literal["failed", "timeout", "unreadable"], ...] = ("failed", "timeout", "unreadable")


class AnswerFile:
    """Answers from a file in any format and with any column names supported for samples.

    Rows are read once into a temporary database, so the file may exceed memory. Answers from a file cost nothing and
    have no latency. A row recording a failure (as written by `saiten answer`) fails again with its reason.
    """

    def __init__(self, path: Path, *, columns: Mapping[str, str] = {}, notify: Callable[[str], None]) -> None:
        """`columns`: field → column, for unrecognized names; `notify` gets notes on unusable rows.

        Raises:
            BadInput: the file is missing, or has no column for answers.
        """
        self._path = path
        self._digest = blake2b(digest_size=4)
        # an empty name makes SQLite use a temporary file, deleted on close
        self._kept = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._kept.execute("CREATE TABLE answers (id TEXT, question TEXT, row TEXT)")
        rows = self._rows(Columns(SAMPLE_COLUMNS, columns), notify)
        self._kept.execute("BEGIN")
        self._kept.executemany("INSERT INTO answers VALUES (?, ?, ?)", rows)
        self._kept.execute("COMMIT")
        self._kept.execute("CREATE INDEX by_id ON answers (id)")
        self._kept.execute("CREATE INDEX by_question ON answers (question)")

    @property
    def name(self) -> str:
        """`file:NAME`."""
        return f"file:{self._path.name}"

    def describe(self) -> Mapping[str, str]:
        return {"system": self.name, "answers": self._digest.hexdigest()}

    async def answer(self, inquiry: Inquiry) -> Answer:
        question = inquiry.question.strip()
        row = self._by_id(inquiry.id, question) if inquiry.id else None
        row = row or self._by_question(question)
        if row is None:
            raise SystemFailed(f"{self._path.name} has no answer to this question, nor one under the id {inquiry.id!r}")
        value = json.loads(row)
        if value["answer"] is None:
            raise SystemFailed(value["reason"], value["kind"])
        found = read_answer(value)
        return Answer(found.text, found.contexts)

    async def close(self) -> None:
        self._kept.close()

    def _by_id(self, identity: str, question: str) -> str | None:
        """Return the row with this id, unless its question differs: `row-3` may be from another file."""
        found = self._kept.execute("SELECT row FROM answers WHERE id = ? AND question IN (?, '')", (identity, question))
        return next((str(row) for (row,) in found), None)

    def _by_question(self, question: str) -> str | None:
        query = "SELECT DISTINCT row FROM answers WHERE question = ? AND question != '' LIMIT 2"
        found = [str(row) for (row,) in self._kept.execute(query, (question,))]
        if len(found) > 1:
            raise SystemFailed(f"{self._path.name} has several answers to this question, and none of them has its id")
        return found[0] if found else None

    def _rows(self, columns: Columns, notify: Callable[[str], None]) -> Iterator[tuple[str, str, str]]:
        found = read_rows(self._path, None, wanted=lambda _: True, notify=notify)
        checked = columns.checked(found, self._path.name, ("answer",), notify)
        for kept in converted(checked, lambda row: _kept(row, columns)):
            if isinstance(kept, BadRow):
                notify(f"{kept.where} is left out: {kept.reason}")
            else:
                self._digest.update(repr(kept).encode())
                yield kept


def _kept(row: RawRow, columns: Columns) -> tuple[str, str, str]:
    def cell(field: str) -> Any:
        value = columns.find(row.fields, field)
        return None if value is MISSING else value

    text, contexts = as_text(cell("answer")), cell("contexts")
    value: dict[str, Any] = {"answer": text}
    if text is None:
        error = row.fields.get("error")
        failure = error if isinstance(error, Mapping) else {}
        kind = failure.get("kind")
        value["kind"] = kind if kind in _KINDS else "failed"
        value["reason"] = str(failure.get("reason") or "the file has no answer to this question")
    elif isinstance(contexts, str) or not row.typed:
        value["contexts"] = as_texts(contexts)
    else:
        value["contexts"] = _passages(contexts)
    return as_text(cell("id")) or f"row-{row.number}", (as_text(cell("question")) or "").strip(), json.dumps(value)


def _passages(contexts: Any) -> Any:
    """Return passages with source and score, if given as `saiten answer` writes them; else their texts."""
    try:
        found = read_answer({"answer": "", "contexts": contexts}).contexts
    except ValueError:
        return as_texts(contexts)
    return None if found is None else [asdict(passage) for passage in found]
