"""The charts of a report as pictures for slides, with the question of each, and what one must know to read it."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from saiten.records import Language
from saiten.results.only_words import ONLY_WORDS_SHORT, only_words
from saiten.results.over_time import DatedRun, start_of
from saiten.version import __version__
from saiten.views.charts.chart import VegaChart
from saiten.views.charts.means import means_charts
from saiten.views.charts.slide import SlideText
from saiten.views.charts.systems_by_metrics import SystemRow, systems_by_metrics
from saiten.views.page.chapters import Chapter
from saiten.views.report.picture import PicturePart
from saiten.views.report.tally import Tally
from saiten.views.strip_controls import strip_controls
from saiten.words import Message, in_language, joined, section

_NAMED = 3
"""Maximum judges that a picture names."""


class PlacedChart(NamedTuple):
    """A chart and its location, since titles of charts are not unique."""

    chapter: str
    table: str
    chart: VegaChart
    text: SlideText
    """The words around it in a picture."""


class _Shown(NamedTuple):
    """What a picture says of a run."""

    judges: Sequence[str]
    begun: datetime | None
    answers: int
    offline: bool


def placed_charts(
    parts: Sequence[PicturePart],
    chapters: Sequence[Chapter],
    tallies: Sequence[Tally],
    dated: Sequence[DatedRun],
    language: Language,
) -> Iterator[PlacedChart]:
    """Yield all charts in the language of the page: the means of its picture first, then in its order."""
    heading = in_language(Message("opening", "means"), language)
    for part in parts:
        runs = " · ".join(part.runs)
        question, shown = _question(part, language), _of_part(part, tallies)
        for chart in (one.in_language(language) for one in means_charts(list(part.named))):
            content = _distinct(runs, heading, chart.title, question)
            yield PlacedChart(runs, heading, chart, _text(question, content, shown, language))
    of_report = [_of_tally(one) for one in tallies]
    by_chapter = {
        in_language(Message("report", "run", run=one.name), language): [shown]
        for one, shown in zip(tallies, of_report, strict=True)
    }
    by_chapter[in_language(Message("report", "over_time"), language)] = list(map(_of_dated, dated))
    questions = section("picture", language)
    for chapter in chapters:
        title = str(chapter.title)
        shown = by_chapter.get(title, of_report)
        for made in chapter.tables:
            if not made.charts:
                continue
            table = made.in_language(language)
            question = questions.get(table.key, table.title)
            for chart in table.charts:
                content = _distinct(title, table.title, chart.title, question)
                yield PlacedChart(title, table.title, chart, _text(question, content, shown, language))


def _distinct(*parts: str) -> list[str]:
    """Return all parts but the last that are not within a later one."""
    low = [part.casefold() for part in parts]
    return [part for at, part in enumerate(parts[:-1]) if not any(low[at] in later for later in low[at + 1 :])]


def main_picture(parts: Sequence[PicturePart], tallies: Sequence[Tally], language: Language) -> PlacedChart:
    """Return the means of the page's picture; of several parts, the one with the most rows."""
    part = max(parts, key=lambda one: len(one.rows))
    several = len(part.runs) > 1
    named = [(row.run if several or not row.system else "", row.system) for row in part.rows]
    rows = [
        SystemRow(" · ".join(filter(None, names)), row.figures) for names, row in zip(named, part.rows, strict=True)
    ]
    chart = systems_by_metrics(rows, part.columns, language)
    text = _text(_question(part, language), [chart.title], _of_part(part, tallies), language)
    return PlacedChart("", "", chart, text)


def _question(part: PicturePart, language: Language) -> str:
    """Ask which is better only of rows that were asked the same questions."""
    alike = len(part.rows) > 1 and len({row.among for row in part.rows}) == 1
    return section("picture", language)["main_several" if alike else "main"]


def _of_part(part: PicturePart, tallies: Sequence[Tally]) -> list[_Shown]:
    return [_of_tally(one) for one in tallies if one.name in part.runs]


def _text(question: str, content: Iterable[str], shown: Sequence[_Shown], language: Language) -> SlideText:
    caveat = in_language(ONLY_WORDS_SHORT, language) if any(one.offline for one in shown) else ""
    parts = (question, " · ".join(filter(None, content)), in_language(_facts(shown), language), caveat)
    return SlideText(*map(strip_controls, parts))


def _facts(shown: Sequence[_Shown]) -> Message:
    """Return `answers: 50 per run · judge: … · 95 % intervals … · 2026-11-28 · saiten 0.1.0`."""
    counts = sorted({one.answers for one in shown})
    n = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,}–{counts[-1]:,}"
    answers = Message("picture", "answers_each" if len(shown) > 1 else "answers", n=n, runs=len(shown))
    judges = list(dict.fromkeys(judge for one in shown for judge in one.judges))
    named = joined(judges[:_NAMED], "listed")
    more = len(judges) - _NAMED
    judge = Message("difference", "metrics", named=named, n=more) if more > 0 else named
    days = sorted({f"{one.begun:%Y-%m-%d}" for one in shown if one.begun is not None})
    day = "" if not days else days[0] if len(days) == 1 else f"{days[0]}–{days[-1]}"
    parts = [
        answers,
        Message("picture", "judge", judge=judge) if judges else None,
        Message("picture", "intervals"),
        day,
        f"saiten {__version__}",
    ]
    return joined(parts, "dotted")


def _of_tally(one: Tally) -> _Shown:
    manifest = one.reader.manifest
    judges = [judge for metric in manifest.signatures if (judge := manifest.made_by(metric).get("judge"))]
    offline = only_words(manifest.signatures.values())
    return _Shown(judges, start_of(manifest.created), len(one.facts.places), offline)


def _of_dated(one: DatedRun) -> _Shown:
    return _Shown(one.judges, one.begun, one.answers, one.offline)
