"""Haystack pipelines as systems under test, and as retrievers, with the real package."""

import asyncio

import pytest

pytest.importorskip("haystack", reason="`make interop` installs Haystack")

from in_app import INQUIRY, asked, conversed, searched

from saiten.errors import CallFailed, ConfigurationError, SystemFailed
from saiten.records import Inquiry, Usage

APP = """
import asyncio, threading, time
from haystack import Document, GeneratedAnswer, Pipeline, component
from haystack.components.agents import Agent
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder, PromptBuilder
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

store = InMemoryDocumentStore()
store.write_documents([Document(content=f"Why P{n}?", meta={"file_path": f"{n}.md"}) for n in range(3)])

@component
class Rank:
    # the last first
    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]):
        return {"documents": sorted(documents, key=lambda each: each.content, reverse=True)}
@component
class Say:
    @component.output_types(replies=list[str], meta=list[dict])
    def run(self, prompt: str):
        return {"replies": [prompt], "meta": [{"usage": {"prompt_tokens": 5, "completion_tokens": 2}}]}
@component
class Talk:
    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        shown = " / ".join(f"{each.role.value}:{each.text}" for each in messages)
        return {"replies": [ChatMessage.from_assistant(shown, meta={"usage": {"prompt_tokens": 3, "completion_tokens": 1}})]}
    @component.output_types(replies=list[ChatMessage])
    async def run_async(self, messages: list[ChatMessage]): return self.run(messages)
@component
class Step:
    def __init__(self, work): self.work = work
    @component.output_types(answer=str)
    def run(self, query: str): return {"answer": self.work(query)}

def piped(parts, *wires):
    made = Pipeline()
    for name, part in parts.items(): made.add_component(name, part)
    for wire in wires: made.connect(*wire.split(">"))
    return made
def retriever(): return InMemoryBM25Retriever(store)
TEMPLATE = "{% for each in documents %}{{ each.content }} {% endfor %}{{ question }}"
def chat_prompt(text=TEMPLATE): return ChatPromptBuilder([ChatMessage.from_user(text)], required_variables="*")

plain = piped({"find": retriever(), "prompt": PromptBuilder(TEMPLATE, required_variables="*"), "say": Say()}, "find.documents>prompt.documents", "prompt.prompt>say.prompt")
ranked = piped({"find": retriever(), "rank": Rank(), "prompt": chat_prompt(), "talk": Talk()}, "find.documents>rank.documents", "rank.documents>prompt.documents", "prompt.prompt>talk.messages")
built = piped({"find": retriever(), "prompt": chat_prompt(), "talk": Talk(), "answers": AnswerBuilder()}, "find.documents>prompt.documents", "prompt.prompt>talk.messages", "talk.replies>answers.replies", "find.documents>answers.documents")
joined = piped({"one": retriever(), "two": retriever(), "join": DocumentJoiner(top_k=1), "prompt": chat_prompt(), "talk": Talk()}, "one.documents>join.documents", "two.documents>join.documents", "join.documents>prompt.documents", "prompt.prompt>talk.messages")
talk = piped({"talk": Talk()})
agent = piped({"agent": Agent(chat_generator=MockChatGenerator("done"), tools=[])})
history = piped({"prompt": chat_prompt("{% for each in history %}{{ each.text }} {% endfor %}{{ question }}"), "talk": Talk()}, "prompt.prompt>talk.messages")
upper = piped({"step": Step(str.upper)})
two = piped({"first": Step(str.upper), "second": Step(str.lower)})
styled = piped({"prompt": chat_prompt("{{ question }} {{ style }}"), "talk": Talk()}, "prompt.prompt>talk.messages")
nameless = piped({"prompt": chat_prompt("{{ topic }}"), "talk": Talk()}, "prompt.prompt>talk.messages")
search = piped({"find": retriever()})
@component
class Broken:
    @component.output_types(documents=list[Document])
    def run(self, query: str): raise OSError("no disk")
broken = piped({"find": Broken()})
ranking = piped({"find": retriever(), "rank": Rank()}, "find.documents>rank.documents")

def fail(query): return {}["nothing"]
failing = piped({"step": Step(fail)})
hanging = piped({"step": Step(lambda query: time.sleep(30))})
wrong = piped({"step": Step(lambda query: 42)})
barrier = threading.Barrier(12, timeout=60)
def meet(query): barrier.wait(); return query
meeting = piped({"step": Step(meet)})
def make(): return plain
"""


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    """A folder for the app, and no telemetry."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "false")


FOUND = {f"Why P{n}?": f"{n}.md" for n in range(3)}


def shown(contexts):
    """The passages' texts, after a look at their sources and scores."""
    assert all(each.source == FOUND[each.text] and each.score > 0 for each in contexts)
    return [each.text for each in contexts]


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(
    ("name", "text", "order", "usage"),
    [
        ("plain", "{} Why?", "any", Usage(1, 5, 2, unpriced=1)),
        ("ranked", "user:Why P2? Why P1? Why P0? Why?", ["Why P2?", "Why P1?", "Why P0?"], Usage(1, 3, 1, unpriced=1)),
        ("built", "user:{} Why?", "any", Usage(1, 3, 1, unpriced=1)),
        ("joined", "user:{} Why?", "one", Usage(1, 3, 1, unpriced=1)),
        ("talk", "user:What? / assistant:This. / user:Why?", None, Usage(1, 3, 1, unpriced=1)),
        ("history", "user:What? This. Why?", None, Usage(1, 3, 1, unpriced=1)),
        ("agent", "done", None, Usage(1, unpriced=1)),
        ("upper", "WHY?", None, Usage(1, unpriced=1)),
    ],
)
async def test_a_pipeline_is_run_with_the_question_where_it_belongs(name, text, order, usage, is_async):
    """All inputs of the question are filled; the contexts are the last documents; models report their usage."""
    system = asked("haystack", name, APP, **({} if is_async else {"async_": False}))
    answer = await system.answer(INQUIRY)
    if order is None:
        assert answer.contexts is None
    else:
        texts = shown(answer.contexts)
        assert (
            texts == order
            or (order == "any" and sorted(texts) == sorted(FOUND))
            or (order == "one" and len(texts) == 1)
        )
        text = text.format(" ".join(texts))
    assert answer.text == text
    assert answer.usage == usage
    assert answer.seconds > 0


