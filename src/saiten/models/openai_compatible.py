"""A model on any OpenAI-compatible server (OpenAI, Azure, vLLM, Ollama, TGI, llama.cpp), and a chat model on one."""

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

from yarl import URL

from saiten.errors import CallFailed, ConfigurationError, ModelRefused, SaitenError
from saiten.models.dialect import (
    Dialect,
    Negotiation,
    Structured,
    dialect_of,
    response_format,
    seems_ignored,
    with_schema,
)
from saiten.models.endpoint import Endpoint, KeyOfServer
from saiten.models.faults import NotServed, ParameterRefused, fault_of, refusable, with_models, without_system
from saiten.models.http_client import CHARGED, HttpClient, HttpReply
from saiten.models.layers import A, Layer, load_of, through
from saiten.models.providers import OPENAI, Provider, providers
from saiten.models.token_probabilities import read_tokens
from saiten.models.wire import dump, glimpse, load
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage


def read_completion(value: Mapping[str, Any], endpoint: Endpoint) -> Completion:
    """Return the answer. Think blocks stay in the text; reasoning in a separate field is dropped.

    Raises:
        ModelRefused: the model refused, or a filter withheld its answer.
        CallFailed: there is no answer: a tool call, no tokens left, or an unexpected format.
    """
    usage = read_usage(value)
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        shown = endpoint.excerpt(glimpse(value))
        fault = f"{endpoint.name} answered without choices[0].message; the reply begins: {shown}"
        raise CallFailed(fault, usage, kind="unreadable", retryable=True)
    reason = choice.get("finish_reason")
    finish_reason = reason if isinstance(reason, str) else None
    text = read_content(message.get("content"))
    if not text.strip():
        refused = bool(message.get("refusal")) or finish_reason in ("content_filter", "refusal")
        kind = ModelRefused if refused else CallFailed
        raise kind(f"{endpoint.name} {_why_empty(message, finish_reason, endpoint)}", usage)
    return Completion(text, usage, finish_reason, read_tokens(choice))


