"""Our RAG as a system: what it retrieves, what it reports about each call, and what happens on failures."""

import asyncio

import pytest
from shelf import Shelf, blocks, shown, ticking

from saiten.errors import BudgetSpent, CallFailed, ConfigurationError, SystemFailed
from saiten.models.cache import CachedChat
from saiten.models.scripted import ScriptedChat
from saiten.models.sqlite_store import SQLiteStore
from saiten.prompts import BUILT_IN
from saiten.protocols import Completion
from saiten.rag.chat_generator import ChatGenerator
from saiten.rag.extractive import ExtractiveGenerator
from saiten.rag.system import Rag, read_query
from saiten.records import Answer, Inquiry, Passage, Turn, Usage

HISTORY = (Turn("Which bridge is the longest?", "The Akashi bridge."),)
COST = Usage(calls=1, prompt_tokens=10, completion_tokens=2)
FOUND = Usage(calls=1, prompt_tokens=3)


def said(*texts: str) -> ScriptedChat:
    """A chat with these replies, each at the same cost."""
    return ScriptedChat([Completion(text, COST) for text in texts], "openai:m")


async def test_an_answer_has_its_passages_its_calls_and_their_cost():
    """From the question to the last token; every call with its step, time and usage, in order."""
    rag = Rag(Shelf("one", "two", "three"), ChatGenerator(said("a", "b")), "refine", k=2, clock=ticking())
    answer = await rag.answer(Inquiry("Why?"))
    assert isinstance(answer, Answer)
    assert answer.text == "b"
    assert answer.contexts == (Passage("one", "doc1", 1.0), Passage("two", "doc2", 0.5))
    assert [(call.step, call.seconds, call.usage) for call in answer.calls] == [
        ("retrieve", 1.0, FOUND),
        ("qa", 1.0, COST),
        ("refine", 1.0, COST),
    ]
    assert answer.seconds == 7.0  # the clock was read twice for each call, and twice for the whole
    assert answer.usage == FOUND + COST + COST


async def test_the_calls_are_in_the_order_in_which_they_were_begun():
    """In whatever order the map calls end, the first document's comes first."""
    turns = [asyncio.Event() for _ in range(3)]

    async def reply(request):
        number = next((n for n in range(3) if f"doc {n}" in shown(request)), None)
        if number is None:
            return "all"
        if number < 2:
            await turns[number + 1].wait()
        turns[number].set()
        return Completion("x", Usage(completion_tokens=number))

    rag = Rag(Shelf("doc 0", "doc 1", "doc 2"), ChatGenerator(ScriptedChat(reply)), "map_reduce")
    answer = await rag.answer(Inquiry("Why?"))
    assert [call.step for call in answer.calls] == ["retrieve", "qa", "qa", "qa", "aggregate"]
    assert [call.usage.completion_tokens for call in answer.calls[1:4]] == [0, 1, 2]


async def test_an_answer_that_was_partly_on_disk_has_no_latency(tmp_path):
    """Its time says nothing about the system; the usage shows what was reused, and only calls made are listed."""
    chat = ScriptedChat(lambda request: Completion(f"{len(shown(request))}", COST))
    generator = ChatGenerator(CachedChat(chat, SQLiteStore(tmp_path / "answers.sqlite")))
    first = await Rag(Shelf("one", "two"), generator, "refine").answer(Inquiry("Why?"))
    other = await Rag(Shelf("one", "two"), generator, "map_reduce").answer(Inquiry("Why?"))
    await generator.close()
    assert first.seconds is not None
    assert other.seconds is None
    assert [call.step for call in other.calls] == ["retrieve", "qa", "aggregate"]
    assert other.usage == FOUND + COST + COST + Usage(reused=1)


