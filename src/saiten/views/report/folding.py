"""Which tables of a report are folded: those that one asks for after the others have been read.

A folded table shows its title, up to three charts and how many rows it has; it opens on the page, on paper, and for
whoever searches in it.
"""

from dataclasses import replace

from saiten.views.page.page import Chapter

SECOND_RANK = frozenset(
    {
        # of labels, behind the ranking and the figures over items
        "over systems",
        "decisions",
        "grades",
        "bias",
        "bias by system and by human grade",
        "Bias by aspect",
        "who said what",
        "every two metrics",
        "Base rates",
        "Each two annotators",
        # of a run, behind its means; what is drawn stands open
        "Means of the runs",
        "By system",
        "By group",
        "Distributions",
        "How often each value was given",
        # of several sides, behind their differences
        "Means by group",
    }
)
"""Titles, without the run and the aspect before them."""
_SHORT = 3
"""Rows up to which a table is not worth a click."""


def with_folded(chapter: Chapter) -> Chapter:
    """The chapter with the tables of second rank folded."""
    return replace(
        chapter,
        tables=[
            replace(table, folded=len(table.rows) > _SHORT and _rank(str(table.title)) in SECOND_RANK)
            for table in chapter.tables
        ],
    )


def _rank(title: str) -> str:
    """`run: aspect: bias` is `bias`; `run: By group: one → two` is `By group`."""
    parts = title.split(": ")
    return next((part for part in reversed(parts[-2:]) if part in SECOND_RANK), parts[-1])
