"""The evidence of a run's graders: passages of a knowledge base, or a column of the data."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import tee

from saiten.cli.shared_options import EvidenceOptions
from saiten.data import BadRow
from saiten.errors import ConfigurationError
from saiten.metrics.judged.with_evidence import with_evidence
from saiten.protocols import Metric, Retriever
from saiten.rag.knowledge.opening import CHUNK_SIZE
from saiten.records import Passage, Retrieved, Sample
from saiten.wiring import Models, knowledge_base_later


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A retriever of k placeholder passages of typical length, for counting the judge's input."""

    k: int
    name: str = "placeholder"

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        return Retrieved((Passage("x" * CHUNK_SIZE),) * (self.k if k is None else k))

    async def close(self) -> None:
        """Nothing is open."""


def planned(metrics: tuple[Metric, ...], options: EvidenceOptions) -> tuple[Metric, ...]:
    """Return the metrics for a dry run, with placeholders instead of retrieved passages."""
    return (
        metrics
        if options.kb is None
        else tuple(with_evidence(metric, Placeholder(options.k), options.k) for metric in metrics)
    )


def retrieving(
    options: EvidenceOptions, metrics: tuple[Metric, ...], models: Models
) -> tuple[tuple[Metric, ...], Retriever | None]:
    """Return the metrics, connected to the knowledge base if they use it, and the base, which the caller closes.

    Raises:
        ConfigurationError: the base does not exist, or no metric uses it.
    """
    if options.kb is None:
        return metrics, None
    base = knowledge_base_later(options.kb, models, retrieval=options.retrieval, k=options.k)
    found = tuple(with_evidence(metric, base, options.k) for metric in metrics)
    if found == metrics:
        raise ConfigurationError(
            "--kb is for correctness graded with evidence=reference, and there is no such metric; add -m correctness, "
            "or leave out --kb"
        )
    return found, base


def check_evidence(rows: Iterator[Sample | BadRow], options: EvidenceOptions, data: str) -> Iterator[Sample | BadRow]:
    """Return the rows; for evidence by reference without a base, check that the first sample includes it.

    Raises:
        ConfigurationError: it does not; raised before anything is spent.
    """
    if options.evidence != "reference" or options.kb is not None:
        return rows
    ahead, rows = tee(rows)
    first = next((row for row in ahead if isinstance(row, Sample)), None)
    if first is not None and first.evidence is None:
        raise ConfigurationError(
            f"--evidence reference needs a knowledge base, and {data} has no column `evidence` instead: say --kb KB "
            "(make one with `saiten index DOCUMENTS --kb KB`), or --evidence answer for what the system saw"
        )
    return rows
