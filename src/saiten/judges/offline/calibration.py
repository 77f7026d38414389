"""Calibration: what a user's own labels taught the offline judge; fitted by `saiten.tuning.offline`."""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self, get_args

import orjson

from saiten.errors import BadInput
from saiten.judges.offline.support import sigmoid

Aspect = Literal["support", "correct", "grade"]
"""What was labelled: do the contexts support the answer · is it correct · its grade, 1 to 5."""

Measure = Literal["balanced accuracy", "mean absolute error"]
"""Of verdicts, and of grades."""

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure and its 95 % bootstrap interval; None where there are too few labels to tell."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"{self.value:.2f}" + ("" if self.low is None else f" [{self.low:.2f}, {self.high:.2f}]")


@dataclass(frozen=True, slots=True)
class Calibration:
    """A line, fitted to labels: in log-odds for verdicts, from probability to grade for grades.

    The calibrated probability is that of yes if yes and no were equally frequent, so 0.5 remains the border.
    """

    aspect: Aspect
    n: int
    """Labelled samples."""
    intercept: float
    slope: float
    fingerprint: str
    """Digest of the labels and of what the judge said to them."""
    constants: str
    """Digest of the judge's constants; with others the line means nothing."""
    measure: Measure
    before: Measured
    """Without the calibration, on the labelled samples."""
    after: Measured
    """With it, by cross-validation: no sample is judged by a line that was fitted on it."""

    @property
    def threshold(self) -> float:
        """The judge's own probability from which on the verdict is yes."""
        return sigmoid(-self.intercept / self.slope)

    def apply(self, p: float) -> float:
        """The calibrated probability; for grades the grade, within 1 to 5."""
        if self.aspect == "grade":
            return min(5.0, max(1.0, self.intercept + self.slope * p))
        return sigmoid(self.intercept + self.slope * log_odds(p))

    def save(self, file: Path) -> None:
        """Write it down as a small JSON file."""
        file.write_bytes(orjson.dumps(asdict(self), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read what `save` wrote.

        Raises:
            BadInput: the file is not there, or is no calibration.
        """
        try:
            read: dict[str, Any] = orjson.loads(file.read_bytes())
            made = cls(**{**read, "before": Measured(**read["before"]), "after": Measured(**read["after"])})
            numbers = [float(made.intercept), float(made.slope)]
        except OSError as error:
            raise BadInput(f"{file}: cannot be read ({error.strerror}); `saiten tune offline` writes it") from error
        except (ValueError, TypeError, KeyError) as error:
            raise BadInput(
                f"{file}: is no calibration of the offline judge ({error}); `saiten tune offline` writes one"
            ) from error
        if made.aspect not in ASPECTS or not all(map(math.isfinite, numbers)) or made.slope <= 0:
            raise BadInput(
                f"{file}: expected an aspect of {', '.join(ASPECTS)} and a rising line, got {made.aspect}, {numbers}"
            )
        return made


def log_odds(p: float) -> float:
    """ln(p / (1 - p)), with p kept off 0 and 1 by a millionth."""
    inner = min(1 - 1e-6, max(1e-6, p))
    return math.log(inner / (1 - inner))
