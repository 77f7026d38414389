"""Plans cover a base: its documents, topics and sections, not its beginning; and an interrupted plan goes on."""

import asyncio
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planned_bases import base_of_files, base_of_texts

from saiten.demo.samples import corpus
from saiten.testsets.items import SetPassage
from saiten.testsets.plan.coverage import Coverage
from saiten.testsets.plan.passages import BasePassage
from saiten.testsets.plan.planning import Planner, PlanSettings
from saiten.testsets.plan.slots import slot_from_json, slot_to_json

KINDS = ("single", "several", "across", "comparison", "unanswerable", "false_premise", "follow_up")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The base of the demo's corpus in both languages."""
    return base_of_files(tmp_path_factory.mktemp("demo") / "kb", [corpus()])


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A base of some of this project's pages: 24 documents, hundreds of passages."""
    found = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))[:24]
    return base_of_files(tmp_path_factory.mktemp("pages") / "kb", found)


def plan(base, *steps, taken=(), **wishes):
    """Take slots of the kinds and numbers, in this order."""

    async def planned():
        planner = await Planner.open(base, PlanSettings(KINDS, **wishes), taken)
        return [slot for kind, n in steps for slot in await planner.take(kind, n)]

    return asyncio.run(planned())


def test_no_document_gets_a_third_question_before_every_document_has_one(pages):
    """However large it is."""
    asked = Counter()
    for slot in plan(pages, ("single", 80)):
        asked[slot.passages[0].source] += 1
        assert max(asked.values()) <= 2 or len(asked) == 24
    assert len(asked) == 24


def test_a_larger_document_gets_more_questions_but_not_in_proportion(pages):
    """Its share is the square root of its passages."""
    slots = plan(pages, ("single", 240))
    sizes = asyncio.run(_sizes(pages))
    asked = Counter(slot.passages[0].source for slot in slots)
    largest, smallest = max(sizes, key=sizes.get), min(sizes, key=sizes.get)
    assert sizes[largest] > 8 * sizes[smallest]
    assert 1.5 * asked[smallest] < asked[largest] < asked[smallest] * sizes[largest] / sizes[smallest]


async def _sizes(base):
    planner = await Planner.open(base, PlanSettings(KINDS))
    return Counter(each.passage.source for each in planner.read.passages)


def test_questions_come_from_everywhere_in_a_document(pages):
    """The places are spread evenly: about as many in each quarter of the documents."""
    lengths = {}
    slots = plan(pages, ("single", 160))
    for slot in plan(pages, ("single", 10_000)):
        passage = slot.passages[0]
        lengths[passage.source] = max(lengths.get(passage.source, 0), passage.end)
    quarters = Counter(int(4 * slot.passages[0].start / lengths[slot.passages[0].source]) for slot in slots)
    assert all(25 <= quarters[each] <= 55 for each in range(4)), quarters


def test_sections_of_a_document_take_turns(demo):
    """The handbook's ten sections have one question each before any has two."""
    asked = Counter()
    for slot in plan(demo, ("single", 40)):
        if slot.passages[0].source == "en/handbook.md":
            asked[slot.passages[0].text] += 1
    assert max(asked.values()) == 1
    planner = asyncio.run(Planner.open(demo, PlanSettings(KINDS)))
    section = {each.passage.text: each.section for each in planner.read.passages}
    first = [section[text] for text in asked][:10]
    assert len(set(first)) == len(first)


def test_every_passage_is_used_once_per_kind(demo):
    """A base of 55 passages has 55 questions about a single one; then the planner says so."""

    async def planned():
        planner = await Planner.open(demo, PlanSettings(KINDS))
        slots = await planner.take("single", 60)
        return slots, await planner.take("single", 3), planner.why_not("single"), planner.why_not("unanswerable")

    slots, more, why, why_other = asyncio.run(planned())
    assert len({slot.passages[0].text for slot in slots}) == len(slots) == 55
    assert more == []
    assert why == "every passage of the knowledge base, of 55, has been used for a question of this kind"
    assert why_other is None


def test_kinds_share_the_coverage(demo):
    """A passage that one kind has used is used by another only when all of its document have been."""
    slots = plan(demo, ("single", 20), ("unanswerable", 20))
    assert len({slot.passages[0].text for slot in slots}) == 40


def test_equal_bases_and_settings_give_equal_plans_and_another_seed_another(demo):
    """Chance is of the seed's making."""
    steps = [(kind, 5) for kind in KINDS]
    assert plan(demo, *steps) == plan(demo, *steps)
    assert plan(demo, ("single", 5)) != plan(demo, ("single", 5), seed=7)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 3)), max_size=6), st.data())
