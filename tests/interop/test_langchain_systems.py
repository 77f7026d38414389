"""LangChain and LangGraph objects as systems under test, and LangChain retrievers, with the real packages."""

import asyncio

import pytest

pytest.importorskip("langchain_core", reason="`make interop` installs LangChain")

from in_app import INQUIRY, asked, conversed, searched

from saiten.errors import CallFailed, ConfigurationError, SystemFailed
from saiten.records import Inquiry, Passage, Turn, Usage

APP = """
import threading, time
from langchain.agents import create_agent
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel, FakeListLLM
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from typing_extensions import TypedDict

class Shelf(BaseRetriever):
    docs: list
    def _get_relevant_documents(self, query, *, run_manager): return self.docs[:3]
class Both(BaseRetriever):
    parts: list
    def _get_relevant_documents(self, query, *, run_manager):
        each = [part.invoke(query, config={"callbacks": run_manager.get_child()}) for part in self.parts]
        return [docs[0] for docs in each]
one = Shelf(docs=[Document(f"P{n}", metadata={"source": f"{n}.md"}) for n in range(3)])
both = Both(parts=[one, one])
named = Shelf(docs=[Document("p", metadata={"file_path": "deep/p.md"}), Document("q")])

def echo(kind):
    # what the model is shown, as its answer
    def say(prompt):
        shown = " / ".join(f"{m.type}:{m.content}" for m in prompt.to_messages())
        return AIMessage(shown, usage_metadata={"input_tokens": 7, "output_tokens": 2, "total_tokens": 9, "input_token_details": {"cache_read": 3}})
    return RunnableLambda(say)
model = FakeListChatModel(responses=["ok"])
llm = FakeListLLM(responses=["ok"])
prompt = ChatPromptTemplate.from_messages([("system", "{context}"), ("human", "{question}")])
with_history = ChatPromptTemplate.from_messages([MessagesPlaceholder("chat_history", optional=True), ("human", "{input}")])
text_history = PromptTemplate.from_template("{history} {query}")

lcel = {"context": one | (lambda docs: docs[0].page_content), "question": RunnablePassthrough()} | prompt | echo(1) | StrOutputParser()
fused = {"context": both | str, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()
rag = RunnablePassthrough.assign(context=lambda asked: one.invoke(asked["input"])).assign(answer=with_history | echo(1))
classic = RunnableLambda(lambda asked: {"query": asked["query"], "result": "r", "source_documents": one.docs})
old = text_history | RunnableLambda(lambda p: p.text)
talk = with_history | echo(1)
blocks = RunnableLambda(lambda q: AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "a"}, "b"]))
odd_key = RunnableLambda(lambda asked: {"verdict": "v " + asked["topic"], "found": ["t", "u"]})
odd_output = RunnableLambda(lambda q: {"verdict": q})
two_keys = ChatPromptTemplate.from_template("{topic} {style}") | model
documents = RunnableLambda(lambda q: one.docs)
remembering = RunnableWithMessageHistory(talk, lambda session_id: KEPT.setdefault(session_id, InMemoryChatMessageHistory()), input_messages_key="input", history_messages_key="chat_history")
KEPT = {}

def respond(state):
    shown = " / ".join(f"{m.type}:{m.content}" for m in state["messages"])
    return {"messages": [AIMessage(shown)]}
def graph_of(node, **how):
    graph = StateGraph(MessagesState)
    graph.add_node("model", node); graph.add_edge(START, "model"); graph.add_edge("model", END)
    return graph.compile(**how)
graph = graph_of(respond)
checkpointed = graph_of(respond, checkpointer=InMemorySaver())

class State(TypedDict):
    question: str
    context: list
    answer: str
state = StateGraph(State)
state.add_node("find", lambda s: {"context": one.invoke(s["question"])})
state.add_node("say", lambda s: {"answer": s["question"].upper()})
state.add_edge(START, "find"); state.add_edge("find", "say"); state.add_edge("say", END)
state = state.compile()

class ToolModel(GenericFakeChatModel):
    def bind_tools(self, tools, **_): return self
@tool(response_format="content_and_artifact")
def search(query: str):
    "Search."
    return "found", [Document("T", metadata={"source": "t.md"})]
def steps():
    while True:
        yield AIMessage("", tool_calls=[{"name": "search", "args": {"query": "x"}, "id": "1", "type": "tool_call"}])
        yield AIMessage("done", usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5})
agent = create_agent(ToolModel(messages=steps()), [search])

def fail(question: str) -> str:
    return {}["nothing"]
failing = RunnableLambda(fail)
inner = RunnableLambda(lambda q: q) | failing
def hang(question: str) -> str: time.sleep(30); return question
hanging = RunnableLambda(hang)
barrier = threading.Barrier(12, timeout=60)
def meet(question: str) -> str: barrier.wait(); return question
meeting = RunnableLambda(meet)
def pick(asked): return asked["topic"]
unseen = RunnableLambda(lambda asked: pick(asked))
def make(): return lcel
not_one = 3
"""

