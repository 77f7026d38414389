"""The profiles of a run: each answer counts once, whichever of the four metrics were scored."""

import pytest

from saiten.metrics.judged.gist_profiles import gist_metric, profiles_of
from saiten.records import Score, Scored
from saiten.views.tables.gist import gist_tables, has_gist


def scored(sample, profile, metric="gist[missing_gist]", *, faults=(), unplaced=0):
    """A score of the family with these details."""
    return Scored(
        sample, metric, Score(0.5, details={"profile": profile, "faults": list(faults), "unplaced": unplaced})
    )


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("gist[missing_gist]", "gist"),
        ("gist[which=extra_gist]", "gist"),
        ('gist[missing_gist,role="a, b",units=u.jsonl]', 'gist[role="a, b",units=u.jsonl]'),
        ("faithfulness", None),
        ("gist[", None),
        ("gist_of_ones_own", None),
    ],
)
def test_the_four_are_one_metric(metric, name):
    """Settings distinguish one gist from another; which of the four metrics it is does not."""
    assert gist_metric(metric) == name


def test_answers_are_counted_by_profile():
    """Each answer counts once; those without a profile are counted separately; omissions are reported."""
    scores = [
        *(scored("1", "missing gist", f"gist[{which}]") for which in ("missing_gist", "extra_gist")),
        Scored("1", "gist[extra_supplement]", Score(None, "failed", "no network")),
        scored("2", "missing gist", faults=["x"], unplaced=2),
        scored("3", "nothing missing or extra"),
        Scored("4", "gist[missing_gist]", Score(None, "unreadable", "…")),
        scored("5", "<b>all wrong</b>"),
        Scored("1", "length", Score(3.0)),
    ]
    (found,) = profiles_of(scores)
    assert found.answers == {"nothing missing or extra": 1, "missing gist": 2}
    assert (found.total, found.without, found.faulty, found.unplaced) == (3, 2, 1, 2)
    (table,) = (table.in_language("en") for table in gist_tables(iter(scores)))
    assert table.rows == (
        ("missing gist", "●", "·", "·", "·", 2, 0.667),
        ("nothing missing or extra", "·", "·", "·", "·", 1, 0.333),
    )
    assert "Answers without a profile (their scores give the reason): 2." in table.caption
    assert "Answers with faults left in the judge's replies (see `faults` in the details): 1." in table.caption


def test_each_setting_has_a_table_of_its_own():
    """Two roles are two judges."""
    tables = gist_tables([scored("1", "missing gist"), scored("1", "extra gist", "gist[missing_gist,role=x]")])
    assert [str(table.title) for table in tables] == [
        "What answers lack and add: gist",
        "What answers lack and add: gist[role=x]",
    ]


def test_a_run_without_gist_has_no_such_table():
    """Nor does one whose answers have no profile."""
    assert gist_tables([Scored("1", "length", Score(3.0))]) == []
    assert gist_tables([Scored("1", "gist[missing_gist]", Score(None, "failed", "x"))]) == []
    assert not has_gist(["length"])
    assert has_gist(["length", "gist[extra_gist]"])
