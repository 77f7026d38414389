"""What labels are compared with (a run or samples, further runs, files of judges' outputs), and the options of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from saiten.cli.data_options import SAMPLE_COLUMN, read_columns
from saiten.cli.output import told
from saiten.data import read_samples
from saiten.errors import BadInput
from saiten.records import Sample
from saiten.text.language import detect_language
from saiten.trust.inputs.outputs import Output, SampleInfo
from saiten.trust.inputs.sources import OutputReading, read_source, run_folder, samples_source, side_by_side

JUDGE_COLUMN = "--judge-column"

JudgesOption = Annotated[
    list[Path] | None,
    typer.Option(
        help="Another run, or a file of judges' outputs: item, judge, value; or a column per judge. Repeatable."
    ),
]
JudgeColumnOption = Annotated[
    list[str] | None,
    typer.Option(help="FIELD=COLUMN of the files of --judges: item, judge, metric, aspect, value. Repeatable."),
]
VerdictPatternOption = Annotated[
    str | None,
    typer.Option(
        help="A regular expression that finds the verdict in the raw replies of --judges: 'Final score: (\\[0-5])'."
    ),
]


@dataclass(frozen=True, slots=True)
class Subject:
    """What was typed."""

    path: Path
    """A run or samples."""
    judges: Sequence[Path] = ()
    sample_columns: Sequence[str] = ()
    judge_columns: Sequence[str] = ()
    pattern: str | None = None

    def read(self, notes: Console) -> tuple[dict[str, SampleInfo], list[Output]]:
        """The samples, with the scores if this is a run; beside them the outputs of further runs and files.

        Raises:
            BadInput: something is not there, or not of that kind.
            ConfigurationError: a column or the pattern is none.
        """
        tell = told(notes)
        reading = OutputReading(read_columns(self.judge_columns, JUDGE_COLUMN), self.pattern)
        if run_folder(self.path) is not None:
            first = read_source(self.path, tell=tell)
        elif self.path.exists():
            rows = read_samples(
                self.path,
                columns=read_columns(self.sample_columns, SAMPLE_COLUMN),
                detect_language=detect_language,
                option=SAMPLE_COLUMN,
                wished=("question",),
                tell=tell,
            )
            first = samples_source(self.path, (sample for sample in rows if isinstance(sample, Sample)))
        else:
            raise BadInput(f"{self.path} is not there; the folder of a run or a file of samples was expected")
        return side_by_side([first, *(read_source(path, reading, tell=tell) for path in self.judges)], tell=tell)
