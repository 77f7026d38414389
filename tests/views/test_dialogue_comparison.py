"""Systems compared by their dialogues: the tables are right whatever groups and runs are called."""

from collections import Counter
from collections.abc import Sequence

import pytest

from saiten.results.dialogue_comparison import SCORES, DialogueSide, by_group
from saiten.results.paired_sides import PairedSide
from saiten.views.tables.comparison import dialogue_comparison_tables

KEYS = [(f"question {n}", f"q{n}") for n in range(8)]


def run(name: str, value: float, lost: Sequence[tuple[str, str]] = ()) -> DialogueSide:
    """A run whose scores rise from this value; the lost pairs have no measurement."""
    values = {score: {key: value + n / 8 for n, key in enumerate(KEYS)} for score in SCORES}
    missing = {score: dict.fromkeys(lost, "failed") for score in SCORES}
    return DialogueSide(name, "bot", PairedSide(values, missing, Counter([*KEYS, *lost])))


def test_a_group_called_all_does_not_take_the_place_of_the_whole():
    """There are two rows, and the one over all groups has all pairs."""
    groups = {key: "all" if n < 4 else "other" for n, key in enumerate(KEYS)}
    means = dialogue_comparison_tables(by_group([run("a", 1), run("b", 2)], groups))[0].in_language("en")
    rows = [row for row in means.rows if row[0] == "wscore"]
    assert [(row[1], row[2]) for row in rows] == [("(all)", 8), ("mean of 2 groups", 8), ("all", 4), ("other", 4)]
    assert rows[0][3] == pytest.approx(1 + 28 / 64)


def test_the_mean_of_the_groups_counts_each_group_the_same():
    """Pairs 0 and 1 (1 and 1 1/8) against pairs 2 to 6 (1 1/2 on average); pair 7 is in no group, and in the whole alone."""
    groups = {key: "few" if n < 2 else "many" for n, key in enumerate(KEYS[:7])}
    means = dialogue_comparison_tables(by_group([run("a", 1), run("b", 2)], groups))[0].in_language("en")
    for score in SCORES:
        whole, equally, few, many = [row for row in means.rows if row[0] == score]
        assert (whole[1:], few[1:], many[1:]) == (
            ("all", 8, 1 + 28 / 64, 2 + 28 / 64), ("few", 2, 1 + 1 / 16, 2 + 1 / 16), ("many", 5, 1.5, 2.5),
        )  # fmt: skip
        assert equally[1:] == ("mean of 2 groups", 7, 1.28125, 2.28125)


def test_two_runs_of_one_name_keep_their_own_figures():
    """Columns are distinguished by position."""
    means = dialogue_comparison_tables(by_group([run("a", 1), run("a", 2)], {}))[0].in_language("en")
    assert means.rows[0][4] - means.rows[0][3] == pytest.approx(1)


def test_a_group_of_which_little_was_measured_has_no_verdict():
    """The failed dialogues may have been the hard ones; the other group is not affected."""
    lost = [(f"lost {n}", f"x{n}") for n in range(4)]
    groups = {key: f"g{n % 2}" for n, key in enumerate(KEYS)} | dict.fromkeys(lost, "g1")
    table = dialogue_comparison_tables(by_group([run("a", 1, lost), run("b", 2, lost)], groups))[1].in_language("en")
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert {(row["group"], row["n"], row["of"]) for row in rows} == {("g0", 4, 4), ("g1", 4, 8)}
    assert {row["verdict"] for row in rows if row["group"] == "g1"} == {"too little measured"}
    assert "too little measured" not in {row["verdict"] for row in rows if row["group"] == "g0"}
