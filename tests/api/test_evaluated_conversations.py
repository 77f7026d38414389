"""Conversations in figures: what is resampled, what is paired, and what is exported."""

import json

import saiten
from saiten.records import Sample, Turn
from saiten.results.compare import compare_sides
from saiten.results.place import place_of
from saiten.results.sides import side_from
from saiten.runs.lines import sample_from_json, sample_to_json

ASKED = ["Is it open?", "And today?", "And in winter?"]


def rows(*, right, conversations=12, named=True):
    """Conversations of three turns; in every second one, all answers are right, or all are wrong."""
    return [
        ({"id": f"c{n}"} if named else {})
        | {
            "messages": [
                message
                for question in ASKED
                for message in (
                    {"role": "user", "content": f"{question} {n}" if question == ASKED[0] else question},
                    {"role": "assistant", "content": "yes" if n % 2 == right else "no", "reference": "yes"},
                )
            ]
        }
        for n in range(conversations)
    ]


def test_the_interval_is_that_of_conversations():
    """Three equal answers of a conversation say no more than one: the interval is as wide as with one turn each."""
    whole = saiten.evaluate(rows(right=0), metrics=["exact_match"]).summary.figures[0]
    first = [{**row, "messages": row["messages"][:2]} for row in rows(right=0)]
    alone = saiten.evaluate(first, metrics=["exact_match"]).summary.figures[0]
    assert (whole.n, whole.questions, alone.n, alone.questions) == (36, 12, 12, 12)
    assert (whole.low, whole.high) == (alone.low, alone.high)


def test_the_place_of_a_sample_is_its_conversation_and_the_questions_so_far_pair_it():
    """The same words later in another conversation are another question."""
    first = Sample("a/turn-2", "And today?", "x", history=(Turn("", "Hi"), Turn("Is A open?", "yes")), conversation="a")
    second = Sample("b/turn-2", "And today?", "x", history=(Turn("Is B open?", "yes"),), conversation="b")
    assert place_of(first).paired_by == "Is A open?\nAnd today?"
    assert place_of(first).paired_by != place_of(second).paired_by
    assert place_of(first).question != place_of(second).question
    assert place_of(first).question == place_of(Sample("a/turn-1", "Is A open?", conversation="a")).question
    plain = place_of(Sample("q", "And today?"))
    assert (plain.question, plain.paired_by) == ("And today?", "And today?")


def test_logs_without_ids_are_paired_by_the_questions_and_compared_over_conversations():
    """`row-3/turn-2` is a place in a file, as `row-3` is; the interval of the difference is that of conversations."""
    one, other = (saiten.evaluate(rows(right=right, named=False), metrics=["exact_match"]) for right in (0, 1))
    sides = [side_from(each.samples, each.scores, name, each.signatures) for each, name in ((one, "a"), (other, "b"))]
    (compared,) = compare_sides(sides)
    assert compared.pairing.how == "question_no_ids"
    (metric,) = compared.metrics
    assert (metric.n, compared.pairing.alone) == (36, (0, 0))
    cut = [[{**row, "messages": row["messages"][:2]} for row in rows(right=right)] for right in (0, 1)]
    alone = [saiten.evaluate(each, metrics=["exact_match"]) for each in cut]
    firsts = [side_from(each.samples, each.scores, "x", each.signatures) for each in alone]
    (expected,) = compare_sides(firsts)[0].metrics
    assert (metric.ci_low, metric.ci_high) == (expected.ci_low, expected.ci_high)


def test_histories_are_kept_and_exported():
    """A run's line holds the turns; a frame has them as JSON; a sample without any is written as before."""
    sample = Sample("c/turn-2", "q", "a", history=(Turn("q0", "a0"),), conversation="c")
    assert sample_from_json(json.loads(json.dumps(sample_to_json(sample)))) == sample
    assert sample_to_json(Sample("q", "q")) == {"id": "q", "question": "q", "language": "en"}
    plain = saiten.evaluate([{"question": "q", "answer": "a"}], metrics=["length"]).to_pandas()
    assert {"history", "conversation"}.isdisjoint(plain.columns)
    frame = saiten.evaluate(rows(right=0, conversations=1), metrics=["exact_match"]).to_pandas()
    assert json.loads(frame["history"][1]) == [{"question": "Is it open? 0", "answer": "yes"}]
    assert frame["history"].isna()[0]
    assert list(frame["conversation"]) == ["c0"] * 3
