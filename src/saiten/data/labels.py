"""Human labels in JSONL, CSV or any other format: verdicts, grades, preferences, categories, marked spans."""

import logging
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from saiten.data.columns import LABEL_COLUMNS, MISSING, Columns
from saiten.data.formats import read_rows
from saiten.data.opening import Source, name_of
from saiten.data.rows import BadRow, RawRow, converted
from saiten.data.values import as_spans, as_text, is_nothing
from saiten.records import Label, Span

_LOG = logging.getLogger(__name__)

_WORDS = {
    **dict.fromkeys(("true", "yes", "correct", "はい", "正", "正しい", "正解", "○", "〇"), 1.0),
    **dict.fromkeys(("false", "no", "incorrect", "いいえ", "誤", "誤り", "不正解", "×", "✕"), 0.0),
}

_PREFERENCES = {
    **dict.fromkeys(("a", "first", "left", "a>b", "b<a", "1>2", "2<1", "前者", "左"), -1.0),
    **dict.fromkeys(("b", "second", "right", "a<b", "1<2", "b>a", "2>1", "後者", "右"), 1.0),
    **dict.fromkeys(("a>>b", "b<<a", "1>>2", "2<<1"), -2.0),
    **dict.fromkeys(("a<<b", "b>>a", "1<<2", "2>>1"), 2.0),
    **dict.fromkeys(("tie", "equal", "same", "draw", "a=b", "b=a", "1=2", "引き分け", "同等", "同じ"), 0.0),
}
"""Words for a preference: below 0 the first answer is better, above 0 the second."""
_NAMED_ANSWERS = {0.0: 0.0, 1.0: -1.0, 2.0: 1.0}
_SPACES = re.compile(r"[\s_-]+")

REMARK = "note"
"""The aspect of a row that only has a reason, without a value."""
_VALUES = ("value", "preference", "choice", "spans")
"""The fields that may contain the label; the first one present counts."""


def usable_labels(source: Source, notify: Callable[[str], None]) -> Iterator[Label]:
    """Yield the labels of a source without the rows that cannot be used, for those who report such rows elsewhere.

    Raises: what `read_labels` does.
    """
    return (row for row in read_labels(source, notify=notify) if isinstance(row, Label))


def read_labels(
    source: Source,
    *,
    columns: Mapping[str, str] = {},
    format: str | None = None,  # noqa: A002 - the word that the command line has
    categories: bool = False,
    option: str = "--column",
    notify: Callable[[str], None] = _LOG.warning,
) -> Iterator[Label | BadRow]:
    """Yield the labels of a source lazily; verdicts (true, yes, はい, ○, …) become 1 and 0.

    - Preferences between two answers are below 0 if the first is better, above 0 if the second is, 0 for a tie. In a
      column `preference` numbers are kept (-2 … 2, -1/0/1); in a column `choice`, 1 and 2 name the answer. Both accept
      words (`A`, `B`, `A>B`, `A<B`, `first`, `second`, `tie`, 引き分け, …).
    - `spans` are marked pieces of a text, as read by `as_spans`; their number is the value. An empty list is a label,
      too (nothing was marked), unless the row has another value that is not 0. A row cannot also be a grade.
    - A row of the aspect `note` without a value is a remark on an answer, as reports export it, and no label; a note
      says how many there are.
    - `adjudicated` (yes or no) marks a third decision that settles the others; `reason` is the annotator's explanation.

    Labels written by `dataclasses.asdict` are read back unchanged, except for categories.

    Args:
        source: As for samples, like `format`.
        columns: Field → column, for unrecognized names. If value, preference, choice or spans are given, the others are
            ignored.
        format: One of `formats.FORMATS`, or None to detect it.
        categories: Whether other words are categories (`neutral`), kept as `Label.category`; otherwise they are
            invalid.
        option: The command-line option for columns, for messages.
        notify: Receives notes for the user.

    Raises:
        BadInput: on the first `next`: no such file, no known format, no column for the item or for the value.
        ConfigurationError: an unknown field or format, or pyarrow is missing.
    """
    fields = Columns(LABEL_COLUMNS, columns, option=option)
    name = name_of(source)
    rows = read_rows(source, format, wanted=fields.wanted, notify=notify)
    sources = tuple(each for each in _VALUES if each in columns) or _VALUES
    for needed in (("item",), sources):
        rows = fields.checked(rows, name, needed, notify if needed == ("item",) else lambda _: None)
    state = _State(sources, {} if categories else None)
    yield from converted(_without_remarks(rows, fields, state), lambda row: _label(row, fields, state))
    if state.remarks:
        notify(f"{name}: {state.remarks} rows are remarks without a verdict or a grade, which are no labels")
    if {"words", "above 0"} <= state.preferences and "below 0" not in state.preferences:
        notify(
            f"{name}: the preferences are words and numbers of which none is below 0; numbers were taken as sizes, "
            "above 0 for the second answer. If 1 and 2 name the answers, say so: --column choice=preference"
        )


