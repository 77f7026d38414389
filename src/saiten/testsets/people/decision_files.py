"""Files of decisions, as `saiten annotate` exports them or as written by hand, and the files that accepting writes."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from saiten.data.columns import LABEL_COLUMNS, MISSING, Columns, Names
from saiten.data.formats import read_rows
from saiten.data.opening import name_of
from saiten.data.rows import BadRow, RawRow
from saiten.data.values import as_text
from saiten.durable.whole_file import check_place, whole_file, writing_to
from saiten.errors import BadInput
from saiten.testsets.people.decisions import CHOICES, Choice, SetDecision

_COLUMNS: Names = {
    **{name: LABEL_COLUMNS[name] for name in ("item", "annotator", "adjudicated", "reason", "answer_digest")},
    "decision": ("decision", "決定", "判断"),
    "question": ("question", "質問"),
    "reference": ("reference", "参照回答"),
    "at": ("saved_at", "at"),
    "unclear": ("unclear",),
}
VERDICT_WORDS: dict[str, Choice] = {
    **{choice: choice for choice in CHOICES},
    **{verdict: choice for choice, verdict in CHOICES.items()},
    "採用": "approve",
    "修正": "edit",
    "却下": "reject",
}
_YES_OR_NO = {"": False, "false": False, "no": False, "0": False, "true": True, "yes": True, "1": True}


def read_decisions(path: Path, *, columns: Mapping[str, str], notify: Callable[[str], None]) -> Iterator[SetDecision]:
    """Yield the decisions of a file in any format; rows with an empty decision are counted in a note.

    Needs columns for `item` and `decision` (approve, edit, reject); `question` and `reference` are the edited texts,
    empty for unchanged. Optional: `annotator`, `saved_at`, `adjudicated`, `reason`, `unclear`, `answer_digest`.

    Raises:
        BadInput: there is no such file or column, or a row cannot be read: with its place.
    """
    fields = Columns(_COLUMNS, columns)
    name = name_of(path)
    rows = read_rows(path, None, wanted=fields.wanted, notify=notify)
    for needed in (("item",), ("decision",)):
        rows = fields.checked(rows, name, needed, notify if needed == ("item",) else lambda _: None)
    undecided = 0
    for row in rows:
        if isinstance(row, BadRow):
            raise BadInput(f"{row.where}: {row.reason}")
        try:
            decision = _decision(row, fields)
        except ValueError as error:
            raise BadInput(f"{row.where}: {error}") from error
        if decision is None:
            undecided += 1
        else:
            yield decision
    if undecided:
        notify(f"{name}: {undecided} rows have no decision and are skipped")


def write_items(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines, all or nothing; raises ConfigurationError if the file cannot be written."""
    with writing_to(path, "name another file"), whole_file(path, shared=True) as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")


def check_replaceable(path: Path, mark: str) -> None:
    """Check that a file may be written: it is new, empty, or its items have the field `mark`, as those written before.

    Raises:
        BadInput: it is a folder, or has something else in it.
        ConfigurationError: there is no folder for it.
    """
    check_place(path, "approved.jsonl")
    if not path.exists():
        return
    with path.open("rb") as file:
        first = next((line for line in file if line.strip()), None)
    if first is not None and not _has(first, mark):
        raise BadInput(f"{path} was not written by `saiten testset accept` and is not replaced; name another file")


def _has(line: bytes, mark: str) -> bool:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and mark in value


def _decision(row: RawRow, fields: Columns) -> SetDecision | None:
    """Return the decision of a row; None if it has none yet."""

    def text(name: str) -> str:
        value = fields.find(row.fields, name)
        return "" if value is MISSING else as_text(value) or ""

    def flag(name: str) -> bool:
        value = text(name).strip().casefold()
        if value not in _YES_OR_NO:
            raise BadInput(f"{row.where}: {name} is {value[:40]!r}; expected yes or no")
        return _YES_OR_NO[value]

    word = text("decision").strip()
    if not word:
        return None
    choice = VERDICT_WORDS.get(word.casefold())
    if choice is None:
        raise BadInput(f"{row.where}: the decision is {word[:40]!r}; expected {', '.join(CHOICES)}")
    item = text("item")
    if not item:
        raise BadInput(f"{row.where}: no item: expected the id of a question in the test set")
    return SetDecision(
        item,
        choice,
        text("annotator").strip(),
        text("question").strip(),
        text("reference").strip(),
        text("at").strip(),
        flag("adjudicated"),
        text("reason").strip(),
        flag("unclear"),
        text("answer_digest").strip(),
        row.where,
    )
