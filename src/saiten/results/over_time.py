"""The means of runs in the order of their start, and what changed between them besides the system.

Two neighboring runs are on one line only if their figures are comparable: made in the same way (judge, prompts,
settings of the metric), and from the same questions and references. Of these 90 % must be the same, the rule that
`compare` has for its verdicts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count, pairwise
from typing import get_args

import numpy as np
import numpy.typing as npt

from saiten.choices import Questioning
from saiten.dialogue.reading import has_dialogues
from saiten.digests import digest_here
from saiten.results.figure import Figure
from saiten.results.only_words import only_words
from saiten.results.place import place_of
from saiten.results.summary import Summary
from saiten.results.verdict import enough
from saiten.results.what_differs import CONDUCTED
from saiten.runs import RunReader
from saiten.runs.manifest import settings_in, signature_parts
from saiten.words import Message, joined

LEAST = 3
"""Runs of the same questions that make a course over time without being asked for."""
_VERSION = "saiten"
"""The part of a signature whose change is marked, but does not break a line."""
_WORDED = frozenset(
    {"judge", "questioning", "prompts", "embedder", "temperature", "tokeniser_ja", "tokeniser_en", _VERSION}
)
"""Parts of signatures that have words of their own."""

Digests = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class DatedRun:
    """What a run contributes to a course over time; its answers are not kept."""

    name: str
    begun: datetime | None
    """When it was started, in UTC; None if its manifest does not say."""
    unfinished: bool
    answers: int
    offline: bool
    """Whether its judge only compared words."""
    figures: tuple[Figure, ...]
    """Those of its summary, except those of groups."""
    made: Mapping[str, Mapping[str, str]]
    """By metric: how its values were made, as (part, value)."""
    system: str | None
    """Its system, if it has only one."""
    data: Digests
    """Its questions with their references: distinct digests in order, valid in this process only."""

    @property
    def judges(self) -> list[str]:
        """The judges of its metrics; empty if none needs one."""
        return list(dict.fromkeys(parts["judge"] for parts in self.made.values() if "judge" in parts))

    @property
    def metrics(self) -> list[str]:
        """Metrics with scores."""
        return list(dict.fromkeys(figure.metric for figure in self.figures))


def dated_run(reader: RunReader, name: str, summary: Summary) -> DatedRun:
    """Return a run's part, from its summary and one reading of its samples."""
    manifest = reader.manifest
    conducted = {}
    if has_dialogues(reader):
        conducted = {key: str(manifest.settings[key]) for key in CONDUCTED if key in manifest.settings}
    signatures = {metric: settings_in(text) for metric, text in manifest.signatures.items()}
    made = {metric: {**signature_parts(metric, signatures), **conducted} for metric in signatures}
    digests, systems = list[int](), set[str | None]()
    for sample in reader.samples():
        digests.append(digest_here((place_of(sample).paired_by, sample.references)))
        systems.add(sample.system)
    return DatedRun(
        name,
        start_of(manifest.created),
        reader.unfinished,
        len(digests),
        only_words(manifest.signatures.values()),
        tuple(figure for figure in summary.figures if figure.group is None),
        made,
        systems.pop() if len(systems) == 1 else None,
        np.unique(np.array(digests, np.uint64)),
    )


def start_of(created: str) -> datetime | None:
    """Read the time in a manifest, in UTC; None if there is none or it cannot be read."""
    try:
        found = datetime.fromisoformat(created)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None


@dataclass(frozen=True, slots=True, eq=False)
class RunPoint:
    """A metric's figure of one run, or of one of its systems."""

    run: DatedRun
    figure: Figure
    joined: bool
    """Whether a line leads to it from the point before it: it has one, and both are comparable."""

    @property
    def whole(self) -> bool:
        """Whether enough was measured for a verdict."""
        return not self.run.unfinished and enough(self.figure.n, self.figure.total)


