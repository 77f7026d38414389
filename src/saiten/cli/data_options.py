"""Options that name columns, for samples and for labels."""

from collections.abc import Sequence
from typing import Annotated

import typer

from saiten.errors import ConfigurationError

SAMPLE_COLUMN = "--sample-column"
SampleColumnOption = Annotated[list[str] | None, typer.Option(help="FIELD=COLUMN of the samples. Repeatable.")]
"""Where `--column` is about labels."""
LabelColumnOption = Annotated[list[str] | None, typer.Option(help="FIELD=COLUMN of the labels. Repeatable.")]


def read_columns(pairs: Sequence[str] | None, option: str = "--column") -> dict[str, str]:
    """Return field → column from `question=Q`; raises ConfigurationError for another form."""
    columns = {}
    for pair in pairs or ():
        name, equals, column = pair.partition("=")
        if not equals or not name or not column:
            raise ConfigurationError(f"{option} expects FIELD=COLUMN, for example question=Q, not {pair!r}")
        columns[name.strip()] = column.strip()
    return columns