@dataclass(slots=True)
class _State:
    """Information gathered across rows. Not frozen: it counts."""

    sources: tuple[str, ...]
    categories: dict[str, float] | None
    """The number of each category so far; None if categories are not allowed."""
    preferences: set[str] = field(default_factory=set)
    remarks: int = 0


def _without_remarks(rows: Iterable[RawRow | BadRow], columns: Columns, state: _State) -> Iterator[RawRow | BadRow]:
    for row in rows:
        if isinstance(row, RawRow) and columns.find(row.fields, "aspect") == REMARK:
            said = (columns.find(row.fields, source) for source in state.sources)
            if all(value is MISSING or is_nothing(value) for value in said):
                state.remarks += 1
                continue
        yield row


def _label(row: RawRow, columns: Columns, state: _State) -> Label:
    def text(name: str) -> str:
        value = columns.find(row.fields, name)
        return "" if value is MISSING else as_text(value) or ""

    item = text("item")
    if not item:
        raise ValueError("no item: expected the id of the sample")
    spans = _spans(row, columns, state)
    value, category = (float(len(spans)), "") if spans is not None else _graded(row, columns, state)
    settles = _is_yes(text("adjudicated"))
    more = text("reason"), text("answer_digest")
    return Label(item, value, text("annotator"), text("aspect"), settles, category, spans, *more)


def _spans(row: RawRow, columns: Columns, state: _State) -> tuple[Span, ...] | None:
    """Return the marked spans; None if the row is not about spans."""
    found = columns.find(row.fields, "spans") if "spans" in state.sources else MISSING
    try:
        spans = None if found is MISSING else as_spans(found)
    except ValueError as error:
        raise ValueError(f"spans: {error}") from error
    if spans is None:
        return None
    for source in state.sources:
        said = MISSING if source == "spans" else columns.find(row.fields, source)
        text = "" if said is MISSING or is_nothing(said) else (as_text(said) or "").strip()
        if text and not spans and _value(text) != 0:
            return None  # a table with one column for both fills it with empty lists
        if text and _value(text) != len(spans):
            raise ValueError(
                f"{len(spans)} spans and the {source} {text[:40]!r} in one row; a grade and what was marked are two "
                f"labels: put them in two rows, or name the one that is meant, as in --column spans=spans"
            )
    return spans


def _graded(row: RawRow, columns: Columns, state: _State) -> tuple[float, str]:
    for source in state.sources:
        if source == "spans":
            continue
        found = columns.find(row.fields, source)
        if found is MISSING or is_nothing(found):
            continue
        text = (as_text(found) or "").strip()
        if not text:
            continue
        if source == "choice":
            return preference(text, names_answer=True), ""
        if source == "preference":
            number = preference(text, names_answer=False)
            state.preferences.add("words" if not _is_number(text) else "below 0" if number < 0 else "above 0")
            return number, ""
        value = _value(text)
        if value is not None:
            return value, ""
        if state.categories is None:
            raise ValueError(f"the value {text[:40]!r} is neither a number nor a verdict such as yes, no, true, ○")
        return state.categories.setdefault(text, float(len(state.categories))), text
    raise ValueError("no value: expected a verdict, a grade or spans")


def _value(text: str) -> float | None:
    """Return the number that the text denotes; None for any other word."""
    word = _WORDS.get(text.casefold())
    if word is not None:
        return word
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        raise ValueError(f"the value {text[:40]!r} is not a finite number")
    return number


def _is_yes(text: str) -> bool:
    if not text.strip():
        return False
    value = _value(text.strip())
    if value not in (0.0, 1.0):
        raise ValueError(f"adjudicated is {text[:40]!r}; expected yes or no")
    return value == 1.0


def preference(text: str, *, names_answer: bool) -> float:
    """Parse a preference; with `names_answer`, 1 and 2 name the answer (and 0 a tie) rather than a strength.

    Raises ValueError listing what is accepted.
    """
    plain = _plain(text)
    word = _PREFERENCES.get(_SPACES.sub("", plain))
    if word is not None:
        return word
    number = float(plain) if _is_number(text) else math.nan
    if names_answer and number in _NAMED_ANSWERS:
        return _NAMED_ANSWERS[number]
    if names_answer or not math.isfinite(number):
        numbers = "1 or 2" if names_answer else "a number (below 0 the first answer is better, above 0 the second)"
        raise ValueError(f"{text[:40]!r} is not a preference: expected {numbers}, A, B, A>B, A<B or tie")
    return number


def _is_number(text: str) -> bool:
    try:
        float(_plain(text))
    except ValueError:
        return False
    return True


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip().casefold()


def deciding(labels: Iterable[Label]) -> dict[str, list[Label]]:
    """Return the labels that count, by item: the adjudicated ones if there are any, otherwise all."""
    by_item: dict[str, list[Label]] = {}
    for label in labels:
        by_item.setdefault(label.item, []).append(label)
    return {item: [label for label in each if label.adjudicated] or each for item, each in by_item.items()}
