"""What the demo lays beside its runs, so that every command it names can be run: answers, labels, grades, a plan."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from saiten.demo import DemoSample
from saiten.demo.gist import gist_labels, load_gist
from saiten.demo.grades import simulated_grades
from saiten.demo.labels import few_labels, known_labels
from saiten.durable.whole_file import write_whole
from saiten.records import Label
from saiten.runs import sample_to_json

DATA = "the built-in samples of saiten"
"""What the runs were made of."""
FEW = 48
"""Labels that a small labelling effort would bring."""
_OTHERWISE = "name another folder with --out"


def lay_out(out: Path, samples: Sequence[DemoSample]) -> None:
    """Write the files; raises ConfigurationError where that is not possible."""
    _write(out / "samples.jsonl", (sample_to_json(one.sample) for one in samples))
    _write(out / "labels.jsonl", map(_row, known_labels(samples)))
    _write(out / "few-labels.jsonl", map(_row, few_labels(samples, FEW)))
    _write(out / "gist-labels.jsonl", map(_row, gist_labels(load_gist())))
    _write(out / "simulated-grades.jsonl", map(_row, simulated_grades(samples)))
    plan = files("saiten.demo").joinpath("chains.yaml").read_text(encoding="utf-8")
    write_whole(out / "chains.yaml", plan, otherwise=_OTHERWISE)


def _row(label: Label) -> dict[str, Any]:
    return asdict(label)


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_whole(path, text, otherwise=_OTHERWISE)
