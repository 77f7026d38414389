"""Origin of outputs, and items on one side only."""

from collections.abc import Iterable
from dataclasses import dataclass

EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Number of items on one side only, with examples."""

    n: int
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, ids: Iterable[str]) -> "Unpaired":
        every = sorted(ids)
        return cls(len(every), tuple(every[:EXAMPLES]))


@dataclass(frozen=True, slots=True)
class Origin:
    """How outputs were made, which distinguishes outputs of one metric."""

    metric: str
    """The metric's name in its run or file."""
    judge: str = ""
    """"" for a metric without a judge, or an unknown judge."""
    evidence: str = ""
    """Contexts shown to the judge (`none`, `answer`, `reference`); "" for a metric without evidence."""
    family: str = ""
    """The metric's name without the evidence; "" for the whole name."""
    place: str = ""
    """The run or file, if needed to distinguish outputs; otherwise ""."""
    expected: bool = False
    """Whether the outputs are expected values, as names in tables then say."""

    def __post_init__(self) -> None:
        """Fill in the family if it is empty."""
        object.__setattr__(self, "family", self.family or self.metric)
