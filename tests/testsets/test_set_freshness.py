"""Items against a knowledge base whose documents have changed since: a real base, indexed and indexed again."""

from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from saiten.errors import CallFailed, Unreadable
from saiten.judges.offline import OfflineJudge
from saiten.judges.scripted import ScriptedJudge
from saiten.models.builtin_embedder import BuiltinEmbedder
from saiten.records import Turn
from saiten.tasks.questions import AnswerFromPassages, PassagesAnswer
from saiten.tasks.statements import StatementVerdicts, VerifyStatements
from saiten.tasks.verdicts import Verdict
from saiten.testsets.items import Checked, SetItem, SetPassage
from saiten.testsets.upkeep.documents import known_documents, read_base
from saiten.testsets.upkeep.findings import DocumentCount
from saiten.testsets.upkeep.freshness import Freshness
from saiten.wiring import Models, index_documents, open_knowledge_base

TEXTS = {
    "en": {
        "bridge.md": "# Harbor bridge\n\nThe harbor bridge was opened in 1998. It is 3,911 meters long.\n",
        "ferry.md": "# Ferry\n\nThe ferry runs every 20 minutes. A day ticket costs 8 euros.\n",
        "museum.md": "# Museum\n\nThe museum is closed on Mondays. Guided tours begin at 11:00.\n",
    },
    "ja": {
        "bridge.md": "# 港大橋\n\n港大橋は1998年に開通しました。全長は3,911メートルです。\n",
        "ferry.md": "# 連絡船\n\n連絡船は20分おきに運航しています。一日券は800円です。\n",
        "museum.md": "# 博物館\n\n博物館は月曜日が休館日です。解説ツアーは11時に始まります。\n",
    },
}
QUESTIONS = {
    "en": {
        "bridge.md": ("When was the harbor bridge opened?", "The harbor bridge was opened in 1998."),
        "ferry.md": ("What does a day ticket for the ferry cost?", "8 euros."),
        "museum.md": ("On which day is the museum closed?", "The museum is closed on Mondays."),
    },
    "ja": {
        "bridge.md": ("港大橋はいつ開通しましたか。", "港大橋は1998年に開通しました。"),
        "ferry.md": ("連絡船の一日券はいくらですか。", "800円です。"),
        "museum.md": ("博物館の休館日は何曜日ですか。", "博物館は月曜日が休館日です。"),
    },
}
ANSWERED = {
    "en": {"bridge.md": "opened in 1998", "ferry.md": "costs 8 euros", "museum.md": "closed on Mondays"},
    "ja": {"bridge.md": "1998年に開通", "ferry.md": "一日券は800円", "museum.md": "月曜日が休館日"},
}
UNANSWERABLE = {
    "en": ("Who designed the harbor bridge?", "The documents do not say who designed the harbor bridge."),
    "ja": ("港大橋を設計したのは誰ですか。", "港大橋を設計した人は文書に記載されていません。"),
}


class Base:
    """Documents in a folder, and the base that they are indexed into."""

    def __init__(self, folder: Path) -> None:
        self.documents, self.kb = folder / "documents", str(folder / "kb")
        self.documents.mkdir()

    async def index(self, **texts: str | None) -> None:
        """Write documents, or remove those that are None, and update the base."""
        for name, text in texts.items():
            path = self.documents / name
            path.unlink() if text is None else path.write_text(text, encoding="utf-8")
        await index_documents([self.documents], self.kb, Models(), prune=True)

    async def items(self, language: str) -> dict[str, SetItem]:
        """Items from the base as it is now: one per document, with the whole chunk as the passage."""
        opened = await open_knowledge_base(self.kb, Models())
        digests = (await read_base(opened, [item("-", passage=SetPassage("x", "bridge.md"))])).digests
        chunks = {point.payload["source"]: point.payload async for point in opened.engine.chunks()}
        await opened.close()
        return {
            name: item(
                name,
                *QUESTIONS[language][name],
                passage=passage_of(chunk, digests[name], ANSWERED[language][name]),
                language=language,
            )
            for name, chunk in chunks.items()
        }

    @asynccontextmanager
    async def freshness(self, items, judge, *, reads=True):
        """What looks whether the items are up to date."""
        opened = await open_knowledge_base(self.kb, Models(), retrieval="hybrid", k=3)
        try:
            now = await read_base(opened, list(items))
            yield Freshness(now, opened, judge, known_documents(items), 3, reads)
        finally:
            await opened.close()

    async def found(self, items, judge, *, reads=True):
        """Item → what is found, for the items that a change concerns."""
        async with self.freshness(items, judge, reads=reads) as freshness:
            concerned = [each for each in items if freshness.concerned(each)]
            return {each.id: (await freshness.look(each)).findings for each in concerned}


