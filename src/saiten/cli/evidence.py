"""The evidence that a grader sees: what its options make of metrics and rows."""

from collections.abc import Iterator
from itertools import chain

from saiten.cli.evidence_options import EvidenceOptions
from saiten.cli.rehearse import Placeholder
from saiten.data import BadRow
from saiten.errors import ConfigurationError
from saiten.metrics.judged.with_evidence import with_evidence
from saiten.protocols import Metric, Retriever
from saiten.records import Sample
from saiten.wiring import Models, knowledge_base_later


def planned(metrics: tuple[Metric, ...], options: EvidenceOptions) -> tuple[Metric, ...]:
    """The metrics for a dry run: placeholders stand for what would be retrieved, so that nobody is asked."""
    return (
        metrics
        if options.kb is None
        else tuple(with_evidence(metric, Placeholder(options.k), options.k) for metric in metrics)
    )


def retrieving(
    metrics: tuple[Metric, ...], options: EvidenceOptions, models: Models
) -> tuple[tuple[Metric, ...], Retriever | None]:
    """The metrics, those that take evidence by reference with the knowledge base, and the base; it is to be closed.

    Raises:
        ConfigurationError: there is no such base, or no metric that would use it.
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
    """The same rows. Where evidence by reference is asked for and there is no base, the first sample has to bring it.

    Raises:
        ConfigurationError: it does not; nothing was spent yet.
    """
    if options.evidence != "reference" or options.kb is not None:
        return rows
    seen: list[Sample | BadRow] = []
    for row in rows:
        seen.append(row)
        if isinstance(row, Sample):
            if row.evidence is None:
                raise ConfigurationError(
                    f"--evidence reference needs a knowledge base, and {data} has no column `evidence` instead: say "
                    "--kb KB (make one with `saiten index DOCUMENTS --kb KB`), or --evidence answer for what the "
                    "system saw"
                )
            break
    return chain(seen, rows)
