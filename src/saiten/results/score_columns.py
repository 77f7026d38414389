"""The parts of one metric's scores that a summary needs, column by column: about 40 bytes a score."""

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from saiten.records import STATUSES, Score, Scored
from saiten.results.figure import is_correctness
from saiten.results.places import Names, Where
from saiten.stats.clusters import Floats, Ints
from saiten.stats.corpus_bleu import COUNTS

_COUNTED = frozenset({"matched", "runs", "answer_size", "reference_size"})
"""Details of `bleu4`."""

_CODES = {status: code for code, status in enumerate(STATUSES)}
OK = _CODES["ok"]

Mask = npt.NDArray[np.bool_]


@dataclass(slots=True)
class ScoreColumns:
    """The scores of one metric."""

    metric: str
    statuses: "array[int]" = field(default_factory=lambda: array("B"))
    """The places in `STATUSES`."""
    values: "array[float]" = field(default_factory=lambda: array("d"))
    """NaN for none."""
    grades: "array[float] | None" = None
    """The grades as given, if the value is finer (a mean of votes, the offline judge's figure); NaN: split votes. None
    while each grade is the value."""
    questions: "array[int]" = field(default_factory=lambda: array("q"))
    systems: "array[int]" = field(default_factory=lambda: array("i"))
    groups: "array[int]" = field(default_factory=lambda: array("i"))
    reasons: "array[int]" = field(default_factory=lambda: array("i"))
    """Only of unmeasured scores."""
    without_evidence: "array[int]" = field(default_factory=lambda: array("B"))
    """For correctness: 1 if evidence was requested and the sample has none."""
    counted: "array[int]" = field(default_factory=lambda: array("q"))
    """For sentence BLEU: the rows that have counts, and `counts`, what corpus BLEU needs, with the references."""
    counts: "array[float]" = field(default_factory=lambda: array("f"))  # exact up to 16 million tokens
    references: "array[int]" = field(default_factory=lambda: array("i"))
    votes: list[tuple[float | None, ...]] = field(default_factory=list)
    """Of the scores that have any."""
    graded: dict[str, dict[str, tuple[int, float]]] = field(default_factory=dict)
    """For correctness with evidence: mode → sample → its question and value."""
    names: Names = field(default_factory=Names)
    """Of systems and groups."""
    texts: Names = field(default_factory=Names)
    """Of reasons."""

    def add(self, one: Scored, where: Where) -> None:
        """Add a score."""
        score, row = one.score, len(self.statuses)
        question, system, group = where
        self.statuses.append(_CODES[score.status])
        self.values.append(math.nan if score.value is None else score.value)
        self.questions.append(question)
        self.systems.append(self.names.code(system))
        self.groups.append(self.names.code(group))
        self.reasons.append(0 if score.status in {"ok", "declined"} else self.texts.code(score.reason or ""))
        self._add_grade(score, row)
        if score.votes:
            self.votes.append(score.votes)
        if is_correctness(self.metric):
            self._add_evidence(one, question)
        elif score.status == "ok" and self.metric.startswith("bleu4"):
            self._add_counts(one, row)

    def part(self, by: str | None = None, name: str | None = None) -> Mask:
        """Return which rows are of this system or group; without one, all."""
        if by is None:
            return np.ones(len(self.statuses), bool)
        found: Mask = self.column("systems" if by == "system" else "groups") == self.names.code(name)
        return found

    def named(self, by: str) -> set[str]:
        """Return the names of all systems or groups."""
        codes = np.unique(self.column("systems" if by == "system" else "groups")).tolist()
        return {name for code in codes if (name := self.names.known[code]) is not None}

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a column as an array, without a copy."""
        column: array[Any] = self.grades if name == "grades" and self.grades is not None else getattr(self, name)
        return np.frombuffer(column, column.typecode) if column else np.empty(0, column.typecode)

    def measured(self, part: Mask) -> tuple[Floats, Ints, Floats]:
        """Return the values of the part's measured scores, their questions, and their grades; NaN for none."""
        values = self.column("values")
        chosen = part & (self.column("statuses") == OK) & ~np.isnan(values)
        grades = values if self.grades is None else self.column("grades")
        return values[chosen], self.column("questions")[chosen], grades[chosen]

    def _add_grade(self, score: Score, row: int) -> None:
        given = score.details.get("grade")
        is_grade = isinstance(given, int) or (given is None and "given" in score.details)
        if self.grades is None:
            if not is_grade:
                return
            self.grades = array("d", self.values[:row])
        grade = given if is_grade else score.value
        self.grades.append(math.nan if grade is None else grade)

    def _add_evidence(self, one: Scored, question: int) -> None:
        seen = one.score.details.get("evidence")
        evidence = seen if isinstance(seen, Mapping) else {}
        mode, pieces = evidence.get("mode"), evidence.get("pieces") or 0
        self.without_evidence.append(mode in {"answer", "reference"} and not pieces)
        if one.score.value is not None and mode is not None and pieces:  # without evidence it counts as neither mode
            self.graded.setdefault(mode, {})[one.sample] = (question, one.score.value)

    def _add_counts(self, one: Scored, row: int) -> None:
        details = one.score.details
        if one.metric.partition("[")[0] != "bleu4" or not details.keys() >= _COUNTED:
            return
        counts = (*details["matched"], *details["runs"], details["answer_size"], details["reference_size"])
        if len(counts) == COUNTS:
            self.counts.extend(counts)
            self.references.append(int(details.get("references", 0)))
            self.counted.append(row)
