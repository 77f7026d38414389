"""Question by question: correlations over the answers to one, and pairs of systems by wins, checked by hand."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from saiten.errors import BadInput
from saiten.records import Label
from saiten.results.meta_evaluation import Settings
from saiten.results.place import Place
from saiten.stats.correlation import correlations_by_row
from saiten.stats.resampling import Resamples
from saiten.trust.inputs.judge_files import read_system_pairs
from saiten.trust.inputs.outputs import Output
from saiten.trust.inputs.pairing import pair
from saiten.trust.meta_evaluation.levels import check_pairs, question_level, system_level, wins
from saiten.trust.meta_evaluation.meta_evaluate import meta_evaluate

RANDOM = np.random.default_rng(12)
QUESTIONS, SYSTEMS = 12, 5
N = QUESTIONS * SYSTEMS
OF = [f"q{i // SYSTEMS:02}" for i in range(N)]
BY = [f"s{i % SYSTEMS}" for i in range(N)]
PEOPLE = RANDOM.integers(1, 6, N).astype(float)
METRIC = PEOPLE + RANDOM.integers(-2, 3, N)


def resamples(questions=OF, draws=100):
    """Resamples of questions."""
    return Resamples.of(questions, resamples=draws)


@pytest.mark.parametrize(
    ("name", "theirs"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)]
)
def test_the_summary_level_is_the_mean_of_scipys_correlations(name, theirs):
    """The mean is over each question's answers; the interval is that of questions repeated explicitly."""
    each = [theirs(METRIC[i : i + SYSTEMS], PEOPLE[i : i + SYSTEMS]).statistic for i in range(0, N, SYSTEMS)]
    found = getattr(question_level(METRIC, PEOPLE, resamples()), name)
    assert found.value == pytest.approx(np.mean(each), abs=1e-9)
    assert found.n == QUESTIONS
    drawn = np.concatenate(list(resamples().counts())) @ np.array(each) / QUESTIONS
    again = resamples().interval(found, drawn)
    assert (found.low, found.high) == pytest.approx((again.low, again.high), abs=1e-9)


@given(st.integers(3, 6), st.integers(0, 10_000))
def test_each_row_has_scipys_correlations(size, seed):
    """This includes ties; it is undefined if a side is constant."""
    random = np.random.default_rng(seed)
    x, y = random.integers(0, 3, (2, 4, size)).astype(float)
    for a, b, got in zip(x, y, correlations_by_row(x, y), strict=True):
        if np.ptp(a) and np.ptp(b):
            wanted = [of(a, b).statistic for of in (stats.pearsonr, stats.spearmanr, stats.kendalltau)]
            assert got == pytest.approx(np.array(wanted), abs=1e-9)
        else:
            assert np.isnan(got).all()


def test_questions_without_a_correlation_are_left_out_and_counted():
    """Two answers, equal labels, equal scores: three of four questions have none."""
    questions = list("aaabbcccddd")
    people = np.array([1.0, 2, 3, 1, 2, 2, 2, 2, 1, 2, 3])
    metric = np.array([1.0, 3, 2, 1, 2, 1, 2, 3, 5, 5, 5])
    found = question_level(metric, people, resamples(questions))
    assert (found.questions, found.pearson.n) == (4, 1)
    assert found.pearson.value == pytest.approx(0.5)
    none = question_level(metric[:2], people[:2], resamples(["a", "b"]))
    assert none.pearson.value is None
    assert "no question has 3 answers" in str(none.pearson.reason)


def test_a_hard_question_moves_the_correlation_over_items_but_not_the_one_within_questions():
    """A metric that only knows which question is easy does not rank answers to any."""
    ease = np.repeat(RANDOM.normal(size=QUESTIONS) * 5, SYSTEMS)
    blind = ease + RANDOM.normal(size=N) / 100
    people = ease + PEOPLE / 5
    assert stats.pearsonr(blind, people).statistic > 0.95
    assert abs(question_level(blind, people, resamples()).pearson.value) < 0.3


def by_hand(metric, people, pairs):
    """The result of each pair of systems, counted one by one."""
    kinds = []
    for a, b in pairs:
        share = []
        for side in (metric, people):
            points = [(side[q + a] > side[q + b]) + 0.5 * (side[q + a] == side[q + b]) for q in range(0, N, SYSTEMS)]
            share.append(np.sign(np.mean(points) - 0.5))
        kinds.append(tuple(share))
    return kinds


@pytest.mark.parametrize("asked", [None, [(0, 1), (3, 2), (4, 0)]])
def test_pairs_of_systems_by_wins_are_those_counted_by_hand(asked):
    """The system with the higher value wins a question, ties are half; over all pairs, or the requested ones."""
    people = np.where(RANDOM.random(N) < 0.5, 3, PEOPLE)
    kinds = by_hand(METRIC, people, asked or list(combinations(range(SYSTEMS), 2)))
    found = wins(METRIC, people, BY, resamples(), pairs=asked and [(f"s{a}", f"s{b}") for a, b in asked])
    assert found.ordered.n == len(kinds)
    assert found.ordered.value == pytest.approx(np.mean([a == b for a, b in kinds]))
    assert found.credited.value == pytest.approx(np.mean([1 - 0.5 * ((a == 0) != (b == 0)) if 0 in (a, b) else a == b for a, b in kinds]))  # fmt: skip
    assert found.agree == sum(a == b != 0 for a, b in kinds)
    assert found.disagree == sum(a * b < 0 for a, b in kinds)
    assert (found.tied_metric, found.tied_people, found.tied_both) == (
        sum(a == 0 != b for a, b in kinds),
        sum(b == 0 != a for a, b in kinds),
        sum(a == b == 0 for a, b in kinds),
    )


