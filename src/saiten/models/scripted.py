"""A scripted chat model: for tests, docs and experiments, with nothing to install or pay."""

from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from inspect import isawaitable

from saiten.errors import ConfigurationError
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage

Line = str | Completion | Exception
"""The script's reaction to one request: a text, a whole completion, or an error to raise."""


class ScriptedChat:
    """Answers from a list, in order, or by a function of the request; keeps the requests in `requests`.

    A text costs one call and no tokens; a `Completion` carries its own usage. The function may be a coroutine function.
    """

    def __init__(
        self,
        script: Sequence[Line] | Callable[[ChatRequest], Line | Awaitable[Line]],
        name: str = "scripted",
    ) -> None:
        self._script = script
        self.name = name
        self.requests: list[ChatRequest] = []
        self.left_out: frozenset[str] = frozenset()

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the next line; raises ConfigurationError after the end of a list."""
        self.requests.append(request)
        line = self._next(request)
        if isawaitable(line):
            line = await line
        if isinstance(line, Exception):
            raise copy(line)  # errors accumulate costs and a traceback, and a script may repeat one
        return line if isinstance(line, Completion) else Completion(line, Usage(calls=1), "stop")

    async def close(self) -> None:
        """Do nothing; there is nothing to release."""

    def _next(self, request: ChatRequest) -> Line | Awaitable[Line]:
        if callable(self._script):
            return self._script(request)
        number = len(self.requests)
        if number > len(self._script):
            raise ConfigurationError(
                f"the script has {len(self._script)} replies, but got request {number}: "
                f"{request.messages[-1].content[:200]!r}"
            )
        return self._script[number - 1]
