"""Which questions ask the same, and which references are compared with each other."""

import numpy as np
import pytest

from saiten.errors import CallFailed
from saiten.judges.scripted import ScriptedJudge
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.records import Turn, Usage
from saiten.tasks.contradiction import Contradiction, FindContradiction
from saiten.testsets.items import Checked, SetItem, SetPassage
from saiten.testsets.rules.duplicates import KnownQuestions
from saiten.testsets.upkeep.contradictions import contradictions
from saiten.testsets.upkeep.findings import ItemFinding, SetCheck
from saiten.testsets.upkeep.pairs import ItemPair, similar_pairs, whole_question
from saiten.testsets.upkeep.repeated import KnownVectors, repeated


def item(identity, question, reference="An answer.", *, passages=(), **more):
    """An item of a test set."""
    return SetItem(identity, question, reference, passages=passages, **more)


async def pairs(items, most=3):
    """The pairs of ids, each with whether they share a passage, and how many were left out."""
    vectors = (await BuiltinEmbedder(1024).embed([each.question for each in items])).vectors
    found = similar_pairs(items, vectors, most)
    return [(pair.first.id, pair.second.id, pair.shared) for pair in found.pairs], found.left_out


def place(source, start, end):
    """A passage by its place."""
    return (SetPassage(f"{source} {start}", source, start, end),)


async def test_similar_questions_are_pairs_and_others_are_not():
    """The most similar first, each pair once; equal references cannot contradict each other, nor can none."""
    items = [
        item("1", "When was the harbor bridge opened?", "In 1998."),
        item("2", "When was the harbor bridge first opened?", "In 2001."),
        item("3", "Which vegetables are grown there?", "Leeks."),
        item("4", "When was the harbor bridge opened?", "in 1998"),
        item("5", "When was the harbor bridge opened?", " "),
    ]
    assert await pairs(items) == ([("1", "2", False), ("2", "4", False)], 0)


async def test_a_passage_in_common_makes_a_pair_of_less_similar_questions():
    """The same text, or places in one document that overlap; places that only touch are not shared."""
    questions = (
        "What does a day ticket for the ferry cost?",
        "How much is a day ticket?",
        "Is a day ticket sold on Sundays?",
    )
    for first, second, shared in (
        (place("a", 0, 10), place("a", 5, 20), True),
        (place("a", 5, 20), place("a", 0, 10), True),
        (place("a", 0, 10), place("a", 10, 20), False),
        (place("a", 0, 10), place("b", 0, 10), False),
        ((SetPassage("The ferry."),), (SetPassage("The\n ferry."),), True),
        ((SetPassage("The ferry."),), (SetPassage("A ferry."),), False),
    ):
        items = [item("1", questions[0], "8.", passages=first), item("2", questions[2], "9.", passages=second)]
        assert await pairs(items) == ([("1", "2", True)] if shared else [], 0), (first, second)


async def test_each_question_is_compared_with_only_so_many():
    """What is left out is counted, so that nobody takes it for compared."""
    items = [item(str(n), "When was the harbor bridge opened?", f"In {1990 + n}.") for n in range(5)]
    for most, compared in ((1, 2), (2, 4), (4, 10), (10, 10)):
        found, left_out = await pairs(items, most)
        assert (len(found), left_out) == (compared, 10 - compared)
        assert all(sum(each in pair[:2] for pair in found) <= most for each in "01234")


async def test_one_item_or_none_has_no_pair():
    """The smallest sets are no special case."""
    assert await pairs([item("1", "When?")]) == ([], 0)
    assert similar_pairs([], np.zeros((0, 4), np.float32)).pairs == ()


def judge_saying(*verdicts):
    """A judge with these verdicts on pairs, in order."""
    left = list(verdicts)
    return ScriptedJudge(
        {
            FindContradiction: lambda _: Contradiction(reason="other years", verdict=left.pop(0)).with_usage(
                Usage(calls=1)
            )
        }
    )


