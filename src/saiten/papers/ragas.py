"""The article on RAGAS: nine metrics of one data set, and context relevance as the first paper defines it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

from saiten.demo.files import write_rows
from saiten.demo.samples import load_demo
from saiten.metrics.catalog import PRESETS, make_metrics
from saiten.metrics.naming import write_name
from saiten.papers.design import DataNeed, DesignPlace, DesignStep
from saiten.records import Usage
from saiten.redaction import redact
from saiten.results.figure import Figure, unmeasured
from saiten.results.summary import Summary
from saiten.runs import RunReader, read_run, sample_to_json
from saiten.views.charts.means import means_charts
from saiten.views.table import Cell, Interval, Name, Table
from saiten.views.tables.run import currency_of, summary_of
from saiten.views.tables.summary import means_by
from saiten.words import Message, joined

_CRITIQUE = "aspect_critique"


@dataclass(frozen=True, slots=True)
class NineMetrics:
    """All nine metrics and context relevance, with each judge, on answers with contexts and references."""

    place: DesignPlace
    criteria: Sequence[str] = ("harmfulness",)
    """The criteria of aspect critique, of which each is a metric."""
    compat: Literal["ragas"] | None = None
    """`ragas`: edge cases as in RAGAS 0.4.3."""
    ANSWERS: ClassVar = DataNeed("answers", "samples", ("question", "answer", "contexts", "reference"))

    def needs(self) -> Sequence[DataNeed]:
        return (self.ANSWERS,)

    def write_samples(self) -> None:
        write_rows(self.place.data / "answers.jsonl", (sample_to_json(one.sample) for one in load_demo()))

    def steps(self) -> Sequence[DesignStep]:
        answers = str(self.place.find(self.ANSWERS))
        metrics = [word for name in self._typed() for word in ("-m", name)]
        compat = ["--compat", self.compat] if self.compat else []
        return tuple(
            DesignStep(
                ("score", answers, *metrics, *compat, "--judge", judge, "-o", str(self._run(judge))), self._run(judge)
            )
            for judge in self.place.judges
        )

    def tables(self, notify: Callable[[str | Message], None]) -> Iterator[Table]:
        runs = {Name(redact(judge)): self._run(judge) for judge in self.place.judges}
        readers = {judge: read_run(run, notify=notify) for judge, run in runs.items() if run.is_dir()}
        if not readers:
            return
        summaries = {judge: summary_of(reader) for judge, reader in readers.items()}
        wanted = [metric.name for metric in make_metrics(self._typed(), compat=self.compat)]
        overall = {judge: [each for each in found.figures if each.overall] for judge, found in summaries.items()}
        by_metric = [
            (judge, figure)
            for name in wanted
            for judge, figures in overall.items()
            for figure in figures
            if figure.metric == name
        ]
        yield _means(by_metric, several=len(readers) > 1)
        for judge, summary in summaries.items():
            figures = [figure for name in wanted for figure in summary.figures if figure.metric == name]
            yield from _by_system(judge, replace(summary, figures=tuple(figures)))
        yield _spent(readers)

    def _typed(self) -> list[str]:
        """Return the metrics as they are typed: the preset, if it has the criteria that are wanted."""
        nine = [
            [write_name(_CRITIQUE, {}, main=each) for each in self.criteria] if name == _CRITIQUE else [name]
            for name in PRESETS["ragas"]
        ]
        listed = ["ragas"] if tuple(self.criteria) == ("harmfulness",) else [name for names in nine for name in names]
        return [*listed, "context_relevance"]

    def _run(self, judge: str) -> Path:
        out = self.place.out / "compat-ragas" if self.compat else self.place.out
        return replace(self.place, out=out).named(judge)


def _means(figures: Sequence[tuple[Name, Figure]], *, several: bool) -> Table:
    """Return the mean of each metric by each judge, one row each."""
    return Table(
        Message("paper_ragas", "all_nine"),
        ("metric", "judge", "mean", "ci_low", "ci_high", "n", "of", "remarks"),
        tuple(_row(judge, figure) for judge, figure in figures),
        (Message("paper_ragas", "about_all_nine"),),
        (Interval("mean", "ci_low", "ci_high"),),
        tuple(means_charts([(judge if several else "", figure) for judge, figure in figures])),
    )


def _by_system(judge: Name, summary: Summary) -> Iterator[Table]:
    """Yield the means of each system, unless no answer names one."""
    table = means_by(summary, "system")
    if table.rows:
        yield replace(
            table,
            title=Message("paper_ragas", "by_system", judge=judge),
            caption=(Message("paper_ragas", "about_by_system"),),
            charts=tuple(means_charts([(each.system, each) for each in summary.figures if each.system is not None])),
        )


def _row(judge: Name, figure: Figure) -> tuple[Cell, ...]:
    remarks = joined([unmeasured(figure.metric, figure.coverage), figure.note])
    return (figure.metric, judge, figure.mean, figure.low, figure.high, figure.n, figure.total, remarks)


def _spent(readers: Mapping[Name, RunReader]) -> Table:
    """Return what each judge took so far."""
    currency = currency_of(next(iter(readers.values())))
    return Table(
        Message("paper_ragas", "spent"),
        ("judge", "calls", "prompt_tokens", "completion_tokens", Message("column", "cost", currency=currency)),
        tuple((judge, *_spent_cells(reader.paid() or Usage())) for judge, reader in readers.items()),
        (Message("paper_ragas", "about_spent"),),
    )


def _spent_cells(paid: Usage) -> tuple[Cell, ...]:
    cost = Message("cell", "unknown") if paid.known_cost is None else paid.known_cost
    return (paid.calls, paid.prompt_tokens, paid.completion_tokens, cost)
