"""The cells of a grid: one system on one data set."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from saiten.choices import ChainName, RagForm
from saiten.experiments.plan import DataSet, ExperimentPlan
from saiten.redaction import redact

_UNFIT = re.compile(r"[^\w.=,\[\]-]+")
_LONGEST = 60
"""Characters of a system's name that its file name keeps."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One system on one data set."""

    data: DataSet
    system: str
    """As it stands in tables and in the rows: `MODEL · CHAIN`, or as another system is written."""
    model: str | None = None
    """The generator as it is in tables, where the system is our RAG."""
    generator: str | None = None
    """The generator by its name alone."""
    example: Path | None = None
    """What the generator is shown; None for zero-shot."""
    chain: ChainName | None = None
    form: RagForm | None = None
    spec: str = field(default="", repr=False)
    """A system that is not our RAG, as it is written; it may hold a password, which is not in `system`."""

    def answers(self, folder: Path) -> Path:
        """Where its answers stand: its name, as far as a file name allows, and a digest, since two may look alike."""
        digest = blake2b(self.system.encode(), digest_size=4).hexdigest()
        readable = _UNFIT.sub("-", self.system).strip("-.")[:_LONGEST]
        return folder / "answers" / self.data.name / f"{readable}-{digest}.jsonl"


def has_answers(cell: Cell, folder: Path) -> bool:
    """Whether there is at least one row."""
    path = cell.answers(folder)
    return path.is_file() and path.stat().st_size > 0


def cells_of(plan: ExperimentPlan, data: DataSet) -> Iterator[Cell]:
    """The systems of the plan on this data set, our own first; one alone, `file`, where the answers are there."""
    if data.answers is not None:
        yield Cell(data, "file")
        return
    for model in plan.models:
        for chain in plan.chains:
            for form in plan.forms:
                called = f"{model.label} · {chain}" if plan.forms == ("qa",) else f"{model.label} · {chain} · {form}"
                yield Cell(data, called, model.label, model.name, model.example_of(plan), chain, form)
    for system in plan.systems:
        yield Cell(data, redact(system), spec=system)


def scores_folder(folder: Path, data: DataSet) -> Path:
    """Where the scores of a data set stand: one run for all its systems, which `show` and `meta-evaluate` read."""
    return folder / "scores" / data.name
