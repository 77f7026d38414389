"""Labels of the demo's answers. They are not human labels: they follow from how each answer was written."""

import random
from collections.abc import Iterable, Iterator, Sequence

from saiten.demo.samples import DemoSample
from saiten.records import Label

KNOWN = "known by construction"
"""The annotator's name in these labels."""


def known_labels(samples: Iterable[DemoSample]) -> Iterator[Label]:
    """Yield two labels per answer: whether it is `correct`, and whether it is `faithful`."""
    for one in samples:
        yield Label(one.sample.id, float(one.correct), KNOWN, "correct")
        yield Label(one.sample.id, float(one.faithful), KNOWN, "faithful")


def few_labels(samples: Sequence[DemoSample], n: int, seed: int = 0) -> list[Label]:
    """Label whether each of `n` random answers is `correct`, as if people had graded only these."""
    drawn = random.Random(seed).sample(samples, n)  # noqa: S311 - a sample, no secret
    return [Label(one.sample.id, float(one.correct), KNOWN, "correct") for one in drawn]
