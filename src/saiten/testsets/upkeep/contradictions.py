"""References that contradict each other: asked of the judge for pairs that ask about the same thing."""

from saiten.errors import JudgeError
from saiten.protocols import Judge
from saiten.tasks.contradiction import FindContradiction
from saiten.testsets.items import SetItem
from saiten.testsets.upkeep.findings import ItemFinding, Looked, quoted, unchecked
from saiten.testsets.upkeep.pairs import ItemPair, whole_question


async def contradictions(pair: ItemPair, judge: Judge) -> Looked:
    """Return a finding for either item if their references cannot both be right; a failed call is one, too.

    Raises:
        BudgetSpent: the budget does not allow the call.
    """
    first, second = pair.first, pair.second
    try:
        reply = await judge.perform(
            FindContradiction(
                whole_question(first),
                first.reference,
                whole_question(second),
                second.reference,
                language=first.language,
            )
        )
    except JudgeError as error:
        return unchecked(first, error)
    if not reply.verdict:
        return Looked(usage=reply.usage)
    findings = (
        ItemFinding(
            item.id,
            "contradiction",
            _reason(other, reply.reason),
            (other.id,),
            {"similarity": round(pair.similarity, 3), "judge": reply.reason},
        )
        for item, other in ((first, second), (second, first))
    )
    return Looked(tuple(findings), reply.usage)


def _reason(other: SetItem, why: str) -> str:
    item, excerpt = other.id, quoted(other.reference) + (f" ({why})" if why else "")
    return f"the reference of {item} says otherwise: {excerpt}"
