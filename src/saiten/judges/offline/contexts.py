"""Contexts: whether one is useful, and which of their sentences are needed."""

from saiten.errors import CannotJudge
from saiten.judges.offline.index import Index
from saiten.judges.offline.reasons import why
from saiten.judges.offline.splitting import statements_of
from saiten.judges.offline.support import support
from saiten.judges.offline.tools import Tools
from saiten.tasks.contexts import ContextVerdict, JudgeContext, RelevantSentences, SelectRelevantSentences
from saiten.text.words import content_units

_SHORT = 6
"""References of at most this many content units (*in 1901*) are compared together with the question."""


def judge_context(task: JudgeContext, tools: Tools) -> ContextVerdict:
    """Useful if the context supports at least one statement of the reference, whose reason is given.

    In the undecided band the subject decides: a context with a sentence covering half of the question's weight may be
    useful without repeating the reference, and counts as such.
    """
    index = tools.indexes.of((task.context,), task.language)
    statements = statements_of(task.reference, task.language)
    if len(content_units(task.reference)) <= _SHORT:
        statements = [f"{task.reference} {task.question}"]
    found = [support(statement, index, tools.constants) for statement in statements]
    best = max(found, key=lambda each: each.comparable * each.p, default=None)
    if best is None or not best.comparable:
        raise CannotJudge("the reference holds no content words, numbers or names to look for in the context")
    unclear = tools.unclear(best.p)
    useful = best.p >= tools.constants.band["threshold"] or (unclear and _on_subject(task.question, index, tools))
    reason = why(best, useful, unclear, "contexts", task.language, cut=index.cut)
    return ContextVerdict(reason=reason, useful=useful, p=best.p)


def _on_subject(question: str, index: Index, tools: Tools) -> bool:
    """Return whether `select_sentences` would select a sentence of the context for the question."""
    units = sorted(content_units(question))
    return bool(units) and index.best_window(units)[1] >= tools.constants.relevance["share"]


def select_sentences(task: SelectRelevantSentences, tools: Tools) -> RelevantSentences:
    """Select sentences with at least half of the IDF weight of the question's content words.

    Shared words do not imply that the answer is there; docs/offline-judge.md says how little this is worth.
    """
    units = sorted(content_units(task.question))
    if not units:
        raise CannotJudge("the question holds no content words, numbers or names to look for in the sentences")
    index = tools.indexes.of(task.sentences, task.language)
    shares = index.shares(units)
    threshold = tools.constants.relevance["share"]
    numbers = {index.windows[window][0] + 1 for window, share in shares.items() if share >= threshold}
    return RelevantSentences(numbers=sorted(numbers))
