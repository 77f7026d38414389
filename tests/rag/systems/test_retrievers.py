"""Functions and HTTP services as retrievers of evidence, over real connections."""

import asyncio

import pytest

from answer_service import AnswerService
from saiten.errors import CallFailed, ConfigurationError
from saiten.records import Passage, Usage
from saiten.settings import CallSettings
from saiten.wiring import Models, assemble_retriever
from servers import Fault

FUNCTIONS = """
import asyncio, time
from saiten.records import Passage, Retrieved, Usage

ALL = [{"text": f"P{n}", "source": f"{n}.md", "score": 1 / (n + 1)} for n in range(5)]
class Document:
    page_content, metadata = "L", {"source": "l.md"}
class Node:
    node_id, text, metadata, start_char_idx, end_char_idx = "1", "N", {"file_name": "n.md"}, 3, 4
class Scored:
    node, score = Node(), 0.5
class Found:
    content, meta, score = "H", {"file_path": "h.md"}, 0.25

def many(query, k): return ALL
def asked(query, k, language): return [f"{query}|{k}|{language}"]
def only(text): return [text]
def everything(**given): return [",".join(sorted(given))]
async def later(query, k):
    await asyncio.sleep(0)
    return ["later"]
def nothing(query): return []
def under_a_name(query): return {"documents": ["d"], "usage": {"calls": 2, "prompt_tokens": 5, "cost": 0.5}}
def whole(query, k): return Retrieved((Passage("w"),) * 9, Usage(1, 3))
def of_others(query): return [Document(), Scored(), Node(), Found()]

def broken(query): return {}["nothing"]
def none(query): pass
def text(query): return "a text"
def pieces(query): yield "a"
def odd(query): return {"hits": []}
def odd_passage(query): return ["a", {"url": "u"}]
def hangs(query): time.sleep(30)
async def hangs_later(query): await asyncio.sleep(30)
def two(query, index): return []
value = 3
"""


@pytest.fixture
def retriever(somewhere):
    """`retriever(spec)`: a retriever of two passages; timeouts and retries can be set."""
    (somewhere / "bot.py").write_text(FUNCTIONS)

    def make(spec, headers=None, environ=None, **calls):
        settings = CallSettings(**{"timeout": 20.0, "retries": 0} | calls)
        return assemble_retriever(spec, Models(settings, environ or {}), k=2, headers=headers)

    return make


@pytest.fixture
def search():
    """A service on loopback that finds two passages."""
    with AnswerService() as server:
        server.reply = lambda _: {"passages": ["one", {"content": "two", "source": "b.md", "score": 0.5}]}
        yield server


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("many", (Passage("P0", "0.md", 1.0), Passage("P1", "1.md", 0.5))),
        ("asked", (Passage("なぜ|2|ja"),)),
        ("only", (Passage("なぜ"),)),
        ("everything", (Passage("k,language,query"),)),
        ("later", (Passage("later"),)),
        ("nothing", ()),
        ("under_a_name", (Passage("d"),)),
        ("whole", (Passage("w"),) * 2),
    ],
)
async def test_a_function_finds_passages(retriever, name, found):
    """It is called with what it takes; more than k passages are cut off."""
    assert (await retriever(f"bot.py:{name}").retrieve("なぜ")).passages == found


async def test_the_documents_of_other_frameworks_are_passages(retriever):
    """They are recognized by their attributes, with their source, score and place."""
    found = await retriever("bot.py:of_others").retrieve("q", 9)
    assert found.passages == (Passage("L", "l.md"), Passage("N", "n.md", 0.5, 3, 4), Passage("N", "n.md", None, 3, 4), Passage("H", "h.md", 0.25))  # fmt: skip


async def test_a_retriever_costs_what_it_reports(retriever):
    """Without a report, a query is no call of a model, and so is one that fails."""
    assert (await retriever("bot.py:many").retrieve("q")).usage == Usage()
    assert (await retriever("bot.py:under_a_name").retrieve("q")).usage == Usage(2, 5, cost=0.5)
    with pytest.raises(CallFailed) as error:
        await retriever("bot.py:broken").retrieve("q")
    assert error.value.usage == Usage()


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("broken", "failed", r"KeyError: 'nothing' \(line \d+ of .*bot.py, in broken\)"),
        ("none", "unreadable", "`passages` must be a list, got nothing.*return an empty list"),
        ("text", "unreadable", "`passages` must be a list, got a str"),
        ("pieces", "unreadable", "join what it yields in a list"),
        ("odd", "unreadable", "expected an object with `passages`, got one with `hits`"),
        ("odd_passage", "unreadable", r"`passages\[1\]` is an object with `url`"),
        ("hangs", "timeout", "within 0.2 s"),
        ("hangs_later", "timeout", "within 0.2 s"),
    ],
)
async def test_a_function_that_fails_is_a_failed_call(retriever, name, kind, message):
    """It names the retriever, and the line or what came; nothing is taken for an empty list."""
    seconds = 0.2 if kind == "timeout" else 20.0
    with pytest.raises(CallFailed, match=f"could not be retrieved from python:bot.py:{name}: .*{message}") as error:
        await retriever(f"bot.py:{name}", timeout=seconds).retrieve("q")
    assert error.value.kind == kind


