"""The cells of a grid, one system on one data set each, with their questions and answers."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from saiten.choices import ChainName, RagForm
from saiten.data import BadRow, read_samples
from saiten.demo.samples import demo_questions
from saiten.experiments.plan import DataSet, ExperimentPlan
from saiten.records import Sample
from saiten.redaction import redact
from saiten.text.language import detect_language

_UNFIT = re.compile(r"[^\w.=,\[\]-]+")
_LONGEST = 60
"""Maximum characters of a system's name in its file name."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One system on one data set."""

    data: DataSet
    system: str
    """The name in tables and rows: `MODEL · CHAIN`, or the spec of another system."""
    model: str | None = None
    """The generator's name in tables, if the system is the built-in RAG."""
    generator: str | None = None
    example: Path | None = None
    """Its worked example; None for zero-shot."""
    chain: ChainName | None = None
    form: RagForm | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Options and headers of the generator's requests."""
    spec: str = field(default="", repr=False)
    """The spec of a system other than the built-in RAG; it may hold a password, which `system` omits."""

    def answers(self, folder: Path) -> Path:
        """Return the file of its answers: its name, shortened to a file name, and a digest to keep it unique."""
        digest = blake2b(self.system.encode(), digest_size=4).hexdigest()
        readable = _UNFIT.sub("-", self.system).strip("-.")[:_LONGEST]
        return folder / "answers" / self.data.name / f"{readable}-{digest}.jsonl"


def has_answers(cell: Cell, folder: Path) -> bool:
    """Return whether the cell has a row of answers."""
    path = cell.answers(folder)
    return path.is_file() and path.stat().st_size > 0


def cells_of(plan: ExperimentPlan, data: DataSet) -> Iterator[Cell]:
    """Yield the plan's systems on this data set, the built-in RAG first; only `file` if the answers exist already."""
    if data.answers is not None:
        yield Cell(data, "file")
        return
    for model in plan.models:
        for chain in plan.chains:
            for form in plan.forms:
                called = f"{model.label} · {chain}" if plan.forms == ("qa",) else f"{model.label} · {chain} · {form}"
                example, more = model.example_of(plan), (model.options, model.headers)
                yield Cell(data, called, model.label, model.name, example, chain, form, *more)
    for system in plan.systems:
        yield Cell(data, redact(system), spec=system)


def scores_folder(folder: Path, data: DataSet) -> Path:
    """Return the folder of a data set's scores: one run for all its systems, read by `show` and `meta-evaluate`."""
    return folder / "scores" / data.name


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
