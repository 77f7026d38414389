"""The options of further judges, and reading the subject of labels: a run or samples, runs, judges' files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from saiten.choices import ScoreBy
from saiten.cli.output import notifier, stderr
from saiten.cli.shared_options import SCORE_BY
from saiten.errors import BadInput
from saiten.options import option, read_columns
from saiten.records import Sample

if TYPE_CHECKING:
    from saiten.results.place import Place
    from saiten.trust.inputs.outputs import Output


@dataclass(frozen=True, slots=True)
class JudgeFiles:
    """Other judges' outputs, and how they are read."""

    judges: tuple[Path, ...] = option(
        (),
        "Another run, or a file of judges' outputs with item, judge, value or with one column per judge. Repeatable.",
    )
    judge_column: tuple[str, ...] = option(
        (), "Map a field of --judges (item, judge, metric, aspect, value) to a column: FIELD=COLUMN. Repeatable."
    )
    verdict_pattern: str | None = option(
        None, "Regular expression for the verdict in raw replies of --judges, such as 'Final score: (\\[0-5])'."
    )

    by: ScoreBy = option("value", SCORE_BY, "--by")

    def read(
        self, path: Path, sample_columns: Sequence[str] | None = None
    ) -> tuple[dict[str, "Place"], list["Output"]]:
        """Return the samples, with their scores if `path` is a run, and the outputs of the judges.

        Raises:
            BadInput: a file is missing or has the wrong kind, or no score of a run has an expected value.
            ConfigurationError: a column or the pattern is invalid.
        """
        from saiten.cli.reading import sample_rows
        from saiten.trust.inputs.sources import OutputReading, read_source, run_folder, samples_source, side_by_side

        notify = notifier(stderr())
        reading = OutputReading(read_columns(self.judge_column, "--judge-column"), self.verdict_pattern)
        if run_folder(path) is not None:
            first = read_source(path, by=self.by, notify=notify)
        elif path.exists():
            rows = sample_rows(path, sample_columns)
            first = samples_source(path, (row for row in rows if isinstance(row, Sample)))
        else:
            raise BadInput(f"{path} does not exist; expected a run folder or a file of samples")
        return side_by_side(
            [first, *(read_source(path, reading, by=self.by, notify=notify) for path in self.judges)], notify=notify
        )
