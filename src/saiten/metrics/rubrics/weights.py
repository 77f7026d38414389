"""Weights for combining aspects into a score, w · f + best, from a TOML file (published, or learned).

    f = [-|formality|, -|amount_info|, (factuality - 3) / 3]     MATE = w · f + 3     (LLM-MATE; spec 06)

Every f is -|grade - best| / span: 0 is best, everything else a deduction, -1 the most. Equation (1) of the paper is
garbled in print. The sum is not clipped: with the published weights the worst answer gets -0.122, not 0.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import fsum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from saiten.data.hand_written import checked, read_file, where
from saiten.errors import ConfigurationError
from saiten.metrics.rubrics import Aspect, AspectName, Rubric, check_distinct, digest_of

PUBLISHED = files(__package__) / "published_weights.toml"

Features = Literal["deductions", "values"]
"""What is weighted: -|grade - best| / span, or the grades themselves."""


_CHECKED = ConfigDict(extra="forbid", allow_inf_nan=False)

Number = Annotated[float, Field(ge=-1e12, le=1e12)]
Count = Annotated[int, Field(ge=-(10**12), le=10**12)]


@dataclass(frozen=True, slots=True)
class AspectWeight:
    """An aspect and its weight."""

    __pydantic_config__ = _CHECKED
    name: AspectName
    weight: Number
    best: Number = 0.0
    """The grade without a deduction."""
    span: Annotated[Number, Field(gt=0)] = 1.0
    """The distance from the best grade that costs the whole weight."""
    low: Number | None = None
    """Lower end of the weight's 95 % interval, if learned."""
    high: Number | None = None

    def deduction(self, grade: float) -> float:
        """Return the deduction: 0 at the best grade, -1 at the worst."""
        return -abs(grade - self.best) / self.span


@dataclass(frozen=True, slots=True)
class Learned:
    """A description of how weights were learned; figures that could not be computed are None."""

    __pydantic_config__ = _CHECKED
    fingerprint: str
    """Digest of labels, questions and settings."""
    items: Count
    """Number of answers that the weights were fitted to."""
    questions: Count
    held_out_items: Count
    held_out_questions: Count
    pearson: Number | None
    """Correlation of score and people, over held-out answers."""
    pearson_low: Number | None
    pearson_high: Number | None
    seed: Count
    rubric: str | None = None
    """Digest of the rubric whose scales were used."""
    source: str = "people"
    """The source of the aspect grades: people, or a judge in a run."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A linear score of aspects."""

    __pydantic_config__ = _CHECKED
    target: AspectName
    """The aspect that the score predicts."""
    best: Number
    """The score of an answer without deductions; 0 if the features are values."""
    features: Features
    aspects: tuple[AspectWeight, ...]
    intercept: Number = 0.0
    """Added to every score."""
    intercept_low: Number | None = None
    """Lower end of its 95 % interval, if learned."""
    intercept_high: Number | None = None
    learned: Learned | None = None
    """None if saiten did not learn them."""
    digest: str = ""
    """Eight hexadecimal digits of the file's digest."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(aspect.name for aspect in self.aspects)

    def feature(self, aspect: AspectWeight, grades: Sequence[float]) -> float:
        """Return the weighted quantity: the mean over votes of each vote's deduction (or value).

        Deductions are averaged, not grades: too little (-1) and too much (1) are two faults, not a 0.
        """
        each = [aspect.deduction(grade) for grade in grades] if self.features == "deductions" else list(grades)
        return fsum(each) / len(each)

    def score(self, grades: Mapping[str, Sequence[float]]) -> float:
        """Return an answer's score from each aspect's grades, one per vote; not clipped."""
        parts = [aspect.weight * self.feature(aspect, grades[aspect.name]) for aspect in self.aspects]
        return fsum([self.best, self.intercept, *parts])

    def bounds(self, rubric: Rubric) -> tuple[float, float]:
        """Return the lowest and highest possible score with this rubric's scales."""
        start = (self.best, self.intercept)
        parts = [
            [aspect.weight * self.feature(aspect, [value]) for value in rubric.aspect(aspect.name).values]
            for aspect in self.aspects
        ]
        return fsum([*start, *map(min, parts)]), fsum([*start, *map(max, parts)])

    def check(self, rubric: Rubric, where: str) -> None:
        """Raise ConfigurationError unless the rubric has these aspects on these scales."""
        for aspect in self.aspects:
            if aspect.name not in rubric.names:
                raise ConfigurationError(
                    f"{where}: the weights need the aspect {aspect.name!r}, which the rubric {rubric.name!r} lacks "
                    f"(it has {', '.join(rubric.names)}); name the rubric they were learned with, as in "
                    f"mate[weights=weights.toml,rubric=rubric.toml]"
                )
            scale = rubric.aspect(aspect.name)
            if self.features == "deductions" and (aspect.best, aspect.span) != (scale.best, scale.span):
                raise ConfigurationError(
                    f"{where}: for {aspect.name!r} the best grade is {aspect.best:g} and the worst {aspect.span:g} "
                    f"away, but in the rubric {rubric.name!r} {scale.best} and {scale.span}; learn the weights again"
                )


def weight_of(aspect: Aspect, weight: float) -> AspectWeight:
    """Combine a weight with the rubric's scale for the aspect."""
    return AspectWeight(aspect.name, weight, float(aspect.best), float(aspect.span))


def read_weights(file: str = "") -> Weights:
    """Read the weights in this file, or the published ones; a ConfigurationError says what is wrong."""
    return _read(Path(file)) if file else _published()


def _read(file: Path | Traversable) -> Weights:
    content = read_file(file, "weights, as `saiten tune mate` writes them")
    learned = content.get("learned")
    if isinstance(learned, dict):  # TOML has no null
        content = content | {"learned": dict.fromkeys(("pearson", "pearson_low", "pearson_high")) | learned}
    try:
        weights = replace(checked(Weights, content), digest=digest_of(content))
        check_distinct(weights.names)
    except ValueError as error:
        raise ConfigurationError(f"{where(file, error)}: {error}; `saiten tune mate` writes such a file") from error
    return weights


_published = cache(partial(_read, PUBLISHED))


def weights_text(weights: Weights) -> str:
    """Write the weights as TOML, deterministically; `read` reads it back."""
    keys = ("target", "best", "features", "intercept", "intercept_low", "intercept_high")
    lines = ["# Weights of aspects, learned by `saiten tune mate`; used as mate[weights=THIS FILE]."]
    lines += _lines({key: getattr(weights, key) for key in keys})
    for aspect in weights.aspects:
        lines += ["", "[[aspects]]", *_lines(asdict(aspect))]
    if weights.learned is not None:
        lines += ["", "[learned]", *_lines(asdict(weights.learned))]
    return "\n".join(lines) + "\n"


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_toml(value)}" for key, value in table.items() if value is not None]


def _toml(value: str | float) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return repr(value)
