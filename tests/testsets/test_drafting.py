"""Drafting: what becomes of a model's reply."""

from dataclasses import replace

import pytest

from saiten.choices import QuestionKind
from saiten.errors import Unreadable
from saiten.judges.scripted import ScriptedJudge
from saiten.records import Turn
from saiten.tasks.questions import (
    Draft,
    DraftComparison,
    DraftFalsePremise,
    DraftFollowUp,
    DraftSeveral,
    DraftSingle,
    DraftUnanswerable,
    FalsePremiseDraft,
    FollowUpDraft,
    UnanswerableDraft,
)
from saiten.testsets.drafting import TASKS, ModelWriter, NothingToAsk, with_quotes
from saiten.testsets.items import SetPassage
from saiten.testsets.plan.slots import Slot

GATE = SetPassage("Visitors park on the north side. The gate closes at 22:00.", "parking.md", 100, 159, "d1")
DESK = SetPassage("The front desk is open until 18:00. It hands out permits.", "desk.md", 0, 57, "d2")
ROOM = SetPassage("Rooms are booked at the front desk.", "parking.md", 400, 435, "d1")


def slot(kind: QuestionKind, *passages: SetPassage, persona: str = "") -> Slot:
    """A slot with these passages."""
    return Slot(f"{kind}-1", kind, passages or (GATE, DESK), "en", "hard", persona)


def draft(*quotes: str, kind: type = Draft, **more: str):
    """A reply with these quotes."""
    return kind(quotes=list(quotes), question=" When? ", reference=" At ten. ", **more)


async def written(a_slot: Slot, reply) -> object:
    """The item of a reply, from a judge that checks replies as a model's are checked."""
    judge = ScriptedJudge({TASKS[a_slot.kind]: reply})
    return (await ModelWriter(judge, "m").write(a_slot)).item


KINDS = {
    "single": (DraftSingle, draft("The gate closes at 22:00.")),
    "several": (DraftSeveral, draft("The gate closes at 22:00.", "It hands out permits.")),
    "across": (DraftSeveral, draft("The gate closes at 22:00.", "It hands out permits.")),
    "comparison": (DraftComparison, draft("The gate closes at 22:00.", "open until 18:00")),
    "unanswerable": (
        DraftUnanswerable,
        draft("It hands out permits.", kind=UnanswerableDraft, missing="Who has the key"),
    ),
    "false_premise": (
        DraftFalsePremise,
        draft("The gate closes at 22:00.", kind=FalsePremiseDraft, premise="At 23:00"),
    ),
    "follow_up": (
        DraftFollowUp,
        draft("The gate closes at 22:00.", kind=FollowUpDraft, first_question="Where?", first_answer="North."),
    ),
}


@pytest.mark.parametrize(("kind", "asked", "reply"), [(kind, *each) for kind, each in KINDS.items()])
async def test_each_kind_has_its_task_and_becomes_an_item(kind, asked, reply):
    """The item has the texts, the kind, who wrote it, and how difficult it was to be."""
    judge = ScriptedJudge({asked: reply})
    item = (await ModelWriter(judge, "openai:m").write(slot(kind, persona="a guard"))).item
    assert (item.id, item.kind, item.question, item.reference) == (f"{kind}-1", kind, "When?", "At ten.")
    assert item.made.items() >= {"by": "openai:m", "difficulty": "hard", "persona": "a guard"}.items()
    task = judge.asked[0]
    assert (task.passages, task.difficulty, task.asker) == ((GATE.shown, DESK.shown), "hard", "a guard")
    assert set(TASKS) == set(KINDS)


async def test_quotes_are_marked_where_they_are():
    """Their places slice the passage, whatever the width, case and white space in the reply."""
    item = await written(slot("single"), draft("the gate  closes at ２２：００"))
    (passage,) = item.passages
    ((start, end),) = passage.quotes
    assert passage.text[start:end] == "The gate closes at 22:00"
    assert (passage.source, passage.start, passage.document) == ("parking.md", 100, "d1")


async def test_passages_without_a_quote_are_left_out():
    """They did not support the reference; those near an unanswerable question are all kept, to be read by people."""
    assert [each.source for each in (await written(slot("single"), draft("It hands out permits."))).passages] == [
        "desk.md"
    ]
    near = await written(slot("unanswerable"), KINDS["unanswerable"][1])
    assert [each.source for each in near.passages] == ["parking.md", "desk.md"]
    assert near.made["missing"] == "Who has the key"


async def test_a_follow_up_has_the_turn_before_it():
    """Its history is what `converse` and `answer` show the system."""
    assert (await written(slot("follow_up"), KINDS["follow_up"][1])).history == (Turn("Where?", "North."),)


async def test_an_empty_draft_is_no_question():
    """The model may say that the passages offer nothing, which is not a failure."""
    with pytest.raises(NothingToAsk, match="found nothing"):
        await written(slot("single"), Draft(quotes=[], question=" ", reference=""))


async def test_a_question_across_documents_takes_two_of_them():
    """Two passages of one document are not across documents."""
    reply = draft("The gate closes at 22:00.", "Rooms are booked at the front desk.")
    with pytest.raises(NothingToAsk, match="one document only"):
        await written(slot("across", GATE, ROOM, DESK), reply)
    assert (await written(slot("several", GATE, ROOM), reply)).kind == "several"


async def test_a_passage_is_shown_below_its_document_and_headings():
    """They often name what it is about; a quote is looked for in the passage alone."""
    judge = ScriptedJudge({DraftSingle: draft("The gate closes at 22:00.")})
    headed = replace(GATE, section="Site rules > Parking")
    item = (await ModelWriter(judge, "m").write(slot("single", headed, DESK))).item
    assert judge.asked[0].passages[0] == f"# parking.md > Site rules > Parking\n{GATE.text}"
    assert SetPassage("text").shown == "text"
    ((start, end),) = item.passages[0].quotes
    assert item.passages[0].text[start:end] == "The gate closes at 22:00."


async def test_a_word_changed_in_a_quote_does_not_refuse_it():
    """Models do that now and then; what is marked is what the passage says."""
    item = await written(slot("single"), draft("The gates close at 22:00."))
    ((start, end),) = item.passages[0].quotes
    assert "gate closes at 22:00" in item.passages[0].text[start:end]


REFUSED = {
    "none of the quotes is in the passages": ("single", draft("The gate closes at noon.")),
    "all quotes are from one passage": (
        "several",
        draft("The gate closes at 22:00.", "Visitors park on the north side."),
    ),
    "the reference is empty": ("single", Draft(quotes=["It hands out permits."], question="q", reference=" ")),
    "the first question and its answer are needed": (
        "follow_up",
        draft("The gate closes at 22:00.", kind=FollowUpDraft, first_question="Where?"),
    ),
}


@pytest.mark.parametrize(("fault", "kind", "reply"), [(fault, *each) for fault, each in REFUSED.items()])
async def test_a_reply_that_breaks_a_rule_is_refused(fault, kind, reply):
    """The model is sent the fault and asked once more; made-up quotes support nothing."""
    with pytest.raises((ValueError, Unreadable), match=fault):
        await written(slot(kind), reply)


def test_a_quote_counts_for_the_first_passage_that_has_it():
    """It is not marked twice."""
    twice = SetPassage(GATE.text, "copy.md")
    first, second = with_quotes((GATE, twice), ["The gate closes at 22:00.", " "])
    assert len(first.quotes) == 1
    assert second.quotes == ()
