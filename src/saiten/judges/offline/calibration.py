"""Calibration of the offline judge with a user's labels, fitted by `saiten.tuning.offline`."""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, Self, get_args

import orjson

from saiten.data.hand_written import checked
from saiten.durable.whole_file import whole_file
from saiten.errors import BadInput
from saiten.strict_parsing import strict_json

Aspect = Literal["support", "correct", "grade"]
"""The kind of label: support by the contexts, correctness, or a grade from 1 to 5."""

Measure = Literal["balanced accuracy", "mean absolute error"]
"""The measure of verdicts, and that of grades."""

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


@dataclass(frozen=True, slots=True)
class CalibrationFigure:
    """A figure with its 95 % bootstrap interval; None if there are too few labels."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"{self.value:.2f}" + ("" if self.low is None else f" [{self.low:.2f}, {self.high:.2f}]")


@dataclass(frozen=True, slots=True)
class Calibration:
    """A line fitted to labels: in log-odds for verdicts, from probability to grade for grades.

    The calibrated probability assumes that yes and no are equally frequent, so the threshold stays 0.5.
    """

    aspect: Aspect
    n: int
    """Number of labeled samples."""
    intercept: float
    slope: float
    fingerprint: str
    """Digest of the labels and of the judge's output for them."""
    constants: str
    """Digest of the judge's constants, with which the line is only valid."""
    measure: Measure
    before: CalibrationFigure
    """Without calibration, on the labeled samples."""
    after: CalibrationFigure
    """With calibration, by cross-validation: no sample is judged by a line fitted on it."""

    @property
    def threshold(self) -> float:
        """The uncalibrated probability from which the verdict is yes."""
        return sigmoid(-self.intercept / self.slope)

    def apply(self, p: float) -> float:
        """Return the calibrated probability; for grades the grade, within 1 to 5."""
        if self.aspect == "grade":
            return min(5.0, max(1.0, self.intercept + self.slope * p))
        return sigmoid(self.intercept + self.slope * log_odds(p))

    def save(self, file: Path) -> None:
        """Write the calibration to a small JSON file, completely or not at all; raises OSError."""
        with whole_file(file) as stream:
            stream.write(orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read a file written by `save`; raises BadInput if the file is missing, or is no calibration."""
        try:
            made = checked(cls, strict_json(file.read_bytes()))
        except OSError as error:
            raise BadInput(f"{file}: cannot be read ({error.strerror}); `saiten tune offline` writes it") from error
        except ValueError as error:
            raise BadInput(
                f"{file}: is no calibration of the offline judge ({error}); `saiten tune offline` writes one"
            ) from error
        if made.slope <= 0:
            raise BadInput(f"{file}: expected a rising line, got the slope {made.slope}")
        return made


def sigmoid(logit: float) -> float:
    """Return 1 / (1 + e^-logit), safe for any logit."""
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0


def log_odds(p: float) -> float:
    """Return ln(p / (1 − p)), with p kept a millionth away from 0 and 1."""
    inner = min(1 - 1e-6, max(1e-6, p))
    return math.log(inner / (1 - inner))
