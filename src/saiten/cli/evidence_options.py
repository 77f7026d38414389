"""The options of the evidence that a grader sees."""

from dataclasses import dataclass

from saiten.choices import EvidenceMode, Retrieval
from saiten.options import option
from saiten.settings import JUDGE


@dataclass(frozen=True, slots=True)
class EvidenceOptions:
    """The evidence for correctness, and its source."""

    evidence: EvidenceMode | None = option(
        None,
        "What the grader of correctness sees beside the reference: nothing, what the system saw (answer, E2), or "
        "what question and reference retrieve (reference, E3). Default: reference, where there is any.",
        panel=JUDGE,
    )
    kb: str | None = option(
        None, "Where evidence is retrieved: a folder made by `saiten index`, or http://HOST:6333/NAME.", panel=JUDGE
    )
    k: int = option(5, "Passages of evidence.", "-k", panel=JUDGE, min=1)
    retrieval: Retrieval = option("dense", "How evidence is found.", panel=JUDGE)
