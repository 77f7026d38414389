"""What chat models in this process have in common: a name that changes with their files, and loading before use."""

from abc import ABC, abstractmethod

from saiten.models.networks import LocalModel
from saiten.protocols import ChatMessage, ChatRequest, Completion


class LocalChat(ABC):
    """A chat model in this process, loaded on first use."""

    def __init__(self, found: LocalModel) -> None:
        self._found = found

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def name(self) -> str:
        """`PREFIX:NAME`, or `PREFIX:FOLDER@FINGERPRINT`, so that training changes the name."""
        return self._found.name

    @property
    def left_out(self) -> frozenset[str]:
        """Nothing: these models have every parameter of a request."""
        return frozenset()

    @abstractmethod
    async def complete(self, request: ChatRequest) -> Completion:
        """Answer the request; raises as `Chat.complete`."""

    async def prepare(self) -> None:
        """Load the model now, so that the first measured latency excludes loading; writes one uncounted token.

        Raises:
            ConfigurationError: it cannot be loaded, or an option of its engine is unknown.
        """
        await self.complete(ChatRequest((ChatMessage("user", "."),), max_tokens=1))

    @abstractmethod
    async def close(self) -> None:
        """Release the model; the next request loads it again."""
