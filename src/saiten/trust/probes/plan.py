"""Probe plans: which samples are scored with which metric, fixed before any request."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from saiten.records import Sample
from saiten.results.place import place_of
from saiten.results.probe import Expectation
from saiten.trust.probes.pairs import PREFERENCE, Second
from saiten.trust.probes.probe import Change, Probe, ProbedMetric
from saiten.words import Message, joined

ScoreKey = tuple[str, str]
"""The sample's id and the metric's name."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Two scores to compare."""

    variant: str
    question: str
    """Trials of one question are not independent."""
    before: ScoreKey
    after: ScoreKey


@dataclass(frozen=True, slots=True)
class ProbeTrials:
    """All trials of one probe on one metric, or the reason why there are none."""

    probe: str
    metric: ProbedMetric
    expectation: Expectation
    trials: tuple[Trial, ...]
    reason: Message | None = None


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """The scores to obtain, and how they will be compared."""

    samples: Mapping[str, Sample]
    """Original and changed samples, by id."""
    series: tuple[ProbeTrials, ...]
    wanted: frozenset[ScoreKey]
    """The scores to obtain; each once, however many probes need it."""

    @property
    def seconds(self) -> Mapping[str, Second]:
        """Return, per sample of a pair, the answer to show second, which is shown first in the pair's other order."""
        found = {}
        for one in (one for series in self.series if series.metric == PREFERENCE for one in series.trials):
            for sample, other, turned in ((one.before, one.after, False), (one.after, one.before, True)):
                found[sample[0]] = Second(self.samples[other[0]].answer or "", turned)
        return found


def make_plan(
    samples: Sequence[Sample],
    metrics: Sequence[ProbedMetric],
    probes: Sequence[Probe],
    *,
    translated: Sequence[Sample] = (),
) -> ProbePlan:
    """Return the plan for these samples; only the probe `other_language` uses `translated`.

    Originals are scored even where no probe changes them: they show how the judge agrees with itself. If all probes are
    pairwise, the metrics are left out, since nothing would be reported about them.

    Raises:
        ValueError: two different samples have the same id.
    """
    found: dict[str, Sample] = {}
    _add(found, samples)
    series: list[ProbeTrials] = []
    probed = () if all(probe.pairwise for probe in probes) else metrics
    wanted = {(sample.id, metric.name) for sample in samples for metric in probed}
    for probe in probes:
        whole = [*samples, *translated] if probe.name == "other_language" else samples
        made = [] if isinstance(probe.changes, str) else list(probe.changes(whole))
        for metric in (PREFERENCE,) if probe.pairwise else metrics:
            reason = _not_applicable(probe, metric, made)
            pairs = () if reason else tuple(_trials(probe, metric, made, samples))
            reason = reason or (None if pairs else Message("probe", probe.no_changes))
            for one in pairs:
                wanted |= {one.before, one.after}
            series.append(ProbeTrials(probe.name, metric, probe.expectation, pairs, reason))
        _add(found, (sample for change in made for sample in (change.original, change.changed)))
    needed = {sample for sample, _ in wanted}
    return ProbePlan({key: sample for key, sample in found.items() if key in needed}, tuple(series), frozenset(wanted))


def _add(found: dict[str, Sample], samples: Iterable[Sample]) -> None:
    for sample in samples:
        if found.setdefault(sample.id, sample) != sample:
            raise ValueError(f"two different samples have the id {sample.id!r}; give each its own")


def _not_applicable(probe: Probe, metric: ProbedMetric, made: Sequence[Change]) -> Message | None:
    if isinstance(probe.changes, str):
        return None if probe.changes in metric.turned else Message("probe", probe.no_changes)
    if probe.name == "contexts_reversed":
        if metric.ranks:
            return Message("probe", "order_measured")
        if metric.reads.isdisjoint(probe.reads):
            return Message("probe", "reads_no_contexts")
    elif not metric.reads.issuperset(probe.reads):
        missing = [Message("field", field) for field in probe.reads if field not in metric.reads]
        return Message("probe", "reads_no", fields=joined(missing, "and_no"))
    return None if made else Message("probe", probe.no_changes)


def _trials(probe: Probe, metric: ProbedMetric, made: Sequence[Change], samples: Sequence[Sample]) -> Iterator[Trial]:
    if isinstance(probe.changes, str):
        other = metric.turned[probe.changes]
        for sample in samples:
            yield Trial("", place_of(sample).question, (sample.id, metric.name), (sample.id, other))
        return
    for change in made:
        if _differ(change, metric):
            before, after = (change.original.id, metric.name), (change.changed.id, metric.name)
            yield Trial(change.variant, place_of(change.original).question, before, after)


def _differ(change: Change, metric: ProbedMetric) -> bool:
    """Return whether the metric can see the change; it may read only contexts or only evidence."""
    fields = [*metric.reads, *(["alternatives"] if "reference" in metric.reads else [])]
    return any(getattr(change.original, field) != getattr(change.changed, field) for field in fields)
