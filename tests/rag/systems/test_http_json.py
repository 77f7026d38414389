"""An HTTP service as the system under test, over real connections."""

import asyncio
import socket

import pytest

from saiten.errors import BudgetSpent, ConfigurationError, SystemFailed
from saiten.records import Inquiry, Passage, Turn, Usage
from saiten.settings import CallSettings
from saiten.wiring import Models
from saiten.wiring.systems import SystemSettings, assemble_system
from servers import Fault

INQUIRY = Inquiry("なぜ？", "q1", (Turn("What?", "This."),), "s7", "ja")


@pytest.fixture
async def system(service):
    """`system()`: the service as a system; timeouts and retries can be set."""
    made = []

    def make(url=None, environ=None, **settings):
        calls = CallSettings(timeout=settings.pop("timeout", 20.0), retries=settings.pop("retries", 0), max_calls=settings.pop("max_calls", None))  # fmt: skip
        made.append(assemble_system(url or service.url, SystemSettings(**settings), Models(calls, environ or {})))
        return made[-1]

    yield make
    for each in made:
        await each.close()


async def test_a_question_goes_by_post_and_an_answer_comes_back(system, service):
    """The session is in the object and in a header; the latency is measured."""
    answer = await system().answer(INQUIRY)
    assert (answer.text, answer.contexts) == ("To: なぜ？", (Passage("one"), Passage("two", "b.md")))
    assert answer.seconds > 0
    assert answer.usage == Usage(calls=1, unpriced=1)
    (asked,) = service.requests
    assert asked.body == {"question": "なぜ？", "id": "q1", "session": "s7", "history": [{"question": "What?", "answer": "This."}], "language": "ja"}  # fmt: skip
    assert asked.headers["X-Session-Id"] == "s7"
    assert "Authorization" not in asked.headers


@pytest.mark.parametrize("spec", ["http:{}", "  {} ", "{}?k=5#part"])
async def test_an_address_may_be_written_in_several_ways(system, service, spec):
    """The query is sent; the name has none."""
    found = system(spec.format(service.url))
    await found.answer(INQUIRY)
    assert found.name == service.url
    assert dict(service.requests[0].query) == ({"k": "5"} if "k=5" in spec else {})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("http:localhost:8000/ask", "did you mean http://localhost:8000/ask"),
        ("http:", "begins with http://"),
        ("http://", "cannot be read"),
        ("http://[::1", "cannot be read"),
    ],
)
def test_an_invalid_address_is_refused(system, spec, message):
    """The message says what was probably meant."""
    with pytest.raises(ConfigurationError, match=message):
        system(spec)


async def test_a_key_and_headers_are_sent_and_never_shown(system, service):
    """A bearer token from the environment; a custom header wins; the server's echoes of them are hidden."""
    service.reply = lambda asked: Fault(500, f"no {asked.headers['Authorization']} {asked.headers.get('X-Key', '')}")
    for settings, sent in [
        ({"environ": {"SAITEN_SYSTEM_KEY": " secret-key "}}, "Bearer secret-key"),
        (
            {"environ": {"SAITEN_SYSTEM_KEY": "other"}, "headers": {"authorization": "Basic secret-one"}},
            "Basic secret-one",
        ),
        ({"environ": {"SAITEN_SYSTEM_KEY": "secret-key"}, "headers": {"X-Key": "secret-two"}}, "Bearer secret-key"),
    ]:
        one = system(**settings)
        with pytest.raises(SystemFailed) as error:
            await one.answer(INQUIRY)
        assert service.requests[-1].headers["Authorization"] == sent
        assert "secret" not in str(error.value)
        assert "***" in str(error.value)
        assert "secret" not in repr(one) + str(one.describe()) + repr(
            SystemSettings(headers=settings.get("headers", {}))
        )


async def test_user_password_and_query_of_an_address_are_not_in_its_name(system, service):
    """They are sent. Another query is another system, unless it differs only in possible secrets, such as a key."""
    url = service.url.replace("http://", "http://me:secret-word@") + "?code=secret-code"
    found = system(url)
    await found.answer(INQUIRY)
    assert service.requests[0].headers["Authorization"].startswith("Basic ")
    assert service.requests[0].query["code"] == "secret-code"
    assert "secret" not in found.name + str(found.describe())
    assert found.describe() == system(url + "2").describe() != system(url + "&k=5").describe()
    assert system(url + "&k=5").describe() != system(url + "&k=6").describe()
    service.reply = lambda _: Fault(500, "secret-word secret-code")
    with pytest.raises(SystemFailed, match=r"\*\*\* \*\*\*"):
        await found.answer(INQUIRY)


