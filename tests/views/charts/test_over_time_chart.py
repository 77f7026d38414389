"""Metrics over time: order, what changed, which points are joined, and that the picture has the figures."""

from itertools import pairwise

import pytest
from chart_gallery import HOSTILE, course_of, dated, mean, read, rows, texts
from hypothesis import given
from hypothesis import strategies as st

from saiten.results.over_time import letter, over_time, start_of
from saiten.views.charts.over_time import MOST_LINES, over_time_chart
from saiten.views.strip_controls import clean
from saiten.views.tables.over_time import over_time_table


def figure(value=0.5, metric="m", system=None, n=48, missing=0):
    """A figure with an interval around it; None for no value."""
    interval = () if value is None else (value - 0.1, value + 0.1)
    return mean(metric, system, value, *interval, n=n, missing=missing)[1]


def joined(course, system=None):
    """Whether each point is joined to the one before."""
    return [point.joined for point in course.lines[system]]


def changes(course):
    """(letter, name of the run after it, what, whether it breaks the line)."""
    return [(each.letter, each.after.name, str(each.what), each.breaks) for each in course.changes]


def test_runs_are_in_the_order_of_their_dates():
    """Whatever their names or the order in which they were given; equal dates stay as given."""
    course = course_of(*(dated(name, day, [figure()]) for name, day in (("d", 3), ("b", 1), ("c", 1), ("a", 2))))
    assert [run.name for run in course.runs] == ["b", "c", "a", "d"]


def test_a_line_is_broken_where_figures_are_not_comparable():
    """Another judge, other prompts, other questions; another version of saiten is marked, and joined."""
    runs = [
        dated("0", 0, [figure()]),
        dated("1", 1, [figure()], judge="openai:b"),
        dated("2", 2, [figure()], judge="openai:b", prompts="p2"),
        dated("3", 3, [figure()], judge="openai:b", prompts="p2", data=range(100, 148)),
        dated("4", 4, [figure()], judge="openai:b", prompts="p2", data=range(100, 148)),
    ]
    runs[4].made["m"]["saiten"] = "2"
    runs[3].made["m"]["saiten"] = "1"
    runs[2].made["m"]["saiten"] = "1"
    course = course_of(runs[0], runs[1], *runs[2:])
    assert joined(course) == [False, False, False, False, True]
    assert changes(course) == [
        ("A", "1", "judge openai:a → openai:b", True),
        ("B", "2", "prompts p1 → p2; saiten none → 1", True),
        ("C", "3", "data: 48 questions with references before, 48 now, 0 the same", True),
        ("D", "4", "saiten 1 → 2", False),
    ]


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        (range(100), range(95), False),
        (range(100), range(111), False),
        (range(100), range(112), True),
        (range(100), range(11, 100), True),
        (range(1), range(1, 2), True),
    ],
)
def test_few_new_questions_do_not_break_a_line(before, after, breaks):
    """The rule of `compare`: 90 % of either side are the same. The change is marked in any case."""
    course = course_of(dated("0", 0, [figure()], data=before), dated("1", 1, [figure()], data=after))
    assert [change.breaks for change in course.changes] == [breaks]
    assert joined(course) == [False, not breaks]


def test_a_change_has_one_letter_in_all_metrics():
    """A metric that it does not affect has no mark; neighbors are the runs that have the metric."""
    runs = [
        dated("0", 0, [figure(), figure(metric="k")]),
        dated("1", 1, [figure()], judge="openai:b"),
        dated("2", 2, [figure(), figure(metric="k")], judge="openai:b"),
        dated("3", 3, [figure(), figure(metric="k")], judge="openai:b", prompts="p2"),
    ]
    first, second = over_time(runs, MOST_LINES).courses
    assert [change[:2] for change in changes(first)] == [("A", "1"), ("C", "3")]
    assert [change[:2] for change in changes(second)] == [("B", "2"), ("C", "3")]


def test_a_run_that_does_not_say_how_it_was_made_breaks_nothing():
    """Runs of other tools and early versions have no signatures."""
    course = course_of(dated("0", 0, [figure()]), dated("1", 1, [figure()]))
    course.runs[1].made["m"].clear()
    assert changes(course_of(*course.runs)) == []


def test_runs_with_the_same_systems_have_a_line_for_each():
    """A run of one system belongs to the line of that system; one that lacks a system leaves a gap."""
    both = [figure(), figure(0.4, system="x"), figure(0.6, system="y")]
    runs = [
        dated("0", 0, both),
        dated("1", 1, both),
        dated("2", 2, [figure(0.45)], system="x"),
        dated("3", 3, both),
    ]
    course = course_of(*runs)
    assert {name: [point.figure.mean for point in line] for name, line in course.lines.items()} == {
        "x": [0.4, 0.4, 0.45, 0.4],
        "y": [0.6, 0.6, 0.6],
    }
    assert joined(course, "x") == [False, True, True, True]
    assert joined(course, "y") == [False, True, False]


def test_too_many_systems_are_one_line():
    """Seven lines with intervals are illegible."""
    many = [figure(), *(figure(0.5, system=f"s{n}") for n in range(MOST_LINES + 1))]
    assert list(course_of(dated("0", 0, many), dated("1", 1, many)).lines) == [None]


