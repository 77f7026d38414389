"""Two answers in reverse order: a judge with a known position bias gives exactly the expected figures."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saiten.errors import CallFailed
from saiten.judges.offline import OfflineJudge
from saiten.judges.scripted import ScriptedJudge
from saiten.records import Sample, Score, Usage
from saiten.runs.scoring import score_once
from saiten.tasks.preference import PreferAnswer
from saiten.tasks.preference import Preference as Reply
from saiten.trust.probes import Second, chosen_probes, make_plan, probe_order, probe_report
from saiten.trust.probes.pairs import SHORTENED, TWO_ANSWERS, PreferenceMetric, order_swapped, shortened

REFERENCE = "It was opened in 1998, by the city."


def answers(questions, *systems):
    """An answer of each system to each question; the first system's is right."""
    return [
        Sample(f"q{n}/{system}", f"Question {n}?", f"{'Right' if not i else 'Wrong'} {n} {system}.", reference=REFERENCE, system=system)
        for n in range(questions)
        for i, system in enumerate(systems)
    ]  # fmt: skip


def by_content(task):
    """The right one, in either position; of two wrong ones neither."""
    first, second = (answer.startswith("Right") for answer in (task.first, task.second))
    return "tie" if first == second else "first" if first else "second"


def number(task):
    """The number of the question."""
    return int(task.question.split()[1].rstrip("?"))


def judge_by(verdict, usage=None):
    """A judge whose every preference is this function of the task."""
    return ScriptedJudge(
        {PreferAnswer: lambda task: Reply(explanation="e", better=verdict(task)).with_usage(usage or Usage())}
    )


async def report_on(judge, samples, **more):
    """The report on the order alone."""
    return await probe_order(samples, lambda sample, metric: score_once(sample, metric, judge), **more)


async def test_a_judge_that_looks_at_the_content_has_no_position_bias():
    """No verdict changes, half of them favor the first position, and the probe passes."""
    report = await report_on(judge_by(by_content), answers(20, "a", "b"))
    (order,) = report.orders
    assert (order.changed.value, order.first.value, order.same_place, order.ties) == (0.0, 0.5, 0, 0)
    assert (order.pairs, order.changed.n, order.changed.clusters) == (20, 20, 20)
    (row,) = report.probes
    assert (row.probe, row.metric, row.verdict, row.broken) == ("order_swapped", "preference", "holds", 0)


@pytest.mark.parametrize(("place", "first"), [("first", 1.0), ("second", 0.0)])
async def test_a_judge_that_looks_at_the_place_alone_is_caught(place, first):
    """Every verdict changes with the order, and all of them favor one position."""
    report = await report_on(judge_by(lambda _: place), answers(20, "a", "b"))
    (order,) = report.orders
    assert (order.changed.value, order.first.value, order.same_place) == (1.0, first, 20)
    (row,) = report.probes
    assert (row.verdict, row.share, row.difference) == ("violated", 1.0, 1 - 2 * first)


@pytest.mark.parametrize("biased", [1, 5, 12])
async def test_a_bias_on_some_questions_gives_exactly_its_share(biased):
    """If position decides k of 40, k/40 change and (40 + k)/80 of the verdicts favor the first position."""
    judge = judge_by(lambda task: "first" if number(task) < biased else by_content(task))
    report = await report_on(judge, answers(40, "a", "b"))
    (order,) = report.orders
    assert order.changed.value == pytest.approx(biased / 40)
    assert order.first.value == pytest.approx((40 + biased) / 80)
    assert order.changed.low <= biased / 40 <= order.changed.high
    assert order.first.low <= (40 + biased) / 80 <= order.first.high
    assert order.same_place == biased
    assert report.probes[0].share == pytest.approx(biased / 40)
    assert report.probes[0].difference == pytest.approx(-biased / 40)


async def test_a_tie_in_one_order_only_is_a_change():
    """Always a tie: no change, no bias. A tie if the right answer is second: a change, half a verdict too many."""
    ties = await report_on(judge_by(lambda _: "tie"), answers(12, "a", "b"))
    assert (ties.orders[0].changed.value, ties.orders[0].first.value, ties.orders[0].ties) == (0.0, 0.5, 24)
    lazy = judge_by(lambda task: "first" if by_content(task) == "first" else "tie")
    (order,) = (await report_on(lazy, answers(12, "a", "b"))).orders
    assert (order.changed.value, order.first.value, order.ties, order.same_place) == (1.0, 0.75, 12, 0)


async def test_pairs_of_one_question_are_resampled_together():
    """Four answers make three pairs per question; the interval is as wide as that of the questions."""
    judge = judge_by(lambda task: "first" if number(task) % 2 else by_content(task))
    (order,) = (await report_on(judge, answers(20, "a", "b", "c", "d"))).orders
    assert (order.changed.n, order.changed.clusters) == (60, 20)
    (few,) = (await report_on(judge, answers(20, "a", "b"))).orders
    assert order.changed.value == few.changed.value == 0.5
    assert order.changed.high - order.changed.low == pytest.approx(few.changed.high - few.changed.low, abs=0.06)


async def test_the_offline_judge_is_symmetric_by_construction():
    """No verdict changes with the order, on pairs of both forms and in both languages."""
    samples = [
        *answers(12, "a", "b"),
        *(Sample(f"s{n}", f"質問{n}は何ですか。", f"{n}年の春です。", reference=f"{n}年4月に、東京で開業しました。", language="ja") for n in range(12)),
    ]  # fmt: skip
    report = await report_on(OfflineJudge(), samples)
    assert [order.variant for order in report.orders] == [None, TWO_ANSWERS, SHORTENED]
    assert [order.changed.n for order in report.orders] == [24, 12, 12]
    assert {(order.changed.value, order.first.value) for order in report.orders} == {(0.0, 0.5)}
    assert report.probes[0].verdict == "holds"


