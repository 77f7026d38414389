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
    """The generator's name."""
    example: Path | None = None
    """Its worked example; None for zero-shot."""
    chain: ChainName | None = None
    form: RagForm | None = None
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
                yield Cell(data, called, model.label, model.name, model.example_of(plan), chain, form)
    for system in plan.systems:
        yield Cell(data, redact(system), spec=system)


def scores_folder(folder: Path, data: DataSet) -> Path:
    """Return the folder of a data set's scores: one run for all its systems, read by `show` and `meta-evaluate`."""
    return folder / "scores" / data.name
