"""Answers whose grade depends on one word, human grades, and a base that can learn to see it."""

import json
import random
from pathlib import Path

import tiny_models
from saiten.metrics.rubrics import read_rubric
from saiten.prompts import BUILT_IN
from saiten.records import Label, Sample
from saiten.tuning.judge.examples import build
from saiten.tuning.judge.target import target

WORDS = ("bad", "poor", "fine", "good")
RUBRIC = """
[[aspects]]
name = "quality"
best = 3
grades = [{ value = 0, en = "bad" }, { value = 1, en = "poor" }, { value = 2, en = "fine" }, { value = 3, en = "good" }]
en.asks = "Is it good?"
"""


def files(folder: Path, questions: int = 60) -> None:
    """`answers.jsonl`, `labels.jsonl`, `rubric.toml` and the base in `base`."""
    draw = random.Random(0)
    samples, labels = [], []
    for question in range(questions):
        for number in range(4):
            grade, item = draw.randrange(4), f"{question}/{number}"
            samples.append({"id": item, "question": f"what is tree {question}?", "answer": WORDS[grade]})
            labels.append({"item": item, "aspect": "quality", "annotator": "P", "value": grade})
    for name, rows in {"answers": samples, "labels": labels}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "rubric.toml").write_text(RUBRIC, "utf-8")
    examples = examples_of(folder).examples
    texts = ["\n".join(each.content for each in BUILT_IN.render(one.task)) for one in examples]
    tiny_models.tiny_learner(folder / "base", [*texts, *(target(one.task, one.value) for one in examples)])


def examples_of(folder: Path):
    """The examples that the command builds from the files."""
    labels = [Label(**json.loads(line)) for line in (folder / "labels.jsonl").read_text("utf-8").splitlines()]
    samples = [Sample(**json.loads(line)) for line in (folder / "answers.jsonl").read_text("utf-8").splitlines()]
    return build(labels, samples, read_rubric(str(folder / "rubric.toml")))
