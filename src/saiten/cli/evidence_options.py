"""The options of the evidence that a grader sees, and what they make of metrics and rows."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal

import typer

from saiten.choices import Retrieval
from saiten.cli.judge_options import JUDGE
from saiten.cli.rehearse import Placeholder
from saiten.data import BadRow
from saiten.errors import ConfigurationError
from saiten.metrics.judged.with_evidence import with_evidence
from saiten.protocols import Metric, Retriever
from saiten.records import Sample
from saiten.wiring import Models, knowledge_base_later

Mode = Literal["none", "answer", "reference"]

EvidenceOption = Annotated[
    Mode | None,
    typer.Option(
        help="What the grader of correctness sees beside the reference: nothing, what the system saw (answer, E2), or "
        "what question and reference retrieve (reference, E3). Default: reference, where there is any.",
        rich_help_panel=JUDGE,
    ),
]
KbOption = Annotated[
    str | None,
    typer.Option(
        help="Where evidence is retrieved: a folder made by `saiten index`, or http://HOST:6333/NAME.",
        rich_help_panel=JUDGE,
    ),
]
KOption = Annotated[int, typer.Option("-k", min=1, help="Passages of evidence.", rich_help_panel=JUDGE)]
RetrievalOption = Annotated[Retrieval, typer.Option(help="How evidence is found.", rich_help_panel=JUDGE)]


def planned(metrics: tuple[Metric, ...], kb: str | None, k: int) -> tuple[Metric, ...]:
    """The metrics for a dry run: placeholders stand for what would be retrieved, so that nobody is asked."""
    return metrics if kb is None else tuple(with_evidence(metric, Placeholder(k), k) for metric in metrics)


def retrieving(
    metrics: tuple[Metric, ...], kb: str | None, models: Models, retrieval: Retrieval, k: int
) -> tuple[tuple[Metric, ...], Retriever | None]:
    """The metrics, those that take evidence by reference with the knowledge base, and the base; it is to be closed.

    Raises:
        ConfigurationError: there is no such base, or no metric that would use it.
    """
    if kb is None:
        return metrics, None
    base = knowledge_base_later(kb, models, retrieval=retrieval, k=k)
    found = tuple(with_evidence(metric, base, k) for metric in metrics)
    if found == metrics:
        raise ConfigurationError(
            "--kb is for correctness graded with evidence=reference, and there is no such metric; add -m correctness, "
            "or leave out --kb"
        )
    return found, base


def checked(
    rows: Iterator[Sample | BadRow], evidence: Mode | None, kb: str | None, data: str
) -> Iterator[Sample | BadRow]:
    """The same rows. Where evidence by reference is asked for and there is no base, the first sample has to bring it.

    Raises:
        ConfigurationError: it does not; nothing was spent yet.
    """
    if evidence != "reference" or kb is not None:
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
