"""The questions of a data set, and the answers as samples to score."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from itertools import islice
from pathlib import Path

from saiten.data import BadRow, read_samples
from saiten.demo.samples import load_demo
from saiten.experiments.cells import Cell
from saiten.experiments.plan import DataSet
from saiten.records import Language, Sample
from saiten.text.language import detect_language


def questions_of(data: DataSet, tell: Callable[[str], None]) -> Iterator[Sample | BadRow]:
    """The questions with their references, in order; at most `limit` of them.

    Raises:
        BadInput: with the first `next`: no such file, no known format, no column for the question.
    """
    if data.demo is not None:
        return islice(_of_the_demo(data.demo), data.limit)
    found = read_samples(
        data.questions or data.answers or Path(),
        columns=data.columns,
        detect_language=detect_language,
        language=data.language,
        tell=tell,
    )
    return islice(found, data.limit)


def answers_of(cell: Cell, folder: Path, tell: Callable[[str], None]) -> Iterator[Sample | BadRow]:
    """The answers of a cell as samples; the id of each is QUESTION-ID@SYSTEM, so that all can stand in one run."""
    if cell.data.answers is not None:
        yield from questions_of(cell.data, tell)
        return
    for row in read_samples(cell.answers(folder), detect_language=detect_language, tell=tell):
        yield row if isinstance(row, BadRow) else replace(row, id=f"{row.id}@{cell.system}", system=cell.system)


def demo_documents(language: Language) -> Path:
    """The folder of the built-in documents."""
    return Path(str(files("saiten.demo") / "corpus" / language))


def _of_the_demo(language: Language) -> Iterator[Sample]:
    """Each built-in question once, under the part of the id that its answers share."""
    seen: set[str] = set()
    for each in load_demo(language):
        sample = each.sample
        if sample.question not in seen:
            seen.add(sample.question)
            yield Sample(
                sample.id.rpartition("-")[0],
                sample.question,
                reference=sample.reference,
                alternatives=sample.alternatives,
                group=sample.group,
                language=sample.language,
            )
