"""The questions of a data set, and the answers as samples to score."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from saiten.data import BadRow, read_samples
from saiten.demo.questions import demo_questions
from saiten.experiments.cells import Cell
from saiten.experiments.plan import DataSet
from saiten.records import Sample
from saiten.text.language import detect_language


def questions_of(data: DataSet, notify: Callable[[str], None]) -> Iterator[Sample | BadRow]:
    """Yield the questions with their references, in order; at most `limit` of them.

    Raises:
        BadInput: on the first `next`, if the file does not exist, or its format or question column is unknown.
    """
    if data.demo is not None:
        return islice(demo_questions(data.demo), data.limit)
    found = read_samples(
        data.questions or data.answers or Path(),
        columns=data.columns,
        detect_language=detect_language,
        language=data.language,
        notify=notify,
    )
    return islice(found, data.limit)


def answers_of(cell: Cell, folder: Path, notify: Callable[[str], None]) -> Iterator[Sample | BadRow]:
    """Yield the answers of a cell as samples, with the ids QUESTION-ID@SYSTEM so that one run can hold all cells.

    Failures are skipped: they are counted with the answers, and may be retried.
    """
    if cell.data.answers is not None:
        yield from questions_of(cell.data, notify)
        return
    for row in read_samples(cell.answers(folder), detect_language=detect_language, notify=notify):
        if isinstance(row, BadRow):
            yield row
        elif row.answer is not None:
            yield replace(row, id=f"{row.id}@{cell.system}", system=cell.system)
