"""A sample of the rows, in one pass: the same rows for the same data and seed, in the order of the data.

Each row gets a random number that depends on its id and the seed alone, and of each stratum those with the smallest
numbers are kept. So a resumed run has the same rows, whatever their order, and rows that are added to the data later
replace few of them. Memory: as many rows per stratum as the sample has, since the last rows may all be of one stratum.

A stratum gets its share of the sample, rounded, and at least one row if there are as many rows as strata. Rows that
cannot be used are a stratum of their own, so that their share in the sample is that in the data.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappush, heappushpop

from saiten.choices import Stratify
from saiten.data.rows import BadRow
from saiten.errors import BadInput
from saiten.records import Sample

STRATA = 1000
"""Strata at most."""
_SHOWN = 8
"""Strata that the note lists."""

Row = Sample | BadRow
Stratum = tuple[bool, str]
"""Whether its rows can be used, and its name; "" for rows without a system, group or day."""


@dataclass(frozen=True, slots=True)
class SampleSettings:
    """The sample to draw."""

    size: int
    """Rows, at least 1."""
    seed: int = 1
    by: Stratify = "system"

    def stratum(self, row: Row) -> Stratum:
        """Return the stratum of a row."""
        if isinstance(row, BadRow):
            return False, ""
        day = None if row.trace is None else row.trace.day
        names = {"system": row.system, "group": row.group, "day": day, "none": None}
        return True, names[self.by] or ""

    def number(self, row: Row) -> int:
        """Return the row's random number."""
        name = row.where if isinstance(row, BadRow) else row.id
        content = f"{self.seed}:{name}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(content, digest_size=8).digest(), "big")


@dataclass
class _Reservoir:
    """The rows of a stratum with the smallest numbers. Not frozen: it collects."""

    seen: int = 0
    heap: list[tuple[int, int, Row]] = field(default_factory=list)
    """The number, negated, the position in the data, and the row."""

    def add(self, number: int, at: int, row: Row, size: int) -> None:
        self.seen += 1
        entry = (-number, -at, row)
        if len(self.heap) < size:
            heappush(self.heap, entry)
        else:
            heappushpop(self.heap, entry)


def sampled(rows: Iterable[Row], settings: SampleSettings, notify: Callable[[str], None]) -> Iterator[Row]:
    """Yield the rows of the sample, after reading all rows.

    Raises:
        BadInput: there are more than `STRATA` strata.
    """
    strata: dict[Stratum, _Reservoir] = {}
    for at, row in enumerate(rows):
        name = settings.stratum(row)
        if name not in strata and len(strata) == STRATA:
            raise BadInput(
                f"the rows have more than {STRATA - 1} values of {settings.by}; sample without regard to it: "
                "--stratify none"
            )
        strata.setdefault(name, _Reservoir()).add(settings.number(row), at, row, settings.size)
    sizes = {name: strata[name].seen for name in sorted(strata)}
    taken = allocate(sizes, settings.size)
    chosen = [entry for name, n in taken.items() for entry in sorted(strata[name].heap, reverse=True)[:n]]
    strata.clear()
    if sum(sizes.values()) > len(chosen):
        notify(_note(sizes, taken, settings.by))
    for _, _, row in sorted(chosen, key=lambda entry: -entry[1]):
        yield row


def allocate(sizes: Mapping[Stratum, int], total: int) -> dict[Stratum, int]:
    """Divide a sample among strata in proportion to their sizes, at least one row each if there are enough.

    With fewer rows than strata, the largest ones get one each.
    """
    every = sum(sizes.values())
    if every <= total:
        return dict(sizes)
    if total < len(sizes):
        largest = sorted(sizes, key=lambda name: -sizes[name])[:total]
        return {name: int(name in largest) for name in sizes}
    given = {name: max(1, total * size // every) for name, size in sizes.items()}
    while (left := total - sum(given.values())) != 0:
        lack = {name: total * sizes[name] - given[name] * every for name in sizes}
        if left > 0:
            given[max(lack, key=lack.__getitem__)] += 1
        else:
            given[min((name for name in lack if given[name] > 1), key=lack.__getitem__)] -= 1
    return given


def _note(sizes: Mapping[Stratum, int], taken: Mapping[Stratum, int], by: Stratify) -> str:
    usable = {name: n for (ok, name), n in sizes.items() if ok}
    chosen = {name: n for (ok, name), n in taken.items() if ok}
    text = f"sample: {sum(chosen.values()):,} of {sum(usable.values()):,} rows"
    if len(usable) > 1:
        shown = [f"{name or 'none'} {chosen[name]:,} of {n:,}" for name, n in Counter(usable).most_common(_SHOWN)]
        more = f", … ({len(usable)} in all)" if len(usable) > _SHOWN else ""
        text += f", by {by}: {', '.join(shown)}{more}"
    bad = sizes.get((False, ""), 0)
    return f"{text}; and {taken[False, '']:,} of {bad:,} rows that cannot be used" if bad else text
