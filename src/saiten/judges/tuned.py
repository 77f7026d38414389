"""A tuned judge: how it was made and how well it agrees with people, as `saiten-judge.json` says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from saiten.choices import HeadName
from saiten.judges.held_out import HeldOut
from saiten.prompts import BUILT_IN, Prompts
from saiten.version import __version__

KIND = "saiten judge"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class TunedAspect:
    """An aspect that the judge learned to grade."""

    name: str
    """As named in the labels."""
    task: str
    """The prompt of its task: `rate_aspect`, `grade_answer`, `decide_correct`."""
    values: tuple[int, ...]
    """The scale, ascending: the rubric's grades, 0 to 5, or 0 and 1 for a verdict."""
    mean: float
    """The mean human grade in the training data: what a judge without knowledge would say."""


@dataclass(frozen=True, slots=True)
class TunedJudge:
    """The contents of `saiten-judge.json`."""

    head: HeadName
    base: str
    """The model that was fine-tuned: a folder or a hub name."""
    base_fingerprint: str
    """Of the folder's files; empty for a hub name."""
    aspects: tuple[TunedAspect, ...]
    """Sorted by name."""
    rubric: str
    """`name:digest` of the rubric of the learned aspects; empty if none was."""
    prompts: str
    """The digest of the prompts used in training; empty for an encoder, which sees none."""
    labels: str
    """Twelve hexadecimal digits that change with the training data."""
    annotators: int
    """Number of people who graded; 0 if the labels do not say."""
    items: int
    """Number of graded answers, held-out ones included."""
    questions: int
    """Number of questions, held-out ones included."""
    held_out_questions: int
    """How many of the questions were held out."""
    options: Mapping[str, Any]
    """Options, typed or default: epochs, learning rate, seed, held-out share, …; ready for JSON."""
    held_out: HeldOut
    """Its agreement with people on held-out questions."""
    base_held_out: HeldOut | None = None
    """The base model's agreement before training, if measured."""
    network: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the head, such as its maximum input length; ready for JSON."""
    notes: tuple[str, ...] = ()
    """Notes on omitted data, with the reasons."""
    saiten: str = __version__
    kind: str = KIND
    format: int = FORMAT

    def stale(self, prompts: Prompts = BUILT_IN) -> str | None:
        """Return a warning if these prompts are not those of the training; None otherwise."""
        if not self.prompts or self.prompts == prompts_digest(self.aspects, prompts):
            return None
        return (
            f"this judge learned with other prompts than it is given now (it was made by saiten {self.saiten}), so its "
            "held-out figures do not apply; name its prompts with --prompts, or make it again with `saiten tune judge`"
        )

    def over_another_base(self, now: str) -> str | None:
        """Return a warning if the base, whose fingerprint is `now`, has changed since training; None otherwise."""
        if not self.base_fingerprint or now == self.base_fingerprint:
            return None
        return (
            f"the base that this judge learned on, {self.base}, has changed or been replaced since, so its held-out "
            "figures do not apply; put the base back, or make the judge again with `saiten tune judge`"
        )


def prompts_digest(aspects: Iterable[TunedAspect], prompts: Prompts = BUILT_IN) -> str:
    """Return the digest of the prompts for these aspects."""
    return prompts.digest({one.task for one in aspects})
