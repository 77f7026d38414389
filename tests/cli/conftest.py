import pytest

from commands import data, kept, once, process, saiten, somewhere
from saiten.runs import read_run

__all__ = ["data", "kept", "once", "process", "saiten", "somewhere"]


@pytest.fixture
def scores():
    """`scores(folder)`: (sample, metric) → score, as stored on disk."""
    return lambda folder="run": {(one.sample, one.metric): one.score for one in read_run(folder).scores()}
