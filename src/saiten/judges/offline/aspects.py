"""Aspects: the offline judge can rate answers that decline, and no others.

Without a reference, overlap shows neither truth nor tone, nor whether a short answer is too short. But an answer that
only declines gives too little information, and is not acceptable.
"""

from saiten.errors import CannotJudge
from saiten.judges.offline.tools import Tools
from saiten.tasks.aspects import RateAspect, Rating
from saiten.text.refusals import is_refusal

_OF_CONTENT = frozenset({"amount_info", "acceptability"})
"""The aspects, of the rubric for long answers, on which an answer that declines gets the lowest grade."""


def rate_aspect(task: RateAspect, _: Tools) -> Rating:
    """Return the lowest grade of `amount_info` or `acceptability` for an answer that declines.

    Raises:
        CannotJudge: the aspect is another, or the answer does not decline.
    """
    if task.aspect not in _OF_CONTENT:
        raise CannotJudge(
            f"the offline judge compares words; without a reference it has no means to rate {task.aspect!r}. "
            "Use an LLM judge for it"
        )
    if not is_refusal(task.answer, task.language):
        raise CannotJudge(
            f"the offline judge rates {task.aspect!r} only of answers that decline to answer, which this one does not. "
            "Use an LLM judge for it"
        )
    reason = "回答は答えることを断っている。" if task.language == "ja" else "The answer declines to answer."
    return Rating(reason=reason, grade=task.values[0])