def item(identity, question="Where?", reference="There.", *, passage=None, kind="single", language="en", **more):
    """An item with one passage or none."""
    return SetItem(identity, question, reference, kind, language, (passage,) if passage else (), **more)


def passage_of(chunk, digest, quote):
    """The passage of a chunk, with the place of a quote."""
    start = chunk["text"].index(quote)
    quotes = ((start, start + len(quote)),)
    return SetPassage(chunk["text"], chunk["source"], chunk["start"], chunk["end"], digest, quotes)


def verdict(*, supported):
    """A judge that says whether the passages support the reference, and answers nothing else."""

    def verified(task):
        numbers = range(1, len(task.statements) + 1)
        return StatementVerdicts(verdicts=[Verdict(number=n, reason="so", verdict=supported) for n in numbers])

    return ScriptedJudge({VerifyStatements: verified})


@pytest.fixture
async def base(tmp_path):
    """An empty folder of documents, and no base yet."""
    return Base(tmp_path)


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_nothing_is_asked_about_unchanged_documents(base, language):
    """Indexing again without a change concerns no item; nor does a new document, for questions with an answer."""
    await base.index(**TEXTS[language])
    items = list((await base.items(language)).values())
    await base.index()
    assert await base.found(items, ScriptedJudge({})) == {}
    await base.index(**{"new.md": "Something else altogether."})
    assert await base.found(items, ScriptedJudge({})) == {}


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_a_passage_that_is_still_there_needs_no_judge(base, language):
    """Text around it changed, or line breaks moved: the passage, or at least its quotes, are there word for word."""
    await base.index(**TEXTS[language])
    items = list((await base.items(language)).values())
    moved = {name: f"Moved.\n\n{text}" for name, text in TEXTS[language].items()}
    await base.index(**moved)
    assert await base.found(items, ScriptedJudge({})) == {}
    broken = {
        name: text.replace(ANSWERED[language][name], "\n".join(ANSWERED[language][name])) + "More."
        for name, text in TEXTS[language].items()
    }
    await base.index(**broken)
    assert await base.found(items, ScriptedJudge({})) == {}


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_a_changed_fact_is_found_and_named(base, language):
    """Only the item of the changed document is looked at; the offline judge sees that its sentence is gone."""
    await base.index(**TEXTS[language])
    items = list((await base.items(language)).values())
    await base.index(**{"bridge.md": TEXTS[language]["bridge.md"].replace("1998", "2003")})
    found = await base.found(items, OfflineJudge(BuiltinEmbedder()), reads=False)
    (finding,) = found.pop("bridge.md")
    assert found == {}
    assert (finding.kind, finding.where) == ("lost", ("bridge.md",))
    assert finding.reason.startswith("the passage is no longer in bridge.md, and nothing else in the base supports “")
    assert QUESTIONS[language]["bridge.md"][1] in finding.reason
    assert finding.details["lost"][0]["judge"]


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_a_mere_value_is_looked_for_together_with_its_question(base, language):
    """*8 euros* is somewhere in the base, but not as the price that the question asks for."""
    await base.index(**TEXTS[language])
    items = list((await base.items(language)).values())
    price = {"en": ("costs 8 euros", "costs 9 euros"), "ja": ("800円", "900円")}[language]
    elsewhere = {"en": "# Parking\n\nParking is 8 euros.\n", "ja": "# 駐車場\n\n駐車料金は800円です。\n"}
    await base.index(**{"ferry.md": TEXTS[language]["ferry.md"].replace(*price), "parking.md": elsewhere[language]})
    judge = verdict(supported=True)
    await base.found(items, judge)
    (asked,) = judge.asked
    assert asked.statements == (f"{QUESTIONS[language]['ferry.md'][0]} {QUESTIONS[language]['ferry.md'][1]}",)
    found = await base.found(items, OfflineJudge(BuiltinEmbedder()), reads=False)
    assert [finding.kind for finding in found["ferry.md"]] == ["lost"]