@dataclass(frozen=True, slots=True, eq=False)
class RunChange:
    """What differs between a run and the one before it that has the same metric."""

    letter: str
    """The same in all metrics of a report, by run."""
    before: DatedRun
    after: DatedRun
    what: Message
    breaks: bool
    """Whether figures before and after are not comparable."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """One metric over the runs that have it, oldest first."""

    metric: str
    runs: tuple[DatedRun, ...]
    lines: Mapping[str | None, tuple[RunPoint, ...]]
    """By system; None for all systems together."""
    changes: tuple[RunChange, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OverTime:
    """All metrics that at least two runs with a date have."""

    courses: tuple[Course, ...]
    undated: tuple[DatedRun, ...]
    """Runs without a date, in the given order: they have no place."""
    single: tuple[str, ...]
    """Metrics that only one run has."""

    @property
    def repeats(self) -> bool:
        """Whether some metric was measured on the same questions by at least three runs."""
        return any(_repeated(course.runs) >= LEAST for course in self.courses)


def over_time(runs: Sequence[DatedRun], systems_at_most: int) -> OverTime:
    """Return the courses; runs with more systems than `systems_at_most` count as a whole."""
    dated = sorted((run for run in runs if run.begun is not None), key=_begun)  # stable: equal times as given
    by_metric: dict[str, list[DatedRun]] = {}
    for run in dated:
        for metric in run.metrics:
            by_metric.setdefault(metric, []).append(run)
    several = {metric: of for metric, of in by_metric.items() if len(of) > 1}
    changes = {metric: [*_changes(metric, of)] for metric, of in several.items()}
    after = {id(change.after) for found in changes.values() for change in found}
    letters = dict(zip((id(run) for run in dated if id(run) in after), map(letter, count()), strict=False))
    courses = []
    for metric, of in several.items():
        found = tuple(replace(change, letter=letters[id(change.after)]) for change in changes[metric])
        broken = {id(change.after) for change in found if change.breaks}
        courses.append(Course(metric, tuple(of), _lines(metric, of, broken, systems_at_most), found))
    single = tuple(metric for metric in by_metric if metric not in several)
    return OverTime(tuple(courses), tuple(run for run in runs if run.begun is None), single)


def letter(number: int) -> str:
    """Return A for 0, B for 1, …, Z for 25, AA for 26, and so on."""
    found = ""
    number += 1
    while number:
        number, last = divmod(number - 1, 26)
        found = chr(ord("A") + last) + found
    return found


def _begun(run: DatedRun) -> datetime:
    return run.begun or datetime.min.replace(tzinfo=UTC)


def _changes(metric: str, runs: Sequence[DatedRun]) -> Iterator[RunChange]:
    """Yield what changed between neighbors, still without a letter."""
    for before, after in pairwise(runs):
        parts = _parts(before.made.get(metric, {}), after.made.get(metric, {}))
        what = [_said(part, was, now) for part, (was, now) in parts.items()]
        same, common = _in_common(before.data, after.data)
        if not same:
            counts = {"common": common, "was": len(before.data), "now": len(after.data)}
            what.append(Message("change", "data", **counts))
        if what:
            other_data = not enough(common, max(len(before.data), len(after.data)))
            yield RunChange("", before, after, joined(what), bool(parts.keys() - {_VERSION}) or other_data)


def _parts(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the parts that differ; none if a run does not say how its values were made."""
    if not before or not after:
        return {}
    both = {key: (before.get(key, ""), after.get(key, "")) for key in dict.fromkeys([*before, *after])}
    return {key: ends for key, ends in both.items() if ends[0] != ends[1]}


def _said(part: str, was: str, now: str) -> Message:
    ends = {"was": _in_words(part, was), "now": _in_words(part, now)}
    return Message("change", part, **ends) if part in _WORDED else Message("change", "part", part=part, **ends)


def _in_words(part: str, value: str) -> str | Message:
    if part == "questioning" and value in get_args(Questioning):
        return Message("questioning", value)
    return Message("change", "none") if value in {"", "none"} else value


def _in_common(first: Digests, second: Digests) -> tuple[bool, int]:
    """Return whether the data are the same, and how many questions with their references both have."""
    return np.array_equal(first, second), len(np.intersect1d(first, second, assume_unique=True))


def _lines(
    metric: str, runs: Sequence[DatedRun], broken: set[int], systems_at_most: int
) -> dict[str | None, tuple[RunPoint, ...]]:
    lines: dict[str | None, list[RunPoint]] = {}
    last: dict[str | None, float | None] = {}
    by_run = [_by_system(metric, run, systems_at_most) for run in runs]
    apart = any(None not in found for found in by_run)
    for run, of in zip(runs, by_run, strict=True):
        # A run of one system has no figures by system, but belongs to its line.
        found = {run.system if apart and system is None else system: figure for system, figure in of.items()}
        for system, figure in found.items():
            reached = figure.mean is not None and last.get(system) is not None and id(run) not in broken
            lines.setdefault(system, []).append(RunPoint(run, figure, reached))
        last = {system: figure.mean for system, figure in found.items()}  # a system that is left out makes a gap
    return {system: tuple(points) for system, points in lines.items()}


def _by_system(metric: str, run: DatedRun, most: int) -> dict[str | None, Figure]:
    """Return the figures of the run's systems if it has several; a mean over them would describe none."""
    of_metric = {figure.system: figure for figure in run.figures if figure.metric == metric}
    systems: dict[str | None, Figure] = {name: figure for name, figure in of_metric.items() if name is not None}
    return systems if 1 < len(systems) <= most else {None: of_metric[None]}


def _repeated(runs: Sequence[DatedRun]) -> int:
    """Return how many runs share a question with a neighbor."""
    shared = [_in_common(first.data, second.data)[1] > 0 for first, second in pairwise(runs)]
    return sum(any(pair) for pair in zip([False, *shared], [*shared, False], strict=True))
