"""Chat logs with one row per message, as spreadsheets and databases export them: their conversations."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Any

from saiten.data.columns import MESSAGE_COLUMNS, MISSING, Columns
from saiten.data.rows import BadRow, RawRow, bad_row
from saiten.data.values import as_text, is_nothing
from saiten.errors import BadInput

MOST_CHARACTERS = 256 << 20
"""Characters of all messages of a log with one row per message, since a conversation may continue in any later row."""

_LOOKED_AT = 100  # rows held until one is not bad; a file may have a million bad ones
_REPEATED = ("reference", "contexts")
"""Fields that are the conversation's if all its rows repeat them, and otherwise of their message."""
_OF_ALL = ("conversation", "group", "system", "language")


@dataclass(slots=True)
class _Conversation:
    """A conversation in the making."""

    first: RawRow
    messages: list[Mapping[str, Any]] = field(default_factory=list)


def are_messages(row: RawRow, samples: Columns, messages: Columns) -> bool:
    """Return whether the row is a message: it has a role and a content, and no question, answer or list of messages."""
    others = (samples.find(row.fields, name) for name in ("question", "answer"))
    return all(other is MISSING for other in others) and all(
        messages.find(row.fields, name) is not MISSING for name in ("role", "content")
    )


def conversations_in(
    rows: Iterator[RawRow | BadRow], columns: Columns, name: str, notify: Callable[[str], None]
) -> Iterator[RawRow | BadRow]:
    """Yield each conversation as a row with `messages`, in the order of their first messages; bad rows at once.

    The rows of a conversation may be anywhere. They are in the order of their times or numbers, if all have one, and
    otherwise as in the file. Without a column for the conversation, all rows are one.

    Raises:
        BadInput: the log is too large to be held in memory.
    """
    found: dict[str, _Conversation] = {}
    characters, nameless = 0, False
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        try:
            given = _given(row, columns)
            named = as_text(given.get("conversation"))
        except ValueError as error:
            yield bad_row(row.where, str(error), row.fields)
            continue
        if named is None and "conversation" in given:
            yield bad_row(row.where, "the message belongs to no conversation: its id is empty", row.fields)
            continue
        nameless |= named is None
        characters += sum(len(value) for value in given.values() if isinstance(value, str))
        if characters > MOST_CHARACTERS:
            raise BadInput(
                f"{name}: the messages have more than {MOST_CHARACTERS >> 20} million characters; a log with one row "
                "per message is held in memory, so divide it by conversation, or write one conversation per line"
            )
        talk = found.setdefault(named or "", _Conversation(row))
        talk.messages.append(given)
    if nameless:
        notify(
            f"{name}: no column names the conversation, so that all messages are one; if there is one, name it, as in "
            "--column conversation=COLUMN"
        )
    yield from map(_as_row, found.values())


def _given(row: RawRow, columns: Columns) -> dict[str, Any]:
    """Return the fields of a message; an empty cell of CSV is not given, except as what is said."""
    found = columns.find_all(row.fields)
    return {
        name: None if not row.typed and value == "" and name != "content" else value for name, value in found.items()
    }


def _as_row(talk: _Conversation) -> RawRow | BadRow:
    first = talk.first
    try:
        messages = _in_order(talk.messages)
    except ValueError as error:
        return bad_row(first.where, str(error), first.fields)
    fields: dict[str, Any] = {}
    for name in _OF_ALL:
        values = [message[name] for message in messages if not is_nothing(message.get(name))]
        if values:
            fields[name] = values[0]
    for name in _REPEATED:
        values = [message.get(name) for message in messages]
        if len(values) > 1 and not is_nothing(values[0]) and all(value == values[0] for value in values):
            fields[name] = values[0]
            messages = [{**message, name: None} for message in messages]
    kept = ("role", "content", *_REPEATED)
    fields["messages"] = [{key: message.get(key) for key in kept} for message in messages]
    return RawRow(first.number, fields, first.where, prefix=first.prefix)


def _in_order(messages: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the messages by their times or numbers; equal ones as in the file."""
    times = [message.get("time") for message in messages]
    if any(map(is_nothing, times)):
        return messages
    keys = _numbers(times) or [_moment(value, number) for number, value in enumerate(times, 1)]
    order = sorted(range(len(messages)), key=keys.__getitem__)
    return [messages[at] for at in order]


def _numbers(values: list[Any]) -> list[float] | None:
    try:
        return [float(as_text(value) or "") for value in values]
    except ValueError:
        return None


def _moment(value: Any, number: int) -> float:
    """Return a date and time in seconds; without a time zone, as if it were UTC."""
    text = as_text(value) or ""
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(_iso(text))
    except ValueError as error:
        raise ValueError(
            f"message {number}: the time {text[:40]!r} is neither a number nor a date with a time, such as "
            "2026-07-01 09:30:00"
        ) from error
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _iso(text: str) -> str:
    """Return a date and time as ISO 8601 writes it: 2026/7/1 9:30 is common in Japan."""
    day, _, hour = text.strip().replace("/", "-").partition(" ")
    day = "-".join(part.zfill(2) for part in day.split("-")) if "T" not in day else day
    return f"{day} {hour.strip().zfill(5) if hour.count(':') == 1 else hour.strip()}".strip()


def columns_of_messages(chosen: Mapping[str, str], option: str) -> Columns:
    """Return the columns of a log with one row per message; an `id` that was chosen is the conversation's."""
    mine = {field: column for field, column in chosen.items() if field in MESSAGE_COLUMNS}
    if "id" in chosen:
        mine.setdefault("conversation", chosen["id"])
    return Columns(MESSAGE_COLUMNS, mine, option=option)


def peeked(rows: Iterator[RawRow | BadRow]) -> tuple[RawRow | None, Iterator[RawRow | BadRow]]:
    """Return the first row that is not bad, if it is among the first ones, and all rows."""
    before: list[RawRow | BadRow] = []
    for row in islice(rows, _LOOKED_AT):
        before.append(row)
        if isinstance(row, RawRow):
            return row, chain(before, rows)
    return None, chain(before, rows)
