"""The client of providers that do not speak OpenAI's protocol: any-llm, whose requests go through our HTTP client.

So they follow no redirect, keep keys from proxies and other hosts, are retried only by saiten, and fail with the same
errors as all others.

Imported only where it is used: it needs the extra `providers`.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeVar

import httpx
from any_llm import AnyLLM
from any_llm.exceptions import UnsupportedParameterError
from pydantic import ValidationError

from saiten.errors import CallFailed, ConfigurationError, SaitenError
from saiten.models.endpoint import Endpoint
from saiten.models.faults import ParameterRefused
from saiten.models.http_client import CHARGED, SENT, HttpClient
from saiten.models.library_transport import Refused, Through
from saiten.records import Usage

E = TypeVar("E", bound=Exception)

_TRANSLATED = frozenset(("temperature", "max_tokens", "seed", "response_format", "top_p", "stop", "reasoning_effort"))
"""Parameters that the library has for every provider; all others go into the body as they are."""

_NOT_ON_VERTEX = ("claude", "codestral", "mistral")
"""How models begin that Vertex serves in a form of their own; the library would send them with another client."""


class LibraryClient:
    """One provider's client in any-llm."""

    def __init__(self, endpoint: Endpoint, http: HttpClient, timeout: float) -> None:
        """`timeout`: seconds per request. Raises ConfigurationError if credentials or a package are missing."""
        logging.getLogger("any_llm").setLevel(logging.ERROR)
        self._endpoint = endpoint
        try:
            self._client = _client(endpoint, http, timeout)
        except Exception as error:
            raise _setup(error, endpoint) from error

    def close(self) -> None:
        """Let the threads of a client that has some end."""
        with suppress(AttributeError):
            self._client.close()

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
        translated = _TRANSLATED - self._endpoint.provider.lacks
        given = {name: value for name, value in payload.items() if name in translated}
        more = {name: value for name, value in payload.items() if name not in {"model", "messages", *translated}}
        whole = given | self._in_body(more)
        return await self._client.acompletion(payload["model"], messages=payload["messages"], **whole)

    async def _embed(self, payload: Mapping[str, Any]) -> Any:
        more = {name: value for name, value in payload.items() if name not in ("model", "input", "encoding_format")}
        if more and self._endpoint.provider.library in ("gemini", "vertexai"):
            size = {"output_dimensionality": more.pop("dimensions")} if "dimensions" in more else {}
            more = {"config": more | size}
        elif unknown := more.keys() - {"dimensions", "normalize"}:  # which the library leaves out without a word
            raise ConfigurationError(
                f"{self._endpoint.name} takes the options dimensions and normalize, not {min(unknown)}; leave it out"
            )
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


def _client(endpoint: Endpoint, http: HttpClient, timeout: float) -> Any:
    """Return the library's client."""
    provider, key = endpoint.provider, endpoint.key() or "none"  # the SDKs want one; what is sent is the endpoint's
    if provider.library == "bedrock":
        from saiten.models.bedrock_client import Bedrock  # noqa: PLC0415 - slow, and only Bedrock needs it

        return Bedrock(endpoint, http)
    signed = provider.library == "vertexai"
    sends = httpx.AsyncClient(transport=Through(http, endpoint, signed=signed), follow_redirects=False, trust_env=False)
    settings: dict[str, Any] = {"unified_exceptions": True}
    if provider.library == "anthropic":
        settings |= {"api_key": key, "api_base": endpoint.base_url, "timeout": timeout, "max_retries": 0}
        return AnyLLM.create(provider.library, http_client=sends, **settings)
    options = {"httpx_async_client": sends, "retry_options": {"attempts": 1}, "base_url": endpoint.base_url}
    if not signed:
        # otherwise GOOGLE_GENAI_USE_VERTEXAI would decide
        settings |= {"api_key": key, "vertexai": False}
        return AnyLLM.create(provider.library, http_options=options | {"api_version": "v1beta"}, **settings)
    if endpoint.model.startswith(_NOT_ON_VERTEX):
        raise ConfigurationError(
            f"vertex: serves Gemini and open models here, not {endpoint.model!r}; use anthropic:, bedrock: or mistral:"
        )
    # without both, the SDK takes an address for that of a gateway that needs neither
    settings |= {"project": _project(endpoint), "location": provider.where(endpoint.base_url, os.environ) or "global"}
    return AnyLLM.create(provider.library, http_options=options, **settings)


def _project(endpoint: Endpoint) -> str:
    """Return the project to use in Google's cloud; raises ConfigurationError if none is set."""
    found = os.environ.get("GOOGLE_CLOUD_PROJECT") or import_module("google.auth").default()[1]
    if not found:
        raise ConfigurationError(f"{endpoint.name} needs a project; set GOOGLE_CLOUD_PROJECT")
    return str(found)


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
        return _refusal(unsupported, endpoint, payload)
    said = endpoint.excerpt(str(error)) or type(error).__name__
    if _is_of_request(error):
        return ConfigurationError(f"{endpoint.name} takes no such parameter ({said}); change or leave out the option")
    if any(type(each).__module__.startswith(("google.auth", "botocore.exceptions")) for each in _within(error)):
        return _of_credentials(error, endpoint)
    return CallFailed(
        f"{endpoint.name} did not answer as expected ({said})", CHARGED, kind="unreadable", retryable=True
    )


def _refusal(error: UnsupportedParameterError, endpoint: Endpoint, payload: Mapping[str, Any]) -> ParameterRefused:
    """Return the refusal of the parameter that the library names first."""
    named = str(error.parameter_name)
    places = {name: named.find(name) for name in payload if name not in ("model", "messages", "input")}
    found = {name: place for name, place in places.items() if place >= 0}
    parameter = min(found, key=lambda name: found[name], default="")
    refusal = ParameterRefused(f"{endpoint.name}: {endpoint.excerpt(str(error))}", parameter)
    refusal.usage = Usage()  # nothing was sent
    return refusal


_OF_REQUESTS = frozenset(("CompletionParams", "EmbedContentConfig", "GenerateContentConfig", "HttpOptions"))
"""The library's models of what is sent."""


def _is_of_request(error: Exception) -> bool:
    """Return whether the library could not even make the request, of the options that it was given."""
    return any(
        (isinstance(each, ValidationError) and each.title in _OF_REQUESTS)
        or (isinstance(each, TypeError) and "unexpected keyword" in str(each))
        or type(each).__name__ == "ParamValidationError"
        for each in _within(error)
    )


def _of_credentials(error: Exception, endpoint: Endpoint) -> SaitenError:
    said = endpoint.excerpt(str(error))
    kinds = {type(each).__name__ for each in _within(error)}
    if "TransportError" in kinds:
        return CallFailed(f"no access token for {endpoint.name} could be fetched ({said})", SENT, retryable=True)
    if "NoRegionError" in kinds:
        return ConfigurationError(f"{endpoint.name} needs a region ({said}); set {endpoint.provider.where_variable[0]}")
    return ConfigurationError(
        f"{endpoint.name} needs credentials, and there are none that can be used ({said}); {endpoint.key_advice()}"
    )


def _setup(error: Exception, endpoint: Endpoint) -> SaitenError:
    """Return the error for a client that cannot be made."""
    if (known := _first(error, SaitenError)) is not None:
        return known
    return _of_credentials(error, endpoint)
