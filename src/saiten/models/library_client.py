"""The client of providers that do not speak OpenAI's protocol: any-llm, whose requests go through our HTTP client.

So they follow no redirect, keep keys from proxies and other hosts, are retried only by saiten, and fail with the same
errors as all others. The exception is Bedrock, whose SDK sends its requests itself.

Imported only where it is used: it needs the extra `providers`.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import httpx
from any_llm import AnyLLM
from any_llm.exceptions import UnsupportedParameterError
from yarl import URL

from saiten.errors import CallFailed, ConfigurationError, FailureKind, SaitenError
from saiten.models.endpoint import Endpoint
from saiten.models.faults import ParameterRefused
from saiten.models.http_client import CHARGED, HttpClient, HttpReply
from saiten.models.wire import dump
from saiten.records import Usage

E = TypeVar("E", bound=Exception)

_TRANSLATED = frozenset(("temperature", "max_tokens", "seed", "response_format", "top_p", "stop", "reasoning_effort"))
"""Parameters that the library has for every provider; all others go into the body as they are."""
_OURS = frozenset(("accept-encoding", "connection", "content-length", "host"))
_KEYS = frozenset(("api-key", "authorization", "cookie", "x-api-key", "x-goog-api-key"))
_AT_ONCE = 64
"""Connections to Bedrock."""


class Refused(Exception):
    """An HTTP reply other than 200, on its way through the library."""

    def __init__(self, reply: HttpReply) -> None:
        super().__init__(f"HTTP {reply.status}")
        self.reply = reply


class _Through(httpx.AsyncBaseTransport):
    """Sends the library's requests with our client, and our key instead of the library's."""

    def __init__(self, http: HttpClient, endpoint: Endpoint, *, signed: bool) -> None:
        """`signed`: the library authorizes each request itself, with a token that it renews."""
        self._http = http
        self._endpoint = endpoint
        self._dropped = _OURS | (_KEYS - {"authorization"} if signed else _KEYS)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        theirs = {name: value for name, value in request.headers.items() if name.lower() not in self._dropped}
        headers = theirs | self._endpoint.all_headers()
        reply = await self._http.send(request.method, URL(str(request.url), encoded=True), body or None, headers)
        if reply.status != 200:
            raise Refused(reply)
        return httpx.Response(200, headers=dict(reply.headers), content=reply.body, request=request)


class LibraryClient:
    """One provider's client in any-llm."""

    def __init__(self, endpoint: Endpoint, http: HttpClient, timeout: float) -> None:
        """`timeout`: seconds per request. Raises ConfigurationError if credentials or a package are missing."""
        logging.getLogger("any_llm").setLevel(logging.ERROR)  # it warns at every call of Bedrock
        self._endpoint = endpoint
        try:
            self._client = AnyLLM.create(
                endpoint.provider.library, unified_exceptions=True, **_settings(endpoint, http, timeout)
            )
        except Exception as error:
            raise _setup(error, endpoint) from error

    async def fetch(self, path: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to this request in OpenAI's form.

        Raises:
            Refused: the server replied with another status than 200.
            ParameterRefused: the library knows that the provider has no such parameter; nothing was sent.
            CallFailed, ConfigurationError: as for every model.
        """
        ask = self._embed if path == "/embeddings" else self._complete
        try:
            reply = await ask(payload)
        except Exception as error:
            raise _explained(error, self._endpoint, payload) from error
        value: dict[str, Any] = reply.model_dump(mode="json")
        return value

    async def _complete(self, payload: Mapping[str, Any]) -> Any:
        given = {name: value for name, value in payload.items() if name in _TRANSLATED}
        more = {name: value for name, value in payload.items() if name not in {"model", "messages", *_TRANSLATED}}
        whole = given | self._in_body(more)
        return await self._client.acompletion(payload["model"], messages=payload["messages"], **whole)

    async def _embed(self, payload: Mapping[str, Any]) -> Any:
        more = {name: value for name, value in payload.items() if name not in ("model", "input", "encoding_format")}
        return await self._client.aembedding(payload["model"], inputs=payload["input"], **more)

    def _in_body(self, more: Mapping[str, Any]) -> dict[str, Any]:
        """Return the argument that puts these parameters into the body of a chat request."""
        if not more:
            return {}
        match self._endpoint.provider.library:
            case "bedrock":
                return {"additionalModelRequestFields": dict(more)}
            case "gemini" | "vertexai":
                return {"http_options": {"extra_body": dict(more)}}
            case _:
                return {"extra_body": dict(more)}


def _settings(endpoint: Endpoint, http: HttpClient, timeout: float) -> dict[str, Any]:
    """Return the arguments of the library's client."""
    if endpoint.provider.library == "bedrock":
        return _of_bedrock(endpoint, timeout)
    signed = endpoint.provider.library == "vertexai"
    sends = httpx.AsyncClient(
        transport=_Through(http, endpoint, signed=signed), follow_redirects=False, trust_env=False
    )
    key = endpoint.key() or "none"  # the SDK wants one; what is sent is the endpoint's
    if endpoint.provider.library == "anthropic":
        return {
            "api_key": key,
            "api_base": endpoint.base_url,
            "http_client": sends,
            "timeout": timeout,
            "max_retries": 0,
        }
    options = {"httpx_async_client": sends, "retry_options": {"attempts": 1}, "base_url": endpoint.base_url}
    if not signed:
        return {"api_key": key, "http_options": options | {"api_version": "v1beta"}}
    place = endpoint.provider.place(endpoint.base_url).removeprefix("@")
    return {"http_options": options, **({"location": place} if place and "://" not in place else {})}


def _of_bedrock(endpoint: Endpoint, timeout: float) -> dict[str, Any]:
    from botocore.config import Config  # noqa: PLC0415 - slow, and only Bedrock needs it

    if endpoint.headers:
        raise ConfigurationError("Bedrock takes no further headers, since every request is signed; leave them out")
    config = Config(
        connect_timeout=min(20, timeout),
        read_timeout=timeout,
        retries={"total_max_attempts": 1},
        max_pool_connections=_AT_ONCE,
    )
    place = endpoint.provider.place(endpoint.base_url).removeprefix("@")
    region = {"region_name": place} if "://" not in place else {}
    return {"api_key": endpoint.key() or None, "api_base": endpoint.base_url, "config": config, **region}


def _within(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and everything that led to it."""
    seen: set[int] = set()
    left = [error]
    while left:
        each = left.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        left += [getattr(each, "original_exception", None), each.__cause__, each.__context__]


def _first(error: Exception, kind: type[E]) -> E | None:
    return next((each for each in _within(error) if isinstance(each, kind)), None)


def _explained(error: Exception, endpoint: Endpoint, payload: Mapping[str, Any]) -> Exception:
    """Return what the error was about: a reply, a parameter, the setup, or one call."""
    known = _first(error, Refused) or _first(error, SaitenError)
    if known is not None:
        return known
    unsupported = _first(error, UnsupportedParameterError)
    if unsupported is not None:
        named = [name for name in payload if name in str(unsupported)]
        refusal = ParameterRefused(f"{endpoint.name}: {endpoint.excerpt(str(unsupported))}", named[0] if named else "")
        refusal.usage = Usage()
        return refusal
    if (reply := _reply_of_bedrock(error)) is not None:
        return Refused(reply)
    if any(type(each).__module__.startswith(("google.auth", "botocore.exceptions")) for each in _within(error)):
        return _of_credentials(error, endpoint)
    said = endpoint.excerpt(str(error)) or type(error).__name__
    if _first(error, TypeError) is not None and "unexpected keyword" in str(error):
        return ConfigurationError(f"{endpoint.name}: the library has no such parameter ({said}); leave it out")
    return CallFailed(
        f"{endpoint.name} did not answer as expected ({said})", CHARGED, kind="unreadable", retryable=True
    )


def _reply_of_bedrock(error: Exception) -> HttpReply | None:
    """Return the HTTP reply within an error of AWS's SDK, if there was one."""
    response = next(
        (found for each in _within(error) if isinstance(found := getattr(each, "response", None), dict)), {}
    )
    about = response.get("ResponseMetadata", {})
    status = about.get("HTTPStatusCode")
    if not isinstance(status, int):
        return None
    return HttpReply(status, about.get("HTTPHeaders", {}), dump({"error": response.get("Error", {})}))


_PASSING = frozenset(
    ("ConnectionClosedError", "ConnectTimeoutError", "EndpointConnectionError", "ReadTimeoutError", "TransportError")
)
_CREDENTIALS = {
    "bedrock": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or AWS_BEARER_TOKEN_BEDROCK",
    "vertexai": "GOOGLE_APPLICATION_CREDENTIALS, or log in with `gcloud auth application-default login`",
}


def _of_credentials(error: Exception, endpoint: Endpoint) -> SaitenError:
    said = endpoint.excerpt(str(error))
    kinds = {type(each).__name__ for each in _within(error)}
    if kinds & _PASSING:
        kind: FailureKind = "timeout" if "ReadTimeoutError" in kinds else "failed"
        return CallFailed(f"the connection to {endpoint.name} broke off ({said})", CHARGED, kind=kind, retryable=True)
    return ConfigurationError(
        f"{endpoint.name} needs credentials, and there are none that can be used ({said}); set "
        f"{_CREDENTIALS.get(endpoint.provider.library, endpoint.key_variable)}"
    )


def _setup(error: Exception, endpoint: Endpoint) -> SaitenError:
    """Return the error for a client that cannot be made."""
    if (known := _first(error, SaitenError)) is not None:
        return known
    if "GOOGLE_CLOUD" in str(error):
        return ConfigurationError(f"{endpoint.name} needs a project; set GOOGLE_CLOUD_PROJECT")
    return _of_credentials(error, endpoint)
