from typing import cast

import pytest

from saiten.protocols import Judge
from saiten.records import Sample

NO_JUDGE = cast("Judge", None)


@pytest.fixture(scope="session")
def grade():
    """Score one answer; fails if a text metric awaits anything, since it would then be asking a judge."""

    def score(metric, answer, *references, language="en", contexts=None):
        reference, *alternatives = references or (None,)
        sample = Sample(
            "s",
            answer=answer,
            reference=reference,
            alternatives=tuple(alternatives),
            contexts=contexts,
            language=language,
        )
        try:
            metric.score(sample, NO_JUDGE).send(None)
        except StopIteration as done:
            return done.value
        raise AssertionError(f"{metric.name} waits for something")

    return score
