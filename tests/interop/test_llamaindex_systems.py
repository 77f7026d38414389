"""LlamaIndex objects as systems under test, and its retrievers, with the real package."""

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("llama_index.core", reason="`make interop` installs LlamaIndex")

from in_app import INQUIRY, asked, conversed, searched

from saiten.errors import ConfigurationError, SystemFailed
from saiten.records import Inquiry, Passage, Turn

APP = """
import asyncio, threading, time
from llama_index.core import Document, VectorStoreIndex, MockEmbedding
from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
from llama_index.core.base.response.schema import PydanticResponse
from llama_index.core.chat_engine.types import AgentChatResponse, BaseChatEngine
from llama_index.core.llms import ChatMessage, ChatResponse, CustomLLM, CompletionResponse, LLMMetadata, MockLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import CustomQueryEngine, RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import QueryEngineTool
from llama_index.core.workflow import StartEvent, StopEvent, Workflow, step
from pydantic import BaseModel

class Shelf(BaseRetriever):
    def _retrieve(self, query_bundle: QueryBundle):
        nodes = [TextNode(text=f"P{n}", metadata={"file_name": f"{n}.md"}) for n in range(3)]
        return [NodeWithScore(node=node, score=1 - n / 10) for n, node in enumerate(nodes)]
class Empty(BaseRetriever):
    def _retrieve(self, query_bundle): return []
class Broken(BaseRetriever):
    def _retrieve(self, query_bundle): return {}["nothing"]
class Fixed(CustomLLM):
    # answers with a text
    text: str = "ok"
    @property
    def metadata(self): return LLMMetadata()
    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **_): return CompletionResponse(text=self.text)
    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **_):
        def pieces():
            for n in range(1, len(self.text) + 1): yield CompletionResponse(text=self.text[:n], delta=self.text[n - 1])
        return pieces()

shelf = Shelf()
engine = RetrieverQueryEngine.from_args(shelf, llm=Fixed())
streaming = RetrieverQueryEngine.from_args(shelf, llm=Fixed(), streaming=True)
empty = RetrieverQueryEngine.from_args(Empty(), llm=Fixed())
broken = RetrieverQueryEngine.from_args(Broken(), llm=Fixed())
index = VectorStoreIndex.from_documents([Document(text="In 1998.", metadata={"file_path": "b.md"})], embed_model=MockEmbedding(8))
simple = index.as_chat_engine(chat_mode="simple", llm=MockLLM())
chat = index.as_chat_engine(chat_mode="context", llm=MockLLM())

class Verdict(BaseModel):
    year: int
class Structured(CustomQueryEngine):
    def custom_query(self, query_str: str): return PydanticResponse(Verdict(year=1998), [])
structured = Structured()
barrier = threading.Barrier(12, timeout=60)
class Meeting(CustomQueryEngine):
    def custom_query(self, query_str: str):
        barrier.wait()
        return query_str
meeting = Meeting()
class Hanging(CustomQueryEngine):
    async def acustom_query(self, query_str: str): await asyncio.sleep(30)
    def custom_query(self, query_str: str): time.sleep(30)
hanging = Hanging()
class Nothing(CustomQueryEngine):
    def custom_query(self, query_str: str): return 42
nothing = Nothing()

class Asked(StartEvent):
    query: str
class Flow(Workflow):
    @step
    async def go(self, ev: Asked) -> StopEvent: return StopEvent(result=await engine.aquery(ev.query))
flow = Flow()
class Free(Workflow):
    @step
    async def go(self, ev: StartEvent) -> StopEvent:
        said = [message.content for message in ev.get("past", [])]
        return StopEvent(result={"answer": " / ".join([*said, ev.topic]), "contexts": ["c"]})
free = Free()
class Slow(Workflow):
    @step
    async def go(self, ev: Asked) -> StopEvent:
        try: await asyncio.sleep(30)
        except asyncio.CancelledError: open("canceled", "w").close(); raise
        return StopEvent(result="late")
slow = Slow(timeout=None)
class Failing(Workflow):
    @step
    async def go(self, ev: Asked) -> StopEvent: return {}["nothing"]
failing = Failing()

SAID = iter(['Thought: I need a tool.\\nAction: shelf\\nAction Input: {"input": "x"}', "Thought: I can answer.\\nAnswer: done"] * 9)
class Thinking(Fixed):
    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **_):
        text = next(SAID)
        yield CompletionResponse(text=text, delta=text)
agent = ReActAgent(llm=Thinking(), tools=[QueryEngineTool.from_defaults(engine, name="shelf", description="finds")])
def make(): return engine
"""

