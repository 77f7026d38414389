"""Which answers are shown side by side: those that `saiten compare` pairs, whatever their names."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_runs import samples, scores
from unpacking import index_of

from saiten.records import Sample, Score, Scored
from saiten.results.compare import compare_sides
from saiten.results.place import Place
from saiten.results.sides import systems_of
from saiten.runs import read_run
from saiten.views.report.groups import group_answers
from saiten.views.tables.comparison import comparison_table, comparison_tables


def places(*rows):
    """A run: (id, question, system)."""
    return {identity: Place(question or f"\0{identity}", system) for identity, question, system in rows}


@pytest.mark.parametrize(
    ("runs", "together"),
    [
        ([places(("a", "Q", None)), places(("a", "Q", None))], [["0a", "1a"]]),
        ([places(("a", "Q", None)), places(("a", "other", None))], [["0a"], ["1a"]]),
        ([places(("a", "Q", None)), places(("b", "Q", None))], [["0a", "1b"]]),
        ([places(("a", "Q", None), ("b", "R", None)), places(("a", "Q", None), ("c", "R", None))], [["0a", "1a"], ["0b"], ["1c"]]),
        ([places(("row-1", "Q", None), ("row-2", "R", None)), places(("row-1", "R", None), ("row-2", "Q", None))], [["0row-1", "1row-2"], ["0row-2", "1row-1"]]),
        ([places(("row-1", "Q", None), ("row-2", "Q", None)), places(("row-4", "Q", None), ("row-5", "Q", None), ("row-6", "Q", None))], [["0row-1", "1row-4"], ["0row-2", "1row-5"], ["1row-6"]]),
        ([places(("row-1", "Q", "x"), ("row-2", "Q", "y")), places(("row-1", "Q", "y"), ("row-2", "Q", "x"))], [["0row-1", "0row-2", "1row-1", "1row-2"]]),
        ([places(("row-1", "", None)), places(("row-1", "", None), ("row-2", "", None))], [["0row-1", "1row-1"], ["1row-2"]]),
        ([places(("a", "", None)), places(("a", "", None), ("b", "", None))], [["0a", "1a"], ["1b"]]),
        ([places(("a", "Q", "x"), ("b", "Q", "y"), ("c", "Q", "x"))], [["0a", "0b"], ["0c"]]),
        ([places(("a", "Q", "x")), places(("b", "Q", "y"))], [["0a", "1b"]]),
        ([places(("1@x", "Q", "x"), ("2@x", "Q", "x"), ("2@y", "Q", "y"), ("1@y", "Q", "y"))], [["01@x", "01@y"], ["02@x", "02@y"]]),
        ([places(("1@x", "Q", "x"), ("1@y", "Q", "y")), places(("1@y", "Q", "y"))], [["01@x", "01@y", "11@y"]]),
        ([places(("a", "Q", "x")), places(("a", "Q", "y"))], [["0a", "1a"]]),
        ([places(("a", "Q", "x"), ("b", "Q", "x")), places(("b", "Q", "x"), ("a", "Q", "x"))], [["0a", "1a"], ["0b", "1b"]]),
        ([places(("a", "Q", "x"), ("@x", "Q", "x"), ("x", "Q", "@"))], [["0a", "0x"], ["0@x"]]),
        ([places(("a", "Q", ""), ("b", "Q", "x"))], [["0a"], ["0b"]]),
    ],
)  # fmt: skip
def test_answers_to_one_question_are_together(runs, together):
    """By question and ID across runs, by question across systems; QUESTION-ID@SYSTEM names the question."""
    groups = {}
    for run, of in enumerate(group_answers(runs).of):
        for identity, number in of.items():
            groups.setdefault(number, []).append(f"{run}{identity}")
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, together))


IDS = st.sampled_from(["a", "b", "a@x", "b@x", "a@y", "@x", "", "\0a", "\ud800"])
RUN = st.dictionaries(IDS, st.builds(Place, st.sampled_from(["Q", "R", "\0a"]), st.sampled_from([None, "", "x", "y"])))


@given(st.lists(RUN, max_size=4))
def test_what_compare_pairs_is_together_and_questions_are_apart(runs):
    """Each sample is in one group; one ID under one question is one group across all runs."""
    found = group_answers(runs)
    questions, pairs = {}, {}
    for places_, of in zip(runs, found.of, strict=True):
        assert of.keys() == places_.keys()
        for identity, number in of.items():
            place = places_[identity]
            assert questions.setdefault(number, place.question) == place.question
            assert pairs.setdefault((place.question, identity), number) == number


def differences(index, metric, run_of):
    """Second minus first over the pairs of a page's index, as its script makes them."""
    values = next(each["values"] for each in index["metrics"] if each["name"] == metric)
    groups = {}
    for number, group in enumerate(index["beside"]):
        groups.setdefault(group, {})[run_of(number)] = values[number]
    pairs = [of for of in groups.values() if len(of) == 2 and None not in of.values()]
    return [of[1] - of[0] for of in pairs]


