"""What the tasks are performed with: constants, calibrations and the indexes made so far."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from saiten.judges.offline.calibration import Calibration
from saiten.judges.offline.constants import Constants
from saiten.judges.offline.index import Index, build_index
from saiten.records import Language

_KEPT = 500_000
"""Characters of contexts whose indexes are kept; the tasks about one sample come one after the other."""


@dataclass(slots=True)
class Indexes:
    """The last few indexes; the oldest go when the texts behind them grow too long. The newest always stays."""

    constants: Constants
    made: OrderedDict[tuple[Language, tuple[str, ...]], Index] = field(default_factory=OrderedDict)
    characters: int = 0

    def of(self, contexts: Sequence[str], language: Language) -> Index:
        """The index of these contexts, made now or before."""
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
    """Passed to every function that performs a task."""

    constants: Constants
    calibrations: Mapping[str, Calibration]
    indexes: Indexes

    def calibrated(self, aspect: str, p: float) -> float:
        """The probability as the user's labels correct it, or as it is."""
        calibration = self.calibrations.get(aspect)
        return p if calibration is None else calibration.apply(p)

    def unclear(self, p: float) -> bool:
        """Whether `p` lies in the undecided band."""
        return self.constants.band["lower"] <= p < self.constants.band["upper"]
