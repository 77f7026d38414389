"""The summary: what is averaged, what is only counted, and the figures worked out by hand."""

import tracemalloc

import numpy as np
import pytest

from saiten.records import Sample, Score, Scored, Usage
from saiten.results.place import Place, place_of
from saiten.results.places import Places
from saiten.results.score_columns import ScoreColumns
from saiten.results.summarize import summarize
from saiten.results.summary_figure import figure_of
from saiten.stats.corpus_bleu import COUNTS
from saiten.stats.estimate import bootstrap_mean


def scored(sample, value, status="ok", metric="m", **more):
    """A score with its sample and metric."""
    return Scored(sample, metric, Score(value, status, **more))


def places(**questions):
    """Samples and their questions."""
    return {sample: Place(question) for sample, question in questions.items()}


def test_only_ok_is_averaged_and_every_other_status_is_counted():
    """A refusal, an undefined, an unreadable and a failed score are not zeros; each appears in the coverage."""
    rows = [scored("a", 1.0), scored("b", 0.5), scored("c", None, "declined"), scored("d", None, "undefined")]
    rows += [scored("e", None, "unreadable"), scored("f", None, "failed"), scored("g", None, "failed")]
    figure = summarize(rows, {}).overall("m")
    assert (figure.mean, figure.n, figure.total) == (0.75, 2, 7)
    assert figure.coverage == {"ok": 2, "declined": 1, "undefined": 1, "unreadable": 1, "failed": 2}


def test_a_metric_that_measured_nothing_has_no_mean():
    """None and a note, not 0 and not NaN."""
    figure = summarize([scored("a", None, "failed")], {}).overall("m")
    assert (figure.mean, figure.low, figure.high, figure.n, str(figure.note)) == (
        None,
        None,
        None,
        0,
        "nothing was measured",
    )


def test_the_interval_is_that_of_the_bootstrap_over_questions():
    """Answers to one question are not independent: four samples of two questions are two clusters."""
    values, questions = [1.0, 0.0, 1.0, 0.5], ["p", "p", "q", "q"]
    rows = [scored(f"s{n}", value) for n, value in enumerate(values)]
    figure = summarize(rows, places(**{f"s{n}": q for n, q in enumerate(questions)})).overall("m")
    expected = bootstrap_mean(values, questions)
    assert (figure.mean, figure.low, figure.high) == (0.625, expected.low, expected.high)
    assert (figure.n, figure.questions) == (4, 2)


def test_samples_without_a_question_are_clusters_of_their_own():
    """An empty question is not shared by all without one; a score without a sample is its own cluster, too."""
    blank = [Sample("a"), Sample("b")]
    rows = [scored("a", 1.0), scored("b", 0.0), scored("gone", 0.5)]
    assert summarize(rows, {sample.id: place_of(sample) for sample in blank}).overall("m").questions == 3


def test_systems_and_groups_have_figures_of_their_own():
    """Overall first, then per system, then per group; samples with neither are only in the first."""
    where = {
        "a": Place("q1", "careful", "ja"),
        "b": Place("q1", "hasty", "ja"),
        "c": Place("q2", "hasty", "en"),
        "d": Place("q3"),
    }
    rows = [scored("a", 1.0), scored("b", 0.0), scored("c", 0.5), scored("d", 0.1)]
    figures = summarize(rows, where).figures
    assert [(f.system, f.group, f.mean, f.n) for f in figures] == [
        (None, None, pytest.approx(0.4), 4),
        ("careful", None, 1.0, 1),
        ("hasty", None, 0.25, 2),
        (None, "en", 0.5, 1),
        (None, "ja", 0.5, 2),
    ]


def test_one_system_alone_is_not_repeated():
    """It would only repeat the same figures."""
    rows = [scored("a", 1.0)]
    assert len(summarize(rows, {"a": Place("q", "s", "g")}).figures) == 1


