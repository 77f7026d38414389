"""A scripted chat model: for tests, docs and trying things out, with nothing to install and nothing to pay."""

from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable

from saiten.errors import ConfigurationError
from saiten.protocols import ChatRequest, Completion
from saiten.records import Usage

Line = str | Completion | Exception
"""What a script says to one request: a text, a whole completion, or an error to raise."""


class ScriptedChat:
    """Answers from a list, in order, or by a function of the request; keeps the requests in `requests`.

    A text costs one call and no tokens; a `Completion` brings its own usage. The function may be a coroutine function.
    """

    def __init__(
        self,
        script: Sequence[Line] | Callable[[ChatRequest], Line | Awaitable[Line]],
        name: str = "scripted",
    ) -> None:
        self._script = script
        self._name = name
        self.requests: list[ChatRequest] = []

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, request: ChatRequest) -> Completion:
        """The next line; raises ConfigurationError when a list has come to its end."""
        self.requests.append(request)
        line = self._next(request)
        if isawaitable(line):
            line = await line
        if isinstance(line, Exception):
            raise _fresh(line)
        return line if isinstance(line, Completion) else Completion(line, Usage(calls=1), "stop")

    async def close(self) -> None:
        """Nothing to let go of."""

    def _next(self, request: ChatRequest) -> Line | Awaitable[Line]:
        if callable(self._script):
            return self._script(request)
        number = len(self.requests)
        if number > len(self._script):
            raise ConfigurationError(
                f"the script has {len(self._script)} replies, and request {number} came: "
                f"{request.messages[-1].content[:200]!r}"
            )
        return self._script[number - 1]


def _fresh(error: Exception) -> Exception:
    """A copy, since an error gathers costs and a traceback on its way, and a script may hold it several times."""
    copy = type(error).__new__(type(error), *error.args)
    copy.__dict__.update(error.__dict__)
    return copy
