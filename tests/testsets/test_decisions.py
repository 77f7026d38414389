"""Decisions on a test set: when they settle an item, what becomes of its texts, and what stays open."""

from dataclasses import replace

import pytest

from saiten.errors import BadInput
from saiten.records import Turn
from saiten.testsets.items import Decided, SetItem, SetPassage
from saiten.testsets.people.decisions import SetDecision, SettlingRules, folded, settled, text_digest

ITEM = SetItem("q1", "いつまでですか。", "翌月10日までです。", "single", "ja", (SetPassage("翌月10日まで"),))
SEEN = text_digest("q1", ITEM.question, ITEM.reference)


def said(choice, by="Aiko", **more):
    """A decision on the item."""
    return SetDecision("q1", choice, by, **more)


def fate(*decisions, item=ITEM, **rules):
    """Outcome and, if it is open, why; else the reference."""
    found = settled(item, decisions, SettlingRules(**rules))
    return found.outcome, found.why or found.item.reference


REFERENCE = ITEM.reference
SHORT = "10日までです。"


@pytest.mark.parametrize(
    ("decisions", "outcome", "then"),
    [
        ([], "open", "undecided"),
        ([said("approve")], "approved", REFERENCE),
        ([said("approve"), said("approve", "Ben")], "approved", REFERENCE),
        ([said("reject")], "rejected", REFERENCE),
        ([said("reject"), said("reject", "Ben", reason="why")], "rejected", REFERENCE),
        ([said("edit", reference=SHORT)], "edited", SHORT),
        ([said("edit", reference=SHORT), said("edit", "Ben", reference="１０日 までです。")], "edited", SHORT),
        ([said("approve"), said("reject", "Ben")], "open", "differ"),
        ([said("approve"), said("edit", "Ben", reference=SHORT)], "open", "differ"),
        ([said("edit", reference=SHORT), said("edit", "Ben", reference="10日")], "open", "differ"),
        ([said("approve"), said("edit", "Ben", reference="翌月１０日までです。")], "edited", "翌月１０日までです。"),
        ([said("approve", unclear=True), said("approve", "Ben")], "open", "unclear"),
        ([said("approve"), said("reject", "Ben"), said("approve", "admin", adjudicated=True)], "approved", REFERENCE),
        ([said("approve", unclear=True), said("reject", "admin", adjudicated=True)], "rejected", REFERENCE),
        ([said("approve"), said("edit", "admin", adjudicated=True, reference=SHORT)], "edited", SHORT),
        ([said("approve", at="2026-01-02"), said("reject", at="2026-01-01")], "approved", REFERENCE),
        ([said("approve", at="2026-01-01"), said("reject", at="2026-01-02")], "rejected", REFERENCE),
        ([said("approve", ""), said("reject", "")], "open", "differ"),
    ],
)  # fmt: skip
def test_decisions_settle_an_item_or_leave_it_open(decisions, outcome, then):
    """An adjudication settles it; else all must agree, each person's latest decision counts, and texts are compared."""
    assert fate(*decisions) == (outcome, then)


def test_a_majority_settles_only_if_asked_for():
    """Two of three suffice with `majority`; of two people who differ, neither is one. A flag keeps an item open."""
    three = [said("approve"), said("approve", "Ben"), said("reject", "Chie")]
    assert fate(*three) == ("open", "differ")
    assert fate(*three, majority=True) == ("approved", REFERENCE)
    assert fate(*three[1:], majority=True) == ("open", "differ")
    assert fate(*three[:2], said("approve", "Chie", unclear=True), majority=True) == ("open", "unclear")


def test_too_few_people_leave_an_item_open():
    """With `at_least=2` one approval is not enough; an adjudication is."""
    assert fate(said("approve"), at_least=2) == ("open", "too_few")
    assert fate(said("approve", "admin", adjudicated=True), at_least=2) == ("approved", REFERENCE)


def test_an_accepted_item_carries_who_decided_and_the_texts_before():
    """Everybody's decision is kept with its time and reason; edited texts replace the originals, which are kept."""
    decisions = [
        said("reject", reason="too short", at="2026-01-01T00:00:00+00:00", digest=SEEN),
        said("edit", "admin", reference=SHORT, at="2026-01-02T00:00:00+00:00", adjudicated=True, digest=SEEN),
    ]
    done = settled(ITEM, decisions).item
    assert (done.question, done.reference) == (ITEM.question, SHORT)
    assert done.original == {"question": ITEM.question, "reference": ITEM.reference}
    assert done.decisions == (
        Decided("rejected", "Aiko", "2026-01-01T00:00:00+00:00", adjudicated=False, reason="too short"),
        Decided("edited", "admin", "2026-01-02T00:00:00+00:00", adjudicated=True),
    )
    assert done.passages == ITEM.passages


