"""The merged cells of a sheet, and what they mean for its rows."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_UNSAVED = re.compile(
    rb'<(?:\w+:)?c\s[^>]*?r="([A-Z]{1,3}\d{1,7})"[^>]*><(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)'
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
_OVERLAP = 1 << 14
"""Bytes seen twice, so that a cell at the boundary of two chunks is found; longer formulas do not occur (8,192)."""

_MOST_IN_HEADER, _WIDEST_HEADER = 1_000, 512
"""Merged cells looked at for a header, and the columns that one may have."""


@dataclass(frozen=True, slots=True)
class _Range:
    """Cells that are one: rows from 1 and columns from 0, all inclusive."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class MergedCells:
    """The merged cells of a sheet, from its top to its bottom.

    Rows are to be passed in their order, each once; the header is looked for on a copy.
    """

    ranges: tuple[_Range, ...] = ()
    unsaved: tuple[str, ...] = ()
    """Cells with a formula whose value was not saved: a program wrote them, and Excel has not seen them since."""
    _wide: frozenset[tuple[int, int]] = frozenset()
    """The first cells of those merged over several columns."""
    _next: int = 0
    _open: list[tuple[_Range, Any]] = field(default_factory=list)

    @classmethod
    def scanned(cls, chunks: Iterable[bytes]) -> "MergedCells":
        """Find the merged cells in a sheet's XML, where they come last."""
        ranges: dict[_Range, None] = {}
        unsaved: dict[str, None] = {}
        tail = b""
        for chunk in chunks:
            text = tail + chunk
            for left, top, right, bottom in _MERGED.findall(text):
                ranges[_Range(int(top), _column(left), int(bottom), _column(right))] = None
            unsaved |= dict.fromkeys(cell.decode() for cell in _UNSAVED.findall(text))
            tail = text[-_OVERLAP:]
        wide = frozenset((each.top, each.left) for each in ranges if each.left < each.right)
        return cls(tuple(sorted(ranges, key=lambda each: (each.top, each.left))), tuple(unsaved), wide)

    def spread(self, row: int, cells: Sequence[Any], above: Mapping[int, str]) -> list[Any]:
        """Return the cells of a header row, with the value of a merged cell in each; `above`: the names above it."""
        found = list(cells)
        for each in self._near(row):
            value = above.get(each.left, "") if each.top < row else cells[each.left] if each.left < len(cells) else ""
            found += [""] * (each.right + 1 - len(found))
            found[each.left : each.right + 1] = [value] * (each.right + 1 - each.left)
        return found

    def heading(self, row: int, column: int, above: Mapping[int, str]) -> str:
        """Return the name of the cell above, if it is merged over several columns and so says what these share."""
        for each in self._near(row - 1):
            if each.left <= column <= each.right and each.left < each.right and each.bottom == row - 1:
                return above.get(each.left, "")
        return ""

    def continues(self, row: int, column: int, names: Mapping[int, str]) -> bool:
        """Return whether a header cell belongs to one at its left, which has the name."""
        return any(
            each.left < column <= each.right and names.get(each.left) == names.get(column) for each in self._near(row)
        )

    def is_title(self, row: int, cells: Sequence[Any]) -> bool:
        """Return whether the row has one cell with a value, merged over several columns: the title of a section."""
        filled = [at for at, value in enumerate(cells) if value != ""]
        return len(filled) == 1 and (row, filled[0]) in self._wide

    def filled(self, row: int, cells: Sequence[Any]) -> Sequence[Any]:
        """Return the cells, with the value of a merged cell also in the rows below its first."""
        while self._next < len(self.ranges) and self.ranges[self._next].top <= row:
            each = self.ranges[self._next]
            self._next += 1
            if each.bottom > each.top == row and each.left < len(cells):
                self._open.append((each, cells[each.left]))
        if not self._open:
            return cells
        self._open = [(each, value) for each, value in self._open if each.bottom >= row]
        found = list(cells)
        for each, value in self._open:
            if each.top < row:
                found += [""] * (each.left + 1 - len(found))
                found[each.left] = value
        return found

    def _near(self, row: int) -> Iterator[_Range]:
        """Yield the ranges with this row; they are few near the top."""
        for each in self.ranges[:_MOST_IN_HEADER]:
            if each.top > row:
                return
            if row <= each.bottom and each.right < _WIDEST_HEADER:
                yield each


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1
