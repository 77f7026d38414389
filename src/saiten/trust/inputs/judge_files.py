"""Reading of files of judges' outputs (tables, long or wide, of values or raw replies), and of pairs of systems."""

import logging
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from saiten.data import BadRow, read_labels
from saiten.data.columns import LABEL_COLUMNS, MISSING, SAMPLE_COLUMNS, Columns, plain_name
from saiten.data.formats import read_rows
from saiten.data.labels import preference
from saiten.data.opening import Source, name_of
from saiten.data.rows import RawRow
from saiten.data.values import as_text
from saiten.errors import BadInput, ConfigurationError
from saiten.records import STATUSES, Label
from saiten.results.origin import Origin
from saiten.trust.inputs.outputs import BETWEEN, VERSUS, Output, Said, turned

_LOG = logging.getLogger(__name__)

JUDGE_COLUMNS = {
    **{name: paths for name, paths in LABEL_COLUMNS.items() if name not in ("annotator", "spans", "reason")},
    "judge": ("judge", *LABEL_COLUMNS["annotator"]),
    "metric": ("metric",),
    "status": ("status",),
    "order": ("order", "presentation_order"),
    "value": ("value", "label", "score", "rating", "grade", "verdict"),
}
_REPLIES = ("reply", "raw_reply", "raw_response", "raw_output", "raw", "completion")
"""Columns that may hold a raw reply; with a pattern, they are tried before those of values."""

_NO_JUDGE = frozenset(
    plain_name(path)
    for names in (
        SAMPLE_COLUMNS.values(),
        (LABEL_COLUMNS[name] for name in ("item", "aspect", "adjudicated", "reason")),
    )
    for paths in names
    for path in (*paths, "metric", "status", "order", "presentation_order")
)
"""Columns of a wide file that are not judges."""
_SECOND = ("2", "2.0", "BA", "swapped")
"""Values of the order column for the swapped order."""
_FEWEST_READ = 0.1
"""A column with a smaller share of readable texts holds something other than verdicts."""

_WITHOUT_VALUE: Mapping[str, Said] = {status: status for status in STATUSES if status != "ok"}
"""Statuses of saiten's own scores without a value."""

Notify = Callable[[str], None]


def read_outputs(
    source: Source, *, columns: Mapping[str, str] = {}, pattern: str | None = None, notify: Notify = _LOG.warning
) -> Iterator[Output]:
    r"""Yield the outputs in a file of any sample format.

    Long: one row per output, with columns for item, judge (or metric, annotator), value, and optionally aspect and
    status; if judge and metric are both given, each metric of each judge is separate. Wide: one row per item, and every
    other column is a judge by that name, unless it is a sample's (`answer`) or its texts are not verdicts; the user is
    notified of the latter. Preferences between two answers are in a column `preference` (-2 … 2) or `choice` (1, 2,
    tie) instead of the value, as in labels. Null is `undefined`, a text that is neither number nor verdict nor
    preference is `unreadable`: both are counted, and neither becomes a verdict.

    A judge that saw the two answers of a pair in both orders has an item for each (`A vs B`, `B vs A`), or a column
    `order`: 2 if they were shown in swapped order; the output then refers to the pair as named by the item.

    Args:
        source: the file.
        columns: field → column, for unrecognized names. A `value` without a judge is a single judge's.
        pattern: a regular expression that finds the verdict in a raw reply: its first group, otherwise the whole match.
            The last match counts, since a judge that reasons aloud may mention a grade earlier; A and B are
            preferences, and so are 1 and 2 about a pair of answers (`ID vs ID`) and in a column `choice`. A text
            without a match is `unreadable`.
        notify: receives messages for the user.

    Raises:
        BadInput: at the first `next`: no such file, unknown format, no column for the item, no judge, or a pattern that
            matches no reply.
        ConfigurationError: the pattern is invalid, or a field is unknown.
    """
    name = name_of(source)
    try:
        replies = _Replies(None if pattern is None else re.compile(pattern))
    except re.error as error:
        raise ConfigurationError(f"the verdict pattern {pattern!r} is not a regular expression: {error}") from error
    names = JUDGE_COLUMNS if pattern is None else JUDGE_COLUMNS | {"value": (*_REPLIES, *JUDGE_COLUMNS["value"])}
    fields = Columns(names, columns, option="--judge-column")
    rows = read_rows(source, None, wanted=lambda _: True, notify=notify)
    # no notes: a judge's file may well have several columns that could be a value
    rows = fields.checked(rows, name, ("item",), lambda _: None)
    long: list[Output] = []
    wide: list[Output] = []
    for row in rows:
        if isinstance(row, BadRow):
            notify(f"{row.where} is left out: {row.reason}")
            continue
        try:
            item = _text(row, fields, "item")
            if not item:
                raise ValueError("it has no item")  # noqa: TRY301 - reported like what cannot be read
            judge = BETWEEN.join(part for part in (_text(row, fields, "metric"), _text(row, fields, "judge")) if part)
            if judge or "value" in columns:
                long.append(_long(row, item, judge or columns["value"], fields, replies))
            else:
                wide += _wide(row, item, replies)
        except ValueError as error:
            notify(f"{row.where} is left out: {error}")
    found = [*long, *_verdicts(wide, name, notify, replies)]
    if not found:
        raise BadInput(f"{name} has no judge's outputs: expected item, judge and value, or item and a column per judge")
    replies.notify(name, notify)
    yield from found