def test_the_interval_by_wins_is_that_of_questions_written_out():
    """Each resample's questions are repeated, and counted by hand."""
    pairs = list(combinations(range(SYSTEMS), 2))
    shares = []
    for counts in np.concatenate(list(resamples().counts())).astype(int):
        rows = np.concatenate(
            [np.arange(q * SYSTEMS, (q + 1) * SYSTEMS) for q in np.repeat(np.arange(QUESTIONS), counts)]
        )
        shares.append(np.mean([a == b for a, b in by_hand(METRIC[rows], PEOPLE[rows], pairs)]))
    found = wins(METRIC, PEOPLE, BY, resamples()).ordered
    again = resamples().interval(found, np.array(shares))
    assert (found.low, found.high) == pytest.approx((again.low, again.high), abs=1e-9)


def test_wins_and_means_may_order_two_systems_differently():
    """One landslide lifts a mean and wins one question: A beats B on two of three, B has the higher mean."""
    people = np.array([2.0, 1, 0, 2, 1, 0, 1, 9, 0])
    metric = np.array([2.0, 1, 0, 2, 1, 0, 1, 2, 0])
    questions, systems = list("xxxyyyzzz"), ["A", "B", "C"] * 3
    by_means = system_level(metric, people, systems, resamples(questions)).pairs
    by_wins = wins(metric, people, systems, resamples(questions))
    assert (by_means.agree, by_means.disagree) == (2, 1)
    assert (by_wins.agree, by_wins.disagree) == (3, 0)


def test_systems_that_never_answered_the_same_question_are_counted_apart():
    """They have no wins against each other; if no pair has any, there is a reason."""
    found = wins(np.arange(4.0), np.arange(4.0), list("abca"), resamples(list("xxyy")))
    assert (found.ordered.n, found.unmet) == (2, 1)
    none = wins(np.arange(3.0), np.arange(3.0), list("abc"), resamples(list("xyz")))
    assert none.ordered.value is None
    assert "no two systems answered the same question" in str(none.ordered.reason)
    assert "2 systems" in str(wins(np.arange(2.0), np.arange(2.0), list("ab"), resamples(list("xx"))).ordered.reason)


def test_spearman_over_systems_is_scipys_and_has_an_interval():
    """As with Pearson, both over the resampled means."""
    level = system_level(METRIC, PEOPLE, BY, resamples())
    x, y = ([side[i::SYSTEMS].mean() for i in range(SYSTEMS)] for side in (METRIC, PEOPLE))
    assert level.spearman.value == pytest.approx(stats.spearmanr(x, y).statistic)
    drawn = [[], []]
    for counts in np.concatenate(list(resamples().counts())):
        a, b = ((counts @ side.reshape(QUESTIONS, SYSTEMS)) for side in (METRIC, PEOPLE))
        drawn[0].append(stats.spearmanr(a, b).statistic)
        drawn[1].append(stats.pearsonr(a, b).statistic)
    for figure, each in zip((level.spearman, level.pearson), drawn, strict=True):
        again = resamples().interval(figure, np.array(each))
        assert (figure.low, figure.high) == pytest.approx((again.low, again.high), abs=1e-9)


def test_a_list_of_pairs_is_the_same_for_means_and_wins_and_must_name_systems():
    """Each pair counts once, in either order; an unknown system is an error that lists the valid ones."""
    items = {f"{q}{s}{i}": Place(q, s) for i, (q, s) in enumerate(zip(OF, BY, strict=True))}
    said = [Output(item, "m", float(value)) for item, value in zip(items, METRIC, strict=True)]
    aspects = pair(items, said, [Label(item, float(value)) for item, value in zip(items, PEOPLE, strict=True)])
    chosen = (("s0", "s1"), ("s1", "s0"), ("s2", "s4"))
    (one,) = meta_evaluate(aspects, Settings(resamples=100, system_pairs=chosen)).aspects[0].metrics
    assert (one.systems.pairs.ordered.n, one.wins.ordered.n) == (2, 2)
    assert one.systems.kendall.n == SYSTEMS
    with pytest.raises(BadInput, match=r"no system 's9'.*s0, s1"):
        meta_evaluate(aspects, Settings(resamples=100, system_pairs=(("s0", "s9"),)))
    with pytest.raises(BadInput, match="itself"):
        check_pairs([("s0", "s0")], ["s0"])


@pytest.mark.parametrize(
    ("text", "says"),
    [("first,second\na,b\nc,a\n", None), ("first,second\na,\n", "two systems"), ("x,y\na,b\n", "first"), ("first,second\n", "no pairs of systems|is empty|no rows")],
)  # fmt: skip
def test_pairs_are_read_from_a_file(tmp_path, text, says):
    """One row per pair; an invalid one is an error with its position."""
    (tmp_path / "pairs.csv").write_text(text)
    if says is None:
        assert read_system_pairs(tmp_path / "pairs.csv") == (("a", "b"), ("c", "a"))
        return
    with pytest.raises(BadInput, match=says):
        read_system_pairs(tmp_path / "pairs.csv")
