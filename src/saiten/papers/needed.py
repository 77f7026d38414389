"""What a design needs, compared with the folder of data, before anything is run."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Self

from saiten.data import BadRow, read_labels
from saiten.data.columns import CONFIGURED, FIXED
from saiten.data.looking import LOOKED_AT, look
from saiten.errors import BadInput
from saiten.papers.design import DataNeed, Reading, candidates
from saiten.records import Label, Sample, Span
from saiten.text.language import detect_language
from saiten.trust.inputs.judge_files import read_outputs
from saiten.trust.spans.marks import misplaced
from saiten.words import Composed, Message, joined

_AS_NAMED = Reading()
"""Columns have the names of fields."""


@dataclass(frozen=True, slots=True)
class CheckedNeed:
    """A need, and what the folder has of it."""

    need: DataNeed
    path: Path | None
    """The file or folder; None if it is not there."""
    has: Message | str = ""
    """What is in it."""
    problem: Message | str = ""
    """Why it cannot be used; "" if it can."""

    @property
    def is_missing(self) -> bool:
        """Whether nothing can be done without it."""
        return bool(self.problem) and not self.need.parts


def check_needs(data: Path, needs: Sequence[DataNeed], reading: Reading = _AS_NAMED) -> list[CheckedNeed]:
    """Return what the folder has of each need, in their order; reads labels, and the first 1,000 rows of samples."""
    return [_checked(data, need, reading) for need in needs]


def _checked(data: Path, need: DataNeed, reading: Reading) -> CheckedNeed:
    path = None
    try:
        found = [path for path in candidates(data, need) if path.exists()]
        if not found:
            return CheckedNeed(need, None, problem=Message("paper", "not_there"))
        path = found[0]
        if len(found) > 1:
            return CheckedNeed(need, path, problem=Message("paper", "several", names=", ".join(p.name for p in found)))
        return _read(need, path, data, reading)
    except BadInput as error:
        return CheckedNeed(need, None, problem=Composed(error))
    except OSError as error:
        return CheckedNeed(need, path, problem=Message("paper", "not_read", why=error.strerror or str(error)))


def _read(need: DataNeed, path: Path, data: Path, reading: Reading) -> CheckedNeed:
    if need.kind == "documents":
        return _documents(need, path)
    if need.kind == "samples":
        return _samples(need, path, reading)
    if need.kind == "outputs":
        return _outputs(need, path, data, reading)
    return _labels(need, path, data, reading)


def _documents(need: DataNeed, path: Path) -> CheckedNeed:
    from saiten.rag.knowledge.documents import FoundFile  # noqa: PLC0415 - only designs with documents need the readers
    from saiten.rag.knowledge.finding import find_documents  # noqa: PLC0415

    n = sum(isinstance(each, FoundFile) for each in find_documents([path]))
    has = Message("paper", "has_documents", n=n)
    return CheckedNeed(need, path, has, "" if n else Message("paper", "no_document"))


def _samples(need: DataNeed, path: Path, reading: Reading) -> CheckedNeed:
    found = look(
        path,
        columns=reading.columns_of(path),
        format=None,
        detect_language=detect_language,
        language=reading.language,
        option=CONFIGURED,
        notify=lambda _: None,
    )
    # A column whose name is only similar is not read by the commands either.
    has = {name: 0 if name in found.guessed else found.has(name) for name in need.fields}
    counts = [f"{name} {n}" for name, n in has.items()]
    rows = Message("paper", "first_rows" if found.more else "all_rows", n=LOOKED_AT if found.more else found.rows)
    lacking = [name for name, n in has.items() if not n]
    similar = [Message("paper", "rename", column=found.guessed[n], name=n) for n in lacking if n in found.guessed]
    problem = joined([Message("paper", "lacks", fields=joined(lacking, "listed")), *similar]) if lacking else ""
    return CheckedNeed(need, path, Message("paper", "has", rows=rows, counts=", ".join(counts)), problem)


def _labels(need: DataNeed, path: Path, data: Path, reading: Reading) -> CheckedNeed:
    rows = list(read_labels(path, option=FIXED, notify=lambda _: None))
    labels, bad = [row for row in rows if isinstance(row, Label)], [row for row in rows if isinstance(row, BadRow)]
    unread = _unread(bad) if bad else ""
    if not labels:
        return CheckedNeed(need, path, unread, Message("paper", "no_label"))
    aspects = Counter(label.aspect for label in labels)
    listed = ", ".join(f"{aspect or '–'} {n}" for aspect, n in aspects.most_common())
    has = Message("paper", "has_labels", n=len(labels), aspects=listed)
    counted = _of_aspects(need, labels)
    if not counted:
        return CheckedNeed(need, path, has, Message("paper", "no_aspect", aspects=joined(need.fields, "listed")))
    if need.spans and all(label.spans is None for label in counted):
        return CheckedNeed(need, path, has, Message("paper", "no_spans"))
    others = len(labels) - len(counted)
    about = _About.of(need, {label.item for label in counted}, data, reading)
    known = [label for label in counted if label.item not in about.unknown]
    problem = about.problem or _outside(need, known) or (_misplaced(need, known, data, reading) if need.spans else "")
    if need.spans and bad:  # the metric that reads units stops at such a row
        unread, problem = "", joined([unread, problem])
    more = (
        about.remark(sum(label.item in about.unknown for label in counted)),
        Message("paper", "other_aspects", n=others) if others else "",
    )
    return CheckedNeed(need, path, joined([has, unread, *more]), problem)


def _unread(bad: Sequence[BadRow]) -> Message:
    return Message("paper", "unread", n=len(bad), where=bad[0].where, why=Composed(bad[0].reason))


def _of_aspects(need: DataNeed, labels: Sequence[Label]) -> Sequence[Label]:
    """Return the labels of the aspects that count; if there is one such aspect, labels need not name it."""
    if not need.fields:
        return labels
    named = [label for label in labels if label.aspect in need.fields]
    return named or [label for label in labels if not label.aspect and len(need.fields) == 1]


def _outside(need: DataNeed, labels: Sequence[Label]) -> Message | str:
    """Return the problem that values are outside of their scale; "" if none is."""
    wrong = []
    for label in labels:
        aspect = label.aspect or next(iter(need.fields), "")
        lowest, highest = need.scale.get(aspect, (-inf, inf))
        if not lowest <= label.value <= highest:
            wrong.append((label, aspect, lowest, highest))
    if not wrong:
        return ""
    label, aspect, lowest, highest = wrong[0]
    values = {"item": label.item, "value": label.value, "lowest": lowest, "highest": highest}
    return Message("paper", "outside", n=len(wrong), aspect=aspect, **values)


def _misplaced(need: DataNeed, labels: Sequence[Label], data: Path, reading: Reading) -> Message | str:
    """Return the problem that marked passages are not in their texts; "" if all are."""
    marks: dict[tuple[str, str], tuple[Span, ...]] = {}
    for label in labels:
        place = label.item, label.aspect
        marks[place] = marks.get(place, ()) + (label.spans or ())
    samples: dict[str, Sample] = {}
    with suppress(BadInput, OSError):
        samples = {row.id: row for row in _rows(data, need.of, reading)}
    n, first = misplaced(marks, samples)
    return Message("paper", "misplaced", n=n, first=first) if n else ""


def _outputs(need: DataNeed, path: Path, data: Path, reading: Reading) -> CheckedNeed:
    outputs = list(read_outputs(path, notify=lambda _: None))
    judges = ", ".join(dict.fromkeys(one.metric for one in outputs))
    has = Message("paper", "has_outputs", n=len(outputs), judges=judges)
    about = _About.of(need, {one.item for one in outputs}, data, reading)
    return CheckedNeed(
        need, path, joined([has, about.remark(sum(one.item in about.unknown for one in outputs))]), about.problem
    )


@dataclass(frozen=True, slots=True)
class _About:
    """Which items are of no row of the file that they should be about."""

    need: DataNeed
    unknown: frozenset[str] = frozenset()
    """Empty if that file cannot be read, as the list says at that file."""
    problem: Message | str = ""
    """None of them is."""

    @classmethod
    def of(cls, need: DataNeed, items: set[str], data: Path, reading: Reading) -> Self:
        """Compare the items with the ids."""
        ids: set[str] = set()
        with suppress(BadInput, OSError):
            ids = {row.id for row in _rows(data, need.of, reading)} if need.of else set()
        unknown = frozenset(item for item in items if ids and not _is_of(item, ids, need.before))
        if unknown != items:
            return cls(need, unknown)
        return cls(need, problem=Message("paper", "other_items", of=need.of, example=min(items), wanted=min(ids)))

    def remark(self, n: int) -> Message | str:
        """Say that so many rows are of such items."""
        return Message("paper", "unknown_items", n=n, of=self.need.of, example=min(self.unknown)) if n else ""


def _is_of(item: str, ids: set[str], before: str) -> bool:
    parts = item.split(before) if before else [item]
    return any(before.join(parts[:n]) in ids for n in range(1, len(parts) + 1))


def _rows(data: Path, name: str, reading: Reading) -> Iterator[Sample]:
    """Yield the usable rows of a file of samples; none if it is not there."""
    path = next((path for path in candidates(data, DataNeed(name, "samples")) if path.is_file()), None)
    if path is not None:
        yield from reading.rows(path, lambda _: None)


def check_folder(
    data: Path, needs: Sequence[DataNeed], say: Callable[[CheckedNeed], None], reading: Reading = _AS_NAMED
) -> list[CheckedNeed]:
    """Check the folder, and report each need; then raise one error for all that is missing.

    Raises:
        BadInput: something that everything needs is missing or cannot be used (the text lists it all), or no file has
            a column that the configuration names.
    """
    found = check_needs(data, needs, reading)
    for each in found:
        say(each)
    _check_columns([each.path for each in found if each.path and each.need.kind == "samples"], reading)
    missing = [each for each in found if each.is_missing]
    if missing:
        names = ", ".join(each.need.name for each in missing)
        raise BadInput(
            f"{data} lacks what the design needs: {names} (listed above); to see an example of each file, write the "
            "built-in samples into an empty folder with --samples"
        )
    return found


def _check_columns(paths: Sequence[Path], reading: Reading) -> None:
    """Raise BadInput if a column of the configuration is in none of the files that are there."""
    there: set[str] = set()
    for path in paths:
        try:
            there |= reading.columns_of(path).keys()
        except (BadInput, OSError):
            return  # it may be in this one
    if paths and (field := min(reading.columns.keys() - there, default=None)):
        files = ", ".join(map(str, paths))
        raise BadInput(
            f"there is no column {reading.columns[field]!r} in {files}, which saiten.toml names for the {field}"
        )
