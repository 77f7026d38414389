"""The training data of a regression: one row per answer, one column per aspect."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from saiten.errors import BadInput
from saiten.judges.encoder.texts import Texts, learnable
from saiten.judges.encoder.windows import Cut
from saiten.judges.tuned import TunedAspect
from saiten.stats.clusters import Floats
from saiten.tuning.judge.graded_example import GradedExample

DECLINES = 0.5
"""Grades of `correctness` below this mean declined, not a low grade."""


@dataclass(frozen=True)
class Rows:
    """The training data: one row per answer, sorted by item, and one column per aspect."""

    texts: tuple[Texts, ...]
    values: Floats
    """Shape (rows, aspects); NaN where nobody graded. Only used in training."""
    means: Floats
    """Per aspect."""
    spreads: Floats
    """Per aspect: the standard deviation, or 1 if all grades are equal."""
    notes: tuple[str, ...]

    @property
    def standardized(self) -> Floats:
        """The standardized grades, so that an aspect from 0 to 100 weighs no more than one from 1 to 4."""
        return (self.values - self.means) / self.spreads


def rows_of(examples: Sequence[GradedExample], aspects: Sequence[TunedAspect]) -> Rows:
    """Arrange the examples as rows, independent of their order.

    Raises:
        BadInput: nothing can be learned from these examples, or about one of the aspects.
    """
    columns = {aspect.name: number for number, aspect in enumerate(aspects)}
    found: dict[tuple[str, Texts], dict[int, float]] = {}
    declining = 0
    for example in examples:
        known = learnable(example.task)
        if known is None or example.aspect not in columns:
            raise BadInput(f"an encoder cannot learn {type(example.task).__name__} ({example.aspect!r})")
        if known.task == "grade_answer" and example.value < DECLINES:
            declining += 1
        else:
            found.setdefault((example.item, known.texts), {})[columns[example.aspect]] = example.value
    values = np.full((len(found), len(aspects)), np.nan)
    ordered = sorted(found, key=lambda key: (key[0], key[1].context, key[1].answer))
    for row, key in enumerate(ordered):
        for column, value in found[key].items():
            values[row, column] = value
    for name, number in columns.items():
        if np.isnan(values[:, number]).all():
            raise BadInput(f"there is no grade of {name!r} to learn from")
    means, spreads = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    flat = [name for name, column in columns.items() if spreads[column] <= 1e-9]
    notes = [f"all learned grades of {name!r} are equal; nothing but that grade was learned" for name in flat]
    if declining:
        notes.append(f"{declining} answers that decline (grade 0) were left out: a regression cannot say so")
    return Rows(
        tuple(texts for _, texts in ordered), values, means, np.where(spreads <= 1e-9, 1.0, spreads), tuple(notes)
    )


def notes_on(cuts: Sequence[Cut]) -> Iterator[str]:
    """Yield notes on long answers for the model card."""
    if several := sum(len(cut.windows) > 1 for cut in cuts):
        yield f"{several} of {len(cuts)} answers were read in several windows, whose tokens were averaged"
    if cut_off := [cut.left_out for cut in cuts if cut.left_out]:
        yield f"of {len(cut_off)} of {len(cuts)} answers not all was read, for example: {cut_off[0]}"
