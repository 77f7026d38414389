"""The judge that needs no model: overlap of words, numbers and names, with its formulas in `constants.toml`."""

from saiten.judges.offline.calibration import Aspect, Calibration, CalibrationFigure
from saiten.judges.offline.judge import OfflineJudge

__all__ = ["Aspect", "Calibration", "CalibrationFigure", "OfflineJudge"]
