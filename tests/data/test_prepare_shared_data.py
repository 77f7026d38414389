"""The conversion of the public evaluation sets, on the sets themselves."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from saiten.data import read_labels, read_samples
from saiten.records import Label, Sample

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "prepare_shared_data.py"
DATA = os.environ.get("SAITEN_DATA")

pytestmark = [
    pytest.mark.slow,  # public data sets
    pytest.mark.skipif(not DATA, reason="SAITEN_DATA does not name the folder with the evaluation sets"),
]

SIZES = {
    "jhars_dev": (300, 1200),
    "clapnq_human": (400, 4800),
    "evouna_nq": (15100, 15099),
    "nq301": (1490, 4686),
    "ragchecker_meta": (560, 1680),
}


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """The folder with everything converted."""
    folder = tmp_path_factory.mktemp("prepared")
    subprocess.run([sys.executable, SCRIPT, folder], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("name", SIZES)
def test_every_set_is_read_without_a_bad_row(out, name):
    """Each set gives the samples and labels that its description counts, all usable and pointing at each other."""
    samples = list(read_samples(out / f"{name}.samples.jsonl", detect_language=lambda *_: "en"))
    labels = list(read_labels(out / f"{name}.labels.jsonl"))
    assert (len(samples), len(labels)) == SIZES[name]
    assert all(isinstance(sample, Sample) and sample.question and sample.answer is not None for sample in samples)
    assert all(isinstance(label, Label) and label.annotator and label.aspect for label in labels)
    items = {item for label in labels for item in label.item.split(" vs ")}
    assert items <= {sample.id for sample in samples}


def test_the_japanese_set_is_japanese_and_has_three_systems(out):
    """jhars_dev has 100 answers of each of three systems, contexts and three annotators."""
    samples = list(read_samples(out / "jhars_dev.samples.jsonl", detect_language=lambda *_: "en"))
    assert {sample.language for sample in samples} == {"ja"}
    assert set(Counter(sample.system for sample in samples).values()) == {100}
    assert all(sample.contexts for sample in samples)
    labels = Counter((label.annotator, label.aspect) for label in read_labels(out / "jhars_dev.labels.jsonl"))
    assert labels == {
        ("a1", "faithful"): 300,
        ("a2", "faithful"): 300,
        ("a3", "faithful"): 300,
        ("final", "faithful_final"): 300,
    }
