"""LlamaIndex: responses with their source nodes, nodes and messages."""

from pathlib import Path

import pytest
from pydantic import BaseModel

import saiten
from saiten.data import read_samples
from saiten.records import Sample

pytest.importorskip("llama_index.core", reason="`make interop` installs LlamaIndex")
from llama_index.core import Document, SummaryIndex
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
)
from llama_index.core.base.response.schema import PydanticResponse, Response, StreamingResponse
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.llms import MockLLM
from llama_index.core.schema import ImageNode, NodeWithScore, QueryBundle, TextNode

NODES = [NodeWithScore(node=TextNode(text="one", metadata={"file": "a"}), score=0.5), NodeWithScore(node=Document(text="two"))]  # fmt: skip


class Fact(BaseModel):
    """A structured answer."""

    year: int
    parts: list["Fact"] = []


def stream(text="a"):
    """The response of an engine that streams."""
    return StreamingResponse(response_gen=iter(text), source_nodes=NODES)


def read(*rows):
    """Everything read from the rows."""
    return list(read_samples(rows, detect_language=lambda *_: "en"))


def test_the_response_of_a_query_engine_is_an_answer_with_its_contexts():
    """The nodes' texts, without the metadata that goes into prompts."""
    index = SummaryIndex.from_documents([Document(text="Opened in 1998.", metadata={"file": "a"})])
    response = index.as_query_engine(llm=MockLLM()).query("When?")
    (sample,) = read({"question": "When?", "response": response})
    assert sample == Sample("row-1", "When?", str(response), ("Opened in 1998.",))
    assert read(response) == [Sample("row-1", "", str(response), ("Opened in 1998.",))]
    chat = index.as_chat_engine(chat_mode="context", llm=MockLLM()).chat("When?")
    assert read({"question": "When?", "answer": chat})[0].contexts == ("Opened in 1998.",)


def read_stream():
    """A stream that has been read by its user."""
    response = stream("ab")
    response.get_response()
    return response


@pytest.mark.parametrize(
    ("value", "text", "contexts"),
    [
        (Response("a", NODES), "a", ("one", "two")),
        (Response("a"), "a", ()),
        (Response(None), None, None),
        (PydanticResponse(Fact(year=1998, parts=[Fact(year=1999)]), NODES[:1]), '{"year": 1998, "parts": [{"year": 1999, "parts": []}]}', ("one",)),
        (read_stream(), "ab", ("one", "two")),
        (AgentChatResponse("a", source_nodes=NODES[:1]), "a", ("one",)),
        (AgentChatResponse("a"), "a", None),
        (CompletionResponse(text="a"), "a", None),
        (ChatResponse(message=ChatMessage("a", role="assistant")), "a", None),
        (ChatMessage(role="assistant", blocks=[ThinkingBlock(content="hm"), TextBlock(text="a"), TextBlock(text="b")]), "a\nb", None),
        ([Response("a", NODES)], "a", ("one", "two")),
    ],
)  # fmt: skip
def test_each_kind_of_response_is_an_answer(value, text, contexts):
    """An engine that found nothing has no contexts; for a chat without sources they are unknown."""
    assert read({"question": QueryBundle("q"), "answer": value}) == [Sample("row-1", "q", text, contexts)]


def test_the_rows_own_contexts_and_question_go_first():
    """What a row says by itself is not replaced."""
    assert read({"question": "q", "response": Response("a", NODES), "contexts": ["own"]})[0].contexts == ("own",)
    assert read({"question": "q", "output": "a", "contexts": NODES})[0].contexts == ("one", "two")


def test_an_unread_stream_is_not_read():
    """Reading it is up to its user, who is shown how; nothing is taken from it, not even for the message."""
    response = stream("ab")
    (bad,) = read({"question": "q", "response": response})
    assert "pass what its get_response() returns" in bad.reason
    assert "".join(response.response_gen) == "ab"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (ImageNode(image_path=str(Path(__file__))), "a LlamaIndex ImageNode has no text"),
        (ChatMessage(blocks=[ImageBlock(url="http://u")]), "a message has a part of type image; only text is read"),
    ],
)
def test_what_has_no_text_is_said(value, reason):
    """An image is no context."""
    (bad,) = read({"question": "q", "contexts": [value]})
    assert bad.reason == f"contexts: {reason}"


def test_evaluate_takes_responses():
    """As the answer in a row."""
    rows = [{"id": "x", "question": "q", "response": Response("one", NODES), "reference": "one"}]
    result = saiten.evaluate(rows, metrics=["exact_match", "context_overlap"])
    assert [one.score.status for one in result.scores] == ["ok", "ok"]
    assert type(result.samples[0].answer) is str


def test_nodes_as_json_are_contexts():
    """`model_dump` of nodes, as people write them to files."""
    assert read({"question": "q", "contexts": [each.node.model_dump() for each in NODES]})[0].contexts == ("one", "two")
