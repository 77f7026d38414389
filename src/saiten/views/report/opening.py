"""The first screen of a report: its lines, its picture, what to beware of, and how well it can be believed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from saiten.results.only_words import ONLY_WORDS, only_words
from saiten.results.ranking import RankedMetric
from saiten.views.charts.ranking import UNINFORMATIVE
from saiten.views.page.chapters import Chapter
from saiten.views.report.against_people import AgainstPeople
from saiten.views.report.comparing import Tests
from saiten.views.report.headlines import Topic, topics
from saiten.views.report.picture import PicturePart, picture
from saiten.views.report.tally import Tally
from saiten.views.table import show_cell
from saiten.views.tables.meta_cells import measure_name
from saiten.words import Message, joined

_METRICS = 2
_ASPECTS = 2
"""Maximum metrics and aspects of the sentences on agreement with people."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Everything above the answers."""

    facts: Message
    """What was measured, in a line."""
    notices: tuple[Message, ...]
    """What everybody has to know before reading a figure."""
    topics: tuple[Topic, ...]
    recommended: tuple[Chapter, ...]
    """Chapters with sentences that answer a question, of experiments."""
    believed: tuple[Message, ...]
    remark: str | Message
    """What was not compared, and why."""
    parts: tuple[PicturePart, ...]
    """All means."""

    @property
    def pictured(self) -> tuple[PicturePart, ...]:
        """The means of the picture; a part of a single row is drawn in the lines of its topic."""
        return tuple(part for part in self.parts if len(part.rows) > 1)


def make_opening(
    tallies: Sequence[Tally], tests: Tests, people: AgainstPeople | None, more: Sequence[Chapter]
) -> Opening:
    """Assemble the first screen. `people`: the metrics compared with labels, None without; `more`: of experiments."""
    parts = picture(tallies, tests.paired.runs)
    pictured = {row.run for part in parts if len(part.rows) > 1 for row in part.rows}
    lines = topics(tallies, tests.paired, pictured)
    named = [line.metric for topic in lines for line in topic.lines]
    return Opening(
        _facts(tallies),
        tuple(_notices(tallies)),
        tuple(lines),
        tuple(chapter for chapter in more if chapter.points),
        tuple(_believed(people, named)),
        tests.chapter.lead,
        tuple(parts),
    )


def _facts(tallies: Sequence[Tally]) -> Message:
    """Return numbers of runs, answers and values, and the judge."""
    measured, expected, lost = (sum(getattr(one, name) for one in tallies) for name in ("measured", "expected", "lost"))
    judges = dict.fromkeys(str(one.reader.manifest.settings.get("judge") or "") for one in tallies)
    answers = sum(len(one.facts.places) for one in tallies)
    return joined(
        [
            Message("report", "fact_runs", n=len(tallies)) if len(tallies) > 1 else None,
            Message("report", "fact_answers", n=answers),
            *(Message("report", "fact_judge", judge=judge) for judge in judges if judge),
            Message("report", "coverage", n=measured, of=expected + lost),
        ],
        "facts",
    )


def _notices(tallies: Sequence[Tally]) -> Iterator[Message]:
    for one in tallies:
        if one.unfinished:
            yield Message("report", "unfinished", run=one.name, scores=one.scores, expected=one.expected)
    if any(only_words(one.summary.signatures.values()) for one in tallies):
        yield ONLY_WORDS


def _believed(people: AgainstPeople | None, metrics: Sequence[str]) -> Iterator[Message]:
    """Yield a sentence per ranking: on the metrics of the lines above that are in it, otherwise on its first one."""
    if people is None:
        yield Message("report", "no_labels")
        return
    found = False
    for aspect, ranking in people.rankings[:_ASPECTS]:
        ranked = [place for place in ranking.places if not place.people]
        spoken_of = [place for place in ranked if place.metric in metrics] or ranked[:1]
        if not spoken_of:
            continue
        figures = [_worth(ranking.by, place) for place in spoken_of[:_METRICS]]
        figures += [Message("report", "ceiling", value=_value(place)) for place in ranking.places if place.people]
        found = True
        yield Message("report", "believed", aspect=aspect, figures=joined(figures, "clauses"))
    if not found:
        yield Message("report", "no_ranking")


def _worth(by: str, place: RankedMetric) -> Message:
    """Return the metric's agreement with people, and whether it may be chance."""
    none = UNINFORMATIVE.get(by, 0.0)
    low, high = place.figure.low, place.figure.high
    chance = none is not None and low is not None and high is not None and low <= none
    key = "worth_nothing" if chance else "worth"
    return Message("report", key, measure=measure_name(by), metric=place.metric, value=_value(place))


def _value(place: RankedMetric) -> str:
    low, high = place.figure.low, place.figure.high
    interval = f" [{show_cell(low)}, {show_cell(high)}]" if low is not None and high is not None else ""
    return show_cell(place.figure.value) + interval
