"""The result of `saiten.evaluate`: samples, scores, the summary, and exports."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload
from uuid import uuid4

from saiten.choices import REPORT_LIMIT, ExportName, FrameLayout
from saiten.data import BadRow
from saiten.data.frames import Column, columns_of, to_arrow, to_dataset, to_pandas, to_polars
from saiten.errors import BadInput
from saiten.exports.answers_in_memory import AnswersInMemory
from saiten.exports.export import Export, ExportSettings, export_of_run
from saiten.exports.formats import file_of, format_for
from saiten.exports.writing import write_file
from saiten.records import Language, Sample, Scored, Usage
from saiten.results.place import place_of
from saiten.results.sides import side_from
from saiten.results.summarize import summarize
from saiten.runs import read_run
from saiten.runs.manifest import versions
from saiten.tracking import Tracked, Tracking, log_to_mlflow, run_on_disk
from saiten.views.charts.chart import VegaChart
from saiten.views.notebook import Shown, ShownComparison, ShownPage, ShownSummary
from saiten.views.table import Table
from saiten.views.tables.summary import summary_tables

_LOG = logging.getLogger(__name__)

_IN_NOTEBOOK = 200
"""Answers in a report that becomes part of a notebook's file."""


@dataclass(frozen=True, repr=False)
class Evaluation(Shown):
    """The result of an evaluation: the samples, one score per sample and metric, and the summary."""

    samples: tuple[Sample, ...]
    scores: tuple[Scored, ...]
    signatures: Mapping[str, str]
    """Metric → how its figures were computed."""
    bad_rows: tuple[BadRow, ...] = ()
    """Rows that could not be used, with the reason."""
    stopped: str | None = None
    """The reason why some scores are missing: the budget was spent. Paid results are in `scores`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings shared by all scores: the judge, the columns, the language, …"""
    folder: Path | None = None
    """The folder that holds the run; None if it is only in memory."""
    paid: Usage | None = None
    """Total spending, including calls that led to no score; None with your own judge, which counts for itself."""

    @cached_property
    def summary(self) -> ShownSummary:
        """Return means with intervals and coverage, overall and per system and group; see `summary.Summary`."""
        places = {sample.id: place_of(sample) for sample in self.samples}
        return ShownSummary.of(
            summarize(self.scores, places, self.signatures, bad_rows=len(self.bad_rows), paid=self.paid)
        )

    def compare(self, other: "Evaluation", names: tuple[str, str] = ("first", "second")) -> ShownComparison:
        """Test what `other` gains over this result, paired by sample; see `saiten compare`.

        Raises:
            BadInput: The results share no metric or no sample.
        """
        first, second = (
            side_from(each.samples, each.scores, name, each.signatures)
            for each, name in zip((self, other), names, strict=True)
        )
        return ShownComparison.between(first, second, (self.summary, other.summary))

    def plot(self, metric: str | Sequence[str] | None = None, *, language: Language = "en") -> VegaChart:
        """Return a chart of the means with their 95 % intervals; see `ShownSummary.plot`."""
        return self.summary.plot(metric, language=language)

    @overload
    def report(
        self,
        file: None = None,
        *,
        baseline: "Evaluation | None" = ...,
        title: str = ...,
        language: Language | None = ...,
    ) -> ShownPage: ...

    @overload
    def report(
        self,
        file: Path | str,
        *,
        baseline: "Evaluation | None" = ...,
        title: str = ...,
        language: Language | None = ...,
    ) -> Path: ...

    def report(
        self,
        file: Path | str | None = None,
        *,
        baseline: "Evaluation | None" = None,
        title: str = "",
        language: Language | None = None,
    ) -> ShownPage | Path:
        """Return the HTML report, which a notebook shows, or write it to a file, whose path is then returned.

        The page in a notebook has the first 200 answers, a file the first 10,000; figures are over all of them.

        Args:
            file: The file; an earlier report is replaced.
            baseline: Another result, to which the report compares this one.
            title: The title of the page; by default the names of the runs.
            language: The language of the page; by default that of most samples.

        Raises:
            BadInput: There are no scores, or the file exists and is no report.
            ConfigurationError: The file cannot be written.
        """
        # Loads the report only here; `evaluate` needs none.
        from saiten.api.report import page_of, write_to  # noqa: PLC0415

        results = {"result": self} if baseline is None else {"baseline": baseline, "result": self}
        if file is None:
            return page_of(results, title, language, _IN_NOTEBOOK)
        write_to(Path(file), results, title, language, REPORT_LIMIT)
        return Path(file)

    def rows(self) -> list[dict[str, Any]]:
        """Return one dict per sample: its fields, and for each metric the columns of the wide layout."""
        columns = self._columns()
        return [
            dict(zip(columns, cells, strict=True))
            for cells in zip(*(column.cells for column in columns.values()), strict=True)
        ]

    def to_pandas(self, layout: FrameLayout = "wide", *, texts: bool | None = None) -> Any:
        """Return a pandas DataFrame; a score without a value is NaN, and its status says why.

        Args:
            layout: `wide`: one row per sample, and for each metric `METRIC`, `METRIC:status`, `METRIC:reason` and, if
                the judge gave probabilities, `METRIC:expected`; a metric named like a field of the sample has the
                prefix `metric:`. `long`: one row per score, with `sample`, `metric`, `value`, `status`, `reason`,
                `expected`, and `details` as JSON text.
            texts: Whether to include the sample's fields (question, answer, contexts, …). By default they are included
                in the wide layout, where each occurs once.

        Raises:
            ConfigurationError: pandas is not installed.
            ValueError: there is no such layout.
        """
        return to_pandas(self._columns(layout, texts=texts))

    def to_polars(self, layout: FrameLayout = "wide", *, texts: bool | None = None) -> Any:
        """Return a Polars DataFrame, like `to_pandas`; a score without a value is null."""
        return to_polars(self._columns(layout, texts=texts))

    def to_arrow(self, layout: FrameLayout = "wide", *, texts: bool | None = None) -> Any:
        """Return an Arrow table, like `to_pandas`; statuses are dictionary-encoded."""
        return to_arrow(self._columns(layout, texts=texts))

    def to_dataset(self, layout: FrameLayout = "wide", *, texts: bool | None = None) -> Any:
        """Return a Hugging Face `datasets.Dataset`, like `to_pandas`."""
        return to_dataset(self._columns(layout, texts=texts))

    def _columns(self, layout: FrameLayout = "wide", *, texts: bool | None = None) -> dict[str, Column]:
        return columns_of(self.samples, self.scores, layout, texts=texts, metrics=self.signatures)

    def log_to_mlflow(
        self,
        to: str | None = None,
        *,
        experiment: str | None = None,
        name: str | None = None,
        texts: bool = False,
        report: Path | str | None = None,
    ) -> Tracked:
        """Track this result in MLflow, as `saiten track` does; tracking it again updates its MLflow run.

        Args:
            to: `sqlite:///mlflow.db`, `http://HOST:5000`, …; by default the value of `mlflow.get_tracking_uri()`.
            experiment: Created if it does not exist; by default $MLFLOW_EXPERIMENT_NAME, else `saiten`.
            name: The name of the MLflow run.
            texts: Also store the samples and the details of the scores.
            report: A report file to attach to the MLflow run.

        Raises:
            ConfigurationError: the extra `mlflow` is not installed, or the store does not exist or refuses.
            BadInput: There is nothing to track, or the report does not exist.
        """
        file = None if report is None else Path(report)
        return log_to_mlflow(self._tracking(), to=to, experiment=experiment, name=name, texts=texts, report=file)

    def export(
        self,
        path: Path | str,
        *,
        format: ExportName | None = None,  # noqa: A002 - the word that `to_*` methods of other libraries have
        layout: FrameLayout = "wide",
        order: str = "worst",
        bom: bool = False,
        language: Language | None = None,
    ) -> Path:
        """Write the answers with their scores to a file, as `saiten export` does, and return its path.

        What the file lacks, such as texts that are too long for Excel, is logged as a warning.

        Args:
            path: The file; an earlier export is replaced, any other file is refused.
            format: `xlsx`, `csv`, `tsv`, `jsonl` or `parquet`; by default the suffix decides.
            layout: `wide`: one row per answer · `long`: one row per score.
            order: `worst`: worst answers first, by the mean of the ranks that all metrics give · `data` · a metric:
                its worst values first. Answers without a value rank as the worst.
            bom: For CSV and TSV: a byte order mark, and an apostrophe before formulas, for Excel.
            language: The language of a workbook's headings; by default that of most samples.

        Raises:
            BadInput: There is nothing to export, the file is something else, or the result does not fit into Excel.
            ConfigurationError: The format is unclear or needs a package, or the file cannot be written.
        """
        file = Path(path)
        name, settings = format_for(file, format), ExportSettings(layout, order, bom, language)
        with self._export() as export:
            for note in (*export.notes, *write_file(file_of(export, name, settings), file)):
                _LOG.warning(note)
        return file

    def tables(self) -> list[Table]:
        return summary_tables(self.summary)

    def notes(self) -> Sequence[str]:
        """Return why the result is incomplete; empty if it is complete."""
        return () if self.stopped is None else (f"Stopped: {self.stopped}",)

    def __repr__(self) -> str:
        return f"<Evaluation of {len(self.samples)} samples, {len(self.scores)} scores>\n{self}"

    @cached_property
    def _identity(self) -> str:
        """Return an identity for a result in memory: this object's, even if another is equal."""
        return uuid4().hex

    def _export(self) -> AbstractContextManager[Export]:
        if self.folder is not None:
            return export_of_run(read_run(self.folder))
        if not self.samples:
            raise BadInput("there are no answers yet; there is nothing to export")
        return nullcontext(
            Export(
                "saiten.evaluate",
                AnswersInMemory(self.samples, self.scores, self.signatures),
                self.signatures,
                lambda: self.summary,
                self.settings,
                versions(),
                unfinished=self.stopped is not None,
                bad_rows=len(self.bad_rows),
                read_bad_rows=lambda: self.bad_rows,
                currency=str(self.settings.get("currency", "USD")),
            )
        )

    def _tracking(self) -> Tracking:
        if self.folder is not None:
            return replace(run_on_disk(read_run(self.folder)), stopped=self.stopped)
        if not self.scores:
            raise BadInput("there are no scores yet; there is nothing to track")
        return Tracking(
            self._identity,
            "saiten.evaluate",
            lambda: self.samples,
            lambda: self.scores,
            self.signatures,
            self.settings,
            versions(),
            stopped=self.stopped,
            bad_rows=len(self.bad_rows),
            paid=self.paid,
        )
