"""The parts of one assertion: a sample, a metric, and the limits of its value."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from saiten.api.rows import read_samples
from saiten.data import BadRow
from saiten.data.columns import SAMPLE_COLUMNS, Columns
from saiten.errors import BadInput, ConfigurationError
from saiten.metrics.catalog import make_metrics
from saiten.protocols import Metric
from saiten.records import Language, Sample, Score
from saiten.results.threshold import Side, Threshold
from saiten.results.threshold_reading import check_limit
from saiten.testing.failure import failure_text

_COLUMNS = Columns(SAMPLE_COLUMNS, {})


@dataclass(frozen=True, slots=True)
class Asked:
    """One validated assertion."""

    sample: Sample
    metric: Metric
    limits: tuple[Threshold, ...]

    def checked(self, scored: tuple[Score, str]) -> Score:
        """Return the score; raise AssertionError if it is outside the limits or has no value."""
        __tracebackhide__ = True
        score, signature = scored
        missed = [limit for limit in self.limits if score.value is None or limit.beyond(score.value)]
        if missed:
            raise AssertionError(failure_text(self.sample, score, missed, signature))
        return score


def read_asked(
    sample: Sample | Mapping[str, Any] | None,
    metric: str | Metric | None,
    at_least: float | None,
    at_most: float | None,
    fields: Mapping[str, Any],
    *,
    language: Language | None = None,
) -> Asked:
    """Return the assertion for the arguments of a test; `language`: of a sample that does not name its own.

    Raises:
        ConfigurationError: metric or limit is missing, the metric or field does not exist, or a limit is vacuous.
        BadInput: the fields do not form a sample.
    """
    __tracebackhide__ = True
    chosen = _metric(metric)
    given: list[tuple[float | None, Side]] = [(at_least, "under"), (at_most, "over")]
    limits = tuple(Threshold(chosen.name, float(limit), side) for limit, side in given if limit is not None)
    if not limits:
        raise ConfigurationError(f"say what {chosen.name} must be: at_least=…, at_most=…, or both")
    for limit in limits:
        check_limit(chosen.name, limit.limit, chosen.bounds)
    if at_least is not None and at_most is not None and at_least > at_most:
        raise ConfigurationError(f"no value is at least {at_least:g} and at most {at_most:g}")
    return Asked(_sample(sample, fields, language), chosen, limits)


def _metric(metric: str | Metric | None) -> Metric:
    if metric is None:
        raise ConfigurationError('name a metric, as in assert_score(sample, "faithfulness", at_least=0.8)')
    if not isinstance(metric, str):
        return metric
    made = make_metrics([metric])
    if len(made) != 1:
        names = ", ".join(each.name for each in made)
        raise ConfigurationError(f"{metric!r} is several figures: {names}; an assertion is about one of them")
    return made[0]


def _sample(sample: Sample | Mapping[str, Any] | None, fields: Mapping[str, Any], language: Language | None) -> Sample:
    __tracebackhide__ = True
    if isinstance(sample, Sample):
        if fields:
            raise ConfigurationError(
                f"a Sample has its fields already; change {', '.join(fields)} with dataclasses.replace, or give a dict"
            )
        return sample
    if sample is not None and not isinstance(sample, Mapping):
        raise ConfigurationError(f"a sample is a saiten.Sample, a dict or keyword arguments, not {sample!r:.100}")
    unknown = [name for name in fields if not _COLUMNS.wanted(name)]
    if unknown:
        near = get_close_matches(unknown[0], SAMPLE_COLUMNS, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(SAMPLE_COLUMNS)}"
        raise ConfigurationError(f"{unknown[0]!r} is no field of a sample{hint}")
    given = {**(sample or {}), **fields}
    try:
        *_, row = read_samples([given], language=language)  # of a conversation, the last answer
    except BadInput as error:
        named = ", ".join(map(str, given)) or "none"
        raise BadInput(
            f"a sample has a question or an answer, by a name that files may have; the names are {named}"
        ) from error
    if isinstance(row, BadRow):
        raise BadInput(f"the fields make no sample: {row.reason}")
    return row
