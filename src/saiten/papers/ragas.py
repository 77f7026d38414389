"""The article on RAGAS: nine metrics of one data set."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import ClassVar

from saiten.demo.files import write_rows
from saiten.demo.samples import load_demo
from saiten.papers.design import Need, Place, Step
from saiten.redaction import redact
from saiten.results.figure import unmeasured
from saiten.results.summary import Summary
from saiten.runs import read_run, sample_to_json
from saiten.views.table import Cell, Interval, Name, Table
from saiten.views.tables.run import summary_of
from saiten.views.tables.summary import means_by
from saiten.words import Message, joined


@dataclass(frozen=True, slots=True)
class NineMetrics:
    """All nine metrics, with each judge, on answers with contexts and references."""

    place: Place
    ANSWERS: ClassVar = Need("answers", "samples", ("question", "answer", "contexts", "reference"))

    def needs(self) -> Sequence[Need]:
        return (self.ANSWERS,)

    def write_samples(self) -> None:
        write_rows(self.place.data / "answers.jsonl", (sample_to_json(one.sample) for one in load_demo()))

    def steps(self) -> Sequence[Step]:
        answers = str(self.place.find(self.ANSWERS))
        return tuple(
            Step(("score", answers, "-m", "ragas", "--judge", judge, "-o", str(self._run(judge))), self._run(judge))
            for judge in self.place.judges
        )

    def tables(self, notify: Callable[[str | Message], None]) -> Iterator[Table]:
        runs = {judge: self._run(judge) for judge in self.place.judges}
        found = {judge: summary_of(read_run(run, notify=notify)) for judge, run in runs.items() if run.is_dir()}
        if not found:
            return
        yield Table(
            Message("paper_ragas", "all_nine"),
            ("metric", "judge", "mean", "ci_low", "ci_high", "n", "of", "remarks"),
            tuple(chain.from_iterable(_rows(judge, summary) for judge, summary in found.items())),
            (Message("paper_ragas", "about_all_nine"),),
            (Interval("mean", "ci_low", "ci_high"),),
        )
        for judge, summary in found.items():
            by_system = means_by(summary, "system")
            if by_system.rows:
                yield replace(by_system, title=Message("paper_ragas", "by_system", judge=redact(judge)))

    def _run(self, judge: str) -> Path:
        return self.place.named(judge)


def _rows(judge: str, summary: Summary) -> Iterator[tuple[Cell, ...]]:
    for one in summary.figures:
        if one.overall:
            remarks = joined([unmeasured(one.metric, one.coverage), one.note])
            yield (one.metric, Name(redact(judge)), one.mean, one.low, one.high, one.n, one.total, remarks)
