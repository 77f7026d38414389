"""The outcome of a run of dialogues, its scores separately, and how it is shown."""

from dataclasses import replace

import pytest
from talking import UNION, ScriptedSystem

from saiten.dialogue.dialogue import Dialogue, DialogueStep, Leak
from saiten.dialogue.loop import converse
from saiten.dialogue.outcomes import outcomes_of
from saiten.errors import SystemFailed, Unreadable
from saiten.records import Passage, Retrieved, Usage
from saiten.views.table import Table
from saiten.views.tables.dialogue import dialogue_tables, without_repeats
from saiten.words import Message


def talk(identity="1", ended="grade 5", share=0.0, questions=(), seconds=(0.5,), **more):
    """A dialogue with this many answers of the system."""
    steps = tuple(
        DialogueStep("T1", n, "system", "a", seconds=each, usage=Usage(calls=1)) for n, each in enumerate(seconds, 1)
    )
    graded = (DialogueStep("T3", 1, "grader", "review", grade=5, usage=Usage(calls=2, cost=0.5)),)
    return Dialogue(identity, "q", "r", 5, steps + graded, ended, leak=Leak(share, (), questions), **more)


def test_leaks_are_averaged_over_dialogues_that_did_not_fail():
    """The worst is named; an answer without content words has no share."""
    found = outcomes_of(
        [
            talk("a", share=0.0),
            talk("b", share=0.5, questions=(2,)),
            talk("c", share=None),
            talk("d", "failed", share=1.0, fault="system", kind="timeout"),
        ]
    )
    assert (found.leak, found.measured, found.leaking, found.worst, found.stating) == (0.25, 2, 1, "b", 1)
    assert found.failures == {("system", "timeout"): 1}


def test_usage_and_latency_of_the_system_are_separate():
    """The cost of a failed step counts for its cause; an answer without a latency does not count as 0 seconds."""
    found = outcomes_of(
        [
            talk(seconds=(0.2, 0.4, None)),
            talk(ended="failed", seconds=(), fault="system", kind="failed", lost=Usage(calls=3)),
            talk(ended="failed", seconds=(), fault="judge", kind="unreadable", lost=Usage(calls=4)),
        ]
    )
    assert found.of_system.calls == 3 + 3
    assert (found.of_agents.calls, found.of_agents.cost) == (3 * 2 + 4, 1.5)
    assert (found.latency.n, found.latency.median, found.turns) == (2, pytest.approx(0.3), 3)


def test_refused_questions_are_counted_apart_from_those_asked():
    """They never reached the system."""
    proposed = (
        DialogueStep("T5", 1, "questioner", "", "asked before: Q"),
        DialogueStep("T5", 1, "questioner", "Q2"),
    )
    one = talk(seconds=(0.1, 0.1))
    found = outcomes_of([replace(one, steps=(*one.steps[:1], *proposed, *one.steps[1:]))])
    assert (found.refused, found.asked) == (1, 1)
    (cells,) = dialogue_tables(found)[1].rows
    assert cells[-1] == 1


def test_evidence_is_counted_where_the_grader_saw_some():
    """A knowledge base that finds nothing gives none."""
    found = outcomes_of([talk(evidence=Retrieved((Passage("p"),))), talk(evidence=Retrieved(()))])
    assert found.with_evidence == 1
    assert (
        "evidence in addition to the reference in 1 of 2 dialogues"
        in dialogue_tables(found)[0].in_language("en").caption
    )


def test_a_run_without_a_dialogue_has_no_tables():
    """There is no division by zero."""
    found = outcomes_of([])
    assert (found.dialogues, found.leak, found.latency) == (0, None, None)
    assert dialogue_tables(found) == []


@pytest.mark.parametrize(
    ("error", "fault", "kind", "label"),
    [
        (SystemFailed("late", "timeout"), "system", "timeout", "failed: the system did not answer in time"),
        (SystemFailed("HTTP 500"), "system", "failed", "failed: the system failed"),
        (SystemFailed("no JSON", "unreadable"), "system", "unreadable", "failed: the system's reply was not an answer"),
        (Unreadable("no grade", "raw"), "judge", "unreadable", "failed: the judge's reply could not be read"),
    ],
)
async def test_each_failure_is_distinguished_from_wrong_answers(agents, error, fault, kind, label):
    """The table has whose fault it is, and its kind."""
    of_system = fault == "system"
    judge = agents([5] if of_system else [error])
    dialogue = await converse(UNION, ScriptedSystem([error if of_system else "an answer"]), judge)
    assert (dialogue.ended, dialogue.fault, dialogue.kind) == ("failed", fault, kind)
    ended = dialogue_tables(outcomes_of([dialogue]))[0].in_language("en")
    assert ended.rows == ((label, 1, 1.0),)


def test_the_reason_of_a_failed_dialogue_is_there_once():
    """It is not repeated for each score; the table is found by its key, and its words are in both languages."""
    rows = tuple((metric, Message("status", "failed"), 1, "no connection") for metric in ("wscore", "lscore", "leak"))
    made = Table(Message("title", "missing"), ("metric", "status", "times", "reason"), rows)
    (table,) = without_repeats([made])
    assert [row[0] for row in table.rows] == ["wscore"]
    assert table.in_language("ja").caption == "対話のスコアのうち、wscore で代表させる。"