def read_reasons(
    source: Source, items: Collection[str], *, columns: Mapping[str, str] = {}, pattern: str | None = None
) -> Iterator[tuple[str, str, str]]:
    """Yield item, name of the output and the judge's reason, for these items and as far as the file has reasons.

    A reason is in a column such as `reason` or `explanation`, else it is the raw reply (`reply`, or where the pattern
    finds the verdict). Call it for a file that `read_outputs` has read: it reports nothing.
    """
    names = JUDGE_COLUMNS | {"reason": (*LABEL_COLUMNS["reason"], "explanation", "feedback"), "reply": _REPLIES}
    names |= {} if pattern is None else {"value": (*_REPLIES, *JUDGE_COLUMNS["value"])}
    fields = Columns(names, columns, option="--judge-column")
    for row in read_rows(source, None, wanted=lambda _: True, notify=lambda _: None):
        if isinstance(row, BadRow) or (item := _text_if_any(row, fields, "item")) not in items:
            continue
        metric, judge = (_text_if_any(row, fields, name) for name in ("metric", "judge"))
        name = BETWEEN.join(part for part in (metric, judge) if part) or columns.get("value")
        if name:
            given = ("reason", "reply", *(() if pattern is None else ("value",)))
            if why := next(filter(None, (_text_if_any(row, fields, one) for one in given)), ""):
                yield item, name, why
        elif pattern is not None:
            for column, value in _flat(row.fields):
                if plain_name(column) not in _NO_JUDGE and isinstance(value, str):
                    yield item, column, value


def _text_if_any(row: RawRow, fields: Columns, name: str) -> str:
    """Return a field's text; "" also if it cannot be read."""
    try:
        return _text(row, fields, name)
    except ValueError:
        return ""


@dataclass(slots=True)
class _Replies:
    """Reader of texts that counts what the pattern found."""

    pattern: re.Pattern[str] | None
    texts: int = 0
    without: list[str] = field(default_factory=list)
    ambiguous: int = 0
    """Replies with several different matches."""

    def read(self, value: Any, *, names_answer: bool = False) -> Said:
        """Read one value; `names_answer`: the pattern's match names one of two answers, 1 and 2 included."""
        if value is MISSING or value is None:
            return "undefined"
        if isinstance(value, int | float):
            return float(value) if math.isfinite(value) else "undefined"
        text = (as_text(value) or "").strip()
        if not text:
            return "undefined"
        return _read(text) if self.pattern is None else self._matched(self.pattern, text, names_answer=names_answer)

    def _matched(self, pattern: re.Pattern[str], text: str, *, names_answer: bool) -> Said:
        self.texts += 1
        found = [next((group for group in one.groups() if group), one[0]).strip() for one in pattern.finditer(text)]
        said: Said = _verdict(found[-1], names_answer=names_answer) if found else "unreadable"
        self.ambiguous += len({one.casefold() for one in found}) > 1
        if said == "unreadable":
            self.without.append(" ".join(text.split())[:60])
        return said

    def notify(self, name: str, notify: Notify) -> None:
        """Report how many replies have no verdict.

        Raises:
            BadInput: no reply has one.
        """
        if self.pattern is None or not self.texts:
            return
        example = f", for example {self.without[0]!r}" if self.without else ""
        if len(self.without) == self.texts:
            raise BadInput(f"{name}: --verdict-pattern finds no verdict in any of {self.texts} replies{example}")
        if self.without:
            notify(f"{name}: no verdict in {len(self.without)} of {self.texts} replies{example}; they are unreadable")
        if self.ambiguous:
            notify(
                f"{name}: several different verdicts in {self.ambiguous} of {self.texts} replies; the last one counts"
            )


