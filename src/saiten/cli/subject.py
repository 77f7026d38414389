"""The options of further judges, and reading the subject of labels: a run or samples, runs, judges' files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from saiten.choices import GradeZero
from saiten.cli.output import notifier
from saiten.cli.shared_options import SAMPLE_COLUMN, read_columns
from saiten.errors import BadInput
from saiten.options import option
from saiten.records import Sample

if TYPE_CHECKING:
    from saiten.trust.inputs.outputs import Output, SampleInfo

JUDGE_COLUMN = "--judge-column"

GRADE_ZERO = (
    "A label of 0: the answer declines (says that it does not know) and is left out, or is the lowest grade. "
    "auto: declined for graded correctness (0 to 5), else the lowest."
)
GradeZeroOption = Annotated[GradeZero, typer.Option(help=GRADE_ZERO)]


@dataclass(frozen=True, slots=True)
class JudgeFiles:
    """Other judges' outputs, and how they are read."""

    judges: tuple[Path, ...] = option(
        (), "Another run, or a file of judges' outputs: item, judge, value; or a column per judge. Repeatable."
    )
    judge_column: tuple[str, ...] = option(
        (), "FIELD=COLUMN of the files of --judges: item, judge, metric, aspect, value. Repeatable."
    )
    verdict_pattern: str | None = option(
        None, "A regular expression that finds the verdict in the raw replies of --judges: 'Final score: (\\[0-5])'."
    )

    def read(
        self, path: Path, sample_columns: Sequence[str] | None, notes: Console
    ) -> tuple[dict[str, "SampleInfo"], list["Output"]]:
        """Return the samples, with their scores if `path` is a run, and the outputs of the judges.

        Raises:
            BadInput: a file is missing or has the wrong kind.
            ConfigurationError: a column or the pattern is invalid.
        """
        from saiten.data import read_samples
        from saiten.text.language import detect_language
        from saiten.trust.inputs.sources import (
            OutputReading,
            read_source,
            run_folder,
            samples_source,
            side_by_side,
        )

        notify = notifier(notes)
        reading = OutputReading(read_columns(self.judge_column, JUDGE_COLUMN), self.verdict_pattern)
        if run_folder(path) is not None:
            first = read_source(path, notify=notify)
        elif path.exists():
            rows = read_samples(
                path,
                columns=read_columns(sample_columns, SAMPLE_COLUMN),
                detect_language=detect_language,
                option=SAMPLE_COLUMN,
                wished=("question",),
                notify=notify,
            )
            first = samples_source(path, (sample for sample in rows if isinstance(sample, Sample)))
        else:
            raise BadInput(f"{path} is not there; the folder of a run or a file of samples was expected")
        return side_by_side(
            [first, *(read_source(path, reading, notify=notify) for path in self.judges)], notify=notify
        )
