"""Our RAG assembled from names, and against a real server on loopback."""

import pytest
from shelf import Shelf

from saiten.errors import ConfigurationError, SystemFailed
from saiten.records import Inquiry
from saiten.settings import CallSettings
from saiten.wiring import Models
from saiten.wiring.rag import RagSettings, assemble_rag
from servers import Fault, OpenAIServer


async def test_the_default_needs_no_key_and_no_network():
    """It is the extractive generator, and named so."""
    rag = assemble_rag(Shelf("The gate closes at ten."), RagSettings(), Models(CallSettings(), {}))
    answer = await rag.answer(Inquiry("When does the gate close?"))
    assert rag.name == "rag[stuff,qa,k=5]:extractive"
    assert answer.text == "The gate closes at ten."
    assert answer.usage.completion_tokens == 0
    await rag.close()


@pytest.mark.parametrize(("chain", "calls"), [("stuff", 1), ("refine", 4), ("map_reduce", 5)])
async def test_a_model_behind_http_is_asked_as_often_as_the_chain_says(chain, calls, openai_server: OpenAIServer):
    """Real HTTP, the whole stack of limits and retries; tokens as reported by the server."""
    settings = RagSettings(chain, generator=f"openai:m@{openai_server.base_url}", k=4, max_tokens=100)
    rag = assemble_rag(Shelf(*"abcd"), settings, Models(CallSettings(), {}))
    answer = await rag.answer(Inquiry("Why?"))
    await rag.close()
    assert answer.text == "A plain answer."
    assert len(openai_server.requests) == calls
    asked = openai_server.requests[0].body
    assert (asked["temperature"], asked["seed"], asked["max_tokens"]) == (0.0, 1, 100)
    assert "response_format" not in asked
    assert answer.usage.calls == calls + 1  # the shelf counts one for itself
    assert answer.usage.prompt_tokens > calls
    assert all(call.seconds >= 0 for call in answer.calls)


async def test_a_server_that_fails_one_question_serves_the_next(openai_server: OpenAIServer):
    """The system goes on after a failure, even among parallel calls."""
    openai_server.reply = lambda asked: Fault(500) if "two" in asked.text and asked.number < 4 else None
    settings = RagSettings("map_reduce", generator=f"openai:m@{openai_server.base_url}")
    rag = assemble_rag(Shelf("one", "two", "three"), settings, Models(CallSettings(retries=0), {}))
    with pytest.raises(SystemFailed, match="500"):
        await rag.answer(Inquiry("Why?"))
    assert (await rag.answer(Inquiry("Why?"))).text == "A plain answer."
    await rag.close()


async def test_an_example_is_shown_and_is_in_the_description(tmp_path, openai_server: OpenAIServer):
    """The example is a user's file, shown one-shot."""
    file = tmp_path / "example.toml"
    file.write_text('question = "Where?"\ndocuments = ["North side."]\nanswer = "On the north side."\n')
    settings = RagSettings(generator=f"openai:m@{openai_server.base_url}", example=file)
    rag = assemble_rag(Shelf("one"), settings, Models(CallSettings(), {}))
    await rag.answer(Inquiry("Why?"))
    await rag.close()
    assert [message["role"] for message in openai_server.requests[0].body["messages"]] == ["system", "user", "assistant", "user"]  # fmt: skip
    assert len(rag.describe()["example"]) == 8


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (RagSettings(generator="gpt-4o"), ConfigurationError, "unknown generator 'gpt-4o'; expected extractive"),
        (RagSettings(generator="openai:m"), ConfigurationError, "OPENAI_API_KEY"),
        (RagSettings("tree"), ConfigurationError, "unknown chain 'tree'"),
        (RagSettings(form="talk"), ConfigurationError, "unknown form 'talk'"),
    ],
)
def test_a_name_that_is_unknown_is_refused(settings, error, message):
    """This happens before anything is spent."""
    with pytest.raises(error, match=message):
        assemble_rag(Shelf(), settings, Models(CallSettings(), {}))


def test_an_example_must_be_there_and_of_use(tmp_path):
    """The extractive generator cannot use one, and a missing file is named."""
    with pytest.raises(ConfigurationError, match="learns nothing"):
        assemble_rag(Shelf(), RagSettings(example=tmp_path / "e.toml"), Models(CallSettings(), {}))
    named = RagSettings(generator="openai:m@http://127.0.0.1:1/v1", example=tmp_path / "e.toml")
    with pytest.raises(ConfigurationError, match=r"e\.toml"):
        assemble_rag(Shelf(), named, Models(CallSettings(), {}))
