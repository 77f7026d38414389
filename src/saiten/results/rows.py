"""Records as rows of plain values, with one column per figure and per end of its interval."""

import re
from abc import ABC, abstractmethod
from typing import Any

from saiten.data.frames import rows_to_pandas
from saiten.stats.estimate import Estimate
from saiten.stats.prediction_powered_records import Mean

Row = dict[str, Any]


class AsRows(ABC):
    """A record that can be converted to a DataFrame."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[Row]:
        """Return one row per result; a missing figure is None."""

    def to_pandas(self) -> Any:
        """Return `rows` as a pandas DataFrame.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        return rows_to_pandas(self.rows())


def columns_of(record: Any, *names: str) -> Row:
    """Return these attributes of a record as columns; `low` and `high` become `ci_low` and `ci_high`."""
    return {re.sub(r"(low|high)$", r"ci_\1", name): getattr(record, name) for name in names}


def figure_row(figure: Estimate | Mean | None, name: str = "") -> Row:
    """Return a figure and its ends: `value`, `ci_low` and `ci_high`, or `NAME`, `NAME_ci_low` and `NAME_ci_high`."""
    ends = (None, None, None) if figure is None else (figure.value, figure.low, figure.high)
    names = (name or "value", *(f"{name}_{end}" if name else end for end in ("ci_low", "ci_high")))
    return dict(zip(names, ends, strict=True))