def test_a_plan_that_was_interrupted_goes_on_as_if_it_had_not_been(demo, steps, data):
    """Whatever was taken before, the remaining slots are the same, and so are their ids."""
    whole = plan(demo, *steps)
    at = data.draw(st.integers(0, len(steps)))
    begun = [slot_from_json(slot_to_json(slot)) for slot in plan(demo, *steps[:at])]
    assert begun + plan(demo, *steps[at:], taken=begun) == whole


def test_slots_of_passages_that_are_gone_keep_their_numbers(demo, tmp_path):
    """Documents may change between two runs; ids are never given twice."""
    begun = plan(base_of_texts(tmp_path, {"a.md": "The bridge was opened in 1998 by the mayor."}), ("single", 1))
    assert [slot.id for slot in plan(demo, ("single", 2), taken=begun)] == ["single-2", "single-3"]


def test_ids_difficulties_and_personas_take_turns(demo):
    """Every persona meets every difficulty, also if there are as many of one as of the other."""
    slots = plan(demo, ("single", 18), personas=("a customer", "a technician", "a lawyer"))
    assert [slot.id for slot in slots] == [f"single-{number}" for number in range(1, 19)]
    assert [slot.difficulty for slot in slots[:4]] == ["easy", "medium", "hard", "easy"]
    assert set(Counter((slot.persona, slot.difficulty) for slot in slots).values()) == {2}
    assert len({(slot.persona, slot.difficulty) for slot in slots}) == 9
    assert {slot.persona for slot in plan(demo, ("single", 3))} == {""}
    assert {slot.difficulty for slot in plan(demo, ("single", 4), difficulties=("hard",))} == {"hard"}


def test_the_language_is_that_of_the_passage_or_the_one_wished_for(demo):
    """Documents in both languages give questions in both, unless one is named."""
    for slot in plan(demo, ("single", 20), ("several", 6), ("unanswerable", 6)):
        assert {passage.source[:2] for passage in slot.passages} == {slot.language}
    assert {slot.language for slot in plan(demo, ("single", 20), language="ja")} == {"ja"}


PASSAGES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 4), st.booleans()), min_size=1, max_size=40
)


def made(rows):
    """Passages of documents and sections, and their clusters."""
    passages = [
        BasePassage(SetPassage(str(at), f"d{document}", at, at + 1), f"s{section}", "en", written)
        for at, (document, section, _, written) in enumerate(rows)
    ]
    return passages, np.array([cluster for _, _, cluster, _ in rows], np.intp)


def picks(passages, clusters, n):
    """The next n passages, each used once picked."""
    coverage, left = Coverage(passages, clusters, 1), np.ones(len(passages), bool)
    for _ in range(min(n, len(passages))):
        number = coverage.next(left)
        coverage.use(number)
        left[number] = False
        yield passages[number].passage.text


@given(PASSAGES)
def test_every_passage_comes_once_and_documents_first(rows):
    """Whatever the documents, sections and clusters are: the first picks are one of each document."""
    passages, clusters = made(rows)
    texts = list(picks(passages, clusters, len(rows)))
    assert sorted(texts, key=int) == [str(at) for at in range(len(rows))]
    documents = len({row[0] for row in rows})
    assert len({rows[int(text)][0] for text in texts[:documents]}) == documents


@given(PASSAGES, st.randoms())
def test_the_order_in_which_passages_are_listed_decides_nothing(rows, random):
    """Ties are settled by the place and the seed, never by the position."""
    passages, clusters = made(rows)
    order = list(range(len(rows)))
    random.shuffle(order)
    shuffled = [passages[at] for at in order]
    assert list(picks(passages, clusters, 9)) == list(picks(shuffled, clusters[order], 9))


def test_topics_take_turns_among_documents_of_equal_standing():
    """Of a hundred documents about three topics, the first questions are about all three."""
    rows = [(at, 0, 0 if at < 90 else 1 if at < 97 else 2, True) for at in range(100)]
    passages, clusters = made(rows)
    topics = Counter(rows[int(text)][2] for text in picks(passages, clusters, 12))
    assert min(topics[0], topics[1], topics[2]) >= 1
    assert topics[0] > topics[2]


def test_code_and_tables_come_after_sentences():
    """A section with two passages is asked about by its sentences first."""
    passages, clusters = made([(0, 0, 0, False), (0, 0, 0, True), (0, 0, 0, False)])
    assert next(picks(passages, clusters, 1)) == "1"
