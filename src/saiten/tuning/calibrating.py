"""Calibration by the judge's own probabilities, measured with and without it on the same samples."""

from collections.abc import Sequence

from saiten.errors import BadInput
from saiten.judges.offline import Aspect, Calibration, CalibrationFigure
from saiten.judges.offline.calibration import Measure, log_odds
from saiten.stats.classification import balanced_accuracy
from saiten.stats.estimate import bootstrap_mean, bootstrap_statistic
from saiten.tuning.fitted_line import Fit, LabeledPoint, cross_validated, fit_grades, fit_log_odds
from saiten.tuning.splitting import digest

FEWEST = 20
"""Minimum number of labeled samples."""

FEWEST_OF_A_KIND = 3
"""Minimum number of samples labeled yes, and labeled no, for a threshold."""


def calibrate(points: Sequence[LabeledPoint], aspect: Aspect, constants: str) -> Calibration:
    """Calibrate with the judge's own probabilities (`x`) and the labels; `constants` is the digest of its constants.

    Verdicts: a line in log-odds with both labels weighted equally (Platt's, balanced), whose zero is the threshold.
    Grades: a straight line by least squares. `before` and `after` are measured on the same samples, `after` by
    cross-validation (leave-one-out, or 20 folds beyond 100 samples); their intervals resample questions.

    Raises:
        BadInput: too few labels, labels of one kind only, or labels that do not rise with the probability.
    """
    if len(points) < FEWEST:
        raise BadInput(
            f"{len(points)} usable labeled samples; a calibration of {aspect!r} needs {FEWEST} (better 50); "
            "label some more"
        )
    fit: Fit
    measure: Measure
    if aspect == "grade":
        used, before = points, [1 + 4 * point.x for point in points]
        fit, measure, figure = fit_grades, "mean absolute error", _error
    else:
        _check_kinds(points)
        used = [point._replace(x=log_odds(point.x)) for point in points]
        before = [point.x for point in used]
        fit, measure, figure = fit_log_odds, "balanced accuracy", _balanced_accuracy
    line = fit(used)
    after = cross_validated(used, fit, len(used) if len(used) <= 100 else 20)
    if line.slope <= 0:
        raise BadInput(
            f"the labels of {aspect!r} do not rise with the judge's probability, so no calibration line can help; "
            "use an LLM judge, and check that the labels are the right way round (1 is good)"
        )
    fingerprint = digest("\n".join(sorted(f"{point.item}\t{point.x!r}\t{point.label!r}" for point in points)))[:12]
    return Calibration(
        aspect, len(points), *line, fingerprint, constants, measure, figure(used, before), figure(used, after)
    )


def _check_kinds(points: Sequence[LabeledPoint]) -> None:
    yes = sum(point.label == 1 for point in points)
    no = len(points) - yes
    if min(yes, no) < FEWEST_OF_A_KIND:
        raise BadInput(
            f"{yes} samples are labeled yes (1) and {no} no (0); a threshold needs at least {FEWEST_OF_A_KIND} of "
            "each. Label answers that you expect to be of the rarer kind"
        )


def _balanced_accuracy(points: Sequence[LabeledPoint], values: Sequence[float]) -> CalibrationFigure:
    labels, decisions = [point.label for point in points], [float(value >= 0) for value in values]
    found = bootstrap_statistic(balanced_accuracy, labels, decisions, [point.question for point in points])
    return CalibrationFigure(found.value, found.low, found.high)


def _error(points: Sequence[LabeledPoint], values: Sequence[float]) -> CalibrationFigure:
    """Return the mean absolute error, with figures clipped to 1 to 5."""
    errors = [abs(min(5.0, max(1.0, value)) - point.label) for point, value in zip(points, values, strict=True)]
    found = bootstrap_mean(errors, [point.question for point in points])
    return CalibrationFigure(found.value, found.low, found.high)
