"""Bedrock in any-llm: AWS's SDK signs requests and reads replies in threads, and our HTTP client sends them.

Imported only where it is used: it needs the extra `providers`.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from io import BytesIO
from threading import Lock, local
from typing import Any, TypeVar

from any_llm.providers.bedrock import BedrockProvider
from botocore import UNSIGNED
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from yarl import URL

from saiten.models.endpoint import Endpoint
from saiten.models.http_client import HttpClient, HttpReply
from saiten.models.library_transport import Refused, headers_of
from saiten.models.wire import dump, load

T = TypeVar("T")

_THREADS = 64
"""Calls at once; more wait for a thread."""


class _Call:
    """A call in a thread that waits for a request in the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = Lock()
        self._sending: Future[HttpReply] | None = None
        self._canceled = False

    def reply(self, sending: Coroutine[Any, Any, HttpReply]) -> HttpReply:
        """Return the reply; raises CancelledError if the call was canceled, so that its thread ends."""
        with self._lock:
            if self._canceled:
                sending.close()
                raise CancelledError
            self._sending = asyncio.run_coroutine_threadsafe(sending, self._loop)
        return self._sending.result()

    def cancel(self) -> None:
        with self._lock:
            self._canceled = True
            if self._sending is not None:
                self._sending.cancel()


class Bedrock(BedrockProvider):  # type: ignore[misc] # no types where the extra is not installed
    """any-llm's client of Bedrock, which would otherwise send by itself, from as many threads as there are cores."""

    def __init__(self, endpoint: Endpoint, http: HttpClient) -> None:
        self._endpoint = endpoint
        self._http = http
        self._here = local()
        self._threads = ThreadPoolExecutor(_THREADS, "bedrock")
        # A signature even if there is a bearer token, which may be for another server.
        how = Config(
            signature_version=UNSIGNED if endpoint.key() else "v4",
            retries={"total_max_attempts": 1},
            max_pool_connections=_THREADS,
        )
        region = endpoint.provider.where(endpoint.base_url, os.environ)  # else that of AWS's configuration files
        super().__init__(
            None, endpoint.base_url, unified_exceptions=True, config=how, **({"region_name": region} if region else {})
        )
        self.client.meta.events.register("before-send.bedrock-runtime", self._send)

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _verify_and_set_api_key(self, api_key: str | None = None) -> None:
        """Return None: a bearer token is sent as every key, and never read from the environment."""

    async def _acompletion(self, params: Any, **kwargs: Any) -> Any:
        return await self._threaded(partial(self._completion, params, **kwargs))

    async def _aembedding(self, model: str, inputs: str | list[str], **kwargs: Any) -> Any:
        return await self._threaded(partial(self._embedding, model, inputs, **kwargs))

    async def _threaded(self, work: Callable[[], T]) -> T:
        call = _Call()

        def run() -> T:
            self._here.call = call
            return work()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, run)
        except asyncio.CancelledError:
            call.cancel()
            raise

    def _send(self, request: Any, **_: Any) -> Any:
        """Send what the SDK has signed, and return what it would have received; raises Refused for an error."""
        theirs = {name: _text(value) for name, value in request.headers.items()}
        headers = headers_of(theirs, self._endpoint, signed=not self._endpoint.key())
        body = request.body.encode() if isinstance(request.body, str) else request.body
        url = URL(request.url, encoded=True)
        reply = self._here.call.reply(self._http.send(request.method, url, body, headers))
        if reply.status != 200:
            raise Refused(_named(reply))
        return AWSResponse(request.url, reply.status, dict(reply.headers), _Body(reply.body))


class _Body(BytesIO):
    """A body in the form that the SDK reads."""

    def stream(self, **_: Any) -> list[bytes]:
        return [self.read()]


def _named(reply: HttpReply) -> HttpReply:
    """Return the reply with the name of its error, which AWS writes into a header."""
    kind = reply.headers.get("x-amzn-ErrorType", "").partition(":")[0]
    value = load(reply.body)
    if not kind or not isinstance(value, dict):
        return reply
    message = value.get("message") or value.get("Message") or kind
    return HttpReply(reply.status, reply.headers, dump({"error": {"message": message, "code": kind}}))


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
