"""A report from runs to page: read, assembled, written piece by piece."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from saiten.choices import REPORT_LIMIT, ScoreBy
from saiten.errors import BadInput
from saiten.records import STATUSES, Label, Language
from saiten.results.over_time import DatedRun
from saiten.runs import RunReader
from saiten.views.charts.chart import VegaChart
from saiten.views.gist.marked import CLASSES
from saiten.views.gist.view import KINDS
from saiten.views.page.chapters import Chapter, Part
from saiten.views.page.page import write_page
from saiten.views.page.page_file import check_page_place, page_file
from saiten.views.report.against_people import against_people
from saiten.views.report.chapters import run_chapter, runs_chapter, spent
from saiten.views.report.choosing import Choice, choose
from saiten.views.report.comparing import compared
from saiten.views.report.groups import AnswerGroups, group_answers
from saiten.views.report.items import Items
from saiten.views.report.opening import Opening, make_opening
from saiten.views.report.over_time import dated_runs, in_full, over_time_chapter
from saiten.views.report.pictures import PlacedChart, main_picture, placed_charts
from saiten.views.report.shown_opening import ShownOpening
from saiten.views.report.tally import Tally, facts_of, tally
from saiten.words import Message, in_language, section

STYLES = ("gist", "opening", "report_opened", "report_matrix", "report_grading")
SCRIPTS = tuple(
    f"report_{name}"
    for name in (
        *("elements", "popover", "data", "table", "figures", "view", "address", "pattern", "search", "selection"),
        *("cells", "grid", "single", "controls", "shaping", "keys", "matrix"),
        *("support", "passages", "texts", "scores", "opened"),
        *("grades", "labels", "grading"),
    )
)
"""Parts of the answers' script: the data and what is derived from it, the matrix, an opened answer, people's grades."""
_EXAMPLE = "report.html"
SECOND_RANK = frozenset(
    {
        # of labels, after the ranking and the figures over items
        *("over_systems", "decisions", "grades", "bias", "bias_in_parts", "bias_by_aspect", "confusions"),
        *("metric_pairs", "base_rates", "annotator_pairs"),
        # of a run, after its means; charts stay open
        *("over_time", "means_of_runs", "by_system", "by_group", "distributions", "grades_given"),
        # of several sides, after their differences
        *("means_by_group", "dialogues_by_group"),
    }
)
"""Keys of tables of interest only after the others, which a page shows folded: title, a few charts, number of rows."""
_TITLED = 12
"""Maximum runs that the default title names one by one."""
_SHORT = 3
"""Maximum rows of a table that is never folded."""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything in a report."""

    opening: Opening
    """What is above the answers."""
    chapters: tuple[Chapter, ...]
    """What is below them."""
    tallies: tuple[Tally, ...]
    choice: Choice
    groups: AnswerGroups
    """Groups of answers shown next to each other."""
    language: Language
    title: str
    notes: tuple[str, ...]
    """Caveats for readers and for the author of the report."""
    dated: tuple[DatedRun, ...] = ()
    """The runs over time, also those of which the report shows nothing else."""

    @property
    def figures(self) -> Iterator[PlacedChart]:
        """All charts in the language of the page, with their locations: means first, then in its order."""
        return placed_charts(self.opening.parts, self.chapters, self.tallies, self.dated, self.language)

    @property
    def main_picture(self) -> PlacedChart:
        """The means of all systems, or runs, by metric: one picture for a slide."""
        return main_picture(self.opening.parts, self.tallies, self.language)

    @property
    def charts(self) -> Iterator[VegaChart]:
        """All charts, as in `figures`."""
        return (figure.chart for figure in self.figures)