async def test_qa_asks_each_question_alone():
    """The question itself is the query, and no call sees the history."""
    shelf, chat = Shelf("one"), said("a")
    await Rag(shelf, ChatGenerator(chat), form="qa").answer(Inquiry("How long is it?", history=HISTORY))
    assert shelf.queries == [("How long is it?", 5)]
    assert blocks(chat.requests[0]) == ["question", "documents"]


async def test_mqa_searches_with_the_history_and_answers_with_it():
    """The query is written from question and history; the answer is requested with the original question."""
    shelf, chat = Shelf("one"), said('Query: "length of the Akashi bridge"\n\nI hope it helps.', "3,911 m")
    answer = await Rag(shelf, ChatGenerator(chat), form="mqa", k=1).answer(Inquiry("How long?", history=HISTORY))
    assert shelf.queries == [("length of the Akashi bridge", 1)]
    assert [blocks(request) for request in chat.requests] == [
        ["conversation", "question"],
        ["conversation", "question", "documents"],
    ]
    assert "<question>\nHow long?\n</question>" in shown(chat.requests[1])
    assert answer.text == "3,911 m"
    assert [call.step for call in answer.calls] == ["query", "retrieve", "qa"]


async def test_the_first_turn_of_mqa_needs_no_query_call():
    """Without a history the question is sufficient."""
    shelf, chat = Shelf("one"), said("a")
    answer = await Rag(shelf, ChatGenerator(chat), form="mqa").answer(Inquiry("How long?"))
    assert shelf.queries == [("How long?", 5)]
    assert [call.step for call in answer.calls] == ["retrieve", "qa"]


@pytest.mark.parametrize("chain", ["stuff", "refine", "map_reduce"])
@pytest.mark.parametrize(("language", "text"), [("en", "I don't know."), ("ja", "分かりません。")])
async def test_where_nothing_is_found_nobody_is_asked(chain, language, text):
    """Without a passage no model is called: the answer says that it does not know, and has no contexts."""
    answer = await Rag(Shelf(), ChatGenerator(said()), chain).answer(Inquiry("Why?", language=language))
    assert (answer.text, answer.contexts) == (text, ())
    assert [call.step for call in answer.calls] == ["retrieve"]


async def test_a_call_that_fails_fails_the_question_and_reports_what_was_spent():
    """The next question may work; the error has the costs of all calls, the failed one included."""
    chat = ScriptedChat([Completion("a", COST), CallFailed("busy to the last retry", Usage(calls=4))])
    rag = Rag(Shelf("one", "two"), ChatGenerator(chat), "refine")
    with pytest.raises(SystemFailed, match="busy to the last retry") as failure:
        await rag.answer(Inquiry("Why?"))
    assert failure.value.kind == "failed"
    assert failure.value.usage == FOUND + COST + Usage(calls=4)


async def test_a_failing_map_call_fails_the_question_and_every_call_is_counted():
    """The other map calls end and are counted; the aggregate is never requested, and nothing keeps running."""
    everybody = asyncio.Barrier(2)

    async def reply(request):
        await everybody.wait()
        if "one" in shown(request):
            return CallFailed("gone", Usage(calls=1))
        await asyncio.sleep(0.01)
        return Completion("an answer", COST)

    chat = ScriptedChat(reply)
    with pytest.raises(SystemFailed, match="gone") as failure:
        await Rag(Shelf("one", "two"), ChatGenerator(chat), "map_reduce").answer(Inquiry("Why?"))
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert len(chat.requests) == 2
    assert failure.value.usage == FOUND + Usage(calls=1) + COST


async def test_a_retriever_that_fails_fails_the_question():
    """For example, a server that is permanently busy; the model is not asked."""
    with pytest.raises(SystemFailed, match="no embedding"):
        await Rag(Shelf(error=CallFailed("no embedding")), ChatGenerator(said())).answer(Inquiry("Why?"))


async def test_an_unreadable_reply_is_distinguished_from_a_failure():
    """A call whose model only ever thought has not failed."""
    with pytest.raises(SystemFailed) as failure:
        await Rag(Shelf("one"), ChatGenerator(said("<think>hm"))).answer(Inquiry("Why?"))
    assert failure.value.kind == "unreadable"
    assert failure.value.usage == FOUND + COST


