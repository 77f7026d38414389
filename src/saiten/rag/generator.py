"""The interface behind the chains: a generator performs steps."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from saiten.protocols import Completion
from saiten.rag.steps import Step


class Generator(Protocol):
    """Writes answers and search queries."""

    @property
    def name(self) -> str:
        """The name in signatures: the model and its endpoint, or `extractive`."""
        ...

    def describe(self, steps: Iterable[type[Step]]) -> Mapping[str, str]:
        """Return the settings that these steps' texts depend on: model, prompts, example, temperature, seed, …."""
        ...

    async def write(self, step: Step) -> Completion:
        """Return the text without thinking.

        Raises:
            CallFailed: the call failed permanently.
            Unreadable: the reply contains no usable text.
            ConfigurationError: the generator is misconfigured; no other step will succeed.
            BudgetSpent: the budget does not allow the call.
        """
        ...

    async def close(self) -> None:
        """Close connections and files."""
        ...