def read_content(content: Any) -> str:
    """Return the text of a message, given as a string or a list of parts; parts without text are skipped."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part if isinstance(part, str) else _part(part) for part in parts)


def _part(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) and part.get("type") in (None, "text", "output_text") else None
    return text if isinstance(text, str) else ""


def read_usage(value: Mapping[str, Any]) -> Usage:
    """Return the usage of one call, with tokens if the server reports them; unpriced until `prices` adds the cost."""
    usage = value.get("usage")
    tokens = usage if isinstance(usage, dict) else {}
    prompt = _count(tokens.get("prompt_tokens"))
    return Usage(
        calls=1,
        prompt_tokens=prompt,
        completion_tokens=_count(tokens.get("completion_tokens")),
        unpriced=1,
        cached_tokens=_cached(tokens, prompt),
    )


_DETAILS = ("prompt_tokens_details", "prompt_token_details")
_CACHED = ("cached_tokens", "num_cached_tokens", "prompt_cache_hit_tokens")


def _cached(tokens: Mapping[str, Any], prompt: int) -> int:
    """Return how many of the prompt's tokens the server had in its cache; 0 if it does not say.

    In the details (OpenAI and most others), or beside the prompt tokens: Moonshot and Together, Mistral, DeepSeek.
    `cache_read_input_tokens` is not read: from some servers it is part of the prompt tokens, from others it is not.
    """
    details = [part for name in _DETAILS if isinstance(part := tokens.get(name), dict)]
    given = [part.get("cached_tokens") for part in details] + [tokens.get(name) for name in _CACHED]
    return next((count for count in map(_count, given) if 0 < count <= prompt), 0)


def _count(value: Any) -> int:
    """Return a token count; those that no model reaches count as missing, since they would stall --tpm for days."""
    return value if type(value) is int and 0 < value <= 2**24 else 0


def _why_empty(message: Mapping[str, Any], finish_reason: str | None, endpoint: Endpoint) -> str:
    if message.get("refusal"):
        return f"refused to answer: {endpoint.excerpt(read_content(message['refusal']) or glimpse(message['refusal']))}"
    if finish_reason == "length":
        return "ran out of tokens before it wrote an answer; allow more (max_tokens), or less reasoning"
    if finish_reason == "content_filter":
        return "wrote an answer that the server's content filter withheld"
    if finish_reason == "refusal":
        return "refused to answer"
    if message.get("tool_calls") or message.get("function_call"):
        return "called a tool instead of answering"
    return f"gave an empty answer (finish_reason: {finish_reason})"


_LARGEST = 64 * 2**20  # bytes per reply; 256 vectors of 4,096 dimensions take 20 MB as text
_LOOK_UP = 5.0  # seconds for the list of models, which only improves an error message
_TRIES = 3  # unreadable replies before the first readable one; more mean that the server speaks something else


class OpenAICompatible:
    """Sends requests to one endpoint, in the dialect of its server; `close()` it before using it in another event loop.

    Nothing is retried here; see `stack` for retries, limits, prices, a budget and a cache.
    """

    def __init__(
        self,
        model: str,
        base_url: str = OPENAI,
        api_key: str | KeyOfServer | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float = 180.0,
        key_variable: str = "OPENAI_API_KEY",
        provider: Provider | None = None,
    ) -> None:
        """`headers`: sent with every request; `timeout`: seconds; `key_variable`: where the key is kept, for errors.

        `provider`: what the server is called, takes and lacks; by default `openai`.

        Raises:
            ConfigurationError: the address, the key or a header is unusable.
        """
        self.provider = provider or providers()["openai"]
        self.endpoint = Endpoint(model, base_url, api_key, headers or {}, key_variable, self.provider)
        self._http = HttpClient(self.endpoint.name, timeout, self.endpoint.excerpt, largest=_LARGEST)
        self._timeout = timeout
        self._headers: dict[str, str] = {}
        self._addresses: dict[str, URL] = {}
        self._unreadable = 0
        self._negotiation = Negotiation(dialect_of(self.provider))
        self._layers: tuple[Layer, ...] = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def name(self) -> str:
        """`PROVIDER:MODEL`, or `PROVIDER:MODEL@URL` unless it is the provider's own address."""
        return self.endpoint.name

    @property
    def left_out(self) -> frozenset[str]:
        """The parameters that the server refused so far, and that are no longer sent, by their names in requests."""
        names = {there: name for name, there in self.provider.names.items()}
        return frozenset(names.get(name, name) for name in self.dialect.dropped)

    @property
    def dialect(self) -> Dialect:
        """The server's dialect as known so far."""
        return self._negotiation.dialect

    def over(self, layers: Sequence[Layer]) -> Self:
        """Return the model with layers around every request it sends, including those that discover the dialect."""
        model = copy.copy(self)
        model._layers = tuple(layers)  # noqa: SLF001 - same class
        return model

    async def _post(self, path: str, payload: Mapping[str, Any], read: Callable[[dict[str, Any]], A]) -> A:
        """Return what `read` makes of the JSON object in the server's reply.

        Raises:
            CallFailed: the request failed; `ParameterRefused` if the server rejects one of its parameters.
            ConfigurationError: the setup is wrong, and no request will succeed.
        """
        url = self._addresses.get(path) or self._addresses.setdefault(path, self.endpoint.address(path))
        return self._answer(await self._exchange(path, url, payload), url, read)

    def _answer(self, value: dict[str, Any], url: URL, read: Callable[[dict[str, Any]], A]) -> A:
        """Return what `read` makes of the reply; raises as `_post`."""
        try:
            answer = read(value)
        except CallFailed as error:
            if error.kind == "unreadable":
                raise self._unread(error, url) from None
            self._http.answered = True
            raise
        self._http.answered = True
        return answer

    async def _exchange(self, path: str, url: URL, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON object in the server's reply; raises as `_post`."""
        self._headers = self._headers or self.endpoint.all_headers()
        reply = await self._http.send("POST", url, dump(payload), self._headers)
        return await self._value(reply, url, payload)

    async def _value(self, reply: HttpReply, url: URL, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON object in a reply; raises as `_post`."""
        value = load(reply.body)
        if reply.status != 200 or not isinstance(value, dict) or value.get("error"):
            raise await self._fault(reply, value, url, payload)
        return value

    async def close(self) -> None:
        """Close the connections; the model can be used again, also in another event loop."""
        self._negotiation.reset()
        self._headers = {}
        await self._http.close()

    async def _fault(self, reply: HttpReply, value: Any, url: URL, payload: Mapping[str, Any]) -> SaitenError:
        if 200 <= reply.status < 300:
            status = _status_inside(value)
            if not status:
                shown = self.endpoint.excerpt(reply.body[:10_000].decode("utf-8", "replace"))
                message = f"{self.endpoint.name} did not answer with a JSON object; the reply begins: {shown!r}"
                return self._unread(CallFailed(message, CHARGED, kind="unreadable", retryable=True), url)
            reply = replace(reply, status=status)
        place = str(url.with_query(None))
        fault = fault_of(reply, self.endpoint, place, refusable(payload), answered=self._http.answered)
        if isinstance(fault, NotServed):
            return with_models(fault, self.endpoint, await self._listing())
        return fault

    def _unread(self, error: CallFailed, url: URL) -> SaitenError:
        """Return the error for an unreadable reply: one of the setup if nothing else has ever come."""
        self._unreadable += 1
        if self._http.answered or self._unreadable < _TRIES:
            return error
        like = f"{self.provider.name} does" if self.provider.library else "an OpenAI-compatible server does"
        usual = "" if self.provider.library else " (it usually ends in /v1, as in http://localhost:8000/v1)"
        return ConfigurationError(
            f"{url.with_query(None)} does not answer as {like} ({self._unreadable} tries): {error}; check the base "
            f"URL{usual} and any proxy or login page before the server"
        )

    async def _listing(self) -> bytes | None:
        try:
            return (await self._http.send("GET", self.endpoint.address("/models"), None, self._headers, _LOOK_UP)).body
        except SaitenError:
            return None


def _status_inside(value: Any) -> int:
    """Return the status of an error sent with HTTP 200, as OpenRouter does; 0 without one."""
    error = value.get("error") if isinstance(value, dict) else None
    if not error:
        return 0
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502


_PATH = "/chat/completions"


def kind_of(request: ChatRequest) -> Hashable:
    """Return which parameters the request has: a server that takes one request of a kind takes all."""
    return (
        request.schema is None,
        request.temperature is None,
        request.seed is None,
        request.max_tokens is None,
        request.logprobs is None,
        any(message.role == "system" for message in request.messages),
        *sorted(request.options),
    )


class OpenAICompatibleChat(OpenAICompatible):
    """Answers through `/chat/completions`.

    The accepted form of structured output, parameters and system role are discovered once and remembered.
    """

    async def complete(self, request: ChatRequest) -> Completion:
        return await self._negotiation.run(kind_of(request), partial(self._ask, request))

    async def _ask(self, request: ChatRequest, dialect: Dialect) -> Completion:
        payload = self._payload(request, dialect)
        try:
            answer = await through(self._layers, partial(self._send, request, payload), load_of(request))
        except ParameterRefused as refusal:
            if refusal.parameter in request.options:  # asked for by the user, so never left out
                raise ConfigurationError(f"{refusal}; change or leave out the option {refusal.parameter!r}") from None
            if refusal.parameter in self.provider.requires:
                raise ConfigurationError(f"{refusal}; change {refusal.parameter}") from None
            raise
        if (
            request.schema is not None
            and not dialect.schema_in_prompt
            and not answer.cut_off
            and seems_ignored(answer.text, request.schema)
        ):
            self._negotiation.learn(
                replace(self._negotiation.dialect, repeats_schema=True),
                f"{self.name} does not seem to read the schema",
            )
        return answer

    async def _send(self, request: ChatRequest, payload: Mapping[str, Any]) -> Completion:
        return await self._post(_PATH, payload, partial(read_completion, endpoint=self.endpoint))

    def _payload(self, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
        messages = request.messages
        optional: dict[str, Any] = {
            "temperature": request.temperature,
            self.provider.names.get("seed", "seed"): request.seed,
            "max_completion_tokens" if dialect.renamed else "max_tokens": request.max_tokens,
            "logprobs": None if request.logprobs is None else True,
            "top_logprobs": request.logprobs,
        }
        if request.schema is not None:
            if dialect.schema_in_prompt:
                messages = with_schema(messages, request.schema)
            if dialect.structured is not Structured.TEXT:
                optional["response_format"] = response_format(request.schema, dialect.structured)
        if dialect.folded:
            messages = tuple(without_system(messages))
        sent = {name: value for name, value in optional.items() if value is not None and name not in dialect.dropped}
        texts = [{"role": message.role, "content": message.content} for message in messages]
        whole = {"model": self.endpoint.model, "messages": texts, **sent, **request.options}
        return {name: value for name, value in whole.items() if value is not None}
