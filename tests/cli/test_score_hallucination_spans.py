"""`-m hallucination_spans` from the command line, and its spans compared with those of people."""

import json
import os
from pathlib import Path

import pytest

import networks
from tiny_classifiers import tiny_span_marker

DATA = Path(os.environ.get("SAITEN_DATA") or "/nowhere")

pytestmark = networks.marks()

ROWS = [
    {"id": "a", "question": "where?", "answer": "the cat saw the moon.", "contexts": ["a cat is there."]},
    {"id": "b", "question": "where?", "answer": "the dog slept.", "contexts": ["a dog is there."]},
]
LABELS = [
    {"item": "a", "annotator": "p", "aspect": "hallucination", "spans": [{"text": "moon", "start": 16, "end": 20}]},
    {"item": "b", "annotator": "p", "aspect": "hallucination", "spans": []},
]


@pytest.fixture(scope="session")
def marker(tmp_path_factory):
    """The folder of a trained token classifier."""
    return tiny_span_marker(tmp_path_factory.mktemp("marker"))


def test_a_runs_spans_are_compared_with_those_of_people(saiten, data, scores, marker):
    """The run is a judge like one with gist scores; here it marks what people mark."""
    made = saiten("score", data(ROWS), "-m", f"hallucination_spans[model={marker}]", "-o", "run")
    assert made.status == 0, made.err
    assert {place[0]: score.value for place, score in scores().items()} == {"a": pytest.approx(13 / 17), "b": 1.0}
    found = saiten("meta-evaluate", "run", data(LABELS, "labels.jsonl"), "--spans", "--format", "json")
    assert found.status == 0, found.err
    assert "hallucination" in found.out


def test_a_run_without_a_model_does_not_begin(saiten, data):
    """The error shows how to name one."""
    made = saiten("score", data(ROWS), "-m", "hallucination_spans", "-o", "run")
    assert made.status == 2
    assert "none was named: hallucination_spans[model=NAME_OR_FOLDER]" in " ".join(made.err.split())


def people(folder):
    """Samples and labels made of JHARS: the sentences' spans as spans of the answer."""
    contexts = {
        row["qid"]: row for row in map(json.loads, (folder / "questions.jsonl").read_text("utf-8").splitlines())
    }
    samples, labels = [], []
    for row in list(map(json.loads, (folder / "responses.jsonl").read_text("utf-8").splitlines()))[:30]:
        item, asked = f"{row['qid']}-{row['system']}", contexts[row["qid"]]
        samples.append({"id": item, "question": asked["question"], "answer": row["answer"], "contexts": asked["contexts"]})  # fmt: skip
        marks = {annotator: [] for annotator in range(3)}
        at = 0
        for sentence in row["sentences"]:
            at = row["answer"].index(sentence["sentence"], at)
            for number, span in enumerate(sentence["spans"]):
                marks[number % 3].append({"text": span["text"], "start": at + span["start"], "end": at + span["end"]})
        labels += [
            {"item": item, "annotator": f"p{annotator}", "aspect": "hallucination", "spans": spans}
            for annotator, spans in marks.items()
        ]
    return samples, labels


@pytest.mark.skipif(not (DATA / "jhars_dev").is_dir(), reason="SAITEN_DATA names no folder with jhars_dev")
def test_spans_are_compared_with_those_of_people(saiten, data, marker):
    """From the command line, on answers in Japanese that people marked; the tiny network knows none of the words."""
    samples, labels = people(DATA / "jhars_dev")
    made = saiten("score", data(samples), "-m", f"hallucination_spans[model={marker}]", "-o", "run")
    assert made.status == 0, made.err
    found = saiten("meta-evaluate", "run", data(labels, "labels.jsonl"), "--spans", "--format", "json")
    assert found.status == 0, found.err
    assert "hallucination" in found.out