def test_too_many_groups_are_not_broken_down_and_that_is_said():
    """A group for every sample would make a table that nobody reads, and take forever."""
    rows = [scored(f"s{n}", 1.0) for n in range(101)]
    found = summarize(rows, {f"s{n}": Place("q", None, f"g{n}") for n in range(101)})
    assert [figure.group for figure in found.figures] == [None]
    assert tuple(map(str, found.remarks)) == ("There are 101 groups; more than 100 are not broken down.",)


def test_metrics_are_in_the_requested_order():
    """Scores come in any order; the signatures have the order of the run; metrics without a score are left out."""
    rows = [scored("a", 1.0, metric="z"), scored("a", 1.0, metric="a"), scored("b", 1.0, metric="z")]
    summary = summarize(rows, {}, {"a": "a|x", "never": "n", "z": "z|y"})
    assert [figure.metric for figure in summary.figures] == ["a", "z"]
    with pytest.raises(KeyError):
        summary.overall("never")


@pytest.mark.parametrize(
    ("values", "distribution"),
    [
        ([4.0, 5.0, 4.0, 1.0], {1.0: 1, 4.0: 2, 5.0: 1}),
        ([0.0, 1.0], {0.0: 1, 1.0: 1}),
        ([0.5, 1.0], {}),
        ([float(n) for n in range(12)], {}),
        ([float(n) for n in range(11)], {float(n): 1 for n in range(11)}),
    ],
)
def test_grades_have_a_distribution_and_other_figures_have_none(values, distribution):
    """How often each grade was given, if there are at most eleven, in ascending order."""
    rows = [scored(f"s{n}", value) for n, value in enumerate(values)]
    found = summarize(rows, {}).overall("m").distribution
    assert found == distribution
    assert list(found) == sorted(found)


def test_grades_are_counted_as_given_where_the_value_is_finer():
    """The mean of three votes, 3, 4 and 4, is counted as the nearest grade, 4."""
    rows = [scored("a", 11 / 3, details={"grade": 4}), scored("b", 4.0, details={"grade": 4})]
    rows.append(scored("c", 2.0, details={"grade": 2}))
    assert summarize(rows, {}).overall("m").distribution == {2.0: 1, 4.0: 2}


def graded(sample, value, mode, pieces=2):
    """A grade given with one mode of evidence."""
    metric = "correctness" if mode == "reference" else f"correctness[evidence={mode}]"
    status = "declined" if value is None else "ok"
    return scored(sample, value, status, metric, details={"evidence": {"mode": mode, "pieces": pieces}})


def test_the_two_modes_of_evidence_are_compared():
    """The shift from E2 to E3 is the mean difference over the answers that both graded."""
    rows = [graded("a", 5.0, "answer"), graded("b", 4.0, "answer"), graded("c", 3.0, "answer")]
    rows += [graded("a", 4.0, "reference"), graded("b", 4.0, "reference"), graded("c", None, "reference")]
    shift = summarize(rows, {}).evidence
    assert (shift.difference, shift.n, shift.losses, shift.ties) == (-0.5, 2, 1, 1)


def test_a_grade_without_evidence_is_neither_mode_and_is_reported():
    """A sample without evidence is graded by the reference alone: not E3, and the summary says how many."""
    rows = [graded("a", 5.0, "answer"), graded("a", 4.0, "reference", pieces=0), graded("b", 4.0, "reference", 0)]
    found = summarize(rows, {})
    assert found.evidence is None
    assert "2 graded without evidence" in str(found.overall("correctness").note)


@pytest.mark.parametrize("modes", [("answer",), ("reference",), ("none", "reference")])
def test_one_mode_of_evidence_alone_has_no_shift(modes):
    """Without both E2 and E3 there is nothing to compare."""
    assert summarize([graded("a", 4.0, mode) for mode in modes], {}).evidence is None


