"""An HTTP service as the system under test: one POST per question, as specified in `contract.py`.

The session is sent in the object, in the header `X-Session-Id`, and by the cookies that the service sets, kept apart by
session.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from urllib.parse import quote

from saiten.models.layers import Layer
from saiten.rag.systems.contract import ask, question_object, read_answer
from saiten.rag.systems.cookies import Cookies
from saiten.rag.systems.http_address import HttpAddress
from saiten.rag.systems.http_service import HttpService
from saiten.records import Answer, Inquiry


class HttpJson:
    """Sends questions to an HTTP service.

    Requests that the service may have processed are retried only if it is `repeatable`: asking twice could add two
    turns to a dialogue. The latency is that of the successful attempt, from the request to the last byte of the reply.
    """

    def __init__(
        self, address: HttpAddress, *, timeout: float = 120.0, repeatable: bool = False, around: Sequence[Layer] = ()
    ) -> None:
        """`timeout`: seconds per request, from the first byte sent to the last received."""
        self._service = HttpService(address, timeout=timeout, repeatable=repeatable)
        self._around = around
        self._cookies = Cookies()

    @property
    def name(self) -> str:
        """`http://host/path`; contains neither query nor password."""
        return self._service.name

    def describe(self) -> Mapping[str, str]:
        """Return the address and its query without possible secrets; headers are never stored."""
        query = self._service.address.query
        return {"system": self.name} | ({"query": query} if query else {})

    async def answer(self, inquiry: Inquiry) -> Answer:
        return await ask(self._around, partial(self._attempt, inquiry), inquiry)

    async def close(self) -> None:
        await self._service.close()

    async def _attempt(self, inquiry: Inquiry) -> Answer:
        begun = perf_counter()
        reply = await self._service.post(question_object(inquiry), self._headers(inquiry.session))
        seconds = perf_counter() - begun
        self._cookies.keep(inquiry.session, reply.cookies, self._service.address.url)
        return replace(self._service.read(reply, read_answer), seconds=seconds)

    def _headers(self, session: str) -> Mapping[str, str]:
        headers = {}
        if session:
            headers["X-Session-Id"] = quote(session, safe=" :/@+")[:1000]
        if cookies := self._cookies.sent_with(session, self._service.address.url):
            headers["Cookie"] = cookies
        return headers
