"""Scores as assertions, for tests of one's own system.

    from saiten.testing import assert_score

    def test_the_answer_is_supported():
        assert_score(my_rag("How old is the bridge?"), "faithfulness", at_least=0.8)

All tests of a session share one judge, one store of answers and one event loop (`session.py`); nothing heavy is loaded
before the first score.
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
    """The score of one sample, if it is good enough; a score without a value is not.

    Waits for the score. A running event loop is no obstacle, but it waits, too; where a test awaits, `aassert_score`
    does not hold it up.

    Args:
        sample: a `Sample`, or a mapping with the column names that files may have.
        metric: a name with its settings in brackets, or a metric of your own.
        at_least: the lowest value that passes.
        at_most: the highest; with both, the value lies between them.
        judge: in the place of the session's: a name, settings, or a judge of your own, which is not closed.
        fields: the sample's fields in the place of a mapping, or over it: `answer=…`.

    Raises:
        AssertionError: the value is beyond a limit, or there is none; the text shows the sample and what was judged.
        ConfigurationError: no limit was given, one beyond the metric's bounds, or there is no such metric, field or
            judge. (A limit at the bound asks only that there is a value.)
        BadInput: the fields make no sample.
        BudgetSpent: saiten.toml bounds what a session may cost.
    """
    __tracebackhide__ = True  # the failure is in the test, not here
    from saiten.testing.asked import read_asked  # noqa: PLC0415 - loaded with the first score
    from saiten.testing.session import current  # noqa: PLC0415 - the same

    try:
        asked = read_asked(sample, metric, at_least, at_most, fields)
        return asked.checked(current().grader().score(asked.sample, asked.metric, judge))
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
    """As `assert_score`, awaited: other tasks go on meanwhile, and several scores can be under way at once."""
    __tracebackhide__ = True
    from saiten.testing.asked import read_asked  # noqa: PLC0415 - loaded with the first score
    from saiten.testing.session import current  # noqa: PLC0415 - the same

    try:
        asked = read_asked(sample, metric, at_least, at_most, fields)
        return asked.checked(await current().grader().ascore(asked.sample, asked.metric, judge))
    except SaitenError as error:
        raise error.with_traceback(None)  # noqa: B904 - its text says all