async def test_a_number_that_is_also_elsewhere_does_not_hide_that_it_changed(base):
    """The judge of words finds the old number in the same passage; the new version of the sentence is shown instead."""
    text = "# Pages\n\nA page holds at most 500 rows per stratum in memory. {} answers are kept, 500 rows each.\n"
    await base.index(**{"pages.md": text.format("20")})
    opened = await open_knowledge_base(base.kb, Models())
    (chunk,) = [point.payload async for point in opened.engine.chunks()]
    await opened.close()
    rows = item(
        "r",
        "How many rows are in memory?",
        "At most 500 rows per stratum are in memory.",
        passage=passage_of(chunk, "old", "500 rows per stratum"),
    )
    await base.index(**{"pages.md": text.format("20").replace("500 rows per", "800 rows per")})
    ((finding,),) = (await base.found([rows], OfflineJudge(BuiltinEmbedder()), reads=False)).values()
    assert (finding.kind, finding.where) == ("lost", ("pages.md",))
    assert finding.reason.startswith("a sentence of its passage reads otherwise now: “")
    assert "800 rows per stratum" in finding.details["now"]
    ((finding,),) = (await base.found([rows], verdict(supported=True))).values()
    assert finding.kind == "elsewhere"


async def test_a_removed_document_is_named_and_its_content_looked_for_elsewhere(base):
    """With support in another document the item is still answered; without, people look again."""
    await base.index(**TEXTS["en"])
    items = [(await base.items("en"))["museum.md"]]
    await base.index(**{"museum.md": None, "visit.md": "On Mondays, the museum is closed. Bring a coat.\n"})
    for supported, kind in ((True, "elsewhere"), (False, "lost")):
        ((finding,),) = (await base.found(items, verdict(supported=supported))).values()
        assert finding.kind == kind
        assert finding.reason.startswith("museum.md is no longer in the base, ")
    judge = verdict(supported=True)
    ((finding,),) = (await base.found(items, judge)).values()
    assert "visit.md" in finding.details["found_in"]
    assert any("On Mondays" in text for text in judge.asked[0].contexts)


async def test_kept_passages_are_shown_to_the_judge_too(base):
    """Of an item with two passages, one may be lost: the other still supports its part."""
    await base.index(**TEXTS["en"])
    both = await base.items("en")
    one = item("both", "Which?", "Both are.", kind="across")
    one = SetItem(
        one.id, one.question, one.reference, "across", "en", (*both["bridge.md"].passages, *both["ferry.md"].passages)
    )
    await base.index(**{"ferry.md": "# Ferry\n\nThe ferry has been closed.\n"})
    judge = verdict(supported=True)
    await base.found([one], judge)
    assert judge.asked[0].contexts[0] == both["bridge.md"].passages[0].text


async def test_an_item_without_passages_is_looked_up(base):
    """A question from elsewhere names no document: the base supports its reference, or does not."""
    await base.index(**TEXTS["en"])
    there = item("there", *QUESTIONS["en"]["bridge.md"], kind="")
    absent = item("absent", "When was the tunnel opened?", "The tunnel was opened in 2011 by the queen.", kind="")
    found = await base.found([there, absent], OfflineJudge(BuiltinEmbedder()), reads=False)
    assert found["there"] == ()
    assert [(finding.kind, finding.where) for finding in found["absent"]] == [("lost", ())]
    assert found["absent"][0].reason.startswith("the base does not support “The tunnel")


async def test_a_passage_without_a_document_is_looked_for_in_all_of_them(base):
    """Contexts from another tool name no source; their words may be in any document."""
    await base.index(**TEXTS["en"])
    text = "A day ticket\ncosts 8 euros."
    known = item("known", "Price?", "8 euros.", kind="", passage=SetPassage(text))
    unknown = item("unknown", "Price?", "8 euros.", kind="", passage=SetPassage("A ticket is 8 euros."))
    found = await base.found([known, unknown], verdict(supported=False))
    assert list(found) == ["unknown"]
    assert found["unknown"][0].reason.startswith(
        "the passage is no longer in the base, and nothing else in it supports"
    )


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_an_unanswerable_question_that_a_change_answers_is_found(base, language):
    """A model reads the new passages; the offline judge names the sentence that comes near, and says what it cannot know."""
    await base.index(**TEXTS[language])
    made = await base.items(language)
    question, reference = UNANSWERABLE[language]
    near = item("u", question, reference, kind="unanswerable", passage=made["bridge.md"].passages[0], language=language)
    items = [*made.values(), near]
    assert "u" not in await base.found(items, ScriptedJudge({}))
    added = {"en": "Ada Moreau designed the harbor bridge.", "ja": "港大橋は森田明子が設計しました。"}[language]
    await base.index(**{"bridge.md": f"{TEXTS[language]['bridge.md']}\n{added}\n"})
    for answered, kinds in ((True, ["answerable"]), (False, [])):
        reply = PassagesAnswer(answered=answered, answer="Ada Moreau." if answered else "")
        judge = ScriptedJudge({AnswerFromPassages: reply})
        found = (await base.found(items, judge))["u"]
        assert [finding.kind for finding in found] == kinds
        assert any(added in text for text in judge.asked[0].passages)
    (finding,) = (await base.found(items, OfflineJudge(BuiltinEmbedder()), reads=False))["u"]
    assert finding.reason.startswith(
        "new text is near the question; whether it answers it takes a model or a person: “"
    )
    assert added in finding.reason
    assert finding.where[0] == "bridge.md"


