"""What a judge of one's own can be: a kind of network that learns from examples, and grades when it has learned.

The command trains (`train`), measures on the held-out questions (`judge`), and writes `saiten-judge.json` last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from saiten.judges.own import OwnAspect
from saiten.protocols import Judge
from saiten.tuning.judge.examples import Example


@dataclass(frozen=True, slots=True)
class Learning:
    """How a network learns; another setting makes another judge."""

    base: str
    """A local folder, or a name on the Hugging Face hub."""
    epochs: int
    """How often every example is seen."""
    learning_rate: float
    batch: int
    """Examples that one step learns from."""
    max_length: int
    """Tokens of an example at most."""
    seed: int = 0
    """Of the order of the examples, and of all weights that begin at random."""
    rank: int | None = None
    """Of the matrices that are learned beside the base's (LoRA); None where a head has none."""


class Watch(Protocol):
    """Is told how far it is."""

    def step(self, done: int, total: int, examples: int, loss: float | None) -> None:
        """After a step: `done` of `total`, so many examples seen since this process began, and the last loss."""
        ...

    def tell(self, text: str) -> None:
        """What the user should know."""
        ...


@dataclass(frozen=True, slots=True)
class Trained:
    """What came of it."""

    network: Mapping[str, Any]
    """What the judge needs to know beside the weights; stands in `saiten-judge.json`."""
    notes: tuple[str, ...] = ()
    """What was left out and why."""


class Head(Protocol):
    """A kind of network that can become a judge."""

    def check(self) -> None:
        """Raises ConfigurationError where a package is missing; costs nothing."""
        ...

    def defaults(self, base: str) -> Learning:
        """What is good for this kind of network where nothing was typed."""
        ...

    def train(
        self, examples: Sequence[Example], aspects: Sequence[OwnAspect], learning: Learning, folder: Path, watch: Watch
    ) -> Trained:
        """Learn from the examples and save the weights in `folder`; what is needed meanwhile is in `folder/training`.

        Killed at any moment and called again with the same arguments, it goes on from its last checkpoint there, and
        ends with the weights of a run that was never cut off. The folders are there.

        Raises:
            ConfigurationError: the base cannot be loaded, or the folder not be written.
            BadInput: nothing can be learned from these examples.
        """
        ...

    def judge(self, folder: Path, aspects: Sequence[OwnAspect], trained: Trained) -> Judge:
        """The judge in the folder, to be measured before `saiten-judge.json` stands there."""
        ...

    def base_judge(self, learning: Learning) -> Judge | None:
        """The base as it was before; None where it could not grade at all."""
        ...