def test_the_differences_of_two_runs_are_those_of_compare(run, page):
    """Mean and number agree for each metric, even if one run lacks some or has them in another order."""
    one, other = list(samples(30)), list(samples(24, start=3))[::-1]
    folders = run("first", one), run("second", other, lambda s, n: scores(s, n * 7))
    index = index_of(page(*folders))
    (table,) = comparison_tables([read_run(folder) for folder in folders])
    for row in table.rows:
        found = differences(index, row[0], lambda number: index["run"][number])
        assert len(found) == row[table.columns.index("n")]
        assert sum(found) / len(found) == pytest.approx(row[1], abs=1e-5)


@pytest.mark.parametrize("renamed", [False, True])
def test_answers_without_ids_are_next_to_those_to_the_same_question(run, page, renamed):
    """This holds in another order and if every run assigns new IDs; the differences are those of compare."""
    rows = [Sample(f"row-{n}", f"Question {n}?", f"{n}") for n in range(20)]
    names = [f"id {n}" if renamed else f"row-{n}" for n in range(20)]
    other = [replace(row, id=name) for name, row in zip(names, rows[::-1], strict=True)]
    folders = run("first", rows), run("second", other, lambda s, n: scores(s, n * 3))
    index = index_of(page(*folders))
    (table,) = comparison_tables([read_run(folder) for folder in folders])
    for row in table.rows:
        found = differences(index, row[0], lambda number: index["run"][number])
        assert len(found) == row[table.columns.index("n")]
        assert sum(found) / len(found) == pytest.approx(row[1], abs=1e-5)
    assert sorted(map(index["beside"].count, set(index["beside"]))) == [2] * 20


def test_the_differences_of_two_systems_are_those_of_compare(run, page):
    """Systems are paired by question, with IDs as in an experiment: QUESTION-ID@SYSTEM."""
    rows = [
        Sample(f"q{n}@{system}", f"How old is bridge {n}?", f"{n}", system=system)
        for system in ("a", "b")
        for n in range(20)
    ]
    folder = run("first", rows, lambda s, n: scores(s, n * (3 if s.system == "b" else 1)))
    index = index_of(page(folder))
    (table,) = map(comparison_table, compare_sides(systems_of(read_run(folder))))
    for row in table.rows:
        found = differences(index, row[0], lambda number: index["system"]["rows"][number])
        assert len(found) == row[table.columns.index("n")]
        assert sum(found) / len(found) == pytest.approx(row[1], abs=1e-5)


def test_answers_to_one_question_are_chosen_together(run, page):
    """If not all fit, all systems' answers to a question are shown, or none."""
    rows = [Sample(f"q{n}@{system}", f"Q{n}?", "A", system=system) for system in "abc" for n in range(40)]
    index = index_of(page(run("first", rows), limit=31))
    assert index["count"] == 30
    assert sorted(map(index["beside"].count, set(index["beside"]))) == [3] * 10


def test_where_not_one_question_fits_each_answer_is_chosen_alone(run, page):
    """The page is never empty."""
    rows = [Sample(f"q@{number}", "Q?", "A", system=str(number)) for number in range(40)]
    assert index_of(page(run("first", rows), limit=12))["count"] == 12


def test_the_direction_of_a_metric_is_shown_where_it_is_known(run, page):
    """Higher is better, lower is better, or unknown."""

    def of(sample, number):
        for metric in ("token_f1", "perplexity", "my_own"):
            yield Scored(sample.id, metric, Score(1.0))

    found = {each["name"]: each["higher"] for each in index_of(page(run("first", samples(2), of)))["metrics"]}
    assert found == {"token_f1": True, "perplexity": False, "my_own": None}
