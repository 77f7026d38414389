"""The evidence of a run's graders: passages of a knowledge base or another retriever, or a column of the data."""

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import tee

from saiten.choices import Retrieval
from saiten.cli.shared_options import EvidenceOptions, RetrieverOptions
from saiten.data import BadRow
from saiten.errors import ConfigurationError
from saiten.metrics.judged.with_evidence import with_evidence
from saiten.protocols import Metric, Retriever
from saiten.rag.knowledge.opening import CHUNK_SIZE
from saiten.records import Passage, Retrieved, Sample
from saiten.text.language import detect_language
from saiten.wiring import Models, assemble_retriever, knowledge_base_later


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A retriever of k placeholder passages of typical length, for counting the judge's input."""

    k: int
    name: str = "placeholder"

    async def retrieve(self, query: str, k: int | None = None) -> Retrieved:
        return Retrieved((placeholder(query),) * (self.k if k is None else k))

    async def close(self) -> None:
        """Nothing is open."""


def placeholder(query: str) -> Passage:
    """Return a passage of typical length in the language of the query: a Japanese character takes more tokens."""
    return Passage(("字" if detect_language(query) == "ja" else "x") * CHUNK_SIZE)


def planned(metrics: tuple[Metric, ...], options: EvidenceOptions) -> tuple[Metric, ...]:
    """Return the metrics for a dry run, with placeholders instead of retrieved passages."""
    return (
        tuple(with_evidence(metric, Placeholder(options.k), options.k) for metric in metrics)
        if options.has_source
        else metrics
    )


def retrieving(
    options: EvidenceOptions, metrics: tuple[Metric, ...], models: Models
) -> tuple[tuple[Metric, ...], Retriever | None]:
    """Return the metrics, connected to the source of evidence if they use it, and the source, which the caller closes.

    Raises:
        ConfigurationError: the knowledge base or the retriever does not exist, or no metric uses it.
    """
    options.check_source(options.kb)
    source = evidence_source(options, options.kb, models, retrieval=options.retrieval, k=options.k)
    if source is None:
        return metrics, None
    found = tuple(with_evidence(metric, source, options.k) for metric in metrics)
    if found == metrics:
        named = "--kb" if options.retriever is None else "--retriever"
        raise ConfigurationError(
            f"{named} is for correctness graded with evidence=reference, and there is no such metric; add "
            f"-m correctness, or leave out {named}"
        )
    return found, source


def evidence_source(
    options: RetrieverOptions, kb: str | None, models: Models, *, retrieval: Retrieval, k: int
) -> Retriever | None:
    """Return the retriever or the knowledge base that is named, which the caller closes; None if none is.

    Raises:
        ConfigurationError: it does not exist, or cannot be opened.
    """
    if options.retriever is not None:
        with redirect_stdout(sys.stderr):  # what a module prints when it is imported
            return assemble_retriever(options.retriever, models, k=k, headers=options.retriever_headers)
    return None if kb is None else knowledge_base_later(kb, models, retrieval=retrieval, k=k)


def check_evidence(rows: Iterator[Sample | BadRow], options: EvidenceOptions, data: str) -> Iterator[Sample | BadRow]:
    """Return the rows; for evidence by reference without a source, check that the first sample includes it.

    Raises:
        ConfigurationError: it does not; raised before anything is spent.
    """
    if options.evidence != "reference" or options.has_source:
        return rows
    ahead, rows = tee(rows)
    first = next((row for row in ahead if isinstance(row, Sample)), None)
    if first is not None and first.evidence is None:
        raise ConfigurationError(
            f"--evidence reference needs a knowledge base, and the first sample of {data} has no `evidence` instead: "
            "say --kb KB (make one with `saiten index DOCUMENTS --kb KB`), or --retriever FILE.py:FUNCTION for your "
            "own retriever, or --evidence answer for what the system saw"
        )
    return rows
