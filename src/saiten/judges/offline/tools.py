"""The arguments shared by all functions that perform tasks: constants, calibrations and cached indexes."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from saiten.judges.offline.calibration import Calibration
from saiten.judges.offline.constants import Constants
from saiten.judges.offline.index import Index, build_index
from saiten.records import Language

_KEPT = 500_000
"""Characters of contexts whose indexes are cached; tasks about one sample follow each other."""


@dataclass(slots=True)
class Indexes:
    """A cache of indexes; the oldest are dropped when their texts grow too long. The newest always stays."""

    constants: Constants
    made: OrderedDict[tuple[Language, tuple[str, ...]], Index] = field(default_factory=OrderedDict)
    characters: int = 0

    def of(self, contexts: Sequence[str], language: Language) -> Index:
        """Return the index of these contexts, cached or new."""
        key = (language, tuple(contexts))
        found = self.made.pop(key, None)
        if found is None:
            found = build_index(key[1], language, self.constants)
            self.characters += sum(map(len, key[1]))
        self.made[key] = found
        while self.characters > _KEPT and len(self.made) > 1:
            (_, contexts_gone), _ = self.made.popitem(last=False)
            self.characters -= sum(map(len, contexts_gone))
        return found


@dataclass(frozen=True, slots=True)
class Tools:
    """The arguments shared by all functions that perform tasks."""

    constants: Constants
    calibrations: Mapping[str, Calibration]
    indexes: Indexes

    def calibrated(self, aspect: str, p: float) -> float:
        """Return the calibrated probability, or `p` without a calibration."""
        calibration = self.calibrations.get(aspect)
        return p if calibration is None else calibration.apply(p)

    def unclear(self, p: float) -> bool:
        """Return whether `p` is in the undecided band."""
        return self.constants.band["lower"] <= p < self.constants.band["upper"]