@pytest.mark.parametrize("error", [BudgetSpent("spent"), ConfigurationError("no such model")])
@pytest.mark.parametrize("chain", ["stuff", "map_reduce"])
async def test_what_stops_the_run_passes_as_it_is(error, chain):
    """A spent budget and a wrong setup affect more than one question."""
    with pytest.raises(type(error), match=str(error)):
        await Rag(Shelf("one"), ChatGenerator(ScriptedChat([error])), chain).answer(Inquiry("Why?"))


async def test_an_empty_reply_of_the_model_is_an_empty_answer():
    """It becomes neither a refusal nor a failure."""
    assert (await Rag(Shelf("one"), ChatGenerator(said(""))).answer(Inquiry("Why?"))).text == ""


async def test_questions_answered_at_once_do_not_mix():
    """Each answer has its own calls; the system keeps nothing between questions."""
    rag = Rag(Shelf("The gate is red.", "The gate is high."), ExtractiveGenerator(), "map_reduce")
    answers = await asyncio.gather(*(rag.answer(Inquiry(f"Is gate {number} red?")) for number in range(20)))
    assert {len(answer.calls) for answer in answers} == {4}
    assert {answer.text for answer in answers} == {"The gate is red. The gate is high."}


@pytest.mark.parametrize(
    ("wrong", "message"), [({"chain": "tree"}, "map_reduce"), ({"form": "chat"}, "mqa"), ({"k": 0}, "k is 0")]
)
def test_a_system_that_cannot_be_is_refused(wrong, message):
    """The message lists the valid choices."""
    with pytest.raises(ConfigurationError, match=message):
        Rag(Shelf(), ExtractiveGenerator(), **wrong)


def test_name_and_description_say_what_an_answer_depends_on():
    """Chain, form, k, knowledge base, generator, and the prompts that this chain and form use."""
    rag = Rag(Shelf(), ChatGenerator(said()), "refine", "mqa", 3)
    assert rag.name == "rag[refine,mqa,k=3]:openai:m"
    assert rag.describe() == {
        "system": "rag",
        "chain": "refine",
        "form": "mqa",
        "k": "3",
        "knowledge_base": "shelf",
        "generator": "openai:m",
        "prompts": BUILT_IN.digest(["rag_answer", "rag_refine", "rag_query"]),
        "example": "none",
        "temperature": "0.0",
        "seed": "1",
        "max_tokens": "4096",
    }
    assert Rag(Shelf(), ChatGenerator(said()), "stuff").describe()["prompts"] == BUILT_IN.digest(["rag_answer"])


async def test_closing_closes_both_also_when_one_refuses():
    """The knowledge base is closed even if the model's connections cannot be."""
    shelf = Shelf()

    class Stubborn(ExtractiveGenerator):
        async def close(self):
            raise OSError("busy")

    with pytest.raises(OSError, match="busy"):
        await Rag(shelf, Stubborn()).close()
    assert shelf.closed


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("akashi length", "akashi length"),
        ("\n  akashi length \nbecause", "akashi length"),
        ('Search query: "akashi length"', "akashi length"),
        ("検索クエリ:「明石海峡大橋 全長」", "明石海峡大橋 全長"),
        ('"akashi" OR "length"', '"akashi" OR "length"'),
        ("query optimisation in Postgres", "query optimisation in Postgres"),
        ("“akashi”", "akashi"),
        ("Query:", "Why?"),
        ('""', "Why?"),
        (" \n ", "Why?"),
        ("", "Why?"),
        ("x" * 5_000, "x" * 1_000),
    ],
)
def test_a_query_is_one_line_without_its_surroundings(text, query):
    """If nothing is left, the question itself is the query."""
    assert read_query(text, "Why?") == query
