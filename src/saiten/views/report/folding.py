"""Which tables of a report are folded: those that one asks for after the others have been read.

A folded table shows its title, up to three charts and how many rows it has; it opens on the page, on paper, and for
whoever searches in it.
"""

from dataclasses import replace

from saiten.views.page.page import Chapter

SECOND_RANK = frozenset(
    {
        # of labels, behind the ranking and the figures over items
        *("over_systems", "decisions", "grades", "bias", "bias_in_parts", "bias_by_aspect", "confusions"),
        *("metric_pairs", "base_rates", "annotator_pairs"),
        # of a run, behind its means; what is drawn stands open
        *("means_of_runs", "by_system", "by_group", "distributions", "grades_given"),
        # of several sides, behind their differences
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
"""Of tables that have no key yet, without the run and the aspect before them."""
_SHORT = 3
"""Rows up to which a table is not worth a click."""


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
