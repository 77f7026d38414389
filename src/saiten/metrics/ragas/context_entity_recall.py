"""Context entity recall: the share of the reference's entities that the contexts name.

1 if all are named, 0 if none or if nothing was retrieved; undefined for a reference without entities.
Source: RAGAS documentation, *context entities recall* (not in the paper).
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saiten.metrics.base import perform_all
from saiten.metrics.ragas.compat import NOTHING_RETRIEVED, RagasMetric
from saiten.metrics.ragas.verdicts import quoted
from saiten.protocols import Judge
from saiten.records import Sample, Score
from saiten.tasks.statements import ListEntities
from saiten.text.normalization import bare


@dataclass(frozen=True)
class ContextEntityRecall(RagasMetric):
    """|C ∩ R| / |R|, where R are the entities of the (main) reference and C those of the contexts.

    Differences from RAGAS 0.4.3 (`compat=ragas` removes them):

    - Entities are compared after NFKC and case folding, without punctuation and white space: `ＩＢＭ` is `ibm`, `1,200`
      is `1200`. RAGAS compares strings exactly. There is no partial match, since 京都 is in 東京都.
    - A reference without entities is undefined; RAGAS gives 0.
    - Nothing is added to the denominator; RAGAS adds 1e-8 and so never reaches 1.
    - A blank reference is undefined at once, and blank contexts name no entity: 0. RAGAS still asks.
    """

    title = "context_entity_recall"
    needs = ("contexts", "reference")
    tasks = (ListEntities,)

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if nothing := self.empty(sample, "reference", "contexts"):
            return nothing
        found_nothing = self.found_nothing(sample)
        contexts = sample.contexts or ()
        tasks = [ListEntities(sample.reference or "", language=sample.language)]
        if not found_nothing:
            tasks.append(ListEntities("\n".join(contexts), contexts, language=sample.language))
        replies = await perform_all(judge, tasks)
        listed = {"reference": replies[0].entities, "contexts": [] if found_nothing else replies[1].entities}
        wanted, there = self._spelled(listed["reference"]), self._spelled(listed["contexts"])
        if not wanted and not self.as_ragas:
            return Score.undefined("the reference names no entity", entities=listed)
        missing = [entity for spelling, entity in wanted.items() if spelling not in there]
        reason = f"{len(wanted) - len(missing)} of {len(wanted)} entities of the reference are in the contexts"
        if missing:
            reason += f"; missing: {quoted(missing)}"
        return Score(
            entity_recall(wanted.keys(), there.keys(), epsilon=1e-8 if self.as_ragas else 0.0),
            reason=NOTHING_RETRIEVED if found_nothing else reason,
            details={"entities": listed, "missing": missing},
        )

    def _spelled(self, entities: Iterable[str]) -> dict[str, str]:
        if self.as_ragas:
            return {entity: entity for entity in entities}
        return {spelling: entity for entity in entities if (spelling := bare(entity))}


def entity_recall(r: AbstractSet[str], c: AbstractSet[str], *, epsilon: float = 0.0) -> float:
    """Return |C ∩ R| / (|R| + epsilon); without epsilon, R must not be empty."""
    return len(c & r) / (len(r) + epsilon)
