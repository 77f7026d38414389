"""Gist: what the answer lacks and adds, by whether it carries the answer (gist) or only supports it (supplement).

Four ratios: missing or extra units of the gist or the supplement / units of that class in the reference. 0 is best; a
missing ratio is at most 1, an extra one is unbounded; undefined if the reference has no such unit.
Source: the paper on gist and supplement presented at the Japanese NLP society's meetings (ANLP).
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import ClassVar

from saiten.errors import ConfigurationError
from saiten.metrics.base import BaseMetric
from saiten.metrics.judged.gist_counts import (
    WHICH,
    Findings,
    Which,
    layout_of_extra,
    layout_of_reference,
    ratio,
    units_text,
)
from saiten.metrics.judged.gist_files import MarkedUnits, read_examples, read_units
from saiten.protocols import Judge
from saiten.records import Sample, Score, Span
from saiten.tasks.gist import FindMissingAndExtra, SplitGist
from saiten.tasks.gist_example import GistExample
from saiten.text.partition import Layout


@dataclass(frozen=True)
class Gist(BaseMetric):
    """One of the four ratios; `gist` alone means all of them. They share two calls.

    The main reference is split into units; for a blank answer all are missing, without the second call. The details
    are the same for all four: the units with their offsets, the counts, the profile, and the faults that remained in
    the judge's replies after one repair.
    """

    title = "gist"
    needs = ("question", "answer", "reference")
    tasks = (SplitGist, FindMissingAndExtra)
    bounds = (0.0, inf)
    higher_is_better = False
    main = "which"
    parts: ClassVar[tuple[str, ...]] = WHICH

    which: Which = "missing_gist"
    role: str = ""
    """The judge's role, for example *a professional accountant*; empty: an expert on the subject."""
    examples: str = ""
    """A TOML file with few-shot examples, which replace the prompts' own for samples in the same language."""
    units: str = ""
    """A file of labels with the units that people marked in the references; empty: the judge finds them."""
    annotator: str = ""
    """The annotator whose units count, if several people marked them."""

    def __post_init__(self) -> None:
        """Refuse unknown settings, and read the files at once rather than at the first sample."""
        super().__post_init__()
        if self.annotator and not self.units:
            raise ConfigurationError(
                "gist: annotator says whose units count, but no file of units is given: units=FILE"
            )
        if self.which.startswith("missing"):
            self.declare(bounds=(0.0, 1.0))
        _ = self.shots, self.marked

    @cached_property
    def shots(self) -> tuple[GistExample, ...]:
        """The examples in the file."""
        return read_examples(Path(self.examples)) if self.examples else ()

    @cached_property
    def marked(self) -> Mapping[str, MarkedUnits] | None:
        """The units that people marked, by sample id; None if the judge is to find them."""
        return read_units(Path(self.units), self.annotator) if self.units else None

    def describe(self) -> Mapping[str, str]:
        read = {"examples": self.shots, "units": sorted(self.marked.items()) if self.marked else ()}
        return {key: hashlib.sha256(repr(value).encode()).hexdigest()[:8] for key, value in read.items() if value}

    async def score(self, sample: Sample, judge: Judge) -> Score:
        if not (sample.reference or "").strip():
            return Score.undefined("the reference is empty")
        if self.marked is not None and sample.id not in self.marked:
            return Score.undefined(f"nobody marked units for this sample in {self.units}")
        units = await self._units(sample, judge)
        try:
            reference = layout_of_reference(sample.reference or "", units)
        except ValueError as error:
            return Score.undefined(f"the units in {self.units} do not fit this reference: {error}")
        if not any(reference.units.values()):
            return Score.undefined("no unit was marked in the reference")
        return ratio(await self._findings(sample, reference, judge), self.which)

    async def _units(self, sample: Sample, judge: Judge) -> Mapping[str, Sequence[str | Span]]:
        if self.marked is not None:
            marked = self.marked[sample.id]
            return {"gist": marked.gist, "supplement": marked.supplement}
        reply = await judge.perform(
            SplitGist(
                sample.question,
                sample.reference or "",
                self.role,
                self._shots(sample),
                language=sample.language,
                conversation=sample.history,
            )
        )
        return {"gist": reply.gist, "supplement": reply.supplement}

    async def _findings(self, sample: Sample, reference: Layout, judge: Judge) -> Findings:
        text, answer = sample.reference or "", sample.answer or ""
        gist, supplement = (units_text(reference, name, text) for name in ("gist", "supplement"))
        if not answer.strip():
            everything = {"gist": range(len(gist)), "supplement": range(len(supplement))}
            return Findings(text, answer, reference, everything, layout_of_extra(answer, (), ()))
        task = FindMissingAndExtra(
            sample.question,
            answer,
            gist,
            supplement,
            self.role,
            self._shots(sample),
            language=sample.language,
            conversation=sample.history,
        )
        reply = await judge.perform(task)
        (gist_at, gist_faults), (supplement_at, supplement_faults) = task.missing(reply)
        missing = {"gist": gist_at, "supplement": supplement_at}
        unreadable = {"gist": gist_faults, "supplement": supplement_faults}
        extra = layout_of_extra(answer, reply.extra_gist, reply.extra_supplement)
        return Findings(text, answer, reference, missing, extra, unreadable)

    def _shots(self, sample: Sample) -> tuple[GistExample, ...]:
        return tuple(one for one in self.shots if one.language == sample.language)
