"""One reading of a run for its report: the summary, its values, each metric's cost, the shown scores."""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import compress, decompress

import orjson

from saiten.dialogue.reading import has_dialogues
from saiten.metrics.judged.gist_profiles import gist_metric
from saiten.records import Language, Scored, Usage
from saiten.results.place import Place, place_of
from saiten.results.summarize import summarize
from saiten.results.summary import Summary
from saiten.runs import RunReader
from saiten.views.gist.view import Finding, finding_of, packed, unpacked
from saiten.views.page.sample_details import detail_lines
from saiten.views.reasons import reason_of
from saiten.views.report.choosing import Choice
from saiten.views.report.judged_passages import judged_passages
from saiten.views.report.packing import as_json
from saiten.views.table import Table
from saiten.words import Message, in_language

_SYSTEMS_AT_MOST = 12
"""With more systems than this, distributions are drawn over all of them together."""

Values = Mapping[str, Mapping[str, "array[float]"]]
"""By metric, then by system; "" for everything, if there are no systems or too many."""


class Kept:
    """Each score in its page form and the `gist` findings, by sample. Some hundred bytes per score."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._scores: dict[str, dict[str, bytes]] = {}
        self._findings: dict[str, dict[str, bytes]] = {}

    def keep(self, one: Scored) -> None:
        """Remember a score."""
        finding = finding_of(one)
        if finding is not None:
            of_sample = self._findings.setdefault(one.sample, {})
            if finding.metric not in of_sample or finding.details is not None:
                of_sample[finding.metric] = packed(finding)
        drawn = finding is not None and finding.details is not None
        line = compress(as_json(shown_score(one, self._language, details=not drawn)), 1)
        self._scores.setdefault(one.sample, {})[one.metric] = line

    def scores(self, sample: str) -> dict[str, dict[str, Any]]:
        """Return the results of `shown_score`, by metric."""
        return {metric: orjson.loads(decompress(line)) for metric, line in self._scores.get(sample, {}).items()}

    def findings(self, sample: str) -> Sequence[Finding]:
        """Return one finding per setting of gist."""
        return [unpacked(metric, line) for metric, line in self._findings.get(sample, {}).items()]


@dataclass(frozen=True, slots=True)
class SampleFacts:
    """The facts that a run's samples provide."""

    places: Mapping[str, Place]
    """By sample id."""
    languages: Mapping[Language, int]
    bad_rows: int
    """Number of unusable rows in the data."""

    @property
    def systems(self) -> list[str]:
        """In order of occurrence."""
        return list(dict.fromkeys(place.system for place in self.places.values() if place.system))


@dataclass(frozen=True, slots=True)
class Tally:
    """The facts about a run for its report."""

    reader: RunReader
    name: str
    """Short, and unique in the report."""
    facts: SampleFacts
    summary: Summary
    values: Values
    spent: Mapping[str, Usage]
    """By metric."""
    scores: int
    kept: Kept
    dialogues: bool
    """Whether the run consists of dialogues."""

    def title(self, title: str | Message) -> Message:
        """Return a title with the run's name, for reports of several."""
        return Message("title", "of_run", run=self.name, title=title)

    def titled(self, tables: Sequence[Table]) -> list[Table]:
        """Return the tables with the run's name in their titles."""
        return [replace(table, title=self.title(table.title)) for table in tables]

    @property
    def metrics(self) -> list[str]:
        """Metrics with scores, in the order of the run."""
        return list(dict.fromkeys([*(one for one in self.summary.signatures if one in self.spent), *self.spent]))

    @property
    def measured(self) -> int:
        """Number of scores with a value."""
        return sum(figure.n for figure in self.summary.figures if figure.overall)

    @property
    def unfinished(self) -> bool:
        """Whether scores are still to come, as far as recorded."""
        if self.reader.manifest.finished is None:
            return self.scores < self.expected
        return self.reader.unfinished

    @property
    def expected(self) -> int:
        """Number of scores once the samples read so far are done."""
        return len(self.facts.places) * len(self.reader.manifest.signatures)

    @property
    def lost(self) -> int:
        """Number of scores missing because of unusable rows."""
        return self.facts.bad_rows * len(self.reader.manifest.signatures)


def facts_of(reader: RunReader) -> SampleFacts:
    """Read the samples once."""
    places: dict[str, Place] = {}
    languages: Counter[Language] = Counter()
    for sample in reader.samples():
        places[sample.id] = place_of(sample)
        languages[sample.language] += 1
    return SampleFacts(places, languages, reader.bad_rows())


def tally(reader: RunReader, name: str, facts: SampleFacts, choice: Choice, language: Language) -> Tally:
    """Read the scores once; those of the shown samples are kept, compressed, with reasons in the page's language."""
    values: dict[str, dict[str, array[float]]] = {}
    spent: dict[str, Usage] = {}
    kept, known = Kept(language), Counter[bool]()
    split = 0 < len(facts.systems) <= _SYSTEMS_AT_MOST

    def read() -> Iterator[Scored]:
        for one in reader.scores():
            place = facts.places.get(one.sample)
            known[place is not None] += 1
            spent[one.metric] = spent.get(one.metric, Usage()) + one.score.usage
            if one.score.value is not None:
                system = (place.system or "") if split and place is not None else ""
                values.setdefault(one.metric, {}).setdefault(system, array("d")).append(one.score.value)
            if place is not None and choice.holds(one.sample):
                kept.keep(one)
            yield one

    summary = summarize(read(), facts.places, reader.manifest.signatures, bad_rows=facts.bad_rows, paid=reader.paid())
    return Tally(reader, name, facts, summary, values, spent, known[True], kept, has_dialogues(reader))


def shown_score(one: Scored, language: Language, *, details: bool) -> dict[str, Any]:
    """Return a score in its page form; defaults are left out.

    `details`: include the details, unless they are drawn elsewhere.
    """
    score = one.score
    rest = dict(score.details)
    raw = rest.pop("raw", None)
    lines = [[line.depth, line.kind, line.text, line.reason] for line in _lines(rest)] if details else []
    usage = score.usage
    spent = [usage.calls, *usage.tokens, usage.cost, usage.unpriced, usage.reused]
    found = {
        "value": score.value,
        "status": score.status,
        "reason": in_language(reason_of(one), language),
        "expected": score.expected,
        "votes": list(score.votes),
        "lines": lines,
        "raw": raw if raw is None or isinstance(raw, str) else str(raw),
        "passages": judged_passages(one.metric, rest),
        "usage": spent if usage != Usage() else None,
        "gist": gist_metric(one.metric) if not details else None,
    }
    return {key: value for key, value in found.items() if value not in (None, "", [], {})}


def _lines(details: Mapping[str, Any]) -> list[Any]:
    try:
        return list(detail_lines(details))
    except RecursionError:
        return []