async def test_what_could_not_be_judged_is_counted_and_costs_all_the_same():
    """A call that fails in one order removes its pair from the figures; the cost is added up over all."""

    def verdict(task):
        if number(task) < 3 and task.second.startswith("Right"):
            raise CallFailed("no", Usage(calls=2))
        return by_content(task)

    report = await report_on(judge_by(verdict, Usage(calls=1, prompt_tokens=10)), answers(12, "a", "b"))
    (order,) = report.orders
    assert (order.pairs, order.changed.n) == (12, 9)
    assert order.usage == Usage(calls=21 + 3 * 2, prompt_tokens=210)
    assert report.probes[0].others == {"failed": 3}


def test_pairs_are_of_one_question_and_language_and_of_different_answers():
    """Equal answers make no pair, nor does a blank one; k different answers make k - 1 pairs."""
    samples = [
        Sample("1", "Q?", "a b"),
        Sample("2", "Q?", " a  b\n"),
        Sample("3", "Q?", "c"),
        Sample("4", "Q?", "  "),
        Sample("5", "Q?", None),
        Sample("6", "Q?", "d", language="ja"),
        Sample("7", "R?", "c"),
        Sample("8", "", "x", reference="One sentence. And another."),
        Sample("9", "Q?", "e"),
    ]
    made = list(order_swapped(samples))
    assert [change.original.id for change in made] == ["1 vs 3", "3 vs 9"]
    assert [change.changed.id for change in made] == ["3 vs 1", "9 vs 3"]
    plan = make_plan(samples, [], chosen_probes(["order_swapped"]))
    assert set(plan.samples) == set(plan.seconds) == {"1 vs 3", "3 vs 1", "3 vs 9", "9 vs 3"}
    for change in made:
        one, other = change.original, change.changed
        assert plan.seconds[one.id] == (other.answer, False)
        assert plan.seconds[other.id] == (one.answer, True)
        assert one.question == other.question == "Q?"


def test_a_single_answer_is_compared_with_a_shortened_reference():
    """It is about as imperfect; without a reference that can be shortened there is no pair."""
    (made,) = order_swapped([Sample("1", "Q?", "In 1998.", reference=REFERENCE, system="s")])
    assert (made.variant, made.original.answer, made.changed.answer) == (
        SHORTENED,
        "In 1998.",
        "It was opened in 1998",
    )
    assert made.original.references == made.changed.references == (REFERENCE,)
    assert made.original.system is None
    assert list(order_swapped([Sample("1", "Q?", "It was opened in 1998", reference=REFERENCE)])) == []
    plan = make_plan([Sample("1", "Q?", "a", reference="short")], [], chosen_probes(["order_swapped"]))
    (row,) = probe_report(plan, {}).probes
    assert (row.verdict, plan.wanted, probe_report(plan, {}).orders) == ("not applicable", frozenset(), ())
    assert "no question has two different answers" in str(row.reason)


@pytest.mark.parametrize(
    ("text", "language", "short"),
    [
        ("One thing. Another thing.", "en", "One thing."),
        ("It costs 1,000 pounds, tax included.", "en", "It costs 1,000 pounds"),
        ("Yes, it certainly is so on most days of the week.", "en", "Yes, it certainly is so on most days"),
        ("one two three", "en", "one two"),
        ("two words", "en", None),
        ("", "en", None),
        ("1998年です。春です。", "ja", "1998年です。"),
        ("費用は1,000円で、税込みです。", "ja", "費用は1,000円で"),
        ("はい、大阪工場です。", "ja", "はい、大阪工"),
        ("大阪です。", "ja", None),
    ],
)
def test_the_last_part_is_left_out(text, language, short):
    """The last sentence, else the last clause, else a third; punctuation within a number ends no clause."""
    assert shortened(text, language) == short


@given(st.text(st.sampled_from("ab1 ,.、。\n\u3000安全はい"), max_size=60), st.sampled_from(["en", "ja"]))
def test_what_is_left_is_a_shorter_beginning(text, language):
    """The rest is a beginning of the text with normalized white space; never empty."""
    short = shortened(text, language)
    if short is not None:
        whole = " ".join(text.split())
        assert whole.startswith(short)
        assert 0 < len(short) < len(whole)


async def test_samples_that_are_no_pairs_have_no_preference():
    """The metric says so instead of comparing with nothing."""
    score = await PreferenceMetric().score(Sample("1", "Q?", "a"), ScriptedJudge({}))
    assert (score.value, score.status) == (None, "undefined")


async def test_the_score_is_about_the_same_answer_in_both_orders():
    """1 if the answer that is first before the swap is preferred."""
    pair = Sample("1 vs 2", "Q?", "Right.")
    turned = replace(pair, id="2 vs 1", answer="Wrong.")
    metric = PreferenceMetric({"1 vs 2": Second("Wrong.", turned=False), "2 vs 1": Second("Right.", turned=True)})
    assert (metric.name, PreferenceMetric().name) == ("preference", "preference")
    for sample, better in ((pair, "first"), (turned, "second")):
        score = await metric.score(sample, judge_by(by_content))
        assert score == Score(1.0, reason="e", details={"better": better, "turned": sample is turned})