async def test_a_contradiction_is_a_finding_of_both_items():
    """Each names the other, its reference and the judge's reason; the cost is counted once."""
    first, second = item("1", "When?", "In 1998."), item("2", "Since when?", "Since\n2001.")
    found = await contradictions(ItemPair(first, second, 0.9, shared=False), judge_saying("yes"))
    assert [(finding.item, finding.where) for finding in found.findings] == [("1", ("2",)), ("2", ("1",))]
    assert found.findings[0].reason == "the reference of 2 says otherwise: “Since 2001.” (other years)"
    assert found.usage.calls == 1
    none = await contradictions(ItemPair(first, second, 0.9, shared=False), judge_saying("no"))
    assert (none.findings, none.usage.calls) == ((), 1)


async def test_a_failed_comparison_is_reported():
    """It says nothing about the references."""
    pair = ItemPair(item("1", "When?"), item("2", "Since when?"), 0.9, shared=False)
    found = await contradictions(pair, ScriptedJudge({FindContradiction: CallFailed("busy", Usage(calls=2))}))
    assert [(finding.kind, finding.reason) for finding in found.findings] == [("unchecked", "busy")]
    assert found.usage.calls == 2


async def test_follow_up_questions_are_compared_with_what_was_said_before():
    """*And the price?* of two conversations asks for different things."""
    said = [(Turn(f"What about {what}?", "It is open."),) for what in ("the ferry", "the museum")]
    first, second = (item(str(n), "And the price?", history=turns) for n, turns in enumerate(said))
    judge = judge_saying("no")
    await contradictions(ItemPair(first, second, 1.0, shared=False), judge)
    assert (
        judge.asked[0].first_question == whole_question(first) == "What about the ferry?\nIt is open.\nAnd the price?"
    )
    assert await repeated([first, second], KnownQuestions()) == []


async def test_the_same_question_is_named_with_all_that_ask_it():
    """In the same words, however written, or nearly; the first few are named, the rest counted."""
    same = [item(str(n), "When was it opened?" + " " * n) for n in range(8)]
    near = [
        item("n1", "How long is the warranty of the heater?"),
        item("n2", "How long is the warranty period of the heater?"),
    ]
    alone = item("a", "Who designed it?")
    found = {finding.item: finding for finding in await repeated([*same, *near, alone], KnownQuestions())}
    assert found.keys() == {*"01234567", "n1", "n2"}
    assert found["0"].kind == "same_question"
    assert found["0"].where == tuple("1234567")
    assert found["0"].reason == "asked in the same words by 1, 2, 3, 4, 5, +2: “When was it opened?”"
    assert (found["n2"].kind, found["n2"].where) == ("near_question", ("n1",))
    assert found["n1"].details["similarity"] == found["n2"].details["similarity"] >= 0.85


async def test_vectors_that_are_known_are_not_made_again():
    """An embedding model that costs something is asked once per question."""
    vectors = {"a": np.float32([1, 0]), "b": np.float32([0, 1])}
    known = KnownVectors("m", vectors)
    assert (await known.embed(["b", "a", "b"])).vectors.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert (await known.embed(["a"])).usage == Usage()
    await known.close()


@pytest.mark.parametrize("earlier", [False, True])
def test_items_to_look_at_again_carry_the_reasons(earlier):
    """In the order of the set, each once; reasons of an earlier check are replaced, all other checks stay."""
    passed = (Checked("support", passed=True), Checked("duplicate", passed=True))
    old = (Checked("contradiction", passed=False, reason="old"),) if earlier else ()
    items = (item("1", "When?", checks=(*passed, *old)), item("2", "Where?"), item("3", "Who?"))
    findings = (
        ItemFinding("3", "lost", "gone", ("a.md",), {"lost": []}),
        ItemFinding("1", "contradiction", "new", ("3",)),
        ItemFinding("1", "near_question", "near", ("3",)),
        ItemFinding("2", "elsewhere", "found", ("b.md",)),
        ItemFinding("2", "unchecked", "busy"),
    )
    found = SetCheck(items, findings)
    again = {each.id: each.checks for each in found.items_again()}
    assert list(again) == ["1", "3"]
    assert again["1"][:2] == passed
    assert [(check.check, check.passed, check.reason) for check in again["1"][2:]] == [
        ("contradiction", False, "new"),
        ("duplicate", False, "near"),
    ]
    (gone,) = again["3"]
    assert (gone.check, gone.details["where"], gone.details["lost"]) == ("up_to_date", ["a.md"], [])
    assert gone.details["at"].endswith("+00:00")
    assert found.unchecked == 1
