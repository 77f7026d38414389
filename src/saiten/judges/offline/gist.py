"""Gist: a reference's clauses as gist or supplement, by markers and words, and what an answer lacks and adds.

Clauses replace units of meaning, markers such as 例えば and *for example* and words of the question replace an expert's
knowledge, and overlap replaces agreement: good for trying things out only.
"""

import re
from collections.abc import Sequence

from saiten.judges.offline.splitting import statements_of
from saiten.judges.offline.support import support
from saiten.judges.offline.tools import Tools
from saiten.tasks.gist import FindMissingAndExtra, MissingAndExtra, ReferenceUnits, SplitGist
from saiten.text.folding import fold
from saiten.text.refusals import is_refusal
from saiten.text.sentences import split_clauses
from saiten.text.words import content_units

_SUPPLEMENT = re.compile(
    r"\W*(?:for example|for instance|e\.g\.|such as|note that|by the way|incidentally|also note"
    r"|in addition|additionally|moreover|furthermore|including|especially|historically|in general"
    r"|as background|fun fact|tip:|hint:|as an aside"
    r"|例えば|たとえば|なお|ちなみに|また|さらに|加えて|その他|参考|補足|余談|具体的には|一般に|一般的に|特に|もともと|もっとも"
    r"|例としては|背景として)",
    re.IGNORECASE,
)
_AT_END = re.compile(r"(?:など|等)(?:が?(?:あり|挙げられ)ます|がある|が挙げられる)?[。.、]*$")
_ASIDE = re.compile(r"[（(].*[）)][。.、]?", re.DOTALL)
_LEADS = 2
"""Number of clauses at the beginning that count as gist unless marked: answers usually come first."""


def split_gist(task: SplitGist) -> ReferenceUnits:
    """Split the reference: supplements are marked clauses, or late ones without a word of the question."""
    units = [clause.text for clause in split_clauses(task.reference, task.language)]
    supplement = _supplements(units, task.question)
    if len(supplement) == len(units):
        supplement = supplement[1:]  # something must answer the question, most likely the beginning
    return ReferenceUnits(
        gist=[unit for at, unit in enumerate(units) if at not in supplement],
        supplement=[units[at] for at in supplement],
    )


def find_missing_and_extra(task: FindMissingAndExtra, tools: Tools) -> MissingAndExtra:
    """Return units the answer does not support, and clauses of the answer that the units do not support.

    Only clear cases: anything in the undecided band is neither missing nor extra.
    """
    in_question = frozenset(content_units(task.question))
    answer = tools.indexes.of((task.answer,), task.language)
    reference = tools.indexes.of((*task.gist, *task.supplement), task.language)
    sure = tools.constants.band["lower"]
    said = fold(task.answer).text

    def lacking(units: Sequence[str]) -> list[int | str]:
        found = [(unit, support(unit, answer, tools.constants, in_question)) for unit in units]
        return [
            number
            for number, (unit, one) in enumerate(found, 1)
            if (one.p < sure if one.comparable else fold(unit).text not in said)
        ]

    clauses = [clause.text for clause in split_clauses(task.answer, task.language)]
    supplements = set(_supplements(clauses, task.question))
    extra: dict[bool, list[str]] = {True: [], False: []}
    for at, clause in enumerate(clauses):
        if statements_of(clause, task.language) and not is_refusal(clause, task.language):
            found = support(clause, reference, tools.constants, in_question)
            if found.comparable and found.p < sure:
                extra[at in supplements].append(clause)
    return MissingAndExtra(
        missing_gist=lacking(task.gist),
        missing_supplement=lacking(task.supplement),
        extra_gist=extra[False],
        extra_supplement=extra[True],
    )


def _supplements(clauses: Sequence[str], question: str) -> list[int]:
    in_question = content_units(question)
    return [
        at
        for at, clause in enumerate(clauses)
        if _SUPPLEMENT.match(clause)
        or _AT_END.search(clause)
        or _ASIDE.fullmatch(clause)
        or (at >= _LEADS and in_question.isdisjoint(content_units(clause)))
    ]
