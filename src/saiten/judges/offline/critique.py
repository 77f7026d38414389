"""Criteria and aspects: the offline judge evaluates correctness given the contexts, and answers that decline.

Without a reference, overlap shows neither truth nor tone, nor whether a short answer is too short. But an answer that
only declines gives too little information, and is not acceptable.
"""

import re

from saiten.errors import CannotJudge
from saiten.judges.offline.reasons import said, why
from saiten.judges.offline.splitting import statements_of
from saiten.judges.offline.support import support
from saiten.judges.offline.tools import Tools
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tasks.critique import Critique, CritiqueAspect
from saiten.text.refusals import is_refusal

_CORRECT = re.compile(
    r"\b(?:correct|accurate|faithful|grounded|supported|factual)|正し[いく]|正確|裏付け|根拠|忠実|事実に(?:基づ|即)",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\b(?:in(?:correct|accurate)|un(?:faithful|grounded|supported)|not|wrong|mistakes?|errors?|false|grammar|spelling|politically|"
    r"harm\w*|malicious\w*|coheren\w*|concise\w*)|n't\b|不正確|誤|間違|ない|文法|有害|悪意|一貫|簡潔",
    re.IGNORECASE,
)


def critique(task: CritiqueAspect, tools: Tools) -> Critique:
    """For a criterion of correctness, return whether the contexts support the answer's weakest statement.

    Raises:
        CannotJudge: the criterion is another (a word list cannot separate harm from a warning of it, nor see
            coherence); there are no contexts; or the weakest statement is in the undecided band.
    """
    if not _CORRECT.search(task.criterion) or _TURNED.search(task.criterion):
        raise CannotJudge(
            "the offline judge compares words; it has no means to judge this criterion: "
            f"{task.criterion[:200]!r}. Use an LLM judge for it"
        )
    if not any(context.strip() for context in task.contexts):
        raise CannotJudge("without contexts the offline judge has nothing to compare the answer with")
    index = tools.indexes.of(task.contexts, task.language)
    found = [support(statement, index, tools.constants) for statement in statements_of(task.answer, task.language)]
    weakest = min((each for each in found if each.comparable), key=lambda each: each.p, default=None)
    if weakest is None:
        raise CannotJudge("the answer holds no content words, numbers or names to look for in the contexts")
    p = tools.calibrated("support", weakest.p)
    verdict, unclear = p >= tools.constants.band["threshold"], tools.unclear(p)
    reason = why(weakest, verdict, unclear, "contexts", task.language, cut=index.cut)
    if unclear:
        raise CannotJudge(f"the overlap with the contexts leaves it open ({reason})")
    return Critique(reason=reason, verdict=verdict, p=p)


_OF_CONTENT = frozenset({"amount_info", "acceptability"})
"""The aspects, of the rubric for long answers, on which an answer that declines gets the lowest grade."""


def rate_aspect(task: RateAspect, _: Tools) -> Rating:
    """Return the lowest grade of `amount_info` or `acceptability` for an answer that declines.

    Raises:
        CannotJudge: the aspect is another, or the answer does not decline.
    """
    if task.aspect not in _OF_CONTENT:
        raise CannotJudge(
            f"the offline judge compares words; it has no means to rate {task.aspect!r} "
            f"({task.asks[:200]!r}). Use an LLM judge for it"
        )
    if not is_refusal(task.answer, task.language):
        raise CannotJudge(
            f"the offline judge rates {task.aspect!r} only of answers that decline to answer, which this one does not. "
            "Use an LLM judge for it"
        )
    reason = said(task.language, "The answer declines to answer.", "回答は答えることを断っている。")
    return Rating(reason=reason, grade=task.values[0])
