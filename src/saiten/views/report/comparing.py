"""The chapter of a report with the paired tests: is the difference real?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from saiten.results.comparable import apart, comparable
from saiten.results.compare import compare_sides
from saiten.results.comparison import Comparison
from saiten.results.sides import Side, side_of, systems_of
from saiten.views.charts.differences import differences
from saiten.views.page.chapters import Chapter
from saiten.views.report.headlines import Paired
from saiten.views.report.tally import Tally
from saiten.views.table import Table
from saiten.views.tables.comparison import comparison_table, comparison_tables
from saiten.words import Message, joined

_COMPARED_AT_MOST = 12
"""Maximum systems of a run that are compared with its first one."""


@dataclass(frozen=True, slots=True)
class Tests:
    """The chapter with the paired tests, and the tests themselves."""

    chapter: Chapter
    paired: Paired


def compared(tallies: Sequence[Tally]) -> Tests:
    """Run paired tests: of runs that share samples, the first being the baseline, and of systems within runs."""
    tables, notes = list[Table](), list[Message]()
    runs: list[Comparison] = []
    systems: dict[str, tuple[Comparison, ...]] = {}
    if len(tallies) > 1:
        readers = {one.name: one.reader for one in tallies}
        groups = list(comparable([side_of(one.reader, one.name) for one in tallies]))
        for group in groups:
            names = [side.title for side in group]
            if len(group) > 1:
                found = compare_sides(group)
                runs += found
                made = comparison_tables([readers[name] for name in names], names=names, found=found)
                tables += [*_drawn(found, made), *made[len(found) :]]
        if alone := _alone(groups):
            notes.append(Message("report", "alone", sides=alone))
    for one in tallies:
        sides = systems_of(one.reader)
        if len(sides) > _COMPARED_AT_MOST:
            notes.append(Message("report", "more_systems", n=len(sides), most=_COMPARED_AT_MOST))
        groups = list(comparable(sides[:_COMPARED_AT_MOST]))
        found = [each for group in groups for each in compare_sides(group)]
        systems[one.name] = tuple(found)
        if alone := _alone(groups):
            notes.append(Message("report", "systems_apart", run=one.name, sides=alone))
        drawn = _drawn(found, [comparison_table(each) for each in found])
        tables += one.titled(drawn) if len(tallies) > 1 else drawn
    lead = joined(notes, "sentences")
    chapter = Chapter(Message("report", "compared"), tables, lead, about=Message("report", "about_compared"))
    return Tests(chapter, Paired(tuple(runs), systems))


def _alone(groups: Sequence[Sequence[Side]]) -> Message:
    """Explain for each side compared with nothing why it is not compared with the first measured one."""
    sides = [side for group in groups for side in group]
    alone = [group[0] for group in groups if len(group) == 1 and len(sides) > 1]
    by_reason: dict[Message, list[str]] = {}
    for side in alone:
        other = next((one for one in sides if one.measured and one is not side), None)
        why = "unmeasured" if not side.measured else "others" if other is None else apart(other, side)
        named = Message("report", "each_other") if len(sides) == 2 else other.title if other else ""
        by_reason.setdefault(Message("report", f"apart_{why}", side=named), []).append(side.title)
    parts = [
        Message("report", "because", names=joined(names, "listed"), reason=reason)
        for reason, names in by_reason.items()
    ]
    return joined(parts, "clauses")


def _drawn(found: Sequence[Comparison], tables: Sequence[Table]) -> list[Table]:
    """Add charts to the first tables."""
    return [
        replace(table, charts=(*table.charts, differences(each))) for each, table in zip(found, tables, strict=False)
    ]
