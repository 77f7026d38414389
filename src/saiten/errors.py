"""All errors that saiten raises on purpose; messages say what was expected, what was found, and what to do.

Runs distinguish two kinds: an error of one call (`CallFailed`, `Unreadable`) becomes a score without a value and the
run continues; an error of the whole run (`ConfigurationError`, `BudgetSpent`) stops it at once, with everything that
was paid for already recorded.
"""

from copy import copy
from typing import Literal, Self

from saiten.records import Usage
from saiten.redaction import redact_message

FailureKind = Literal["failed", "timeout", "unreadable"]
"""`failed`: it raised or refused · `timeout`: no reply in time · `unreadable`: the reply was no answer."""


class SaitenError(Exception):
    """The base of all errors; the message is for the user at the terminal, and contains no secret."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(redact_message(each) if isinstance(each, str) else each for each in arguments))


class ConfigurationError(SaitenError):
    """The setup is wrong (no key, unknown model, unreachable server); retrying cannot help."""


class NotWritten(ConfigurationError):
    """Results cannot be written (for example, the disk is full), so no further call is made."""


class BadInput(SaitenError):
    """A file or a row is unusable; the message names file and line."""


class BudgetSpent(SaitenError):
    """The next call would exceed `--max-calls` or `--max-cost`; the run stops cleanly."""


class BatchPending(BudgetSpent):
    """Replies come later, from a batch that this command does not wait for; it stops cleanly, as for a spent budget."""


class JudgeError(SaitenError):
    """A judge could not perform a task; `usage` is what the attempt cost."""

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()

    def with_usage(self, usage: Usage) -> Self:
        """Return a copy with this usage; the original stays unchanged, since others may hold it too."""
        twin = copy(self)
        twin.usage = usage
        return twin


class CallFailed(JudgeError):
    """The call failed (network, HTTP 5xx, 429 after the last retry); `retryable`: whether retrying may help."""

    def __init__(
        self,
        message: str,
        usage: Usage | None = None,
        *,
        kind: FailureKind = "failed",
        retryable: bool = False,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message, usage)
        self.kind: FailureKind = kind
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status


class ModelRefused(CallFailed):
    """The model refused, or a content filter withheld its reply; asking again with another seed may help."""


class Unreadable(JudgeError):
    """The reply could not be read, even after one repair; `raw` is the reply."""

    def __init__(self, message: str, raw: str = "", usage: Usage | None = None) -> None:
        super().__init__(message, usage)
        self.raw = raw


class CannotJudge(JudgeError):
    """The judge has no means to perform this task; the score becomes `undefined` with this reason."""


class SystemFailed(SaitenError):
    """The system under test gave no answer to a question, which is not counted as a wrong answer."""

    def __init__(self, message: str, kind: FailureKind = "failed", usage: Usage | None = None) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.usage = usage or Usage()
        """The cost of the attempt."""