def _long(row: RawRow, item: str, name: str, fields: Columns, replies: _Replies) -> Output:
    judge, metric = _text(row, fields, "judge"), _text(row, fields, "metric")
    origin = Origin(metric, judge) if metric and judge else None
    said = _found(row, fields, replies)
    if VERSUS in item and _text(row, fields, "order").strip() in _SECOND:
        item, said = turned(item), said if isinstance(said, str) else -said
    return Output(item, name, said, _text(row, fields, "aspect"), origin)


def _found(row: RawRow, fields: Columns, replies: _Replies) -> Said:
    for form in ("preference", "choice"):
        text = _text(row, fields, form)
        if text:
            read = _preference if replies.pattern is None else replies.read
            return read(text, names_answer=form == "choice")
    said = replies.read(fields.find(row.fields, "value"), names_answer=VERSUS in _text(row, fields, "item"))
    return _WITHOUT_VALUE.get(_text(row, fields, "status"), said) if said == "undefined" else said


def _wide(row: RawRow, item: str, replies: _Replies) -> Iterator[Output]:
    for column, value in _flat(row.fields):
        if plain_name(column) not in _NO_JUDGE:
            yield Output(item, column, replies.read(value, names_answer=VERSUS in item))


def _verdicts(outputs: Iterable[Output], name: str, notify: Notify, replies: _Replies) -> Iterator[Output]:
    """Return the outputs of columns that hold verdicts; report the others, such as comments."""
    every = list(outputs)
    unread = Counter(one.metric for one in every if one.said == "unreadable")
    read = Counter(one.metric for one in every if not isinstance(one.said, str))
    texts = [column for column, n in unread.items() if read[column] < _FEWEST_READ * (read[column] + n)]
    if texts:
        how = "" if replies.pattern else "; --verdict-pattern reads verdicts out of replies"
        notify(f"{name}: no columns of judges, as they hold neither numbers nor verdicts: {', '.join(texts)}{how}")
    return (one for one in every if one.metric not in texts)


def _flat(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield columns, with the contents of objects under dotted names; skip lists, which are never a judge's output."""
    for column, value in fields.items():
        if isinstance(value, Mapping):
            yield from ((f"{column}.{inner}", each) for inner, each in _flat(value))
        elif not isinstance(value, list | tuple):
            yield str(column), value


@lru_cache(maxsize=1_000)
def _read(text: str) -> Said:
    """Read numbers and verdicts (yes, はい, ○) as in labels."""
    (label,) = read_labels([{"item": "-", "value": text}])
    return label.value if isinstance(label, Label) else "unreadable"


def _verdict(text: str, *, names_answer: bool) -> Said:
    """Read a pattern's match, in which A, B and tie are preferences, and 1 and 2 if they name an answer."""
    said: Said = "unreadable" if names_answer else _read(text)
    return _preference(text, names_answer=names_answer) if said == "unreadable" else said


def _preference(text: str, *, names_answer: bool) -> Said:
    try:
        return preference(text, names_answer=names_answer)
    except ValueError:
        return "unreadable"


def _text(row: RawRow, fields: Columns, name: str) -> str:
    value = fields.find(row.fields, name)
    return "" if value is MISSING else as_text(value) or ""


_PAIR_COLUMNS = {
    "first": ("first", "system_1", "system1", "system_a", "a"),
    "second": ("second", "system_2", "system2", "system_b", "b"),
}


def read_system_pairs(source: Source, *, notify: Notify = _LOG.warning) -> tuple[tuple[str, str], ...]:
    """Read pairs of systems from a file of any sample format: one row per pair, columns `first` and `second`.

    Raises:
        BadInput: no such file, no such columns, a row without two names, or no rows.
    """
    name = name_of(source)
    fields = Columns(_PAIR_COLUMNS, {})
    rows = read_rows(source, None, wanted=fields.wanted, notify=notify)
    rows = fields.checked(rows, name, ("first", "second"), lambda _: None)
    found: list[tuple[str, str]] = []
    for row in rows:
        if isinstance(row, BadRow):
            raise BadInput(f"{row.where}: {row.reason}; expected two systems, in the columns first and second")
        try:
            first, second = _text(row, fields, "first"), _text(row, fields, "second")
        except ValueError as error:
            raise BadInput(f"{row.where}: {error}; expected two systems, in the columns first and second") from error
        if not first or not second:
            raise BadInput(f"{name}:{row.number}: expected two systems, in the columns first and second")
        found.append((first, second))
    if not found:
        raise BadInput(f"{name} has no pairs of systems; expected a row per pair, with the columns first and second")
    return tuple(found)
