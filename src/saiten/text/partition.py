"""Partition: lists of units laid out over the text that they were taken from, and the faults found.

Every part of a reference belongs to exactly one unit, except greetings and courtesies; every unit belongs to one list,
and units do not overlap. Faults are sentences that a model can act on and a person can read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain

from saiten.records import Span
from saiten.text.alignment import Placed, place
from saiten.text.courtesies import is_courtesy
from saiten.text.folding import fold, is_narrow

_COUNTS_FROM = 10
"""Minimum letters of an uncovered piece, Japanese ones counting twice: *However,* and 具体的には are ignored."""
_OVERLAP_FROM = 4  # minimum letters of an overlap, so that ends found by a fuzzy match need not be exact
_SHOWN = 60
_FOLDED = 10_000  # maximum characters of a unit for comparison ignoring width, case and white space


@dataclass(frozen=True, slots=True)
class Layout:
    """Units with their places."""

    units: Mapping[str, tuple[Placed, ...]]
    """By list. A unit listed twice is only in the first list; overlapping passages are merged there."""
    faults: tuple[str, ...]
    uncovered: tuple[Span, ...]
    """Pieces of the text that no unit covers, except courtesies; only computed if units must cover the text."""

    @property
    def unplaced(self) -> int:
        """The number of units not found in the text."""
        return sum(one.start is None for one in chain(*self.units.values()))


def lay_out(source: str, lists: Mapping[str, Sequence[str]], *, whole: bool) -> Layout:
    """Lay out the units of the lists over the source; with `whole`, they must cover it.

    Units without a visible character are dropped.
    """
    listed = [(name, unit) for name, units in lists.items() for unit in units if _says_something(unit)]
    return check_layout(
        source, list(zip([name for name, _ in listed], place(source, [unit for _, unit in listed]), strict=True)),
        names=tuple(lists), whole=whole,
    )  # fmt: skip


def check_layout(source: str, listed: Sequence[tuple[str, Placed]], *, names: Sequence[str], whole: bool) -> Layout:
    """Build the layout of units with known places, each with the name of its list.

    Unless the units must cover the text, overlapping passages are merged into the first of their lists.
    """
    kept, doubles = _without_doubles(listed)
    placed = sorted((one for _, one in kept if one.start is not None), key=_range)
    uncovered = tuple(_uncovered(source, placed)) if whole else ()
    faults = (
        *doubles,
        *(f"{_shown(one.text)} in `{name}` is not in the text; copy the words as they are" for name, one in kept
          if one.start is None),
        *_overlaps(source, placed),
        *(f"no unit contains {_shown(gap.text)}; add it" for gap in uncovered),
    )  # fmt: skip
    if not whole:
        kept = _joined(source, kept, names)
    units = {name: tuple(one for of, one in kept if of == name) for name in names}
    return Layout(units, faults, uncovered)


def known_again(units: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each unit that repeats a known one, and so adds nothing."""
    there = {_key(unit) for unit in known}
    return tuple(
        f"{_shown(unit)} is a unit of the reference, so it is not extra"
        for unit in units
        if _says_something(unit) and _key(unit) in there
    )


def _says_something(unit: str) -> bool:
    return bool(fold(unit[:_SHOWN]).text or fold(unit).text)


def _key(unit: str) -> str:
    return (fold(unit).text if len(unit) <= _FOLDED else "") or unit


def _without_doubles(listed: Sequence[tuple[str, Placed]]) -> tuple[list[tuple[str, Placed]], list[str]]:
    """Drop repetitions of a unit in the same place, with a sentence for each."""
    seen: dict[tuple[str, int | None], str] = {}
    kept: list[tuple[str, Placed]] = []
    faults: list[str] = []
    for name, one in listed:
        key = (_key(one.text), one.start)
        first = seen.setdefault(key, name)
        if len(seen) > len(kept):
            kept.append((name, one))
        elif first == name:
            faults.append(f"{_shown(one.text)} is in `{name}` twice; list it once")
        else:
            faults.append(f"{_shown(one.text)} is in both `{first}` and `{name}`; list it in one of them")
    return kept, faults


def _joined(source: str, kept: Sequence[tuple[str, Placed]], names: Sequence[str]) -> list[tuple[str, Placed]]:
    """Merge overlapping units in the place of the first."""
    order = sorted(
        (at for at, (_, one) in enumerate(kept) if one.start is not None), key=lambda at: _range(kept[at][1])
    )
    found: dict[int, tuple[str, Placed]] = {}
    last = -1
    for at in order:
        name, one = kept[at]
        if last >= 0 and _shared(source, found[last][1], one):
            of, before = found[last]
            end = max(_range(before)[1], _range(one)[1])
            start = _range(before)[0]
            whole = before if end == before.end else Placed(source[start:end], start, end, before.how)
            found[last] = min(of, name, key=names.index), whole
        else:
            found[at] = kept[at]
            last = at
    return [found.get(at, kept[at]) for at, (_, one) in enumerate(kept) if one.start is None or at in found]


def _shared(source: str, first: Placed, second: Placed) -> bool:
    """Return whether two units, given in order of their beginning, overlap by more than a few letters."""
    start, end = _range(second)[0], min(_range(first)[1], _range(second)[1])
    return start < end and _letters(source[start:end]) > _OVERLAP_FROM


def _range(one: Placed) -> tuple[int, int]:
    return one.start or 0, one.end or 0


def _overlaps(source: str, placed: Sequence[Placed]) -> Iterator[str]:
    furthest = accumulate(placed, partial(max, key=lambda one: _range(one)[1]))
    for before, one in zip(furthest, placed[1:], strict=False):
        if _shared(source, before, one):
            yield f"{_shown(before.text)} and {_shown(one.text)} overlap; copy no words twice"


def _uncovered(source: str, placed: Sequence[Placed]) -> Iterator[Span]:
    reached = 0
    for start, end in [*map(_range, placed), (len(source), len(source))]:
        piece = source[reached:start]
        if _letters(piece) > _COUNTS_FROM and not is_courtesy(piece):
            begin = reached + len(piece) - len(piece.lstrip())
            text = piece.strip()
            yield Span(text, begin, begin + len(text))
        reached = max(reached, end)


def _letters(text: str) -> int:
    """Count letters and digits, twice for scripts without spaces, which carry about twice as much."""
    return sum(1 if is_narrow(sign) else 2 for sign in text if sign.isalnum())


def _shown(text: str) -> str:
    short = " ".join(text[: 10 * _SHOWN].split())
    return f"“{short}”" if len(short) <= _SHOWN else f"“{short[:_SHOWN]} …”"
