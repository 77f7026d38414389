"""The passages of a question fit its kind: what belongs together, what compares, what comes near."""

import asyncio
from itertools import combinations
from pathlib import Path

import pytest
from planned_bases import base_of_files, base_of_texts

from saiten.demo.samples import corpus
from saiten.testsets.plan.planning import Planner, PlanSettings

KINDS = ("single", "several", "across", "comparison", "unanswerable", "false_premise", "follow_up")
JOINT = ("several", "across", "comparison", "follow_up")
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module", params=["demo", "docs", "docs/ja"])
def base(request, tmp_path_factory):
    """A base of the demo's corpus, and of this project's pages in each language."""
    paths = {"demo": [corpus()], "docs": sorted(DOCS.glob("*.md"))[:20], "docs/ja": sorted(DOCS.glob("ja/*.md"))[:20]}
    return base_of_files(tmp_path_factory.mktemp("base") / "kb", paths[request.param])


def planned(base, kind, n, **wishes):
    """The planner, and n slots of a kind as numbers of passages."""

    async def taken():
        planner = await Planner.open(base, PlanSettings(KINDS, **wishes))
        return planner, await planner.take(kind, n)

    planner, slots = asyncio.run(taken())
    number = planner.companions.number
    return planner, [[number(each.source, each.start, each.end) for each in slot.passages] for slot in slots]


@pytest.mark.parametrize("kind", KINDS)
def test_passages_of_a_question_are_different_and_of_one_language(base, kind):
    """They share no text, their texts are the base's, and no two questions of a kind are about the same ones."""
    planner, slots = planned(base, kind, 15)
    for numbers in slots:
        passages = [planner.read.passages[each] for each in numbers]
        assert len(set(numbers)) == len(numbers)
        assert len({each.language for each in passages}) == 1
        for one, other in combinations(passages, 2):
            assert (
                one.passage.source != other.passage.source
                or one.passage.end <= other.passage.start
                or other.passage.end <= one.passage.start
            )
    firsts = [numbers[0] for numbers in slots]
    assert len(set(firsts)) == len(firsts)
    if kind in JOINT:
        pairs = [frozenset((numbers[0], other)) for numbers in slots for other in numbers[1:]]
        assert len(set(pairs)) == len(pairs)


def test_several_passages_are_of_one_document_and_do_not_continue_each_other(base):
    """They share words that are rare in the base; the writer can choose among three others if there are as many."""
    planner, slots = planned(base, "several", 15)
    assert len(slots) >= 6
    read = planner.read.passages
    for numbers in slots:
        assert 2 <= len(numbers) <= 4
        assert len({read[each].passage.source for each in numbers}) == 1
        for one, other in combinations(numbers, 2):
            assert abs(one - other) > 1 or read[one].section != read[other].section
        for other in numbers[1:]:
            assert len(planner.companions.ties.shared(numbers[0], other)) >= 3
    assert any(len(numbers) == 4 for numbers in slots)


def test_passages_across_documents_are_of_as_many_documents(base):
    """Near ones that share rare words; there are none between a handbook and a manual."""
    planner, slots = planned(base, "across", 12)
    for numbers in slots:
        assert 2 <= len(numbers) <= 4
        assert len({planner.read.passages[each].passage.source for each in numbers}) == len(numbers)
        assert all(len(planner.companions.ties.shared(numbers[0], other)) >= 3 for other in numbers[1:])
    assert len(slots) == (12 if planner.read.documents > 4 else 0)


def test_compared_passages_are_of_other_sections_than_the_first(base):
    """Each says something that the first does not."""
    planner, slots = planned(base, "comparison", 10)
    assert slots
    for numbers in slots:
        one, *others = (planner.read.passages[each] for each in numbers)
        assert 1 <= len(others) <= 3
        assert (one.passage.source, one.section) not in {(other.passage.source, other.section) for other in others}


def test_near_misses_are_what_the_bases_own_search_finds(base):
    """An unanswerable question comes with the 4 nearest passages, one with a false premise with 2."""
    for kind, most in (("unanswerable", 4), ("false_premise", 2)):
        planner, slots = planned(base, kind, 6)
        for first, *others in slots:
            query = planner.read.passages[first]
            found = asyncio.run(base.retrieve(query.passage.text, 40)).passages
            near = [planner.companions.number(each.source, each.start, each.end) for each in found]
            near = [each for each in near if each is not None and each != first]
            fitting = [each for each in near if planner.read.passages[each].language == query.language]
            assert others == fitting[:most]


def test_follow_ups_stay_in_the_section(base):
    """The other passage is the nearest one there; a section of one passage is asked about twice."""
    planner, slots = planned(base, "follow_up", 15)
    read = planner.read.passages
    place = [(each.passage.source, each.section) for each in read]
    assert {len(numbers) for numbers in slots} == {1, 2}
    for numbers in slots:
        assert len({place[each] for each in numbers}) == 1
        assert len(numbers) == min(2, place.count(place[numbers[0]]))