SOURCES = tuple(Passage(f"P{n}", f"{n}.md", 1 - n / 10) for n in range(3))


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """A folder for the app."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(
    ("name", "text", "contexts"),
    [
        ("engine", "ok", SOURCES),
        ("streaming", "ok", SOURCES),
        ("empty", "Empty Response", ()),
        ("simple", "user: What?\nassistant: This.\nuser: Why?\nassistant: ", None),
        ("structured", '{"year":1998}', ()),
        ("flow", "ok", SOURCES),
        ("agent", "done", SOURCES),
    ],
)
async def test_an_object_is_asked_in_its_own_way(name, text, contexts, is_async):
    """Engines, streams, chats, workflows and agents; contexts are the source nodes, with file and score."""
    system = asked("llamaindex", name, APP, **({} if is_async else {"async_": False}))
    answer = await system.answer(INQUIRY)
    assert (answer.text, answer.contexts) == (text, contexts)
    assert answer.seconds > 0
    assert answer.usage.calls == 1


async def test_a_workflow_without_declared_fields_is_asked_by_the_names_given():
    """The keywords of `run` for the question and the history."""
    answer = await asked("llamaindex", "free", APP, question="topic", history="past").answer(INQUIRY)
    assert (answer.text, answer.contexts) == ("What? / This. / Why?", (Passage("c"),))


async def test_conversations_with_a_chat_engine_do_not_mix():
    """It has one memory: questions are asked one at a time, each with its own history."""
    system = asked("llamaindex", "chat", APP)
    inquiries = [Inquiry(f"Q{n}?", "q", (Turn(f"A{n}?", f"B{n}."),) * (n % 3), f"s{n}") for n in range(9)]
    answers = await asyncio.gather(*map(system.answer, inquiries))
    for n, answer in enumerate(answers):
        said = f"user: A{n}?\nassistant: B{n}.\n" * (n % 3) + f"user: Q{n}?\nassistant: "
        assert answer.text.endswith("\n\n" + said)
        assert answer.contexts == (Passage("In 1998.", "b.md", pytest.approx(1.0), 0, 8),)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("broken", "failed", r"KeyError: 'nothing' \(line \d+ of .*app.py, in _retrieve\)"),
        ("failing", "failed", r"'nothing'.*\(line \d+ of .*app.py, in go\)"),
        ("nothing", "unreadable", "`response` must be a text, got a number|`answer` must be a text, got a number"),
    ],
)
async def test_what_goes_wrong_is_the_failure_of_a_question(name, kind, message):
    """With the line of the app, or what came."""
    with pytest.raises(SystemFailed, match=message) as error:
        await asked("llamaindex", name, APP).answer(INQUIRY)
    assert error.value.kind == kind


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("shelf", {}, "shelf in app.py is a Shelf; expected a query engine.*a retriever is for --retriever"),
        ("index", {}, r"index in app.py is a VectorStoreIndex; expected .*index.as_query_engine\(\)"),
        ("make", {}, "make in app.py is a function; .*name the object that it makes"),
        ("engin", {}, r"did you mean engine\?"),
        ("free", {}, "its start event declares no field; .*--system-option question=query"),
    ],
)
def test_a_wrong_object_is_an_error_before_anything_is_asked(name, options, message):
    """The text says what was expected and what to do."""
    with pytest.raises(ConfigurationError, match=message):
        asked("llamaindex", name, APP, **options)


async def test_engines_that_block_are_asked_at_once_and_hanging_ones_left_behind():
    """Twelve meet at a barrier: an engine without a coroutine of its own is asked in threads."""
    meeting = asked("llamaindex", "meeting", APP, concurrency=12)
    answers = await asyncio.gather(*(meeting.answer(Inquiry(str(n))) for n in range(12)))
    assert [each.text for each in answers] == [str(n) for n in range(12)]
    for is_async in (True, False):
        hanging = asked("llamaindex", "hanging", APP, timeout=0.2, async_=is_async)
        with pytest.raises(SystemFailed, match=r"within 0.2 s") as error:
            await hanging.answer(INQUIRY)
        assert error.value.kind == "timeout"


async def test_a_workflow_that_takes_too_long_is_canceled():
    """It does not go on in the background."""
    with pytest.raises(SystemFailed, match=r"within 0.3 s"):
        await asked("llamaindex", "slow", APP, timeout=0.3).answer(INQUIRY)
    while not Path("canceled").exists():  # noqa: ASYNC110, ASYNC240 - the test has a timeout
        await asyncio.sleep(0.01)


def test_a_dialogue_passes_its_history():
    """`saiten converse` asks the chat engine again with what was said."""
    first, second = conversed("llamaindex", "simple", APP)
    assert first == "user: When was it opened?\nassistant: "
    assert second.startswith("user: When was it opened?\nassistant: user: When was it opened?\nassistant: \nuser: ")


async def test_a_retriever_finds_the_k_best():
    """Nodes with file and score; more than k are cut off."""
    retriever = searched("llamaindex", "shelf", APP)
    assert (await retriever.retrieve("q")).passages == SOURCES[:2]
    assert (await searched("llamaindex", "shelf", APP).retrieve("q", 9)).passages == SOURCES
    with pytest.raises(ConfigurationError, match=r"engine in app.py is a RetrieverQueryEngine; expected a retriever"):
        searched("llamaindex", "engine", APP)