def make_report(
    readers: Sequence[RunReader],
    *,
    labels: Sequence[Label] = (),
    more: Sequence[Chapter] = (),
    title: str = "",
    language: Language | None = None,
    limit: int = REPORT_LIMIT,
    by: ScoreBy = "value",
    history: Sequence[RunReader] | None = None,
    over_time: bool = False,
) -> Report:
    """Read the runs and assemble their report.

    Args:
        readers: The runs; if several share samples, the first of them is the baseline.
        labels: People's labels of the samples.
        more: Chapters on more than a run, for example on an experiment; their points are on the first screen.
        title: The page's title; by default the names of the runs.
        language: The page's language; by default that of most samples.
        limit: Maximum number of samples shown one by one.
        by: The figure of the scores to compare with people.
        history: The runs whose metrics are drawn over time, in addition to or among `readers`; by default these.
        over_time: Draw metrics over time also for two runs, and for runs of different questions.

    Raises:
        BadInput: There are no scores, the labels belong to none of the runs, or a run has no expected value.
    """
    drawn = list(readers if history is None else history)
    others = [one for one in drawn if all(one.folder != shown.folder for shown in readers)]
    names = _names([reader.folder for reader in (*readers, *others)])
    facts = [facts_of(reader) for reader in readers]
    groups = group_answers([one.places for one in facts])
    choice = choose([identity for one in facts for identity in one.places], limit, groups.leader)
    chosen = language or _most_of([one.languages for one in facts])
    tallies = [tally(*each, choice, chosen) for each in zip(readers, names[: len(readers)], facts, strict=True)]
    # Damage has been reported by now; later readings stay silent.
    tallies = [replace(one, reader=replace(one.reader, notify=lambda _: None)) for one in tallies]
    if not any(one.scores for one in tallies):
        raise BadInput(f"there are no scores yet in {', '.join(str(reader.folder) for reader in readers)}")
    runs = [run_chapter(one) for one in tallies]
    tests = compared(tallies)
    people = against_people(tallies, labels, by) if labels else None
    opening = make_opening(tallies, tests, people, more)
    if notice := in_full([one.name for one in tallies], others):
        opening = replace(opening, notices=(*opening.notices, notice))
    dated = dated_runs(tallies, dict(zip(names[len(readers) :], others, strict=True)), drawn)
    course = over_time_chapter(dated, asked=over_time or bool(others))
    chapters = [
        *([] if course is None else [course]),
        *([people.chapter] if people else []),
        tests.chapter,
        *more,
        *runs,
        runs_chapter(tallies),
        spent(tallies),
    ]
    subject = _listed([one.name for one in dated]) if others else _listed(names)
    heading = title or in_language(Message("report", "title", runs=subject), chosen)
    shown = tuple(_shown(chapter, chosen) for chapter in chapters if chapter.tables or chapter.lead)
    said = (in_language(note, chosen) for note in (*opening.notices, *(chapter.lead for chapter in shown)))
    notes = tuple(note for note in said if note)
    return Report(opening, shown, tuple(tallies), choice, groups, chosen, heading, notes, tuple(dated))


def _listed(names: Sequence[str]) -> str | Message:
    """Return the names of the runs; of many, the first and the last."""
    if len(names) <= _TITLED:
        return " · ".join(names)
    return Message("report", "title_of_many", first=names[0], last=names[-1], n=len(names))


def _shown(chapter: Chapter, language: Language) -> Chapter:
    """Return the chapter with its sentences in a language and the tables of second rank folded."""
    return Chapter(
        in_language(chapter.title, language),
        [replace(table, folded=len(table.rows) > _SHORT and table.key in SECOND_RANK) for table in chapter.tables],
        in_language(chapter.lead, language),
        about=in_language(chapter.about, language),
    )


def write_report(report: Report, path: Path) -> None:
    """Write the page; raise like `page_file`."""
    with page_file(path, _EXAMPLE) as out:
        write_report_to(report, out)


def check_report_place(path: Path) -> None:
    """Check before the work whether a report may be written there; raise like `write_report`."""
    check_page_place(path, _EXAMPLE)


def write_report_to(report: Report, out: IO[str]) -> None:
    """Write the page piece by piece, reading samples on the way."""
    heading = in_language(Message("report", "items"), report.language)
    part = Part("report", _values(report, heading), [("items", heading)], also=STYLES, scripts=SCRIPTS, first=True)
    write_page(report.chapters, out, title=report.title, language=report.language, part=part)


def _values(report: Report, heading: str) -> Mapping[str, Any]:
    choice, language = report.choice, report.language
    shown = Message(
        "report", "shown" if choice.shown == choice.total else "left_out", shown=choice.shown, all=choice.total
    )
    statuses = section("status", language)
    gist, rubric = section("gist", language), section("form_grade", language)
    return {
        "opening": ShownOpening(report.opening, language),
        "heading": heading,
        "words": {
            **section("answers", language),
            **{status: statuses[status] for status in STATUSES},
            "grading": {**section("grading", language), "meanings": [rubric[f"grade_{grade}"] for grade in range(6)]},
        },
        "said": in_language(shown, language),
        "items": Items(report.tallies, choice, report.groups, language),
        "statuses": [statuses[status] for status in STATUSES],
        "legend": [(CLASSES[kind], gist[kind], gist[f"about_{kind}"]) for kind in KINDS],
    }


def _most_of(counts: Sequence[Mapping[Language, int]]) -> Language:
    japanese, english = (sum(one.get(name, 0) for one in counts) for name in ("ja", "en"))
    return "ja" if japanese > english else "en"


def _names(folders: Sequence[Path]) -> list[str]:
    """Return the shortest distinct end of each path."""
    parts = [folder.parts or (str(folder),) for folder in folders]
    longest = max(map(len, parts), default=1)
    for size in range(1, longest + 1):
        names = ["/".join(each[-size:]).replace("//", "/") for each in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{folder} ({number})" for number, folder in enumerate(folders, 1)]
