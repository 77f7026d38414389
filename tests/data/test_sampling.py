"""`--sample`: the same rows for the same data and seed, in proportion to the strata."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.data import BadRow
from saiten.data.sampling import STRATA, SampleSettings, allocate, sampled
from saiten.errors import BadInput
from saiten.records import Sample, Trace


def draw(rows, size, notes=None, **settings):
    """The rows drawn."""
    return list(sampled(rows, SampleSettings(size, **settings), (notes if notes is not None else []).append))


def rows(n, **fields):
    """Samples."""
    return [Sample(f"{fields.get('system', 'row')}-{number}", "q", "a", **fields) for number in range(n)]


def test_a_sample_is_the_same_each_time_and_in_the_order_of_the_data():
    """A resumed run must have the same rows; another seed has others."""
    data = rows(1000)
    found = draw(data, 50)
    assert found == draw(data, 50)
    assert [data.index(row) for row in found] == sorted(data.index(row) for row in found)
    assert len(set(found)) == 50
    assert set(found) != set(draw(data, 50, seed=2))


def test_the_order_of_the_data_and_rows_added_later_change_little():
    """Each row's number depends on its id alone."""
    data = rows(1000)
    found = set(draw(data, 100))
    assert set(draw(data[::-1], 100)) == found
    assert len(found & set(draw([*data, *rows(100, system="b")], 100, by="none"))) > 80


def test_each_row_is_as_likely_as_any_other():
    """Over 400 seeds, each of 20 rows is drawn about 100 times: within five standard deviations."""
    data = rows(20)
    counts = Counter(row.id for seed in range(400) for row in draw(data, 5, seed=seed))
    assert all(abs(counts[row.id] - 100) < 44 for row in data)


def test_each_system_gets_its_share_and_at_least_one_row():
    """900 to 90 to 1 of 100 rows: the rare one is there, and the others keep their proportion."""
    data = [*rows(900, system="a"), *rows(90, system="b"), *rows(1, system="c")]
    notes = []
    found = draw(data, 100, notes)
    assert Counter(row.system for row in found) == {"a": 90, "b": 9, "c": 1}
    assert notes == ["sample: 100 of 991 rows, by system: a 90 of 900, b 9 of 90, c 1 of 1"]
    assert Counter(row.system for row in draw(data, 2)) == {"a": 1, "b": 1}


def test_days_and_groups_can_be_the_strata():
    """Days are those of the traces in UTC; rows without one are a stratum, too."""
    days = ["2026-11-27T23:59:59.000+00:00", "2026-11-28T00:00:00.000+00:00", None]
    data = [
        Sample(f"{n}", "q", "a", group=f"g{n % 2}", trace=Trace(f"{n}", start=days[n % 3])) for n in range(90)
    ] + rows(10)  # fmt: skip
    notes = []
    by_day = Counter(row.trace.day if row.trace else None for row in draw(data, 30, notes, by="day"))
    assert by_day["2026-11-27"] == by_day["2026-11-28"] == 9
    assert "by day: none 12 of 40, 2026-11-27 9 of 30" in notes[0]
    assert Counter(row.group for row in draw(data, 20, by="group")) == {"g0": 9, "g1": 9, None: 2}


def test_rows_that_cannot_be_used_keep_their_share():
    """Else 500 rows of a million would come with all bad rows of the million, and miss every threshold."""
    data = [*rows(900), *(BadRow(f"t:{n}", "not JSON") for n in range(100))]
    notes = []
    found = draw(data, 50, notes)
    assert Counter(type(row) for row in found) == {Sample: 45, BadRow: 5}
    assert notes == ["sample: 45 of 900 rows; and 5 of 100 rows that cannot be used"]


def test_fewer_rows_than_asked_for_are_all_drawn():
    """Without a note, since nothing is left out."""
    notes = []
    assert draw(rows(10), 20, notes) == rows(10)
    assert notes == []


def test_too_many_strata_are_refused():
    """Memory would grow with them; the message says what to do."""
    with pytest.raises(BadInput, match=r"more than 999 values of group; .* --stratify none"):
        draw([Sample(f"{n}", "q", "a", group=f"{n}") for n in range(STRATA + 1)], 10, by="group")


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 500), min_size=1, max_size=30), st.integers(1, 600))
def test_a_sample_is_divided_exactly(sizes, total):
    """All rows of the sample are handed out, none twice, within one of the share or at least one."""
    strata = {(True, name): size for name, size in sizes.items()}
    found = allocate(strata, total)
    every = sum(sizes.values())
    assert sum(found.values()) == min(total, every)
    assert all(0 <= found[name] <= size for name, size in strata.items())
    if total >= len(sizes):
        assert all(found.values())
        assert all(n <= max(1, total * strata[name] / every + 1) for name, n in found.items())
