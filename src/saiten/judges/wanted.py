"""What a reply is read for."""

from collections.abc import Mapping
from dataclasses import dataclass

from saiten.judges.quotations import Material
from saiten.protocols import Reply


@dataclass(frozen=True)
class Wanted:
    """The reply that a task requires."""

    kind: type[Reply]
    counts: Mapping[str, int]
    """The number of verdicts that each list needs, by field."""
    material: Material
    """The texts that a reply may quote."""
