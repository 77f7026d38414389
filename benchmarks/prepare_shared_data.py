"""Convert the public evaluation sets under `$SAITEN_DATA` to saiten's samples and labels.

    SAITEN_DATA=/where/they/are python benchmarks/prepare_shared_data.py OUT

Writes, for each available set, `OUT/SET.samples.jsonl` (one sample per answer), `OUT/SET.labels.jsonl` (human labels)
and, if the set contains verdicts of other judges, `OUT/SET.judges.jsonl` (in the format of labels):

| set | samples | labels (aspect: values) | judges |
|---|---|---|---|
| jhars_dev | Japanese, id `QID/SYSTEM` | `faithful`: 1 if the annotator marked nothing in the answer, else 0; `faithful_final`: no sentence is hallucinated by the merged labels | – |
| clapnq_human | id `QID/SYSTEM`, group: answerable or not | `fluency`, `answer_relevance`, `faithfulness`: 1–4; `win_rate`: 0–100 | the authors' metrics |
| evouna_nq | id `QID/SYSTEM` | `correct`: 0 or 1 | – |
| nq301 | one per distinct answer; system only if exactly one gave it | `correct`: 0 or 1 per annotator; `correct_final` | `correct`: GPT-4 and others |
| ragchecker_meta | id `PAIR/1` and `PAIR/2`, group: the source | item `PAIR/1 vs PAIR/2`; `correctness`, `completeness`, `overall`: −2…2, above 0 if the second answer is better | RAGChecker's figures per answer |
"""  # noqa: E501 - a table

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from saiten.records import Label, Sample
from saiten.runs.lines import sample_to_json, to_line

Row = dict[str, Any]
Converted = tuple[Iterable[Sample], Iterable[Label], Iterable[Label]]

HALLUCINATED = ("Unverifiable", "Contradictory")


def jhars_dev(folder: Path) -> Converted:
    """Convert Japanese RAG answers of three systems, with hallucinations marked by three annotators."""
    questions = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    responses = list(rows(folder / "responses.jsonl"))

    def sample(row: Row) -> Sample:
        asked = questions[row["qid"]]
        return Sample(
            id=key(row),
            question=asked["question"],
            answer=row["answer"],
            contexts=tuple(asked["contexts"]),
            system=row["system"],
            language="ja",
        )

    def labels(row: Row) -> Iterator[Label]:
        flags = [sentence["flags"] for sentence in row["sentences"] if sentence["flags"]]
        for number, marks in enumerate(zip(*flags, strict=True), 1):
            yield Label(key(row), float(not any(marks)), f"a{number}", "faithful")
        found = [sentence["label"] for sentence in row["sentences"]]
        yield Label(key(row), float(not any(label in HALLUCINATED for label in found)), "final", "faithful_final")

    return map(sample, responses), flat(labels, responses), ()


def clapnq_human(folder: Path) -> Converted:
    """Convert RAG answers on ClapNQ, each rated by three of seven annotators."""
    questions = {row["qid"]: row for row in rows(folder / "questions.jsonl")}
    responses = list(rows(folder / "responses.jsonl"))

    def sample(row: Row) -> Sample:
        asked = questions[row["qid"]]
        return Sample(
            id=key(row),
            question=asked["question"],
            answer=row["answer"],
            contexts=tuple(context["text"] for context in asked["contexts"]),
            reference=asked["references"][0],
            alternatives=tuple(asked["references"][1:]),
            group=asked["answerability"],
            system=row["system"],
        )

    def labels(row: Row) -> Iterator[Label]:
        for aspect, said in row["human"].items():
            for annotator, value in said.items():
                yield Label(key(row), float(value), annotator, aspect)

    def judges(row: Row) -> Iterator[Label]:
        for metric, value in row["metrics"].items():
            yield Label(key(row), float(value), metric, "")

    return map(sample, responses), flat(labels, responses), flat(judges, responses)


def evouna_nq(folder: Path) -> Converted:
    """Convert five systems' answers to Natural Questions, with one verdict per answer."""
    read = list(rows(folder / "evouna_nq.jsonl"))

    def samples(row: Row) -> Iterator[Sample]:
        for system, answer in row["answers"].items():
            yield Sample(
                id=f"{row['qid']}/{system}",
                question=row["question"],
                answer=answer,
                reference=row["references"][0],
                alternatives=tuple(row["references"][1:]),
                system=system,
            )

    def labels(row: Row) -> Iterator[Label]:
        for system, value in row["human"].items():
            if value is not None:
                yield Label(f"{row['qid']}/{system}", float(value), "human", "correct")

    return flat(samples, read), flat(labels, read), ()


