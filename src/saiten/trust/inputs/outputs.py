"""Outputs of metrics and judges per item, and their origin."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from saiten.errors import ConfigurationError
from saiten.metrics.catalog import make_metric
from saiten.metrics.judged.correctness import Correctness
from saiten.records import Scored, Status
from saiten.results.meta_evaluation import Origin
from saiten.runs import RunReader

Said = float | Status
"""A value, or the status that explains its absence."""

VERSUS = " vs "
"""Separates the two answers of a preference: `q1/a vs q1/b`."""

BETWEEN = " · "
"""Separates metric, judge and evidence in the name of an output."""

_ADDRESS = re.compile(r"@https?://\S*$")
"""A server address after a model's name; judges that differ only in it are distinguished by their runs."""


@dataclass(frozen=True, slots=True)
class Output:
    """The output of one metric or judge on one item."""

    item: str
    metric: str
    """Name in tables; longer than the metric's own name if several runs have the metric."""
    said: Said
    aspect: str = ""
    """Aspect of the labels to compare with; "" for all."""
    origin: Origin | None = None
    """How it was made, if known."""

    @property
    def made(self) -> Origin:
        """Return how it was made, as far as known."""
        return self.origin or Origin(self.metric)


def outputs_of(scores: Iterable[Scored]) -> Iterator[Output]:
    """Yield the scores of a run as outputs."""
    for one in scores:
        value = one.score.value
        yield Output(one.sample, one.metric, one.score.status if value is None else value)


def outputs_of_run(run: RunReader) -> Iterator[Output]:
    """Yield the scores of a run as outputs, with their origin from its manifest."""
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
