"""Contexts: does one hold what the reference says, and which sentences share the question's words?"""

from saiten.errors import CannotJudge
from saiten.judges.offline.reasons import why
from saiten.judges.offline.statements import statements_of
from saiten.judges.offline.support import support
from saiten.judges.offline.tools import Tools
from saiten.tasks.contexts import ContextVerdict, JudgeContext, RelevantSentences, SelectRelevantSentences
from saiten.text.words import normalise, units_of

_SHORT = 6
"""Content units up to which a reference (*in 1901*) is held against the context together with the question."""


def judge_context(task: JudgeContext, tools: Tools) -> ContextVerdict:
    """Useful if the context supports at least one statement of the reference; the reason is that statement's."""
    index = tools.indexes.of((task.context,), task.language)
    statements = statements_of(task.reference, task.language)
    if len(units_of(normalise(task.reference).lower())) <= _SHORT:
        statements = [f"{task.reference} {task.question}"]
    found = [support(statement, index, tools.constants) for statement in statements]
    best = max(found, key=lambda each: each.comparable * each.p, default=None)
    if best is None or not best.comparable:
        raise CannotJudge("the reference holds no content words, numbers or names to look for in the context")
    useful = best.p >= tools.constants.band["threshold"]
    return ContextVerdict(
        reason=why(best, useful, tools.unclear(best.p), "contexts", task.language, cut=index.cut), useful=useful
    )


def select_sentences(task: SelectRelevantSentences, tools: Tools) -> RelevantSentences:
    """The sentences that hold at least half of the weight of the question's content words (IDF among the sentences).

    Shared words do not tell whether the answer is there; docs/offline-judge.md says how little this is worth.
    """
    units = sorted(units_of(normalise(task.question).lower()))
    if not units:
        raise CannotJudge("the question holds no content words, numbers or names to look for in the sentences")
    index = tools.indexes.of(task.sentences, task.language)
    shares = index.shares(units)
    threshold = tools.constants.relevance["share"]
    numbers = {index.windows[window][0] + 1 for window, share in shares.items() if share >= threshold}
    return RelevantSentences(numbers=sorted(numbers))
