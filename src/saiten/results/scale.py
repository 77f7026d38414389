"""The scale of a column of values."""

import math
from dataclasses import dataclass

from saiten.words import Message


@dataclass(frozen=True, slots=True)
class Scale:
    """Lowest and highest possible value; for columns that do not declare them, the observed ones."""

    low: float
    high: float

    @property
    def words(self) -> Message:
        """The scale in words."""
        if math.isinf(self.high):
            return Message("scale", "above" if math.isfinite(self.low) else "any", low=self.low)
        return Message("scale", "between" if math.isfinite(self.low) else "below", low=self.low, high=self.high)

    @property
    def unit(self) -> bool:
        """Whether the scale is 0 to 1."""
        return (self.low, self.high) == (0.0, 1.0)
