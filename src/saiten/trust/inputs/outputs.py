"""What metrics and judges said about each item, and how that was made."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.metrics.judged.correctness import Correctness
from saiten.records import Sample, Scored, Status
from saiten.results.meta_evaluation import Origin
from saiten.runs import RunReader

Said = float | Status
"""A value, or why there is none."""

VERSUS = " vs "
"""Between the two answers of a preference: `q1/a vs q1/b`."""

BETWEEN = " · "
"""Between metric, judge and evidence in the name of an output."""

_ADDRESS = re.compile(r"@https?://\S*$")
"""Behind a model's name; where two judges differ in nothing else, their runs tell them apart."""


@dataclass(frozen=True, slots=True)
class Output:
    """What one metric or judge said about one item."""

    item: str
    metric: str
    """By what it goes in tables: longer than the metric's own name where several runs have the metric."""
    said: Said
    aspect: str = ""
    """Held against labels of this aspect only; "" is held against all."""
    origin: Origin | None = None
    """How it was made, where that is known."""

    @property
    def made(self) -> Origin:
        """How it was made, as far as that is known."""
        return self.origin or Origin(self.metric)


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """What is known about a sample here."""

    question: str
    """Items of one question are resampled together."""
    system: str | None = None
    group: str | None = None


def item_of(sample: Sample) -> SampleInfo:
    """The sample's place; a sample without a question is a cluster of its own."""
    return SampleInfo(sample.question or f"\0{sample.id}", sample.system, sample.group)


def outputs_of(scores: Iterable[Scored]) -> Iterator[Output]:
    """The scores of a run as outputs."""
    for one in scores:
        value = one.score.value
        yield Output(one.sample, one.metric, one.score.status if value is None else value)


def outputs_of_run(run: RunReader) -> Iterator[Output]:
    """The scores of a run as outputs, with what its manifest says about how they were made."""
    origins: dict[str, Origin] = {}
    for one in outputs_of(run.scores()):
        if one.metric not in origins:
            origins[one.metric] = _origin(one.metric, run.manifest.made_by(one.metric))
        yield replace(one, origin=origins[one.metric])


def _origin(metric: str, parts: Mapping[str, str]) -> Origin:
    judge = _ADDRESS.sub("", parts.get("judge", ""))
    try:
        made = make_metric(metric)
    except ConfigurationError:
        return Origin(metric, judge)
    if not isinstance(made, Correctness):
        return Origin(metric, judge)
    return Origin(metric, judge, made.evidence, replace(made, evidence=Correctness.evidence).name)
