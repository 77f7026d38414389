"""Systems compared by their dialogues: what stands in the tables whatever groups and runs are called."""

import pytest

from saiten.reports.comparison import verdict
from saiten.reports.dialogue_comparison import SCORES, Run, by_group

KEYS = [(f"question {n}", f"q{n}") for n in range(8)]


def run(name: str, value: float) -> Run:
    """A run whose scores rise from this value."""
    return Run(name, "bot", {score: {key: value + n / 8 for n, key in enumerate(KEYS)} for score in SCORES})


def test_a_group_called_all_does_not_take_the_place_of_the_whole():
    """There are two rows, and the one over all groups has all pairs."""
    groups = {key: "all" if n < 4 else "other" for n, key in enumerate(KEYS)}
    means = by_group([run("a", 1), run("b", 2)], groups, verdict, glance=False)[0]
    rows = [row for row in means.rows if row[0] == "wscore"]
    assert [(row[1], row[2]) for row in rows] == [("(all)", 8), ("all", 4), ("other", 4)]
    assert rows[0][3] == pytest.approx(1 + 28 / 64)


def test_two_runs_of_one_name_keep_their_own_figures():
    """Columns are told apart by their place."""
    means = by_group([run("a", 1), run("a", 2)], {}, verdict, glance=False)[0]
    assert means.rows[0][4] - means.rows[0][3] == pytest.approx(1)