def nq301(folder: Path) -> Converted:
    """Convert the distinct answers of eleven systems to 301 Natural Questions, with two or three verdicts each."""
    read = list(rows(folder / "nq301_judged.jsonl"))

    def sample(row: Row) -> Sample:
        return Sample(
            id=row["id"],
            question=row["question"],
            answer=row["answer"],
            reference=row["references"][0],
            alternatives=tuple(row["references"][1:]),
            system=row["systems"][0] if len(row["systems"]) == 1 else None,
        )

    def labels(row: Row) -> Iterator[Label]:
        for number, value in enumerate(row["human"]["annotators"], 1):
            yield Label(row["id"], float(value), f"a{number}", "correct")
        yield Label(row["id"], float(row["human"]["correct"]), "final", "correct_final")

    def judges(row: Row) -> Iterator[Label]:
        for judge, value in row["judges"].items():
            if value is not None:
                yield Label(row["id"], float(value), judge, "correct")

    return map(sample, read), flat(labels, read), flat(judges, read)


def ragchecker_meta(folder: Path) -> Converted:
    """Convert pairs of answers of eight RAG systems, compared by two annotators."""
    read = list(rows(folder / "pairs.jsonl"))

    def samples(row: Row) -> Iterator[Sample]:
        for side in (1, 2):
            yield Sample(
                id=f"{row['id']}/{side}",
                question=row["question"],
                answer=row[f"answer_{side}"],
                reference=row["reference"],
                group=row["dataset"],
                system=row[f"system_{side}"],
            )

    def labels(row: Row) -> Iterator[Label]:
        for aspect, said in row["human"].items():
            for annotator, value in said.items():
                yield Label(f"{row['id']}/1 vs {row['id']}/2", float(value), annotator, aspect)

    def judges(row: Row) -> Iterator[Label]:
        for side in (1, 2):
            for aspect, value in row[f"ragchecker_{side}"].items():
                yield Label(f"{row['id']}/{side}", float(value), "ragchecker", aspect)

    return flat(samples, read), flat(labels, read), flat(judges, read)


SETS: dict[str, tuple[str, Callable[[Path], Converted]]] = {
    "jhars_dev": ("jhars_dev", jhars_dev),
    "clapnq_human": ("clapnq_human", clapnq_human),
    "evouna_nq": ("qa_correctness", evouna_nq),
    "nq301": ("qa_correctness", nq301),
    "ragchecker_meta": ("ragchecker_meta", ragchecker_meta),
}
"""Name of the output → (folder, conversion)."""


def prepare(data: Path, out: Path) -> Iterator[tuple[Path, int]]:
    """Write the available sets; yield each written file with its number of lines."""
    out.mkdir(parents=True, exist_ok=True)
    for name, (folder, convert) in SETS.items():
        if (data / folder).is_dir():
            samples, labels, judges = convert(data / folder)
            parts = (("samples", map(sample_to_json, samples)), ("labels", map(asdict, labels)))
            for part, lines in (*parts, ("judges", map(asdict, judges))):
                path = out / f"{name}.{part}.jsonl"
                written = write(path, map(to_line, lines))
                if written:
                    yield path, written
                else:
                    path.unlink()


def write(path: Path, lines: Iterable[bytes]) -> int:
    """Write the lines; return their number."""
    with path.open("wb") as file:
        return sum(1 for line in lines if file.write(line))


def rows(path: Path) -> Iterator[Row]:
    """Read the objects of a JSON lines file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def key(row: Row) -> str:
    """Return the id of an answer: its question and system."""
    return f"{row['qid']}/{row['system']}"


def flat(make: Callable[[Row], Iterator[Any]], read: Iterable[Row]) -> Iterator[Any]:
    """Return all items made of all rows."""
    return (item for row in read for item in make(row))


def main() -> None:
    """Convert `$SAITEN_DATA` into the folder OUT."""
    data = os.environ.get("SAITEN_DATA")
    if not data or len(sys.argv) != 2:
        sys.exit(f"usage: SAITEN_DATA=FOLDER python {sys.argv[0]} OUT")
    for path, lines in prepare(Path(data), Path(sys.argv[1])):
        print(f"{lines:6} lines in {path}")


if __name__ == "__main__":
    main()
