"""The lines of a report's first screen in the form of its template."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from saiten.records import Language
from saiten.views.metric_names import shown_metric
from saiten.views.page.cells import marked_up
from saiten.views.report.headlines import Headline, Measured, Topic
from saiten.views.report.opening import Opening
from saiten.views.report.shown_means import ShownMean, ShownPart, shown_mean, shown_parts, single_column
from saiten.views.strip_controls import clean
from saiten.views.table import PValue, show_cell
from saiten.words import Message, in_language, joined, section

_LINES = 8
"""Maximum lines that are open, over all topics; the first topic is always open."""
_HEADING = 2
"""Lines that the heading of a topic takes."""
_BESIDE = 4
"""Maximum metrics of a picture next to the lines."""
_POINTS = 3
"""Maximum sentences of an experiment that are open."""
_SIGNS = {"better": "▲", "worse": "▼", "differs": "≠", "noise": "≈", "unmeasured": "?"}
_ARROWS = {True: "↑", False: "↓", None: ""}


@dataclass(frozen=True, slots=True)
class ShownSide:
    """How much of one side was measured."""

    name: str
    """Empty for both sides together, and for the only one."""
    text: str
    bar: Sequence[tuple[str, str, str]]
    """Start and width of each stretch in percent, and its class; empty if everything was measured."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """One line."""

    metric: str
    arrow: str
    direction: str
    """The arrow in words."""
    verdict: str
    """Its class."""
    sign: str
    said: Markup
    value: str
    interval: str
    p: str
    sides: Sequence[ShownSide]
    mean: ShownMean | None
    """The picture of a mean that is in no other."""


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """Lines with a heading."""

    title: str
    compared: bool
    drawn: bool
    lines: Sequence[ShownLine]
    more: Sequence[ShownLine]
    declined: bool


class ShownOpening:
    """The first screen, with its words in a language."""

    def __init__(self, opening: Opening, language: Language) -> None:
        words = section("opening", language)

        def said(text: str | Message) -> Markup:
            return marked_up(in_language(text, language))

        shown = [_topic(topic, words, language) for topic in opening.topics]
        count = _open_topics(opening.topics)
        self.words = words
        self.facts = said(opening.facts)
        self.notices = [said(one) for one in opening.notices]
        self.believed = [said(one) for one in opening.believed]
        self.remark = said(opening.remark)
        self.recommended = [
            (said(one.title), [*map(said, one.points[:_POINTS])], [*map(said, one.points[_POINTS:])])
            for one in opening.recommended
        ]
        self.topics, self.folded = shown[:count], shown[count:]
        self.parts: list[ShownPart]
        self.more_parts: list[ShownPart]
        # A picture of few metrics has room next to the lines.
        self.beside = bool(opening.pictured) and max(len(part.columns) for part in opening.pictured) <= _BESIDE
        self.parts, self.more_parts = shown_parts(opening.pictured, language)


def _open_topics(topics: Sequence[Topic]) -> int:
    """Return how many topics are open: the first, and those that fit after it; never means over different systems."""
    lines = 0
    for at, topic in enumerate(topics):
        lines += _HEADING + len(topic.lines)
        if at and (lines > _LINES or topic.mixed):
            return at
    return len(topics)


def _topic(topic: Topic, words: Mapping[str, str], language: Language) -> ShownTopic:
    return ShownTopic(
        clean(in_language(topic.title, language)),
        topic.compared,
        any(line.figure is not None for line in topic.lines),
        [_line(line, words, language) for line in topic.lines],
        [_line(line, words, language) for line in topic.more],
        topic.declined,
    )


def _line(line: Headline, words: Mapping[str, str], language: Language) -> ShownLine:
    figure = line.verdict == "figure"
    value = show_cell(line.value) if figure or line.value is None else f"{line.value:+.3f}"
    p = PValue.of(line.p)
    return ShownLine(
        clean(shown_metric(line.metric, language)),
        _ARROWS[line.higher],
        "" if line.higher is None else words["higher" if line.higher else "lower"],
        line.verdict,
        _SIGNS.get(line.verdict, ""),
        Markup() if line.said is None else marked_up(in_language(line.said, language)),
        value,
        "" if line.low is None or line.high is None else f"[{show_cell(line.low)}, {show_cell(line.high)}]",
        "" if p is None else show_cell(p),
        list(_sides(line.sides, language)),
        None
        if line.figure is None
        else shown_mean(line.figure, single_column(line.figure, higher=line.higher), "", language),
    )


def _sides(sides: Sequence[Measured], language: Language) -> Iterator[ShownSide]:
    """Yield the sides with gaps one by one; if nothing is missing, all of them as one."""
    if not any(side.missing for side in sides) and len({side.of for side in sides}) == 1:
        yield ShownSide("", in_language(Message("report", "measured", n=sides[0].n, of=sides[0].of), language), ())
        return
    for side in sides:
        parts = [Message("report", "measured", n=side.n, of=side.of), *_missing(side)]
        yield ShownSide(clean(side.name), in_language(joined(parts, "listed"), language), _bar(side))


def _missing(side: Measured) -> Iterator[Message]:
    for status, n in sorted(side.missing.items(), key=lambda each: (-each[1], each[0])):
        key = "declined_not_in_mean" if status == "declined" else "counted"
        yield Message("report", key, n=n, status=Message("status", status))


def _bar(side: Measured) -> list[tuple[str, str, str]]:
    declined = side.missing.get("declined", 0)
    stretches = [("ok", side.n), ("declined", declined), ("lacking", side.of - side.n - declined)]
    bar: list[tuple[str, str, str]] = []
    start = 0.0
    for kind, n in stretches:
        width = 100 * n / side.of if side.of else 0.0
        if n:
            bar.append((f"{start:.4g}%", f"{width:.4g}%", kind))
        start += width
    return bar
