"""LangChain: documents and messages as values of rows."""

import pytest

import saiten
from saiten.data import BadRow, read_samples
from saiten.records import Sample

pytest.importorskip("langchain_core", reason="`make interop` installs LangChain")
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnablePassthrough

DOCUMENTS = [Document("one", metadata={"source": "a.md"}), Document("two\nlines", id="7")]
CALL = {"name": "find", "args": {}, "id": "1", "type": "tool_call"}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "s"}


def read(*rows):
    """Everything read from the rows."""
    return list(read_samples(rows, detect_language=lambda *_: "en"))


def test_what_a_chain_returns_is_a_row():
    """`input`, `context` and `answer`, as retrieval chains name them; the documents are contexts."""
    chain = RunnablePassthrough.assign(context=lambda _: DOCUMENTS) | RunnablePassthrough.assign(
        answer=PromptTemplate.from_template("{input}!") | (lambda prompt: AIMessage(prompt.to_string()))
    )
    assert read(chain.invoke({"input": "q?"})) == [Sample("row-1", "q?", "q?!", ("one", "two\nlines"))]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (AIMessage("a"), "a"),
        (AIMessage(""), ""),
        (AIMessageChunk("a", id="run-1"), "a"),
        (ChatMessage("a", role="critic"), "a"),
        (AIMessage([THINKING, {"type": "text", "text": "a"}, " b"]), "a b"),
        (AIMessage("a", tool_calls=[CALL]), "a"),
        (
            [HumanMessage("q"), AIMessage("", tool_calls=[CALL]), ToolMessage("t", tool_call_id="1"), AIMessage("a")],
            "a",
        ),
        ({"messages": [SystemMessage("s"), AIMessage("a")]}, "a"),
        (Document("a"), "a"),
    ],
)
def test_messages_are_texts(value, text):
    """The text alone, without thinking and calls of tools; of several messages, the last."""
    assert read({"question": HumanMessage("q"), "answer": value}) == [Sample("row-1", "q", text)]


def test_a_message_with_an_image_is_a_row_that_cannot_be_used():
    """Its text alone would be another question."""
    image = HumanMessage([{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "u"}}])
    (bad,) = read({"question": image, "answer": "a"})
    assert bad.reason == "question: a message has a part of type image_url; only text is read"


def test_a_document_is_no_row():
    """An answer to grade is not to be mistaken for a document."""
    (bad,) = read(DOCUMENTS[0])
    assert isinstance(bad, BadRow)
    assert bad.reason.endswith("got langchain_core.Document")


def test_evaluate_takes_documents_and_messages():
    """With what they hold as texts in the result."""
    row = {"question": HumanMessage("q"), "answer": AIMessage("one"), "contexts": DOCUMENTS, "reference": "one"}
    result = saiten.evaluate([row], metrics=["exact_match", "context_overlap"], judge="offline")
    assert [one.score.status for one in result.scores] == ["ok", "ok"]
    assert result.samples[0].contexts == ("one", "two\nlines")


def test_documents_as_langchain_writes_them_in_json_are_contexts():
    """LangChain's own serialization."""
    from langchain_core.load import dumpd

    assert read({"question": "q", "contexts": [dumpd(each) for each in DOCUMENTS]})[0].contexts == ("one", "two\nlines")