SOURCES = tuple(Passage(f"P{n}", f"{n}.md") for n in range(3))


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """A folder for the app."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(
    ("name", "text", "contexts"),
    [
        ("model", "ok", None),
        ("llm", "ok", None),
        ("lcel", "system:P0 / human:Why?", SOURCES),  # a text, so the contexts are what the retriever returned
        ("fused", "ok", (SOURCES[0], SOURCES[0])),  # of the outermost retriever alone
        ("rag", "human:What? / ai:This. / human:Why?", SOURCES),
        ("old", "Human: What?\nAI: This. Why?", None),
        ("talk", "human:What? / ai:This. / human:Why?", None),
        ("blocks", "ab", None),
        ("graph", "human:What? / ai:This. / human:Why?", None),
        ("checkpointed", "human:What? / ai:This. / human:Why?", None),
        ("state", "WHY?", SOURCES),
        ("agent", "done", (Passage("T", "t.md"),)),
        ("remembering", "human:Why?", None),
    ],
)
async def test_an_object_is_asked_as_its_schema_says(name, text, contexts, is_async):
    """Texts, keys, messages and states; the history goes where there is a place for it, and contexts are found."""
    system = asked("langchain", name, APP, **({} if is_async else {"async_": False}))
    answer = await system.answer(INQUIRY)
    assert (answer.text, answer.contexts) == (text, contexts)
    assert answer.seconds > 0
    assert system.name == f"langchain:app.py:{name}"


@pytest.mark.parametrize(
    ("name", "options", "text", "contexts"),
    [
        ("classic", {"question": "query"}, "r", SOURCES),
        ("odd_key", {"question": "topic", "answer": "verdict", "contexts": "found"}, "v Why?", (Passage("t"), Passage("u"))),
        ("odd_output", {"question": "", "answer": "verdict"}, "Why?", None),
    ],
)  # fmt: skip
async def test_names_that_cannot_be_seen_can_be_given(name, options, text, contexts):
    """They are saiten's fields, mapped to the object's names, and they are kept with the answers."""
    system = asked("langchain", name, APP, **options)
    answer = await system.answer(INQUIRY)
    assert (answer.text, answer.contexts) == (text, contexts)
    assert "question=" in system.describe()["options"]


async def test_the_usage_of_all_models_is_added_up():
    """It is what they report, also if the chain returns only a text; the cost is unknown."""
    answer = await asked("langchain", "lcel", APP).answer(INQUIRY)
    assert answer.usage == Usage(1, unpriced=1)  # no model in it, so one call of the system
    answer = await asked("langchain", "agent", APP).answer(INQUIRY)
    assert answer.usage == Usage(2, 3, 2, unpriced=2)


async def test_a_graph_that_remembers_gets_the_history_once():
    """Its checkpointer has the earlier messages of the session; another session has others."""
    system = asked("langchain", "checkpointed", APP)
    first = await system.answer(Inquiry("One?", "q", (), "s1"))
    then = await system.answer(Inquiry("Two?", "q", (Turn("One?", first.text),), "s1"))
    assert then.text == "human:One? / ai:human:One? / human:Two?"
    other = await system.answer(Inquiry("Two?", "q", (Turn("A?", "B."),), "s2"))
    assert other.text == "human:A? / ai:B. / human:Two?"
    alone = [await system.answer(Inquiry("Two?")) for _ in range(2)]
    assert [each.text for each in alone] == ["human:Two?"] * 2


async def test_a_chain_with_its_own_histories_gets_the_session():
    """What was said in it before is in its own store."""
    system = asked("langchain", "remembering", APP)
    await system.answer(Inquiry("One?", "q", (), "s1"))
    then = await system.answer(Inquiry("Two?", "q", (Turn("One?", "human:One?"),), "s1"))
    assert then.text == "human:One? / ai:human:One? / human:Two?"


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("failing", "failed", r"KeyError: 'nothing' \(line \d+ of .*app.py, in fail\)"),
        ("inner", "failed", r"KeyError: 'nothing' \(line \d+ of .*app.py, in fail\)"),
        ("documents", "unreadable", "documents, as a retriever's"),
        ("odd_output", "unreadable", "object with `verdict`; name its key with --system-option answer=KEY"),
        ("odd_key", "unreadable", "expected an answer in an object with `verdict`, `found`"),
        ("unseen", "failed", r"TypeError.*\(line \d+ of .*app.py, in pick\); .*the question as a text, .*question=KEY"),
        ("prompt_value", "unreadable", "`its output` must be a text, got a StringPromptValue"),
    ],
)
async def test_what_goes_wrong_is_the_failure_of_a_question(name, kind, message):
    """With the line of the app, or what came and what to do."""
    app = APP + "\nprompt_value = PromptTemplate.from_template('{question}')\n"
    with pytest.raises(SystemFailed, match=message) as error:
        await asked("langchain", name, app).answer(INQUIRY)
    assert error.value.kind == kind


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("one", {}, "one in app.py is a Shelf; expected a chain.*a retriever is for --retriever"),
        ("make", {}, "make in app.py is a function; .*name the object that it makes"),
        ("Shelf", {}, "Shelf in app.py is a class"),
        ("not_one", {}, "not_one in app.py is a int"),
        ("lcell", {}, r"there is no lcell in app.py; did you mean lcel\?"),
        ("prompt", {}, "requires context in addition to question"),
        ("two_keys", {}, r"takes style, topic, and none .*--system-option question=style"),
        ("two_keys", {"question": "topic"}, "requires style in addition to topic"),
        ("lcel", {"qestion": "a"}, r"--system-option qestion .*did you mean question\?"),
        ("lcel", {"async_": "no"}, "async is true or false"),
        ("lcel", {"question": 3}, "question is a name"),
    ],
)
def test_a_wrong_object_or_option_is_an_error_before_anything_is_asked(name, options, message):
    """The text says what was expected, what is there, and what to do."""
    with pytest.raises(ConfigurationError, match=message):
        asked("langchain", name, APP, **options)


@pytest.mark.parametrize("prefix", ["python", "haystack", "llamaindex"])
def test_an_object_under_another_name_is_recognized(prefix):
    """The suggestion can be copied."""
    with pytest.raises(ConfigurationError, match=r"did you mean langchain:app.py:lcel\?"):
        asked(prefix, "lcel", APP)


async def test_blocking_steps_run_at_once_and_a_hanging_one_is_left_behind():
    """Twelve meet at a barrier, more than asyncio has threads for on a small machine; a timeout is the question's."""
    meeting = asked("langchain", "meeting", APP, concurrency=12)
    answers = await asyncio.gather(*(meeting.answer(Inquiry(str(n))) for n in range(12)))
    assert [each.text for each in answers] == [str(n) for n in range(12)]
    with pytest.raises(SystemFailed, match=r"within 0.2 s") as error:
        await asked("langchain", "hanging", APP, timeout=0.2).answer(INQUIRY)
    assert error.value.kind == "timeout"


def test_a_dialogue_passes_its_history():
    """`saiten converse` asks the object again with what was said."""
    first, second = conversed("langchain", "talk", APP)
    assert first == "human:When was it opened?"
    assert second.startswith("human:When was it opened? / ai:human:When was it opened? / human:")


@pytest.mark.parametrize(
    ("name", "found"),
    [("one", SOURCES[:2]), ("named", (Passage("p", "deep/p.md"), Passage("q"))), ("documents", SOURCES[:2])],
)
async def test_a_retriever_finds_the_k_best(name, found):
    """A retriever, or whatever else returns documents; more than k are cut off."""
    retriever = searched("langchain", name, APP)
    assert (await retriever.retrieve("q")).passages == found
    assert (await retriever.retrieve("q", 1)).passages == found[:1]
    assert retriever.name == f"langchain:app.py:{name}[k=2]"


async def test_what_is_no_retriever_is_refused():
    """A chain that answers is reported with what came."""
    with pytest.raises(
        CallFailed, match=r"could not be retrieved from langchain:app.py:model: .*`passages` must be a list"
    ):
        await searched("langchain", "model", APP).retrieve("q")
    with pytest.raises(ConfigurationError, match="expected a retriever"):
        searched("langchain", "not_one", APP)
