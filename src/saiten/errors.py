"""Every error that saiten raises on purpose, each telling what was expected, what came and what to do.

Two kinds matter to a run: an error of one call (`CallFailed`, `Unreadable`) becomes a score without a value
and the run goes on; an error of the whole run (`ConfigurationError`, `BudgetSpent`) stops it at once, with
everything that was paid for already written down.
"""

from typing import Any, Literal

from saiten.records import Usage
from saiten.redaction import redact


class SaitenError(Exception):
    """The base of all of them; its text is written for the person at the terminal, and holds no secret."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(redact(each) if isinstance(each, str) else each for each in arguments))


class ConfigurationError(SaitenError):
    """Something is set up wrongly (no key, unknown model, server not there); asking again cannot help."""


class NotWritten(ConfigurationError):
    """What is to be kept cannot be written (the disk is full); no further call is made, since it would be lost."""


class BadInput(SaitenError):
    """A file or a row cannot be used; the text names file and line."""


class BudgetSpent(SaitenError):
    """The next call would go over `--max-calls` or `--max-cost`; nothing is wrong, the run stops cleanly."""


class JudgeError(SaitenError):
    """A judge could not perform one task; `usage` is what the attempt cost all the same."""

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class CallFailed(JudgeError):
    """The call itself failed (network, HTTP 5xx, 429 to the last retry); `retryable`: more tries may help."""

    def __init__(
        self,
        message: str,
        usage: Usage | None = None,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message, usage)
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status


class Unreadable(JudgeError):
    """The reply came but could not be read, even after one repair; `raw` is the reply as it came."""

    def __init__(self, message: str, raw: str, usage: Usage | None = None) -> None:
        super().__init__(message, usage)
        self.raw = raw

    def __reduce__(self) -> tuple[Any, ...]:
        """So that it can travel between processes: `args` alone has the message only."""
        return (type(self), (str(self), self.raw, self.usage))


class CannotJudge(JudgeError):
    """The judge has no means to perform this task; the score becomes `undefined` with this reason."""


class SystemFailed(SaitenError):
    """The system under test gave no answer to one question: no wrong answer, and told apart from one."""

    def __init__(
        self, message: str, kind: Literal["failed", "timeout", "unreadable"] = "failed", usage: Usage | None = None
    ) -> None:
        super().__init__(message)
        self.kind: Literal["failed", "timeout", "unreadable"] = kind
        """`failed`: it raised or refused · `timeout`: nothing came in time · `unreadable`: what came was no answer."""
        self.usage = usage or Usage()
        """What the attempt cost all the same."""

    def __reduce__(self) -> tuple[Any, ...]:
        """So that it can travel between processes."""
        return (type(self), (str(self), self.kind, self.usage))