async def test_an_unrelated_change_answers_no_unanswerable_question(base):
    """The offline judge names nothing if no new sentence has the question's words."""
    await base.index(**TEXTS["en"])
    made = await base.items("en")
    near = item("u", *UNANSWERABLE["en"], kind="unanswerable", passage=made["bridge.md"].passages[0])
    await base.index(**{"ferry.md": "# Ferry\n\nDogs are welcome on board.\n"})
    assert (await base.found([*made.values(), near], OfflineJudge(BuiltinEmbedder()), reads=False))["u"] == ()


async def test_an_unanswerable_question_tried_in_the_same_contents_is_not_tried_again(base):
    """Its check names the base with the digest of its contents; any change of a document is another digest."""
    await base.index(**TEXTS["en"])
    opened = await open_knowledge_base(base.kb, Models())
    name = opened.name
    await opened.close()
    tried = Checked("round_trip", passed=True, details={"base": name})
    near = item("u", *UNANSWERABLE["en"], kind="unanswerable", checks=(tried,))
    assert await base.found([near], ScriptedJudge({})) == {}
    await base.index(**{"new.md": "The harbor bridge was designed by Ada Moreau."})
    assert list(await base.found([near], ScriptedJudge({AnswerFromPassages: PassagesAnswer(answered=False)}))) == ["u"]


async def test_a_failed_call_is_a_finding_and_not_a_verdict(base):
    """Neither a failed call nor an unreadable reply says anything about the item."""
    await base.index(**TEXTS["en"])
    items = [(await base.items("en"))["ferry.md"]]
    await base.index(**{"ferry.md": "# Ferry\n\nClosed.\n"})
    for error in (CallFailed("the server is busy"), Unreadable("found no JSON", "?")):
        ((finding,),) = (await base.found(items, ScriptedJudge({VerifyStatements: error}))).values()
        assert (finding.kind, finding.again) == ("unchecked", False)
        assert finding.reason == str(error)


async def test_a_follow_up_question_is_judged_with_what_was_said_before(base):
    """The judge sees the conversation, without which the question means nothing."""
    await base.index(**TEXTS["en"])
    said = (Turn("What about the ferry?", "It runs every 20 minutes."),)
    follow_up = item("f", "And the price?", "A day ticket costs 8 euros.", kind="follow_up", history=said)
    judge = verdict(supported=True)
    await base.found([follow_up], judge)
    assert judge.asked[0].conversation == said


async def test_the_documents_are_counted(base):
    """Those that items name: unchanged, changed, removed; and those of the base that none names."""
    await base.index(**TEXTS["en"])
    items = list((await base.items("en")).values())
    await base.index(**{"bridge.md": "Changed.", "museum.md": None, "new.md": "New."})
    async with base.freshness(items, verdict(supported=True)) as freshness:
        assert freshness.base.count(known_documents(items)) == DocumentCount(3, 1, 1, 1, 1)


async def test_overlapping_and_exact_chunks_are_put_together_again(base):
    """A passage may run over the border of chunks; what two chunks share counts once."""
    text = " ".join(f"Sentence number {n} is about the bridge." for n in range(40))
    for number, (size, overlap, exact) in enumerate(((80, 30, False), (61, 20, True), (50, 0, False))):
        (base.documents / "long.md").write_text(text, encoding="utf-8")
        kb = f"{base.kb}{number}"
        await index_documents([base.documents], kb, Models(), chunk_size=size, overlap=overlap, exact=exact)
        opened = await open_knowledge_base(kb, Models())
        whole = item("w", passage=SetPassage(text[37:900], "long.md", document="of another version"))
        other = item("o", passage=SetPassage(text[37:900].replace("12", "13"), "long.md"))
        now = await read_base(opened, [whole, other])
        await opened.close()
        assert [now.standing(each.passages[0]) for each in (whole, other)] == ["kept", "lost"]
