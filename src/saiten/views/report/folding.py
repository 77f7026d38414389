"""The tables of a report that are folded: those of interest only after the others.

A folded table shows its title, up to three charts and its number of rows; it opens on click, in print, and on a search
in the page.
"""

from dataclasses import replace

from saiten.views.page.page import Chapter

SECOND_RANK = frozenset(
    {
        # of labels, after the ranking and the figures over items
        *("over_systems", "decisions", "grades", "bias", "bias_in_parts", "bias_by_aspect", "confusions"),
        *("metric_pairs", "base_rates", "annotator_pairs"),
        # of a run, after its means; charts stay open
        *("means_of_runs", "by_system", "by_group", "distributions", "grades_given"),
        # of several sides, after their differences
        *("means_by_group", "dialogues_by_group"),
    }
)
"""By key."""
_TITLES = frozenset(
    {
        *("over systems", "decisions", "grades", "bias", "bias by system and by human grade", "Bias by aspect"),
        *("who said what", "every two metrics", "Base rates", "Each two annotators"),
    }
)
"""Titles of tables without a key yet, without the run and the aspect in front."""
_SHORT = 3
"""Maximum rows of a table that is never folded."""


def with_folded(chapter: Chapter) -> Chapter:
    """Return the chapter with the tables of second rank folded."""
    return replace(
        chapter,
        tables=[
            replace(
                table,
                folded=len(table.rows) > _SHORT
                and (table.key in SECOND_RANK or str(table.title).rpartition(": ")[2] in _TITLES),
            )
            for table in chapter.tables
        ],
    )
