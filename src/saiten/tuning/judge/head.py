"""The kinds of tuned judges: networks that learn from examples and then grade.

The command trains (`train`), measures on held-out questions (`judge`), and writes `saiten-judge.json` last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from saiten.judges.tuned import TunedAspect
from saiten.protocols import Judge
from saiten.tuning.judge.graded_example import GradedExample


@dataclass(frozen=True, slots=True)
class Learning:
    """Hyperparameters; any change makes another judge."""

    base: str
    """A local folder, or a name on the Hugging Face hub."""
    epochs: int
    learning_rate: float
    batch: int
    """Examples per step."""
    max_length: int
    """Maximum tokens per example."""
    seed: int = 0
    rank: int | None = None
    """Rank of the learned matrices (LoRA); None for heads without them."""


class TrainingWatch(Protocol):
    """Receives progress."""

    def step(self, done: int, total: int, examples: int, loss: float | None) -> None:
        """Report a step: `done` of `total`, the examples since this process began, and the last loss."""

    def notify(self, text: str) -> None:
        """Report a note for the user."""


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """The input of a training."""

    examples: Sequence[GradedExample]
    aspects: Sequence[TunedAspect]
    learning: Learning
    folder: Path
    """The judge's folder, which exists; intermediate files go to `training` in it."""
    watch: TrainingWatch


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of training."""

    network: Mapping[str, Any]
    """Settings that the judge needs in addition to its weights, for `saiten-judge.json`."""
    notes: tuple[str, ...] = ()


class Head(Protocol):
    """A kind of network that can become a judge."""

    def check(self) -> None:
        """Raise ConfigurationError if a package is missing; costs nothing."""

    def defaults(self, base: str) -> Learning:
        """Return good defaults for this kind of network."""

    def train(self, job: TrainingJob) -> Trained:
        """Learn from the examples, and save the weights in the judge's folder.

        Called again with the same arguments after a kill, it resumes from the last checkpoint, with the same final
        weights as an uninterrupted run.

        Raises:
            ConfigurationError: the base cannot be loaded, or the folder is not writable.
            BadInput: nothing can be learned from these examples.
        """

    def judge(self, folder: Path, aspects: Sequence[TunedAspect], trained: Trained) -> Judge:
        """Return the judge in the folder, for measuring it before `saiten-judge.json` exists."""

    def base_judge(self, learning: Learning) -> Judge | None:
        """Return the untrained base as a judge; None if it cannot grade."""