def test_what_was_hardly_measured_is_hollow():
    """Also an unfinished run; the key says so."""
    course = course_of(
        dated("0", 0, [figure()]),
        dated("1", 1, [figure(n=30, missing=18)]),
        dated("2", 2, [figure()], unfinished=True),
    )
    assert [point.whole for point in course.lines[None]] == [True, False, False]
    chart = over_time_chart(course)
    assert [row["fill"] == row["color"] for row in rows(chart, "point")] == [True, False, False]
    assert "Hollow: less than 90 % measured, or the run is not finished." in texts(chart.svg(clean))


def test_dates_are_to_scale_if_every_run_stays_legible():
    """Otherwise runs are evenly spaced; the axis says which."""
    apart = over_time_chart(course_of(*(dated(str(day), day, [figure()]) for day in (0, 1, 10))))
    x = [row["x"] for row in rows(apart, "point")]
    assert (x[2] - x[0]) / (x[1] - x[0]) == pytest.approx(10)
    assert "start of the run (UTC)" in texts(apart.svg(clean))
    bunched = over_time_chart(course_of(*(dated(str(day), day, [figure()]) for day in (0, 0.001, 300))))
    x = [row["x"] for row in rows(bunched, "point")]
    assert x[2] - x[1] == pytest.approx(x[1] - x[0])
    assert any("distances are not time" in text for text in texts(bunched.svg(clean)))


def test_a_metric_without_a_value_is_a_table_without_a_picture():
    """Nothing is drawn, and every row says how many were measured."""
    course = course_of(*(dated(str(n), n, [figure(None, n=0, missing=9)]) for n in range(3)))
    assert over_time_chart(course).svg(clean) == ""
    assert [row[3:8] for row in over_time_table(course).rows] == [(None, None, None, 0, 9)] * 3


def test_hostile_names_are_text_in_picture_and_table():
    """Names of runs, judges and systems come from outside."""
    course = course_of(*(dated(HOSTILE, n, [figure(metric=HOSTILE)], judge=f"{HOSTILE}{n}") for n in range(3)))
    svg = over_time_chart(course).svg(clean)
    read(svg)
    assert "<script" not in svg
    assert "\x1b" not in svg


def test_two_hundred_runs_with_a_change_before_each_are_drawn():
    """Letters and dates are left out where they would overlap; the first changes are explained, the table has all."""
    runs = [dated(f"run {n}", n, [figure(0.3 + n / 1000)], judge=f"openai:{n}") for n in range(200)]
    course = course_of(*runs)
    shown = texts(over_time_chart(course).svg(clean))
    assert len(course.changes) == 199
    assert "191 more are in the table." in shown
    assert len([text for text in shown if text in {change.letter for change in course.changes}]) < 60
    assert sum("judge" in str(row[-1]) for row in over_time_table(course).rows) == 199


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (702, "AAA")]
)
def test_letters_go_on_after_z(number, expected):
    """As the columns of a spreadsheet do."""
    assert letter(number) == expected


@pytest.mark.parametrize(
    ("created", "expected"),
    [
        ("2026-09-01T12:00:00+09:00", "2026-09-01T03:00:00+00:00"),
        ("2026-09-01T03:00:00", "2026-09-01T03:00:00+00:00"),
        ("0001-01-01T00:00:00+09:00", None),
        ("", None),
        ("yesterday", None),
        (20260901, None),
        (None, None),
    ],
)
def test_the_start_of_a_run_is_in_utc(created, expected):
    """What cannot be read is no date, never an error."""
    found = start_of(created)
    assert (found.isoformat() if found else None) == expected


VALUES = st.none() | st.floats(-2, 5).map(lambda value: round(value, 6))


@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(0, 400),
            VALUES,
            st.sampled_from("ab"),
            st.sampled_from("pq"),
            st.integers(0, 2),
            st.booleans(),
        ),
        min_size=2,
        max_size=12,
    )
)
def test_the_picture_has_the_figures_of_the_runs(given_runs):
    """Every dated run has its place; every value is drawn once; lines join neighbors made alike, and no others."""
    runs = [
        dated(
            f"run {n}",
            day,
            [figure(value)],
            judge=judge,
            prompts=prompts,
            data=range(shift * 40, shift * 40 + 48),
            unfinished=cut,
        )
        for n, (day, value, judge, prompts, shift, cut) in enumerate(given_runs)
    ]
    found = over_time(runs, MOST_LINES)
    assert [run.name for run in found.undated] == [run.name for run in runs if run.begun is None]
    if sum(run.begun is not None for run in runs) < 2:
        assert found.courses == ()
        return
    (course,) = found.courses
    assert [run.begun for run in course.runs] == sorted(run.begun for run in runs if run.begun is not None)
    line = course.lines[None]
    for before, after in pairwise(line):
        alike = before.run.made == after.run.made and set(before.run.data) == set(after.run.data)
        known = before.figure.mean is not None and after.figure.mean is not None
        assert after.joined == (alike and known)
    values = [point.figure.mean for point in line if point.figure.mean is not None]
    chart = over_time_chart(course)
    assert [row["y"] for row in rows(chart, "point")] == values if values else chart.picture is None
    table = over_time_table(course)
    assert [row[3] for row in table.rows] == [point.figure.mean for point in line]
    assert len({change.letter for change in course.changes}) == len(course.changes)
