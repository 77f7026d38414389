"""Options that several commands have."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from saiten.choices import COVERAGE, MOST_PASSAGES, By, EvidenceMode, Format, Retrieval
from saiten.errors import ConfigurationError
from saiten.options import option
from saiten.settings import CALLS, JUDGE

_THRESHOLDS = "Thresholds (exit status 5 if one is missed)"

_DATA = (
    "JSONL, JSON, CSV, TSV, Excel (FILE.xlsx, FILE.xlsx#SHEET) or Parquet file, pattern of files "
    "('logs/*.jsonl'), address (s3://, gs://, abfs://), Hugging Face data set (hf:ORG/NAME or a folder, with "
    ":SPLIT), FILE.py:NAME, whose code is run, or - for standard input."
)
DataArgument = Annotated[str, typer.Argument(help=_DATA)]
DataSetsArgument = Annotated[list[str], typer.Argument(help=_DATA)]
LabelsArgument = Annotated[
    Path, typer.Argument(help="File of labels with item, value, annotator, aspect, adjudicated (JSONL, CSV, …).")
]


def _redirected(context: typer.Context, form: Format) -> Format:
    """Refuse a workbook on a terminal before any work is done for it."""
    if form == "xlsx":
        from saiten.views.sheets import refuse_terminal

        refuse_terminal(sys.stdout, context.info_name or "")
    return form


FormatOption = Annotated[
    Format,
    typer.Option(
        "--format",
        help="Output format; html is a self-contained page, xlsx an Excel workbook: redirect it to a file.",
        callback=_redirected,
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Hide progress.")]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Print the number of calls, tokens and the cost without calling a model."),
]
AspectsOption = Annotated[list[str] | None, typer.Option("--aspect", "-a", help="Use only this aspect. Repeatable.")]
LABEL_COLUMN_HELP = "Map a field of the labels to a column: FIELD=COLUMN. Repeatable."
LabelColumnOption = Annotated[list[str] | None, typer.Option(help=LABEL_COLUMN_HELP)]
SAMPLE_COLUMN = "--sample-column"
SAMPLE_COLUMN_HELP = "Map a field of the samples to a column: FIELD=COLUMN. Repeatable."
SampleColumnOption = Annotated[list[str] | None, typer.Option(help=SAMPLE_COLUMN_HELP)]
"""Where `--column` is about labels."""
ResamplesOption = Annotated[int, typer.Option(min=100, max=100_000, help="Number of bootstrap resamples.")]

SCORE_BY = (
    "Figure of a run's scores to compare with people: value, or expected, the expected value by the judge's "
    "probabilities (offline judge, --votes, --logprobs)."
)

GRADE_ZERO = (
    "Meaning of the label 0: the answer declines and is excluded (declined), or the lowest grade (lowest). "
    "auto: declined for correctness graded 0 to 5, otherwise lowest."
)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is resumed and shown; no figure depends on it."""

    retry_failed: bool = option(False, "Retry what failed or was unreadable.", panel=CALLS)
    quiet: bool = option(False, "Hide progress.", "--quiet", "-q")


@dataclass(frozen=True, slots=True)
class RetrieverOptions:
    """The user's own retriever as the source of evidence, instead of a knowledge base."""

    retriever: str | None = option(
        None,
        "Retriever to get evidence from instead of a knowledge base, such as that of the tested system: "
        "FILE.py:FUNCTION, python:MODULE:FUNCTION, http://HOST/PATH, langchain:FILE.py:NAME, llamaindex:FILE.py:NAME "
        "or haystack:FILE.py:NAME.",
        panel=JUDGE,
    )
    retriever_headers: Mapping[str, str] = option(
        {},
        "Header for a retriever at an address, NAME=VALUE; the value env:VARIABLE is read from the environment. Never "
        "stored. Repeatable.",
        "--retriever-header",
        panel=JUDGE,
    )

    def check_source(self, kb: str | None) -> None:
        """Raise ConfigurationError if there are two sources of evidence, or headers without a retriever."""
        if self.retriever is not None and kb is not None:
            raise ConfigurationError("--kb and --retriever both name where evidence comes from; leave one of them out")
        if self.retriever_headers and self.retriever is None:
            raise ConfigurationError("--retriever-header is for --retriever http://HOST/PATH; name the retriever, too")


@dataclass(frozen=True, slots=True)
class EvidenceOptions(RetrieverOptions):
    """The evidence for correctness, and its source."""

    evidence: EvidenceMode | None = option(
        None,
        "Evidence for the grader of correctness in addition to the reference: none, the contexts of the answer "
        "(answer, E2), or passages retrieved with question and reference (reference, E3). Default: reference if "
        "available.",
        panel=JUDGE,
    )
    kb: str | None = option(
        None,
        "Knowledge base to retrieve evidence from: a folder made by `saiten index`, or http://HOST:6333/NAME.",
        panel=JUDGE,
    )
    k: int = option(5, "Number of passages of evidence.", "-k", panel=JUDGE, min=1, max=MOST_PASSAGES)
    retrieval: Retrieval = option("dense", "Retrieval method for evidence from --kb.", panel=JUDGE)

    @property
    def has_source(self) -> bool:
        """Whether passages can be retrieved."""
        return self.kb is not None or self.retriever is not None


@dataclass(frozen=True, slots=True)
class ThresholdOptions:
    """The values a run must reach, and the file where the outcome is written for a CI system."""

    fail_under: tuple[str, ...] = option(
        (),
        "Minimum: METRIC=NUMBER or METRIC.FIGURE=NUMBER. FIGURE is mean (default), low or high (bounds of the 95 % "
        "interval), min or max (over samples), or coverage. Repeatable.",
        panel=_THRESHOLDS,
    )
    fail_over: tuple[str, ...] = option(
        (), "Maximum, for metrics where lower is better. Same syntax. Repeatable.", panel=_THRESHOLDS
    )
    fail_each: By | None = option(
        None, "Apply the thresholds to each system or group separately as well.", panel=_THRESHOLDS
    )
    min_coverage: float | None = option(
        None,
        f"Share of samples that must have a value. Default {COVERAGE}.",
        panel=_THRESHOLDS,
        min=0.0,
        max=1.0,
    )
    junit: Path | None = option(None, "Write the outcome of the thresholds to a JUnit XML file.", panel=_THRESHOLDS)