LEAVES = {
    "leave.md": "# Handbook\n\n## Annual leave\n\nEvery employee has 26 days of paid leave in a year. Requests go to the "
    "line manager by the portal Kestrel, 2 weeks ahead.\n\n## Sick leave\n\nSick employees are paid for 20 days in a "
    "year. Notes go to the line manager by the portal Kestrel, within 3 days.\n\n## Catering\n\nOsprey serves lunch from "
    "noon to two, and coffee in the afternoon for everybody who works there.\n",
    "休暇.md": "# 就業規則\n\n## 年次有給休暇\n\n有給休暇は1年に20日を付与します。申請は勤怠システム「ホシナビ」で、上長あてに2週間前までに"
    "行ってください。\n\n## 特別休暇\n\n結婚の休暇は5日を付与します。申請は勤怠システム「ホシナビ」で、上長あてに6か月以内に行ってください。"
    "\n\n## 社員食堂\n\n食堂は正午から午後2時まで開いています。午後は全員にコーヒーを出します。\n",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "size", "compared"),
    [("leave.md", 160, {"Annual leave", "Sick leave"}), ("休暇.md", 80, {"年次有給休暇", "特別休暇"})],
)
def test_things_of_one_kind_are_compared(tmp_path, name, size, compared):
    """Annual and sick leave, 年次有給休暇 and 特別休暇, by the same words in headings and other numbers of days."""
    base = base_of_texts(tmp_path, {name: LEAVES[name]}, size)
    planner, slots = planned(base, "comparison", 10)
    titles = [{planner.read.passages[each].section.rpartition(" > ")[2] for each in numbers} for numbers in slots]
    assert titles == [compared]


def test_pages_of_a_template_are_compared_by_their_numbers(tmp_path):
    """Without headings, and alike but for a name and a number."""
    page = "The model {name} dries towels of cotton and linen. While it waits for commands, it uses {watts} watts."
    texts = {f"{name}.txt": page.format(name=name, watts=at + 3) for at, name in enumerate(("Osprey", "Kestrel"))}
    texts["care.txt"] = "Clean the filter every 2 weeks under running water until it clicks back into its place."
    _, slots = planned(base_of_texts(tmp_path, texts), "comparison", 5)
    assert [sorted(numbers) for numbers in slots] == [[0, 1]]


def test_a_document_of_two_passages_gives_a_question_about_both(tmp_path):
    """Although one continues the other: there is nothing else."""
    text = (
        "The Osprey room seats forty people and has a projector. It is booked in the portal Kestrel by the team. "
        "Catering for the Osprey room is ordered in Kestrel too, and the projector is fetched at the reception desk. "
    )
    base = base_of_texts(tmp_path, {"rooms.txt": text}, 110)
    planner, slots = planned(base, "several", 3)
    assert len(planner.read.passages) == 2
    assert [sorted(numbers) for numbers in slots] == [[0, 1]]
    assert planner.why_not("several") == "no more passages were found that belong together in such a question"


@pytest.mark.parametrize(
    ("texts", "impossible"),
    [
        ({"a.md": "The bridge was opened in 1998 by the mayor."}, {
            "several": "it takes several passages of one document, and each document has only one",
            "across": "it takes two documents, and the knowledge base has only one that questions could be written from",
            "comparison": "it takes two passages, and the knowledge base has only one",
        }),
        ({"a.md": "```\nimport saiten\n```"}, dict.fromkeys(
            KINDS, "the knowledge base has no passage that a question could be written from"
        )),
    ],
)  # fmt: skip
def test_a_kind_that_a_base_cannot_serve_says_why_before_and_after(tmp_path, texts, impossible):
    """A base of one passage, and one of junk: the reasons are known at once, and nothing is raised."""

    async def asked():
        base_here = await planner_of(tmp_path, texts)
        before = {kind: base_here.why_not(kind) for kind in KINDS}
        slots = {kind: await base_here.take(kind, 1) for kind in KINDS}
        return before, slots

    before, slots = asyncio.run(asked())
    assert {kind: why for kind, why in before.items() if why} == impossible
    assert {kind for kind, found in slots.items() if not found} == set(impossible)


async def planner_of(folder, texts):
    """A planner over a base of texts, made in another thread, which has its own loop."""
    base = await asyncio.to_thread(base_of_texts, folder, texts)
    return await Planner.open(base, PlanSettings(KINDS))


def test_a_base_without_documents_offers_nothing(tmp_path):
    """An empty folder was indexed."""
    planner, slots = planned(base_of_texts(tmp_path, {}), "single", 3)
    assert slots == []
    assert planner.why_not("single") == "the knowledge base has no passage that a question could be written from"


def test_chunks_that_overlap_are_never_in_one_question(tmp_path):
    """The text that two of them share would be there twice."""
    text = (corpus("en") / "manual.md").read_text("utf-8")
    base = base_of_texts(tmp_path, {"a.md": text, "b.md": (corpus("en") / "handbook.md").read_text("utf-8")}, 300, 120)
    for kind in ("several", "unanswerable", "follow_up"):
        planner, slots = planned(base, kind, 12)
        assert slots
        for numbers in slots:
            found = [planner.read.passages[each].passage for each in numbers]
            for one, other in combinations(found, 2):
                assert one.source != other.source or one.end <= other.start or other.end <= one.start


def test_questions_are_in_the_language_of_the_document(tmp_path):
    """An English passage in a Japanese document is asked about in Japanese; a wish goes before that."""
    japanese = "駐車場は午前8時に開き、午後10時に閉まります。その後に出庫するときは、内線119に連絡してください。"
    english = (
        "Visitors from abroad park on the north side, for up to two hours, and show their passport at the gate. Whoever "
        "stays longer gets a permit at the front desk. The permit is valid until midnight of the same day only."
    )
    text = f"# 案内\n\n## 駐車\n\n{japanese}\n\n## Visitors\n\n{english}\n\n## 許可証\n\n{japanese.replace('駐車場', '受付窓口')}\n"
    base = base_of_texts(tmp_path, {"案内.md": text}, 130)

    async def languages(**wishes):
        planner = await Planner.open(base, PlanSettings(KINDS, **wishes))
        return {each.language for each in await planner.take("single", 10)}, {p.language for p in planner.read.passages}

    assert asyncio.run(languages()) == ({"ja"}, {"ja", "en"})
    assert asyncio.run(languages(language="en"))[0] == {"en"}
