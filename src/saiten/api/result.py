"""The result of `saiten.evaluate`: samples, scores, the summary, and ways to take them elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from saiten.data import BadRow
from saiten.data.frames import Form, columns_of, to_arrow, to_dataset, to_pandas, to_polars
from saiten.errors import BadInput
from saiten.records import Sample, Scored, Usage
from saiten.results.sides import side_from
from saiten.results.summary import place_of, summarise
from saiten.runs import read_run
from saiten.runs.manifest import versions
from saiten.tracking import Tracked, Tracking, log_to_mlflow, run_on_disk
from saiten.views.notebook import Shown, ShownComparison, ShownSummary
from saiten.views.table import Table
from saiten.views.tables.summary import summary_tables


@dataclass(frozen=True, repr=False)
class Evaluation(Shown):
    """What came out: the samples, a score for each of them and each metric, and the summary."""

    samples: tuple[Sample, ...]
    scores: tuple[Scored, ...]
    signatures: Mapping[str, str]
    """By metric: how its figures were made."""
    bad_rows: tuple[BadRow, ...] = ()
    """Rows that could not be used, with the reason."""
    stopped: str | None = None
    """Why not everything was scored: the budget was spent. What was paid for is in `scores`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What all scores have in common: the judge, the columns, the language, …"""
    folder: Path | None = None
    """Where everything is kept; None where it is in memory alone."""
    paid: Usage | None = None
    """What was spent, also for what is in no score; None where a judge of your own counts for itself."""

    @cached_property
    def summary(self) -> ShownSummary:
        """Means with intervals, coverage, per system and group; see `summary.Summary`."""
        places = {sample.id: place_of(sample) for sample in self.samples}
        return ShownSummary.of(
            summarise(self.scores, places, self.signatures, bad_rows=len(self.bad_rows), paid=self.paid)
        )

    def compare(self, other: "Evaluation", names: tuple[str, str] = ("first", "second")) -> ShownComparison:
        """Is the difference real: what `other` gains over this one, paired by sample; see `saiten compare`.

        Raises:
            BadInput: they share no metric, or no sample.
        """
        first, second = (
            side_from(each.samples, each.scores, name) for each, name in zip((self, other), names, strict=True)
        )
        return ShownComparison.between(first, second, (self.summary, other.summary))

    def rows(self) -> list[dict[str, Any]]:
        """One dict a sample: its fields, and for each metric `METRIC`, `METRIC:status` and `METRIC:reason`."""
        columns = columns_of(self.samples, self.scores, metrics=self.signatures)
        return [
            dict(zip(columns, cells, strict=True))
            for cells in zip(*(column.cells for column in columns.values()), strict=True)
        ]

    def to_pandas(self, form: Form = "wide", *, texts: bool | None = None) -> Any:
        """A pandas DataFrame; a score without a value is missing there (NaN), with its status beside it.

        Args:
            form: `wide`: one row a sample, and for each metric `METRIC`, `METRIC:status` and `METRIC:reason`. `long`:
                one row a score, with `sample`, `metric`, `value`, `status`, `reason`, and `details` as JSON text. A
                metric that is called as a field of the sample stands behind `metric:` in the wide form.
            texts: Whether the sample's fields (question, answer, contexts, …) stand beside its scores. By default they
                do in the wide form, where each stands once.

        Raises:
            ConfigurationError: pandas is not installed.
            ValueError: there is no such form.
        """
        return to_pandas(columns_of(self.samples, self.scores, form, texts=texts, metrics=self.signatures))

    def to_polars(self, form: Form = "wide", *, texts: bool | None = None) -> Any:
        """A Polars DataFrame, of the forms that `to_pandas` describes; a score without a value is null there.

        Raises:
            ConfigurationError: Polars is not installed.
            ValueError: there is no such form.
        """
        return to_polars(columns_of(self.samples, self.scores, form, texts=texts, metrics=self.signatures))

    def to_arrow(self, form: Form = "wide", *, texts: bool | None = None) -> Any:
        """An Arrow table, of the forms that `to_pandas` describes; statuses are a dictionary.

        Raises:
            ConfigurationError: pyarrow is not installed.
            ValueError: there is no such form.
        """
        return to_arrow(columns_of(self.samples, self.scores, form, texts=texts, metrics=self.signatures))

    def to_dataset(self, form: Form = "wide", *, texts: bool | None = None) -> Any:
        """A Hugging Face `datasets.Dataset`, of the forms that `to_pandas` describes.

        Raises:
            ConfigurationError: datasets is not installed.
            ValueError: there is no such form.
        """
        return to_dataset(columns_of(self.samples, self.scores, form, texts=texts, metrics=self.signatures))

    def log_to_mlflow(
        self,
        to: str | None = None,
        *,
        experiment: str | None = None,
        name: str | None = None,
        texts: bool = False,
        report: Path | str | None = None,
    ) -> Tracked:
        """Track this result in MLflow, as `saiten track` does; the same result again is brought up to date there.

        Args:
            to: `sqlite:///mlflow.db`, `http://HOST:5000`, …; by default what `mlflow.get_tracking_uri()` says.
            experiment: Made if it is not there; by default that of MLFLOW_EXPERIMENT_NAME, else `saiten`.
            name: Of the run in MLflow.
            texts: Keep the samples and the details of the scores there too.
            report: A file to keep beside them.

        Raises:
            ConfigurationError: the extra `mlflow` is not installed, there is no such store, or it refuses.
            BadInput: there is nothing to track, or no such report.
        """
        file = None if report is None else Path(report)
        return log_to_mlflow(self._tracking(), to=to, experiment=experiment, name=name, texts=texts, report=file)

    def tables(self) -> list[Table]:
        return summary_tables(self.summary)

    def notes(self) -> Sequence[str]:
        """Why it is not complete, if it is not."""
        return () if self.stopped is None else (f"Stopped: {self.stopped}",)

    def __repr__(self) -> str:
        return f"<Evaluation of {len(self.samples)} samples, {len(self.scores)} scores>\n{self}"

    @cached_property
    def _identity(self) -> str:
        """Of what is in memory alone: this object, and no other that happens to be equal."""
        return uuid4().hex

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
