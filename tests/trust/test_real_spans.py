"""How far people agree on spans, on the public sets: the figures in the documentation."""

import importlib.util
import os
from pathlib import Path

import pytest

from saiten.trust.spans.comparison import compare_spans
from saiten.trust.spans.marks import PeopleMarks

DATA = Path(os.environ.get("SAITEN_DATA") or "/nowhere")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "spans.py"

pytestmark = [
    pytest.mark.slow,  # public data sets
    pytest.mark.skipif(not DATA.is_dir(), reason="SAITEN_DATA does not name the folder with the evaluation sets"),
]


@pytest.fixture(scope="module")
def benchmark():
    """The script that reads the sets."""
    spec = importlib.util.spec_from_file_location("benchmark_spans", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("folder", "reader", "fs", "counts"),
    [("squality_human", "squality", (0.221, 0.239), (3142, 97)), ("jhars_dev", "jhars", (0.181, 0.167), (118, 0))],
)
def test_the_human_ceiling(benchmark, folder, reader, fs, counts):
    """Every span is read and matches its offsets; each pair of annotators counts both ways, so P, R and F are equal."""
    data = getattr(benchmark, reader)(DATA / folder)
    spans = [span for marks in data.people.values() for held in marks.values() for span in held]
    assert (len(spans), sum(span.start is None for span in spans)) == counts
    for marks in data.people.values():
        for (item, _), held in marks.items():
            assert all(data.answers[item][one.start : one.end] == one.text for one in held if one.start is not None)
    (figures,) = compare_spans(
        PeopleMarks(data.people, {}), {}, questions=data.questions, resamples=100
    ).ceiling.aspects
    assert figures.human == 2 * counts[0]
    for averages, expected in zip((figures.per_unit, figures.per_answer), fs, strict=True):
        for figure in (averages.precision, averages.recall, averages.f):
            assert figure.value == pytest.approx(expected, abs=0.0005)
