"""The LLM judge: renders a task, calls a chat model, reads its reply, and asks for one repair if needed."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

from saiten.errors import CallFailed, ConfigurationError, JudgeError, Unreadable
from saiten.judges.doubts import doubt
from saiten.judges.first_request import first_request
from saiten.judges.joining import Joins
from saiten.judges.model_refusals import NO_RETRIES, RefusalRetries, refusal_in
from saiten.judges.probabilities import decides, with_probabilities
from saiten.judges.reading import read_reply
from saiten.judges.repairing import repair_messages
from saiten.judges.reply_schema import schema_of
from saiten.judges.similarity import measure_similarity
from saiten.models.parameters import described
from saiten.prompts import BUILT_IN, Prompts, names_for
from saiten.protocols import Chat, ChatRequest, Completion, Embedder, R, Task
from saiten.tasks.similarity import MeasureSimilarity, WriteQuestions

_CUT_SHORT = "the reply was cut off; answer more briefly"


@dataclass(frozen=True, slots=True)
class LLMJudge:
    """Performs tasks that have a prompt with a chat model, and `MeasureSimilarity` with an embedder."""

    chat: Chat
    embedder: Embedder | None = None
    """Needed only by metrics that compare embeddings."""
    temperature: float | None = 0.0
    """None omits it, as reasoning models require."""
    seed: int | None = 0
    """None omits it. Votes differ by seed, and only if the temperature is above 0."""
    max_tokens: int | None = 4096
    """Per reply, to stop a model that repeats itself forever; None leaves it to the server."""
    first_max_tokens: int | None = None
    """For the preflight call; None: as for every reply. A local model may never stop by itself."""
    forget: Callable[[ChatRequest], None] | None = None
    """Called with each request whose reply was unusable, so that a cache does not serve it forever."""
    uncached: Chat | None = field(default=None, kw_only=True, repr=False)
    """The model without its cache, for the preflight call; None: `chat` has no cache."""
    logprobs: int | None = field(default=None, kw_only=True)
    """Number of likeliest tokens to request per place, for the probabilities of verdicts and grades; None: none."""
    notify: Callable[[str], None] = field(default=lambda _: None, kw_only=True)
    """Called if the server returns no probabilities."""
    options: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    """Further parameters of every request, as `ChatRequest.options`."""
    headers: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False)
    """The headers that the chat model sends, for signatures."""
    separate_calls: bool = field(default=False, kw_only=True)
    """Make one call per task, instead of joining those of a sample that read the same texts."""
    retries: RefusalRetries = field(default=NO_RETRIES, kw_only=True)
    """What to do if the model refuses to judge."""
    batched: bool = field(default=False, kw_only=True)
    """Whether the chat model sends its requests in batches."""
    _returned: list[bool] = field(default_factory=list, init=False, repr=False, compare=False)
    """Whether the preflight call returned probabilities; empty before it."""
    prompts: Prompts = BUILT_IN

    @property
    def joins(self) -> Joins | None:
        """What may be joined; None with separate calls."""
        if self.separate_calls:
            return None
        kept = self.forget is not None
        return Joins.of(self.prompts, kept=kept, leads=not self.batched, notify=self.notify)

    def with_seed(self, seed: int | None) -> Self:
        """Return the same judge with another seed: one vote of a panel."""
        return replace(self, seed=seed)

    def describe(self, tasks: Iterable[type[Task[Any]]]) -> Mapping[str, str]:
        """Return model, temperature, seed, the digest of the tasks' prompts, and the embedder if one is used.

        `calls` is `joined` if some of the tasks may be. Also options and headers, retries of refusals, and with token
        probabilities their number per place, or `not-returned` after a preflight call without any. A parameter that the
        server has refused is `refused(VALUE)`.

        Raises:
            ConfigurationError: a task needs an embedder, which is missing.
        """
        kinds = set(tasks)
        names = [name for kind in kinds for name in names_for(kind)]
        joined = [] if self.joins is None else self.joins.names(kinds)
        parts: dict[str, str] = {}
        if kinds - {MeasureSimilarity}:
            temperature = "default" if self.temperature is None else str(self.temperature)
            seed = "none" if self.seed is None else str(self.seed)
            parts = {
                "judge": self.chat.name,
                **described(self.chat, self.options, self.headers, temperature=temperature, seed=seed),
                "prompts": self.prompts.digest([*names, *joined, "repair"]),
            } | (({"calls": "joined"} if joined else {}) | self.retries.described())
            if self.logprobs is not None:
                parts["logprobs"] = "not-returned" if self._returned == [False] else str(self.logprobs)
        if MeasureSimilarity in kinds:
            parts["embedder"] = self._embedder().name
        return parts

    async def perform(self, task: Task[R]) -> R:
        """Return the model's reply; its usage, or that of an error, includes refused requests and the repair.

        A doubtful reply (`doubts`) is also repaired once, and the second reply accepted unchanged. Raises as every
        judge; the `raw` reply of Unreadable is the repaired one.
        """
        if isinstance(task, MeasureSimilarity):
            return cast("R", await measure_similarity(task, self._embedder()))
        tried = await self.retries.ask(self.chat, self._request(task), lambda it: self._reads(task, it), self._forget)
        request, first = tried.requests[-1], tried.reply
        kept: R | None = None
        try:
            kept = self._read(task, first)
            fault = doubt(task, kept)
        except ValueError as error:
            fault = _CUT_SHORT if first.cut_off else str(error)
        if kept is not None and fault is None:
            return kept.with_usage(first.usage)
        repair = replace(
            request,
            messages=(*request.messages, *repair_messages(self.prompts, task.language, first.text, fault or "")),
        )
        try:
            second = await self.chat.complete(repair)
        except JudgeError as error:
            raise error.with_usage(first.usage + error.usage) from error
        usage = first.usage + second.usage
        try:
            return self._read(task, second).with_usage(usage)
        except ValueError as error:
            if kept is not None:  # a doubtful reply is better than none
                return kept.with_usage(usage)
            self._forget(*tried.requests, repair)
            fault = self._fault(error, second)
            raise Unreadable(
                f"{self.chat.name}: the reply to `{task.prompt}` could not be read, even after one repair: {fault}",
                second.text,
                usage,
            ) from error

    async def preflight(self) -> None:
        """Make one small call to the model, bypassing any cache, and to the embedder, unless that call is cached.

        It has the form of later calls (a system message, a worked example, a schema, the same parameters), so that
        refusals, and what the server accepts instead, are known before the run begins.

        Raises:
            ConfigurationError: a call failed; the message says what to do.
        """
        most = self.max_tokens if self.first_max_tokens is None else self.first_max_tokens
        request = first_request(self.temperature, self.seed, most, self.logprobs, self.options)
        try:
            completion = await (self.uncached or self.chat).complete(request)
            self._returned[:] = [bool(completion.tokens)]
            if self.logprobs is not None and not completion.tokens:
                self.notify(
                    f"{self.chat.name} returns no token probabilities, so only votes give expected values; leave out "
                    "logprobs, or use a server that supports `logprobs` and `top_logprobs`"
                )
            if self.embedder is not None:
                await self.embedder.embed(["ok"])
        except CallFailed as error:
            raise ConfigurationError(f"a first small call failed, so the run does not begin: {error}") from error

    async def close(self) -> None:
        try:
            await self.chat.close()
        finally:
            if self.embedder is not None:
                await self.embedder.close()

    def _request(self, task: Task[Any]) -> ChatRequest:
        schema = schema_of(task.reply, task.language) if task.written == "json" else None
        seed = self.seed
        if isinstance(task, WriteQuestions) and task.draw:
            seed = (seed or 0) + task.draw  # a cache would merge equal requests
        logprobs = self.logprobs if self.logprobs is not None and decides(task.reply) else None
        rendered = self.prompts.render(task)
        return ChatRequest(rendered, schema, self.temperature, seed, self.max_tokens, logprobs, self.options)

    def _read(self, task: Task[R], completion: Completion) -> R:
        reply = read_reply(task, completion.text, cut_off=completion.cut_off, prompts=self.prompts)
        return with_probabilities(task, reply, completion)

    def _reads(self, task: Task[Any], completion: Completion) -> bool:
        with suppress(ValueError):
            return bool(self._read(task, completion))
        return False

    def _fault(self, error: ValueError, completion: Completion) -> str:
        if not completion.cut_off:
            return refusal_in(completion) or str(error)
        if completion.finish_reason == "content_filter":
            return f"{error} (the reply was cut off by the server's content filter)"
        limit = "its limit" if self.max_tokens is None else f"max_tokens={self.max_tokens}"
        return f"{error} (the reply was cut off at {limit}; a higher limit may help)"

    def _forget(self, *requests: ChatRequest) -> None:
        if self.forget is not None:
            for request in requests:
                self.forget(request)

    def _embedder(self) -> Embedder:
        if self.embedder is None:
            raise ConfigurationError(
                "a metric compares embeddings, but the judge has no embedder; give one, or leave out the metrics "
                "answer_relevancy, answer_similarity and answer_correctness"
            )
        return self.embedder
