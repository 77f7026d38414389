"""Several aspects and their weights, learned from grades: simulated ones here."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from saiten.cli.demo.data import DATA
from saiten.cli.demo.telling import add, commands, heading, interval, say, table
from saiten.cli.progress import ScoreProgress
from saiten.demo import DemoSample
from saiten.demo.grades import GRADERS, TARGET, WEIGHTS, simulated_grades
from saiten.durable.whole_file import write_whole
from saiten.executor import LocalExecutor
from saiten.judges.scripted import ScriptedJudge
from saiten.metrics.catalog import make_metrics
from saiten.metrics.naming import write_name
from saiten.metrics.rubrics import read_rubric
from saiten.metrics.rubrics.weights import weights_text
from saiten.runs import Journal, RunSettings
from saiten.runs.engine import run_all
from saiten.runs.scoring import Scoring, signature_of
from saiten.tasks.aspects import RateAspect, Rating
from saiten.tuning.mate import LearnedWeights, learn_weights
from saiten.tuning.rated import rated_by_people

SIMULATED = "simulated from the known defects"


def tell(out: Path, samples: Sequence[DemoSample], console: Console, notes: Console) -> None:
    """The weights that were put in, and those that were learned."""
    heading("8 · Several aspects, weighed as people weigh them", console)
    say(
        f"[bold]The grades are simulated[/]: {len(GRADERS)} graders drawn from the known defects, their overall grade "
        "made with the first column and noise, in whole grades. Least squares finds the weights again.",
        console,
    )
    learned = learn(samples)
    table(
        ("aspect", "put in", "learned [95 %]"),
        [(one.name, WEIGHTS[one.name], interval(one.weight, one.low, one.high)) for one in learned.weights.aspects],
        console,
    )
    held = learned.held_out
    add(
        f"Pearson with the simulated graders on {held.n} answers held out: "
        f"{interval(held.value, held.low, held.high)}. The offline judge rates no aspects, a model does.",
        console,
    )
    run_simulated(out, samples, learned, notes)
    commands(
        console,
        ["tune", "mate", out / "simulated-grades.jsonl", "--samples", out / "samples.jsonl", "-o", "weights.toml"],
        ["score", "answers.jsonl", "-m", "aspects", "-m", "mate[weights=weights.toml]", "--judge", "openai:MODEL"],
    )


def learn(samples: Sequence[DemoSample]) -> LearnedWeights:
    """As `saiten tune mate` does."""
    questions = {one.sample.id: one.sample.question for one in samples}
    return learn_weights(rated_by_people(simulated_grades(samples), questions, target=TARGET), read_rubric())


def run_simulated(out: Path, samples: Sequence[DemoSample], learned: LearnedWeights, notes: Console) -> Path:
    """A run for the report, with the first simulated grader in the place of a judge, and a score with these weights."""
    weights = out / "weights.toml"
    write_whole(weights, weights_text(learned.weights), otherwise="name another folder with --out")
    said = [label for label in simulated_grades(samples) if label.annotator == GRADERS[0]]
    asked = {one.sample.id: (one.sample.question, one.sample.answer) for one in samples}
    grades = {(*asked[label.item], label.aspect): int(label.value) for label in said}
    judge = ScriptedJudge(
        {RateAspect: lambda task: Rating(reason=SIMULATED, grade=grades[task.question, task.answer, task.aspect])}
    )
    metrics = make_metrics(["aspects", write_name("mate", {"weights": weights})])
    signatures = {metric.name: str(signature_of(metric, judge)) for metric in metrics}
    rows = [replace(one.sample, id=f"{one.sample.id}@simulated") for one in samples]
    folder = out / "simulated-aspects"
    with (
        Journal.open(folder, RunSettings(data=DATA, judge={"judge": SIMULATED}), signatures=signatures) as journal,
        ScoreProgress(notes, len(rows), "USD") as progress,
    ):
        asyncio.run(run_all(Scoring(metrics, judge, journal), rows, LocalExecutor(4), progress))
    return folder