@pytest.mark.parametrize(
    ("name", "options", "text", "contexts"),
    [
        ("nameless", {"question": "prompt.topic"}, "user:Why?", None),
        ("two", {"answer": "second.answer"}, "why?", None),
        ("built", {"answer": "talk.replies", "contexts": "find.documents"}, "user:", 3),
        ("history", {"history": "prompt.history"}, "user:What? This. Why?", None),
    ],
)
async def test_sockets_can_be_named(name, options, text, contexts):
    """As COMPONENT.INPUT and COMPONENT.OUTPUT."""
    answer = await asked("haystack", name, APP, **options).answer(INQUIRY)
    assert answer.text.startswith(text)
    assert contexts == (None if answer.contexts is None else len(answer.contexts))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("store", {}, "store in app.py is a InMemoryDocumentStore; expected a Pipeline"),
        ("make", {}, "make in app.py is a function; .*name the object that it makes"),
        ("plane", {}, r"no plane in app.py; did you mean plain\?"),
        ("styled", {}, r"prompt.style must be filled; .*Inputs: .*prompt.style \(required\)"),
        ("nameless", {}, r"prompt.topic must be filled; .*question=COMPONENT.INPUT"),
        ("nameless", {"question": "prompt.tropic"}, r"has no input prompt.tropic; there are prompt.topic \(required\)"),
        ("built", {"question": "find.query"}, "prompt.question, answers.query must be filled"),
        ("two", {}, "several outputs could be the answer; .*answer=COMPONENT.OUTPUT. Outputs: first.answer, second.answer"),
        ("search", {}, "no output is known as the answer; .*find.documents"),
        ("built", {"answer": "talk.reply"}, "has no output talk.reply; there are find.documents"),
        ("built", {"contexts": "talk.documents"}, "has no output talk.documents"),
        ("talk", {"history": "talk.past"}, "has no input talk.past"),
    ],
)  # fmt: skip
def test_a_wrong_guess_or_name_is_an_error_with_what_is_there(name, options, message):
    """Before anything is asked; the text shows the inputs or outputs and how to name one."""
    with pytest.raises(ConfigurationError, match=message):
        asked("haystack", name, APP, **options)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("failing", "failed", r"'nothing'.*\(line \d+ of .*app.py, in fail\)"),
        ("wrong", "unreadable", "`step.answer` must be a text, got a number"),
    ],
)
@pytest.mark.parametrize("is_async", [True, False])
async def test_what_goes_wrong_is_the_failure_of_a_question(name, kind, message, is_async):
    """With the line of the app, although Haystack wraps the error; or what came."""
    with pytest.raises(SystemFailed, match=message) as error:
        await asked("haystack", name, APP, async_=is_async).answer(INQUIRY)
    assert error.value.kind == kind


async def test_blocking_components_run_at_once_and_a_hanging_one_is_left_behind():
    """Twelve meet at a barrier; a timeout is the question's."""
    meeting = asked("haystack", "meeting", APP, concurrency=12)
    answers = await asyncio.gather(*(meeting.answer(Inquiry(str(n))) for n in range(12)))
    assert [each.text for each in answers] == [str(n) for n in range(12)]
    with pytest.raises(SystemFailed, match=r"within 0.2 s") as error:
        await asked("haystack", "hanging", APP, timeout=0.2).answer(INQUIRY)
    assert error.value.kind == "timeout"


def test_a_dialogue_passes_its_history():
    """`saiten converse` runs the pipeline again with what was said."""
    first, second = conversed("haystack", "talk", APP)
    assert first == "user:When was it opened?"
    assert second.startswith("user:When was it opened? / assistant:user:When was it opened? / user:")


@pytest.mark.parametrize("name", ["search", "ranking", "ranked"])
async def test_a_pipeline_that_retrieves_finds_the_k_best(name):
    """The last documents, with file and score; more than k are cut off."""
    retriever = searched("haystack", name, APP)
    found = (await retriever.retrieve("Why?")).passages
    assert len(shown(found)) == 2
    if name != "search":
        assert shown(found) == ["Why P2?", "Why P1?"]


async def test_a_pipeline_that_retrieves_nothing_of_the_kind_is_refused():
    """Without an output of documents, or if it fails."""
    with pytest.raises(ConfigurationError, match="has no output of documents"):
        searched("haystack", "upper", APP)
    with pytest.raises(CallFailed, match=r"from haystack:app.py:broken: .*no disk.* \(line \d+ of .*app.py, in run\)"):
        await searched("haystack", "broken", APP).retrieve("q")