@pytest.mark.parametrize(
    "decisions",
    [
        [said("approve", digest=SEEN)],
        [said("edit", reference=SHORT, digest=SEEN), said("edit", "Ben", reference=SHORT, digest=SEEN)],
        [said("edit", reference=SHORT), said("edit", "Ben", reference=SHORT)],
        [said("approve", digest=SEEN), said("edit", "x", reference=SHORT, adjudicated=True, digest=SEEN)],
        [said("approve"), said("edit", "x", reference=SHORT, adjudicated=True)],
    ],
)
def test_decisions_applied_to_their_own_result_change_nothing(decisions):
    """Accepting twice, from the approved file, is the same as accepting once, with and without digests."""
    once = settled(ITEM, decisions)
    assert settled(once.item, decisions) == once
    assert settled(once.item, []) == once


def test_a_later_round_edits_an_edited_item():
    """Decisions on edited texts apply to these; the first originals are kept, and a repetition changes nothing."""
    first = settled(ITEM, [said("edit", reference=SHORT, digest=SEEN)]).item
    second = [said("edit", reference="10日。", at="2026-02-01", digest=text_digest("q1", ITEM.question, SHORT))]
    done = settled(first, second)
    assert (done.outcome, done.item.reference, done.item.original["reference"]) == ("edited", "10日。", REFERENCE)
    assert settled(done.item, second) == done


def test_somebody_who_disagrees_later_opens_an_applied_edit_again():
    """A decision about the texts before the edit is compared with the edit."""
    edit = said("edit", reference=SHORT, digest=SEEN)
    done = settled(ITEM, [edit]).item
    assert fate(edit, said("approve", "Ben", digest=SEEN), item=done) == ("open", "differ")


@pytest.mark.parametrize(
    "changed",
    [
        replace(ITEM, question="いつまでに出しますか。"),
        replace(ITEM, reference="翌月15日までです。"),
        replace(ITEM, history=(Turn("どこですか。", "ここです。"),)),
    ],
)
def test_a_decision_on_texts_that_changed_since_is_not_applied(changed):
    """Question, reference and history are what the person saw; another passage is not."""
    for choice, more in (("approve", {}), ("reject", {}), ("edit", {"reference": SHORT})):
        assert fate(said(choice, digest=SEEN, **more), item=changed) == ("open", "changed")
    assert fate(said("approve", digest=SEEN), item=replace(ITEM, passages=())) == ("approved", REFERENCE)


def test_an_old_decision_does_not_hide_a_new_one():
    """If one person decided before the change and another after it, the latter counts."""
    new = replace(ITEM, reference=SHORT)
    now = text_digest("q1", new.question, SHORT)
    assert fate(said("reject", digest=SEEN), said("approve", "Ben", digest=now), item=new) == ("approved", SHORT)


def test_an_approval_by_hand_with_other_texts_is_not_an_edit():
    """Without a digest, the approval was given to the texts in its row; those of the set have changed since."""
    assert fate(said("approve", reference="翌月15日までです。")) == ("open", "changed")
    assert fate(said("approve", reference=f" {REFERENCE}\n")) == ("approved", REFERENCE)
    assert fate(said("approve", reference=SHORT, digest=SEEN)) == ("edited", SHORT)


@pytest.mark.parametrize("more", [{}, {"reference": REFERENCE}, {"question": f"{ITEM.question} "}])
def test_an_edit_that_changes_nothing_is_an_error_with_its_place(more):
    """Somebody who writes edit meant to change something."""
    with pytest.raises(BadInput, match=r"decisions.csv, row 3: .*'q1' is edit, but question and reference are those"):
        settled(ITEM, [said("edit", where="decisions.csv, row 3", **more)])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("ＡＢＣ　１２", "ABC 12", True),
        ("３ 日 まで", "3日まで", True),
        ("a b", "a\n b ", True),
        ("a part", "apart", False),
        ("IT", "it", False),
        ("1,5", "15", False),
    ],
)
def test_texts_are_compared_without_width_and_white_space(one, other, same):
    """White space inside Japanese text is dropped, between other words it is one space; case and punctuation count."""
    assert (folded(one) == folded(other)) is same