@pytest.mark.parametrize(
    ("spec", "headers", "message"),
    [
        ("bot.py:manny", {}, r"did you mean many\?"),
        ("bot.py:value", {}, "value in bot.py is a int; a function that takes a query"),
        ("bot.py:two", {}, "requires index, which saiten does not have; it is called with the query and, by name, k, language"),
        ("bot.py", {}, r"which function in it\? bot.py:FUNCTION"),
        ("kb", {}, "unknown retriever 'kb'; .*a knowledge base is for --kb"),
        ("openai:gpt-4o", {}, "unknown retriever"),
        ("bot.py:many", {"X-Key": "secret-one"}, "--retriever-header is for a retriever at an address"),
        ("http:localhost:8000/find", {}, "did you mean http://localhost:8000/find"),
        ("http://localhost:1/find", {"X-Key": "env:UNSET"}, "UNSET, which is not set"),
        ("langchain:bot.py:many", {}, r"cannot be imported|expected a retriever"),
    ],
)  # fmt: skip
def test_a_wrong_name_is_an_error_before_anything_is_asked(retriever, spec, headers, message):
    """It says what was expected, or what to install, and shows no secret."""
    with pytest.raises(ConfigurationError, match=message) as error:
        retriever(spec, headers)
    assert "secret" not in str(error.value)


async def test_a_service_gets_the_query_and_k(retriever, search):
    """By POST, with the query's language; several names of the list are understood."""
    one = retriever(search.url)
    found = await one.retrieve("なぜ？")
    assert found.passages == (Passage("one"), Passage("two", "b.md", 0.5))
    assert (await one.retrieve("Why?", 1)).passages == (Passage("one"),)
    assert search.asked == [{"query": "なぜ？", "k": 2, "language": "ja"}, {"query": "Why?", "k": 1, "language": "en"}]
    for name in ("contexts", "documents", "retrieved_contexts"):
        search.reply = lambda _, name=name: {name: ["x"]}
        assert (await one.retrieve("q")).passages == (Passage("x"),)
    assert one.name == f"{search.url}[k=2]"
    await one.close()


async def test_secrets_of_an_address_are_sent_and_not_named(retriever, search):
    """Key, headers, password and secret query values; another query is another retriever."""
    url = search.url.replace("http://", "http://me:secret-word@") + "?index=a&code=secret-code"
    headers, environ = {"X-Key": "env:KEY"}, {"KEY": "secret-two"}
    one = retriever(url, headers, environ)
    await one.retrieve("q")
    sent = search.requests[0]
    assert (sent.headers["X-Key"], sent.query["code"], sent.query["index"]) == ("secret-two", "secret-code", "a")
    assert one.name == f"{search.url}?index=a&code=***[k=2]"
    search.reply = lambda _: Fault(500, "secret-word secret-two")
    with pytest.raises(CallFailed, match=r"\*\*\* \*\*\*"):
        await one.retrieve("q")
    keyed = retriever(search.url, environ={"SAITEN_SYSTEM_KEY": "secret-key"})
    search.reply = lambda _: {"passages": []}
    assert (await keyed.retrieve("q")).passages == ()
    assert search.requests[-1].headers["Authorization"] == "Bearer secret-key"
    for each in (one, keyed):
        await each.close()


@pytest.mark.parametrize("fault", [Fault(429), Fault(503), Fault(500), Fault(drop=True), Fault(504)])
async def test_whatever_fails_is_tried_again(retriever, search, fault):
    """Retrieving changes nothing, so that even what the service may have processed is repeated."""
    search.reply = lambda asked: fault if asked.number < 2 else {"passages": ["p"]}
    one = retriever(search.url, retries=2)
    found = await one.retrieve("q")
    assert (found.passages, found.usage) == ((Passage("p"),), Usage())
    assert len(search.requests) == 2
    await one.close()


@pytest.mark.parametrize(
    ("said", "kind", "message"),
    [
        (Fault(500, "boom"), "failed", "HTTP 500: boom"),
        (Fault(200, "no JSON"), "unreadable", "did not answer with a JSON object; the reply begins: no JSON"),
        ({"passages": None}, "unreadable", "`passages` must be a list, got nothing"),
        ({"hits": []}, "unreadable", "expected an object with `passages`, got one with `hits`"),
        ({"error": "no index"}, "failed", "failed: no index"),
        (Fault(delay=5), "timeout", "0.3 s"),
    ],
)
async def test_a_service_that_fails_is_a_failed_call(retriever, search, said, kind, message):
    """It names the service and what came."""
    search.reply = lambda _: said
    one = retriever(search.url, timeout=0.3 if kind == "timeout" else 20.0)
    with pytest.raises(CallFailed, match=f"could not be retrieved from {search.url}: .*{message}") as error:
        await one.retrieve("q")
    assert error.value.kind == kind
    await one.close()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault(401, "who?"), r"refuses access \(HTTP 401: who\?\); .*--retriever-header NAME=VALUE"),
        (Fault(404), "does not accept queries"),
        (Fault(302, headers={"Location": "/there"}), "redirects to /there"),
    ],
)
async def test_a_service_where_nothing_will_work_stops_the_run(retriever, search, fault, message):
    """Before the first answer; the text says what to do."""
    search.reply = lambda _: fault
    one = retriever(search.url, retries=2)
    with pytest.raises(ConfigurationError, match=message):
        await one.retrieve("q")
    assert len(search.requests) == 1
    await one.close()


async def test_queries_are_few_at_a_time(retriever, search):
    """Eight, however many requests to a model may be in flight: a retriever is often one small server."""
    opened = search.hold()
    one = retriever(search.url, concurrency=64)
    asked = [asyncio.ensure_future(one.retrieve(str(n))) for n in range(20)]
    while search.in_flight < 8:  # noqa: ASYNC110 - it is counted in another thread
        await asyncio.sleep(0.01)
    opened.set()
    await asyncio.gather(*asked)
    assert search.peak == 8
    await one.close()
