"""Files of the tour: answers, questions, documents and known labels, laid out in a folder."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from saiten.demo.gist import gist_labels, load_gist
from saiten.demo.grades import few_labels, known_labels, simulated_grades
from saiten.demo.samples import DEFECTS, DemoSample, corpus, demo_questions, load_demo
from saiten.durable.whole_file import write_whole, writing_to
from saiten.records import Label, Language, Sample
from saiten.runs import sample_to_json

FEW = 48
"""Number of labels from a small labeling effort."""
TO_GRADE = 10
"""Number of answers for people to grade."""
_BUILDS = {"before": "careful", "after": "chatty"}
"""Build → the system whose answers it gives: one keeps to the sources, one adds to them."""


def write_files(folder: Path) -> None:
    """Write all files that the steps of the tour read; raise ConfigurationError if that fails."""
    demo, gist = load_demo(), load_gist()
    answers = [one.sample for one in demo]
    samples: dict[str, Iterable[Sample]] = {
        "samples": answers,
        "by-defect": by_defect(demo),
        "gist-samples": [one.sample for one in gist],
        "questions": demo_questions(),
        "to-grade": answers[:: len(answers) // TO_GRADE + 1],
        **{build: build_answers(demo, system) for build, system in _BUILDS.items()},
    }
    labels: dict[str, Iterable[Label]] = {
        "labels": known_labels(demo),
        "few-labels": few_labels(demo, FEW),
        "gist-labels": gist_labels(gist),
        "simulated-grades": simulated_grades(demo),
    }
    rows = {name: map(sample_to_json, of) for name, of in samples.items()}
    rows |= {name: map(asdict, of) for name, of in labels.items()}
    for name, of in rows.items():
        write_rows(folder / f"{name}.jsonl", of)
    _write(folder / "chains.yaml", files("saiten.demo").joinpath("chains.yaml").read_text(encoding="utf-8"))
    write_documents(folder / "documents")


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines; raises ConfigurationError if that fails."""
    _write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_documents(folder: Path, language: Language | None = None) -> None:
    """Write the built-in texts, of one language or of both; raises ConfigurationError if that fails."""
    for document in corpus(language).rglob("*.md"):
        _write(folder / document.relative_to(corpus(language)), document.read_text(encoding="utf-8"))


def by_defect(demo: Sequence[DemoSample]) -> list[Sample]:
    """Return the answers with their defect as the group, so that means are shown per defect."""
    ranks = {one.name: rank for rank, one in enumerate(DEFECTS)}
    ordered = sorted(demo, key=lambda one: ranks[one.defect])
    return [replace(one.sample, group=one.defect.replace("_", " "), system=None) for one in ordered]


def build_answers(demo: Sequence[DemoSample], system: str) -> list[Sample]:
    """Return one system's answers under the ids of their questions, as a build of one product would give them."""
    return [
        replace(one.sample, id=one.sample.id.rpartition("-")[0], system=None)
        for one in demo
        if one.sample.system == system
    ]


def _write(path: Path, text: str) -> None:
    with writing_to(path, "name another folder"):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text, shared=True, otherwise="name another folder with --out")
