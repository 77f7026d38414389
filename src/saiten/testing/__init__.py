"""Scores as assertions, for testing your system.

    from saiten.testing import assert_score

    def test_the_answer_is_supported():
        assert_score(my_rag("How old is the bridge?"), "faithfulness", at_least=0.8)

All tests of a session share one judge, one cache and one event loop (`session.py`); nothing heavy is loaded before the
first score.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from saiten.errors import SaitenError
from saiten.records import Sample, Score

if TYPE_CHECKING:
    from saiten.protocols import Judge, Metric
    from saiten.settings import JudgeSettings

__all__ = ["aassert_score", "assert_score"]


def assert_score(
    sample: Sample | Mapping[str, Any] | None = None,
    metric: "str | Metric | None" = None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    judge: "str | JudgeSettings | Judge | None" = None,
    **fields: Any,
) -> Score:
    """Return the score of one sample; fail if it is outside the limits or has no value.

    Also works inside a running event loop, but blocks it; async tests should await `aassert_score` instead.

    Args:
        sample: a `Sample`, or a mapping with the column names that files may use.
        metric: a name with its settings in brackets, or your own metric.
        at_least: the lowest value that passes.
        at_most: the highest value that passes.
        judge: used instead of the session's: a name, settings, or your own judge, which is not closed.
        fields: the sample's fields, instead of a mapping or overriding it: `answer=…`.

    Raises:
        AssertionError: the value is missing or outside a limit; the text shows the sample and the verdicts.
        ConfigurationError: no limit was given, or one beyond the metric's bounds, or the metric, field or judge does
            not exist. (A limit equal to the bound only requires a value.)
        BadInput: the fields do not form a sample.
        BudgetSpent: the session reached the limit set in saiten.toml.
    """
    __tracebackhide__ = True  # the failure is in the test, not here
    from saiten.testing.asked import read_asked  # noqa: PLC0415 - loaded with the first score
    from saiten.testing.session import current  # noqa: PLC0415 - the same

    try:
        grader = current().grader()
        asked = read_asked(sample, metric, at_least, at_most, fields, language=grader.language)
        return asked.checked(grader.score(asked.sample, asked.metric, judge))
    except SaitenError as error:
        raise error.with_traceback(None)  # noqa: B904 - its text says all


async def aassert_score(
    sample: Sample | Mapping[str, Any] | None = None,
    metric: "str | Metric | None" = None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    judge: "str | JudgeSettings | Judge | None" = None,
    **fields: Any,
) -> Score:
    """Async `assert_score`: other tasks continue meanwhile, and several scores can run at once."""
    __tracebackhide__ = True
    from saiten.testing.asked import read_asked  # noqa: PLC0415 - loaded with the first score
    from saiten.testing.session import current  # noqa: PLC0415 - the same

    try:
        grader = current().grader()
        asked = read_asked(sample, metric, at_least, at_most, fields, language=grader.language)
        return asked.checked(await grader.ascore(asked.sample, asked.metric, judge))
    except SaitenError as error:
        raise error.with_traceback(None)  # noqa: B904 - its text says all
