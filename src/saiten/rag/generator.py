"""The seam behind the chains: a generator writes what a step asks for."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from saiten.protocols import Completion
from saiten.rag.steps import Step


class Generator(Protocol):
    """Writes answers and search queries."""

    @property
    def name(self) -> str:
        """As it stands in signatures: the model and where it runs, or `extractive`."""
        ...

    def describe(self, steps: Iterable[type[Step]]) -> Mapping[str, str]:
        """What a text written for these steps depends on: model, prompts, example, temperature, seed, …."""
        ...

    async def write(self, step: Step) -> Completion:
        """The text, without anything that a model thought aloud before it.

        Raises:
            CallFailed: the call failed for good.
            Unreadable: what came holds no text to use.
            ConfigurationError: the generator is set up wrongly; no other step will succeed.
            BudgetSpent: the budget does not allow the call.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...