@pytest.mark.parametrize(
    "headers", [{"Bad name": "v"}, {"X-A": "a\r\nX-B: b"}, {"X-A": "鍵"}, {"Content-Length": "3"}, {"": "v"}]
)
def test_a_header_that_cannot_be_sent_is_refused_at_once(system, headers):
    """Its value is not shown either."""
    with pytest.raises(ConfigurationError) as error:
        system(headers=headers)
    assert "X-B" not in str(error.value)


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (Fault(500, "boom"), "failed", "HTTP 500: boom"),
        (Fault(500, ""), "failed", "no message"),
        (
            Fault(422, {"detail": [{"loc": ["body", "query"], "msg": "Field required"}]}),
            "failed",
            "body.query: Field required",
        ),
        (Fault(403, "blocked"), "failed", "HTTP 403"),
        (Fault(429, "slow down"), "failed", "busy"),
        (Fault(504, "<html>gateway</html>"), "timeout", "HTTP 504"),
        (Fault(200, "not json"), "unreadable", "not json"),
        (Fault(200, ""), "unreadable", "begins: nothing"),
        (Fault(204, ""), "unreadable", "begins: nothing"),
        (Fault(200, '"a text"'), "unreadable", "JSON object"),
        (Fault(200, '{"answer": "cut'), "unreadable", "JSON object"),
        (Fault(200, {"result": "x"}), "unreadable", "`result`"),
        (Fault(200, {"answer": None}), "unreadable", "`answer` must be a text"),
        (Fault(200, {"error": "no model loaded"}), "failed", "no model loaded"),
        (Fault(200, "[" * 100_000), "unreadable", "JSON object"),
        (Fault(200, '{"answer": "' + "x" * (17 << 20) + '"}'), "unreadable", "more than 16 MB"),
        (Fault(drop=True), "failed", "broke off"),
    ],
    ids=lambda value: None if isinstance(value, Fault) else str(value)[:20],
)
async def test_each_way_to_misbehave_is_distinguished(system, service, fault, kind, message):
    """After each of them the next question is answered."""
    service.reply = lambda asked: fault if asked.number == 1 else None
    one = system()
    with pytest.raises(SystemFailed, match=message) as error:
        await one.answer(INQUIRY)
    assert error.value.kind == kind
    assert error.value.usage.calls == 1
    assert len(str(error.value)) < 1000
    service.reply = lambda _: None
    assert (await one.answer(INQUIRY)).text == "To: なぜ？"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault(200, {"answer": "x"}, delay=60.0), "within 2 s"),
        (Fault(200, {"answer": "x" * 10_000}, drip=0.05), "in full within 2 s"),
    ],
    ids=["silent", "trickling"],
)
async def test_a_service_that_takes_too_long_is_reported(system, service, fault, message):
    """Whether it is silent or slow; the call is counted."""
    service.reply = lambda _: fault
    with pytest.raises(SystemFailed, match=message) as error:
        await system(timeout=2.0).answer(INQUIRY)
    assert error.value.kind == "timeout"
    assert error.value.usage.calls == 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault(401, "who are you"), "SAITEN_SYSTEM_KEY"),
        (Fault(404, "nothing"), "check the address"),
        (Fault(405, ""), "check the address"),
        (
            Fault(307, "", headers={"Location": "http://elsewhere/ask?key=1"}),
            r"redirects to http://elsewhere/ask; use",
        ),
    ],
)
async def test_what_no_question_can_mend_stops_the_run(system, service, fault, message):
    """A redirect is not followed: the key would be sent along."""
    service.reply = lambda _: fault
    with pytest.raises(ConfigurationError, match=message):
        await system().answer(INQUIRY)
    assert len(service.requests) == 1


async def test_after_an_answer_a_404_is_this_questions_failure(system, service):
    """The address is right; an expired key, however, still affects all questions."""
    one = system()
    await one.answer(INQUIRY)
    service.reply = lambda _: Fault(404, "no such document")
    with pytest.raises(SystemFailed, match="no such document"):
        await one.answer(INQUIRY)
    service.reply = lambda _: Fault(401)
    with pytest.raises(ConfigurationError):
        await one.answer(INQUIRY)