def test_the_votes_of_a_panel_give_its_reliability():
    """Two items, three votes each, by hand: 1 of 2 items changed; equal pairs are 3 of 3 and 1 of 3."""
    rows = [scored("a", 1.0, votes=(1.0, 1.0, 1.0)), scored("b", 1 / 3, votes=(1.0, 0.0, 0.0))]
    rows += [scored("a", 0.5, metric="text"), scored("b", 0.5, metric="text")]
    found = summarize(rows, {}).reliability
    assert list(found) == ["m"]
    assert (found["m"].items, found["m"].votes, found["m"].changed) == (2, 3.0, 0.5)
    assert found["m"].agreement == pytest.approx((1 + 1 / 3) / 2)


def test_the_usage_is_that_of_all_scores():
    """Failed ones were paid for as well."""
    rows = [scored("a", 1.0, usage=Usage(calls=2, cost=0.5)), scored("b", None, "failed", usage=Usage(calls=8))]
    assert summarize(rows, {}).usage == Usage(calls=10, cost=0.5)


def test_missing_scores_are_counted_by_status_and_reason():
    """The most frequent comes first; refusals to answer are grades, not missing measurements."""
    rows = [
        scored("a", 1.0),
        scored("b", None, "undefined", reason="no contexts"),
        scored("c", None, "undefined", reason="no contexts"),
        scored("d", None, "failed", reason="HTTP 500"),
        scored("e", None, "declined"),
    ]
    missing = summarize(rows, {}).overall("m").missing
    assert list(missing.items()) == [(("undefined", "no contexts"), 2), (("failed", "HTTP 500"), 1)]


def test_a_summary_holds_a_few_numbers_of_each_score():
    """Not its details, id, question or reasons: 20,000 scores with a kilobyte each take less than 150 bytes each."""
    count, where, peaks = 20_000, Places(), []

    def rows():
        for n in range(count):
            where.add(f"sample {n}", f"a long question {n} {'x' * 500}", f"system {n % 3}", None)
        for n in range(count):
            yield scored(f"sample {n}", n / count, details={"text": f"{n}" * 200})
        peaks.append(tracemalloc.get_traced_memory()[1])  # before the figures are computed

    tracemalloc.start()
    try:
        summary = summarize(rows(), where)
    finally:
        tracemalloc.stop()
    assert peaks[0] < 150 * count
    assert [figure.n for figure in summary.figures] == [count, 6667, 6667, 6666]


def test_corpus_bleu_copies_its_counts_once():
    """The counts of all answers are the largest part of a summary: beside them, only their sums by question are held."""
    count = 200_000
    random = np.random.default_rng(0)
    columns = ScoreColumns("bleu4")
    columns.statuses.frombytes(bytes(count))
    columns.values.frombytes(random.random(count).tobytes())
    columns.questions.frombytes(np.arange(count).tobytes())
    columns.counted.frombytes(np.arange(count).tobytes())
    columns.counts.frombytes(random.integers(1, 9, (count, COUNTS)).astype(np.float32).tobytes())
    for column in (columns.systems, columns.groups, columns.reasons, columns.references):
        column.frombytes(bytes(4 * count))
    tracemalloc.start()
    try:
        figure = figure_of(columns)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert figure.corpus.n == count
    assert peak < 230 * count, f"{peak / count:.0f} bytes per answer"


def test_places_are_those_of_the_samples():
    """An unknown sample is a question of its own; a later line of a sample counts; names are counted."""
    found = Places.of({"a": Place("p", "x", None), "b": Place("p", "y", "g"), "c": Place("q", None, "g")})
    assert found.where("a")[0] == found.where("b")[0] != found.where("c")[0]
    assert found.where("b")[1:] == ("y", "g")
    assert found.where("gone")[1:] == (None, None)
    assert len({found.where(name)[0] for name in ("gone", "lost", "a", "c")}) == 4
    assert (len(found), found.counted("system"), found.counted("group")) == (3, {"x": 1, "y": 1}, {"g": 2})
    found.add("a", "q", "y", None)
    assert found.where("a") == (found.where("c")[0], "y", None)
    assert (len(found), found.counted("system")) == (3, {"y": 2})
    assert Places.of(found) is found
