"""A first look at data: which columns are which fields, and what the rows have."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from saiten.data.chat_logs import ChatNotes
from saiten.data.columns import CHECKED, MISSING, SAMPLE_COLUMNS, Columns, plain_name
from saiten.data.formats import read_rows
from saiten.data.guessed_names import GUESSED_NAMES
from saiten.data.opening import Source, name_of
from saiten.data.row_samples import RowSamples
from saiten.data.rows import BadRow, RawRow
from saiten.data.samples import SampleColumns, samples_in
from saiten.data.several_answers import is_one_of_several, spread_of
from saiten.data.traces.reading import TRACE_FORMATS, with_traces_as_rows
from saiten.errors import BadInput
from saiten.records import Language, Sample

LOOKED_AT = 1000
"""Maximum rows that are read."""

_GUESSED = ("question", "answer", "contexts", "reference")
_SHORTEST = 5
"""Letters of a Latin name that may be part of another one: `input` in `input_text`, but no `lang` in `slang`."""
_NO_TEXT = ("id", "type", "score", "length", "time", "date", "count", "source", "language", "number")
"""Ends of the names of columns about a text: `question_id`, `answer_length`."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the first rows of the data have."""

    rows: int
    """Number of rows that were read; one with answers of several systems has several samples."""
    more: bool
    """Whether there are others."""
    samples: Sequence[Sample]
    bad_rows: Sequence[BadRow]
    """Rows that cannot be used."""
    recognized: Mapping[str, str]
    """Field → its column, or several, separated by commas."""
    guessed: Mapping[str, str]
    """The fields among them whose column has no name that is known, only one that contains such a name."""
    unused: Sequence[str]
    """Columns that no field is read from."""

    @property
    def languages(self) -> Mapping[Language, int]:
        """Return the number of samples per language, the most frequent first."""
        return dict(Counter(sample.language for sample in self.samples).most_common())

    @property
    def systems(self) -> list[str]:
        """Return the systems in order of occurrence."""
        return list(dict.fromkeys(sample.system for sample in self.samples if sample.system))

    @property
    def groups(self) -> list[str]:
        """Return the groups in order of occurrence."""
        return list(dict.fromkeys(sample.group for sample in self.samples if sample.group))

    def has(self, field: str) -> int:
        """Return the number of samples that have the field, as metrics need it."""
        return sum(getattr(sample, field) not in (None, "", ()) for sample in self.samples)


def look(
    source: Source,
    *,
    columns: Mapping[str, str],
    format: str | None,  # noqa: A002 - the word that `read_samples` has
    detect_language: Callable[..., Language],
    language: Language | None,
    option: str = "--column",
    notify: Callable[[str], None],
) -> Look:
    """Read the first rows, at most 1,000; arguments and errors as for `read_samples`.

    Raises:
        BadInput: as for `read_samples`, or no row can be used.
    """
    name, traces = name_of(source), format if format in TRACE_FORMATS else None
    rows = read_rows(source, None if traces else format, wanted=SampleColumns.of(columns).wanted, notify=notify)
    rows = with_traces_as_rows(rows, name, notify, expected=traces)
    first = list(islice(rows, LOOKED_AT))
    guessed = _guesses(SampleColumns.of(columns).fields, _usable(first))
    mine = SampleColumns.of({**columns, **guessed}, option)
    make = RowSamples(mine.fields, detect_language, language, "answers", ChatNotes())
    read = list(samples_in(iter(first), name, mine, make, notify=notify))
    samples = [one for one in read if isinstance(one, Sample)]
    bad = [one for one in read if isinstance(one, BadRow)]
    if not samples:
        raise BadInput(f"none of the first {len(bad)} rows can be used; {bad[0].where}: {bad[0].reason}")
    recognized, unused = _recognized(mine, _usable(first)), _unused(mine.fields, _usable(first))
    return Look(len(first), next(rows, None) is not None, samples, bad, recognized, guessed, unused)


def columns_in(source: Source, columns: Mapping[str, str]) -> dict[str, str]:
    """Return those of the chosen columns, field → column, that the first rows have.

    Raises:
        BadInput: the source cannot be read.
        ConfigurationError: there is no such field.
    """
    if not columns:
        return {}
    rows = read_rows(source, None, wanted=SampleColumns.of(columns).wanted, notify=_quiet)
    rows = with_traces_as_rows(rows, name_of(source), _quiet)
    first, there = (
        _usable(list(islice(rows, CHECKED))),
        Columns({field: (name,) for field, name in columns.items()}, {}),
    )
    return {
        field: name
        for field, name in columns.items()
        if any(there.find(row.fields, field) is not MISSING for row in first)
    }


def _quiet(_: str) -> None:
    """Leave notes to the reader of the whole source."""


def _recognized(columns: SampleColumns, rows: Sequence[RawRow]) -> dict[str, str]:
    """Return field → its column, or its columns, if each system has one."""
    if columns.are_messages(next(iter(rows), None)):
        return columns.messages.recognized(rows)
    found = columns.fields.recognized(rows)
    together = spread_of(tuple(rows[0].fields), columns.fields)
    several = {
        "answer": [each.answer for each in together.systems],
        "contexts": [*filter(None, (each.contexts for each in together.systems)), *together.contexts],
    }
    found |= {field: ", ".join(names) for field, names in several.items() if names}
    return {field: found[field] for field in SAMPLE_COLUMNS if field in found}


def _usable(rows: Sequence[RawRow | BadRow]) -> list[RawRow]:
    return [row for row in rows if isinstance(row, RawRow)]


def _unused(columns: Columns, rows: Sequence[RawRow]) -> list[str]:
    """Return the columns that no field is read from, nor the answer of one of several systems."""
    return [column for column in columns.unused(rows) if not is_one_of_several(column)]


def _guesses(columns: Columns, rows: Sequence[RawRow]) -> dict[str, str]:
    """Return field → column for fields that no known name gives and exactly one other column may be."""
    there = columns.recognized(rows)
    found: dict[str, list[str]] = {}
    for column in _unused(columns, rows):
        field = _field_in(plain_name(column))
        if field is not None and _holds_text(column, rows):
            found.setdefault(field, []).append(column)
    return {field: names[0] for field, names in found.items() if field not in there and len(names) == 1}


def _field_in(name: str) -> str | None:
    """Return the field of which the longest name is part of this name; None if it is about a text, or no field's."""
    if name.endswith(_NO_TEXT):
        return None
    parts = [
        (len(part), field)
        for field in _GUESSED
        for part in map(plain_name, SAMPLE_COLUMNS[field][: -len(GUESSED_NAMES[field])])  # only names of tools
        if part in name and (len(part) >= _SHORTEST or not part.isascii())
    ]
    return max(parts)[1] if parts else None


def _holds_text(column: str, rows: Sequence[RawRow]) -> bool:
    """Return whether the column has texts, or lists of them, rather than numbers."""
    values = [row.fields[column] for row in rows if row.fields.get(column) not in (None, "", [])]
    return bool(values) and not any(map(_is_number, values))


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        with suppress(ValueError):
            float(value)
            return True
        return False
    return not isinstance(value, list | tuple)