async def test_no_server_is_reported_before_and_after_the_first_answer(system, service):
    """Before it: the setup is wrong. After it: this question failed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(ConfigurationError, match="no server at"):
            await system(f"http://127.0.0.1:{free.getsockname()[1]}/ask").answer(INQUIRY)
    one = system()
    await one.answer(INQUIRY)
    service.close()
    with pytest.raises(SystemFailed, match=r"can no longer be reached|broke off"):
        await one.answer(INQUIRY)


@pytest.mark.parametrize(
    ("fault", "repeatable", "asked"),
    [
        (Fault(429, "", headers={"Retry-After": "0"}), False, 2),
        (Fault(503, "", headers={"Retry-After": "0"}), False, 2),
        (Fault(500), False, 1),
        (Fault(500), True, 2),
        (Fault(drop=True), False, 1),
        (Fault(drop=True), True, 2),
        (Fault(422), True, 1),
        (Fault(200, "rubbish"), True, 1),
    ],
)
async def test_only_what_is_safe_is_asked_again(system, service, fault, repeatable, asked):
    """A service that may have worked on the question is asked again only if that is harmless."""
    service.reply = lambda _: fault
    with pytest.raises(SystemFailed) as error:
        await system(retries=1, repeatable=repeatable).answer(INQUIRY)
    assert len(service.requests) == asked
    assert error.value.usage.calls == asked


async def test_the_latency_is_that_of_the_attempt_that_succeeded(system, service):
    """The wait requested by Retry-After is not the system's."""
    service.reply = lambda asked: Fault(429, headers={"Retry-After": "0.8"}) if asked.number == 1 else None
    answer = await system(retries=1).answer(INQUIRY)
    assert answer.seconds < 0.8
    assert answer.usage.calls == 2


async def test_each_session_has_its_own_cookies(system, service):
    """It is as if each user had a separate browser; questions without a session have no cookies."""
    service.reply = lambda asked: Fault(200, {"answer": asked.headers.get("Cookie", "none")}, {"Set-Cookie": f"chat={asked.body['session']}+/=="})  # fmt: skip
    one = system()

    async def said(session):
        return (await one.answer(Inquiry("?", session=session))).text

    assert [await said(session) for session in ("a", "b", "", "a", "b", "")] == ["none", "none", "none", "chat=a+/==", "chat=b+/==", "none"]  # fmt: skip


async def test_a_session_of_any_characters_fits_into_a_header(system, service):
    """It is percent-encoded in the header, and unchanged in the object."""
    await system().answer(Inquiry("?", session="対話 7\r\nX: y"))
    (asked,) = service.requests
    assert asked.body["session"] == "対話 7\r\nX: y"
    assert asked.headers["X-Session-Id"].startswith("%E5%AF%BE")
    assert "X" not in asked.headers


async def test_an_answer_in_shift_jis_is_read_where_the_header_says_so(system, service):
    """Old servers in Japan send this."""

    async def raw(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        body = '{"answer": "橋"}'.encode("cp932")
        writer.write(b"HTTP/1.0 200 OK\r\nContent-Type: application/json; charset=Shift_JIS\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(raw, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    assert (await system(f"http://127.0.0.1:{port}/").answer(INQUIRY)).text == "橋"
    server.close()


@pytest.mark.parametrize(
    "head",
    [
        b"rubbish\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000 + b"\r\n\r\n",
        b"",
    ],
)
async def test_what_is_no_http_is_a_failure_of_this_question(system, head):
    """This includes a truncated reply, and endless headers."""

    async def raw(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(raw, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(SystemFailed) as error:
        await system(f"http://127.0.0.1:{port}/").answer(INQUIRY)
    assert len(str(error.value)) < 1000
    server.close()


async def test_the_budget_counts_requests(system, service):
    """Exactly that many are sent."""
    one = system(max_calls=2)
    outcomes = await asyncio.gather(*(one.answer(INQUIRY) for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(outcome, BudgetSpent) for outcome in outcomes) == 3
    assert len(service.requests) == 2


async def test_a_question_of_megabytes_is_sent(system, service):
    """The HTTP library does not complain."""
    long = "長" * 1_000_000
    assert (await system().answer(Inquiry(long))).text == f"To: {long}"


async def test_a_custom_header_is_sent_once(system, service):
    """However it is written, and even if saiten would send one with that name."""
    await system(headers={"x-session-id": "mine", "authorization": "Basic own"}).answer(INQUIRY)
    headers = service.requests[0].headers
    assert (headers.getall("X-Session-Id"), headers.getall("Authorization")) == (["s7"], ["Basic own"])
